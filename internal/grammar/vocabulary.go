package grammar

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
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

// Vocabulary is the tokens of a model by their bytes. Several goroutines may use one.
type Vocabulary struct {
	n     int
	trie  []trieNode // in the order in which a walk comes to them, the root first, and one after all
	ids   []int32    // the tokens in the order of their bytes
	chars []uint16   // how many characters each of these begins

	mu     sync.Mutex
	covers map[string]cover
}

// trieNode is a beginning of tokens.
type trieNode struct {
	after int32  // the node after all that are below this one
	first int32  // of the tokens that begin so, in Vocabulary.ids; those that end here are the first
	below uint16 // how many characters begin below, at most
	b     byte
}

// NewVocabulary returns the vocabulary of n tokens. bytes returns what a token adds to a text, nothing for one that
// adds no text and is only allowed where a grammar names it.
func NewVocabulary(n int, bytes func(id int) []byte) *Vocabulary {
	type word struct {
		text string
		id   int
	}
	var list []word
	for id := range n {
		if text := string(bytes(id)); text != "" {
			list = append(list, word{text, id})
		}
	}
	slices.SortFunc(list, func(a, b word) int { return cmp.Or(cmp.Compare(a.text, b.text), a.id-b.id) })
	v := &Vocabulary{n: n, trie: []trieNode{{}}, covers: map[string]cover{}}
	path, before := []int{0}, "" // nodes of the text before
	leave := func(depth int) {
		for len(path) > depth+1 {
			v.trie[path[len(path)-1]].after = int32(len(v.trie))
			path = path[:len(path)-1]
		}
	}
	for rank, w := range list {
		same := 0
		for same < min(len(before), len(w.text)) && before[same] == w.text[same] {
			same++
		}
		leave(same)
		for _, b := range []byte(w.text[same:]) {
			path = append(path, len(v.trie))
			v.trie = append(v.trie, trieNode{b: b, first: int32(rank)})
		}
		v.ids, v.chars, before = append(v.ids, int32(w.id)), append(v.chars, countChars(w.text)), w.text
	}
	leave(0)
	v.trie[0].after = int32(len(v.trie))
	v.trie = append(v.trie, trieNode{first: int32(len(list))})
	for i := len(v.trie) - 2; i >= 0; i-- {
		n := &v.trie[i]
		for c := i + 1; c < int(n.after); c = int(v.trie[c].after) {
			n.below = max(n.below, v.trie[c].below+begins(v.trie[c].b))
		}
	}
	return v
}

// begins is 1 for a byte that begins a character.
func begins(b byte) uint16 {
	if b&0xC0 == 0x80 {
		return 0
	}
	return 1
}

func countChars(text string) (n uint16) {
	for _, b := range []byte(text) {
		n += begins(b)
	}
	return n
}

// cover has the nodes of a trie below which there are only whole characters of a class, after whole characters.
type cover []uint64

func (c cover) has(at int) bool { return c[at/64]>>(at%64)&1 != 0 }

// maxCovers is how many a vocabulary keeps.
const maxCovers = 64

// cover returns the nodes below which there are only characters of a class.
func (v *Vocabulary) cover(c *class) cover {
	v.mu.Lock()
	defer v.mu.Unlock()
	if all, ok := v.covers[c.key]; ok {
		return all
	}
	if len(v.covers) == maxCovers {
		clear(v.covers)
	}
	all := make(cover, (len(v.trie)+63)/64)
	for i := len(v.trie) - 2; i >= 0; i-- { // what is below a node comes after it
		if v.covered(all, c, i, 0) {
			all[i/64] |= 1 << (i % 64)
		}
	}
	v.covers[c.key] = all
	return all
}

// covered reports whether all that is below a node, at a place within a character of the class, goes on as the class.
func (v *Vocabulary) covered(all cover, c *class, node, place int) bool {
	for i := node + 1; i < int(v.trie[node].after); i = int(v.trie[i].after) {
		next := c.step(place, v.trie[i].b)
		switch {
		case next < 0:
			return false
		case next == 0:
			if !all.has(i) {
				return false
			}
		case v.trie[i].first < v.trie[i+1].first: // a token ends within a character
			return false
		case !v.covered(all, c, i, next):
			return false
		}
	}
	return true
}
