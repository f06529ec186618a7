package tokenizers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// charsMap is how SentencePiece normalizes: a trie (a double array, as Yata's Darts-clone writes it) from texts to
// where what they become begins among others, each of which ends with a zero.
type charsMap struct {
	units []uint32
	texts []byte
}

func newCharsMap(data []byte) (*charsMap, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("the table is empty")
	}
	if len(data) < 4 {
		return nil, fmt.Errorf("a table of %d bytes", len(data))
	}
	n := int64(binary.LittleEndian.Uint32(data))
	if n%4 != 0 || n == 0 || n > int64(len(data)-4) {
		return nil, fmt.Errorf("a trie of %d bytes in a table of %d", n, len(data))
	}
	m := &charsMap{units: make([]uint32, n/4), texts: data[4+n:]}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(data[4+4*i:])
	}
	return m, nil
}

// find returns what the shortest text in the trie that key begins with becomes. Taking the shortest, and what comes
// after it not at all, is what Hugging Face's tokenizers do.
func (m *charsMap) find(key string) (to string, ok bool) {
	m.each(key, func(text string, _ int) bool {
		to, ok = text, true
		return false
	})
	return to, ok
}

// longest returns what the longest text in the trie that key begins with becomes, and its length, 0 for none, as
// SentencePiece does.
func (m *charsMap) longest(key string) (to string, n int) {
	m.each(key, func(text string, length int) bool {
		to, n = text, length
		return true
	})
	return to, n
}

// each calls found for each text in the trie that key begins with, from the shortest on: with what it becomes and its
// length, until found returns false.
func (m *charsMap) each(key string, found func(to string, n int) bool) {
	offset := func(u uint32) int { return int(u>>10) << (u & (1 << 9) >> 6) }
	at := offset(m.units[0])
	for i := range len(key) {
		c := key[i]
		if at ^= int(c); c == 0 || at >= len(m.units) {
			return
		}
		u := m.units[at]
		if u&(1<<31|0xFF) != uint32(c) {
			return
		}
		if at ^= offset(u); at >= len(m.units) {
			return
		}
		if u>>8&1 == 1 {
			start := int(m.units[at] & (1<<31 - 1))
			if start >= len(m.texts) {
				return
			}
			text := m.texts[start:]
			if end := bytes.IndexByte(text, 0); end >= 0 {
				text = text[:end]
			}
			if !found(string(text), i+1) {
				return
			}
		}
	}
}

// normalize replaces what the trie has: graphemes of up to five bytes, and else characters.
func (m *charsMap) normalize(text string) string {
	var b strings.Builder
	for g := graphemes.FromString(text); g.Next(); {
		grapheme := g.Value()
		if len(grapheme) < 6 {
			if to, ok := m.find(grapheme); ok {
				b.WriteString(to)
				continue
			}
		}
		for _, r := range grapheme {
			if to, ok := m.find(string(r)); ok {
				b.WriteString(to)
			} else {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}
