package tokenizers

import (
	"math"
	"slices"
	"unicode/utf8"
)

// unigram finds the tokens of a word whose scores, logarithms of probabilities, have the greatest sum: Viterbi's
// algorithm.
type unigram struct {
	scores  []float64
	longest int     // bytes of a token
	unknown float64 // score of a character without a token
	apart   bool    // no special token is found in a word, as in SentencePiece
}

func newUnigram(t *Tokenizer, scores []float64) *unigram {
	u := &unigram{scores: scores}
	least := math.Inf(1)
	for id, s := range scores {
		least = min(least, s)
		u.longest = max(u.longest, len(t.pieces[id]))
	}
	u.unknown = least - 10 // as SentencePiece has it
	return u
}

func (u *unigram) tokens(t *Tokenizer, word string, plain bool, out []int) []int {
	type step struct {
		score float64
		from  int
		id    int // -1 for a character without a token
	}
	best := make([]step, len(word)+1)
	for i := range best {
		best[i] = step{math.Inf(-1), -1, -1}
	}
	best[0].score = 0
	for at := 0; at < len(word); {
		_, n := utf8.DecodeRuneInString(word[at:])
		whole := false // a token is the one character
		for end := at + 1; end <= min(len(word), at+u.longest); end++ {
			id, ok := t.ids[word[at:end]]
			if !ok || t.special[id] && (plain || u.apart) {
				continue
			}
			whole = whole || end == at+n
			if s := best[at].score + u.scores[id]; s > best[end].score {
				best[end] = step{s, at, id}
			}
		}
		if s := best[at].score + u.unknown; !whole && s > best[at+n].score {
			best[at+n] = step{s, at, -1}
		}
		at += n
	}
	var path []int // ends of the tokens, the last first
	for end := len(word); end > 0; end = best[end].from {
		path = append(path, end)
	}
	slices.Reverse(path)
	for i, at := 0, 0; i < len(path); i++ {
		end := path[i]
		if id := best[end].id; id >= 0 {
			out = append(out, id)
			at = end
			continue
		}
		// Neighbours without a token are unknown together.
		for i+1 < len(path) && best[path[i+1]].id < 0 {
			i++
			end = path[i]
		}
		out = t.missing(word[at:end], out)
		at = end
	}
	return out
}
