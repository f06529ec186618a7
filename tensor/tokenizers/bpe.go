package tokenizers

import (
	"container/heap"
	"unicode/utf8"
)

// pair are two tokens that lie side by side.
type pair struct{ left, right int }

// merge is what a pair becomes, and when: lower ranks first.
type merge struct {
	rank float64
	id   int
}

// bpe joins the characters of a word, the best pair first, until no pair can be joined.
type bpe struct {
	merges map[pair]merge // nil: every two whose text together is a token, by its score
	scores []float64      // higher first, when merges is nil
	whole  bool           // a word that is a token as it is needs no merges
	prefix string         // of parts that do not begin a word
	suffix string         // of the part that ends a word
	fuse   bool           // neighbours without a token are one unknown token
}

// find returns what two tokens become.
func (b *bpe) find(t *Tokenizer, p pair) (merge, bool) {
	if b.merges != nil {
		m, ok := b.merges[p]
		return m, ok
	}
	id, ok := t.ids[t.pieces[p.left]+t.pieces[p.right]]
	if !ok {
		return merge{}, false
	}
	return merge{-b.scores[id], id}, true
}

// symbol is a part of a word: a token, or text without one. Parts are a list, of which those that were joined are no
// longer members.
type symbol struct {
	id          int // -1 for text without a token
	text        string
	before, aft int
}

// candidate is a pair that could be joined, as the two parts were when it was found.
type candidate struct {
	merge
	at          int // the left part
	left, right int // the tokens of both
}

// queue has the candidates, the best first, the leftmost of equals.
type queue []candidate

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].rank < q[j].rank || q[i].rank == q[j].rank && q[i].at < q[j].at
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(candidate)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func (b *bpe) tokens(t *Tokenizer, word string, plain bool, out []int) []int {
	if b.whole {
		if id, ok := t.ids[word]; ok && !(plain && t.special[id]) {
			return append(out, id)
		}
	}
	parts := b.symbols(t, word)
	if len(parts) == 0 { // no character has a token, and there is none for unknown ones
		return out
	}
	var q queue
	look := func(at int) {
		if at < 0 || parts[at].aft < 0 {
			return
		}
		p := pair{parts[at].id, parts[parts[at].aft].id}
		if p.left < 0 || p.right < 0 {
			return
		}
		if m, ok := b.find(t, p); ok {
			heap.Push(&q, candidate{m, at, p.left, p.right})
		}
	}
	for i := range parts {
		look(i)
	}
	for q.Len() > 0 {
		c := heap.Pop(&q).(candidate)
		left := &parts[c.at]
		if left.id != c.left || left.aft < 0 || parts[left.aft].id != c.right {
			continue // one of them was joined with another since
		}
		right := &parts[left.aft]
		left.id, left.aft = c.id, right.aft
		right.id = gone
		if left.aft >= 0 {
			parts[left.aft].before = c.at
		}
		look(c.at)
		look(left.before)
	}
	for at := 0; at >= 0; at = parts[at].aft {
		if parts[at].id >= 0 {
			out = append(out, parts[at].id)
		} else {
			out = t.missing(parts[at].text, out)
		}
	}
	return out
}

// gone is the id of a part that was joined to the one before it.
const gone = -2

// symbols are the characters of a word; a byte that is not UTF-8 is one. Where there are merges, what has no token is
// its bytes or the unknown token from the beginning, and nothing where there is none: as in Hugging Face's tokenizers,
// which join those, too. By scores it stays text until the end, as in SentencePiece.
func (b *bpe) symbols(t *Tokenizer, word string) []symbol {
	parts := make([]symbol, 0, len(word))
	add := func(id int, text string) {
		i := len(parts)
		parts = append(parts, symbol{id, text, i - 1, i + 1})
	}
	first := true
	unknown := 0 // that are to be added, which is after the bytes of others
	flush := func() {
		for ; unknown > 0; unknown-- {
			add(t.unknown, "")
		}
	}
	for word != "" {
		_, n := utf8.DecodeRuneInString(word)
		char := word[:n]
		word = word[n:]
		if b.prefix != "" && !first {
			char = b.prefix + char
		}
		if first = false; word == "" {
			char += b.suffix
		}
		id, ok := t.ids[char]
		switch {
		case ok:
			flush()
			add(id, char)
		case b.merges == nil:
			add(-1, char)
		case t.inBytes(char):
			for i := range len(char) {
				add(t.bytes[char[i]], "")
			}
		case t.unknown >= 0 && b.fuse:
			unknown = 1
		case t.unknown >= 0:
			flush()
			unknown = 1
		}
	}
	flush()
	if len(parts) > 0 {
		parts[len(parts)-1].aft = -1
	}
	return parts
}
