package jsonschema

import (
	"cmp"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// Set is a set of tokens.
type Set struct {
	words []uint64
	n     int // of the vocabulary
}

func newSet(n int) *Set { return &Set{make([]uint64, (n+63)/64), n} }

func (s *Set) put(id int) { s.words[id/64] |= 1 << (id % 64) }

// Has reports whether a token is in the set.
func (s *Set) Has(id int) bool { return id >= 0 && id < s.n && s.words[id/64]>>(id%64)&1 != 0 }

// Len counts the tokens.
func (s *Set) Len() (n int) {
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}

func (s *Set) union(t *Set) {
	for i, w := range t.words {
		s.words[i] |= w
	}
}

// Vocabulary is the tokens of a model by their bytes. Several goroutines may use one.
type Vocabulary struct {
	n    int
	all  trie
	rest trie // of the tokens that are not plain
	// the plain tokens of at most so many characters: those that are whole characters of a JSON string without escapes.
	// Nearly all of a vocabulary are, and where a string is read they need not be looked at one by one
	plain   []*Set // for each of lengths
	lengths []int  // ascending
}

// trie has the nodes in the order in which a walk comes to them.
type trie []trieNode

type trieNode struct {
	b      byte
	tokens []int // that end here
	after  int   // the node after all that are below this one
}

// NewVocabulary returns the vocabulary of n tokens. bytes returns what a token adds to a text, nothing for one that
// adds no text and is never allowed.
func NewVocabulary(n int, bytes func(id int) []byte) *Vocabulary {
	v := &Vocabulary{n: n}
	var all, rest []token
	byLength := map[int][]int{}
	for id := range n {
		text := string(bytes(id))
		if text == "" {
			continue
		}
		all = append(all, token{text, id})
		if length, ok := plain(text); ok {
			byLength[length] = append(byLength[length], id)
		} else {
			rest = append(rest, token{text, id})
		}
	}
	v.all, v.rest = newTrie(all), newTrie(rest)
	sum := newSet(n)
	for length := range byLength {
		v.lengths = append(v.lengths, length)
	}
	slices.Sort(v.lengths)
	for _, length := range v.lengths {
		for _, id := range byLength[length] {
			sum.put(id)
		}
		v.plain = append(v.plain, &Set{slices.Clone(sum.words), n})
	}
	return v
}

type token struct {
	text string
	id   int
}

func newTrie(list []token) (t trie) {
	slices.SortFunc(list, func(a, b token) int { return cmp.Or(cmp.Compare(a.text, b.text), a.id-b.id) })
	var path []int // nodes of the text before
	before := ""
	for _, x := range list {
		same := 0
		for same < min(len(before), len(x.text)) && before[same] == x.text[same] {
			same++
		}
		for _, at := range path[same:] {
			t[at].after = len(t)
		}
		path = path[:same]
		for _, b := range []byte(x.text[same:]) {
			path, t = append(path, len(t)), append(t, trieNode{b: b})
		}
		last := &t[path[len(path)-1]]
		last.tokens = append(last.tokens, x.id)
		before = x.text
	}
	for _, at := range path {
		t[at].after = len(t)
	}
	return t
}

// plain reports whether a text is whole characters of a JSON string without escapes, and how many.
func plain(text string) (length int, ok bool) {
	if !utf8.ValidString(text) {
		return 0, false
	}
	for _, r := range text {
		if r < ' ' || r == '"' || r == '\\' {
			return 0, false
		}
		length++
	}
	return length, true
}

// walk adds the tokens of a trie that a state allows. within ends at the end of a character that has begun.
func (t trie) walk(m *machine, begin *state, into *Set, within bool) {
	states := []*state{begin} // of the nodes above
	ends := []int{len(t)}     // and where those end
	for at := 0; at < len(t); {
		for at >= ends[len(ends)-1] {
			states, ends = states[:len(states)-1], ends[:len(ends)-1]
		}
		n := &t[at]
		s := m.after(states[len(states)-1], n.b)
		if s == nil {
			at = n.after
			continue
		}
		for _, id := range n.tokens {
			into.put(id)
		}
		if within && !m.inCharacter(s) {
			at = n.after
			continue
		}
		states, ends = append(states, s), append(ends, n.after)
		at++
	}
}
