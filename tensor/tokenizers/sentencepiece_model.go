package tokenizers

import (
	"container/heap"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// spSpace is what pieces have for a space.
const spSpace = "▁"

// spVocabulary is what the models of SentencePiece look pieces up in.
type spVocabulary struct {
	scores   []float32
	kinds    []int
	ids      map[string]int // of pieces that texts are made of: normal, unused and user's
	reserved map[string]int // of the others
	user     *finder        // pieces of the user, which are never split or joined
}

// spNormalizer is what SentencePiece makes of a text first.
type spNormalizer struct {
	chars *charsMap // nil for none
	user  *finder
	lead  bool // a space comes before the text
	extra bool // several spaces are one, and none are at the ends
}

// next returns what the begin of a text becomes, and its length.
func (s *spNormalizer) next(text string) (to string, n int) {
	if a := s.user.match(text); a != nil {
		return a.text, len(a.text)
	}
	if s.chars != nil {
		if to, n := s.chars.longest(text); n > 0 {
			return to, n
		}
	}
	if r, n := utf8.DecodeRuneInString(text); r != utf8.RuneError || n > 1 {
		return text[:n], n
	}
	return string(utf8.RuneError), 1
}

// normalize returns the text that is split into pieces.
func (s *spNormalizer) normalize(text string) string {
	for s.extra && text != "" {
		to, n := s.next(text)
		if to != " " {
			break
		}
		text = text[n:]
	}
	if text == "" {
		return ""
	}
	var b strings.Builder
	if s.lead {
		b.WriteString(spSpace)
	}
	for after := s.extra; text != ""; {
		to, n := s.next(text)
		text = text[n:]
		if after {
			to = strings.TrimLeft(to, " ")
		}
		if to != "" {
			b.WriteString(strings.ReplaceAll(to, " ", spSpace))
			after = s.extra && strings.HasSuffix(to, " ")
		}
	}
	out := b.String()
	for s.extra && strings.HasSuffix(out, spSpace) {
		out = strings.TrimSuffix(out, spSpace)
	}
	return out
}

// spUnigram finds the pieces with the greatest sum of scores, in the order and precision of SentencePiece.
type spUnigram struct {
	*spVocabulary
	longest          int // bytes of a piece
	highest, unknown float32
}

func newSPUnigram(v *spVocabulary) *spUnigram {
	u := &spUnigram{spVocabulary: v}
	least, most := float32(math.MaxFloat32), float32(0x1p-126) // as in SentencePiece: the least positive number
	for id, s := range v.scores {
		if v.kinds[id] == kindNormal {
			least, most = min(least, s), max(most, s)
		}
	}
	const penalty = 10
	u.highest, u.unknown = most, least-penalty
	for piece := range v.ids {
		u.longest = max(u.longest, len(piece))
	}
	return u
}

// score is that of a piece of so many bytes; pieces of the user are better than all that they could be split into.
func (u *spUnigram) score(id, n int) float64 {
	if u.kinds[id] == kindUser {
		return float64(float32(n)*u.highest) - 0.1
	}
	return float64(u.scores[id])
}

func (u *spUnigram) tokens(t *Tokenizer, word string, _ bool, out []int) []int {
	type node struct {
		score    float32
		from, id int
	}
	best := make([]node, len(word)+1)
	for i := range best {
		best[i].from = -1
	}
	reach := func(end, from, id int, score float64) { // sums are compared in float64, and kept in float32
		if score += float64(best[from].score); best[end].from < 0 || score > float64(best[end].score) {
			best[end] = node{float32(score), from, id}
		}
	}
	for at := 0; at < len(word); {
		_, n := utf8.DecodeRuneInString(word[at:])
		whole := false
		for end := at + 1; end <= min(len(word), at+u.longest); end++ {
			id, ok := u.ids[word[at:end]]
			if !ok || u.kinds[id] == kindUnused {
				continue
			}
			whole = whole || end == at+n
			reach(end, at, id, u.score(id, end-at))
		}
		if !whole {
			reach(at+n, at, t.unknown, float64(u.unknown))
		}
		at += n
	}
	var ends []int
	for end := len(word); end > 0; end = best[end].from {
		ends = append(ends, end)
	}
	slices.Reverse(ends)
	var w spWriter
	for _, end := range ends {
		out = w.add(t, best[end].id, word[best[end].from:end], out)
	}
	return out
}

// spWriter appends tokens: bytes for unknown characters, or one unknown token for neighbours.
type spWriter struct{ unknown bool }

func (w *spWriter) add(t *Tokenizer, id int, text string, out []int) []int {
	before := w.unknown
	if w.unknown = id == t.unknown; !w.unknown {
		return append(out, id)
	}
	if before && t.bytes[0] < 0 {
		return out
	}
	return t.missing(text, out)
}

// spBPE joins neighbours that are a piece together, the one of the greatest score first.
type spBPE struct{ *spVocabulary }

// spSymbol is a part of a word; frozen ones are pieces of the user.
type spSymbol struct {
	text        string
	before, aft int
	frozen      bool
}

func (b *spBPE) symbols(word string) (parts []spSymbol) {
	for i := 0; word != ""; i++ {
		_, n := utf8.DecodeRuneInString(word)
		a := b.user.match(word)
		if a != nil {
			n = len(a.text)
		}
		parts = append(parts, spSymbol{word[:n], i - 1, i + 1, a != nil})
		word = word[n:]
	}
	if len(parts) > 0 {
		parts[len(parts)-1].aft = -1
	}
	return parts
}

func (b *spBPE) tokens(t *Tokenizer, word string, _ bool, out []int) []int {
	parts := b.symbols(word)
	var q queue
	joined := map[string]int{} // unused pieces, and the length of their left part
	look := func(at, next int) {
		if at < 0 || next < 0 || parts[at].frozen || parts[next].frozen {
			return
		}
		text := parts[at].text + parts[next].text
		id, ok := b.ids[text]
		if !ok {
			return
		}
		heap.Push(&q, candidate{merge{-float64(b.scores[id]), len(text)}, at, at, next})
		if b.kinds[id] == kindUnused {
			joined[text] = len(parts[at].text)
		}
	}
	for i := 1; i < len(parts); i++ {
		look(i-1, i)
	}
	for q.Len() > 0 {
		c := heap.Pop(&q).(candidate)
		left, right := &parts[c.left], &parts[c.right]
		if left.text == "" || right.text == "" || len(left.text)+len(right.text) != c.id {
			continue // one of them was joined with another since
		}
		left.text += right.text
		left.aft, right.text = right.aft, ""
		if left.aft >= 0 {
			parts[left.aft].before = c.left
		}
		look(left.before, c.left)
		look(c.left, left.aft)
	}
	var w spWriter
	for at := 0; at >= 0 && len(parts) > 0; at = parts[at].aft {
		out = b.write(t, &w, parts[at].text, joined, out)
	}
	return out
}

// write appends a part; an unused piece is split as it was joined.
func (b *spBPE) write(t *Tokenizer, w *spWriter, text string, joined map[string]int, out []int) []int {
	id, ok := b.reserved[text]
	if !ok {
		id, ok = b.ids[text]
	}
	if !ok {
		id = t.unknown
	}
	n := joined[text]
	if b.kinds[id] != kindUnused || n == 0 {
		return w.add(t, id, text, out)
	}
	out = b.write(t, w, text[:n], joined, out)
	return b.write(t, w, text[n:], joined, out)
}

// spWithoutLegacy is the model with legacy=False of transformers: a word that begins with a space has the unknown
// token's text before it, which keeps the space, and whose tokens are left out.
type spWithoutLegacy struct {
	model
	before string // the text, normalized
	n      int    // its tokens
}

func (m *spWithoutLegacy) tokens(t *Tokenizer, word string, plain bool, out []int) []int {
	if !strings.HasPrefix(word, m.before) {
		return m.model.tokens(t, word, plain, out)
	}
	ids := m.model.tokens(t, word, plain, nil)
	return append(out, ids[min(m.n, len(ids)):]...)
}
