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

// symbol is a part of a word: a token, or text without one. Parts are a list, of which those that were joined are no longer members.
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

func (b *bpe) tokens(t *Tokenizer, word string, out []int) []int {
	if b.whole {
		if id, ok := t.ids[word]; ok {
			return append(out, id)
		}
	}
	parts := symbols(t, word)
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

// symbols are the characters of a word; a byte that is no UTF-8 is one.
func symbols(t *Tokenizer, word string) []symbol {
	parts := make([]symbol, 0, len(word))
	for word != "" {
		_, n := utf8.DecodeRuneInString(word)
		id, ok := t.ids[word[:n]]
		if !ok {
			id = -1
		}
		i := len(parts)
		parts = append(parts, symbol{id, word[:n], i - 1, i + 1})
		word = word[n:]
	}
	if len(parts) > 0 {
		parts[len(parts)-1].aft = -1
	}
	return parts
}
