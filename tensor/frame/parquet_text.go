package frame

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/gorocm/gorocm/internal/budget"
)

// pageTexts are the strings of a page: one after the other, or those of a dictionary by their numbers. Indices and
// levels are memory of the page.
type pageTexts struct {
	*pageValues
	*textList
}

// textList is a list of strings: b[ends[k]:ends[k+1]].
type textList struct {
	of    parquet.Dictionary // nil for those of a page
	b     []byte
	ends  []uint32
	sizes []byte     // of a dictionary: bytes of a string, long if they are more than slots have
	slots [][16]byte // of a dictionary: short strings, and their size in the last byte
}

const (
	slotText = 15
	long     = 255
)

// newTextList returns the strings of a page or a dictionary. What rows refer to in any order has its slots, so that a
// row takes one access to memory.
func newTextList(of parquet.Dictionary, b []byte, ends []uint32) *textList {
	l := &textList{of: of, b: b, ends: ends}
	if of == nil {
		return l
	}
	l.sizes, l.slots = make([]byte, len(ends)-1), make([][16]byte, len(ends)-1)
	for k := range l.sizes {
		text := b[ends[k]:ends[k+1]]
		if len(text) > slotText {
			l.sizes[k] = long
		} else {
			copy(l.slots[k][:], text)
			l.sizes[k] = byte(len(text))
		}
		l.slots[k][slotText] = l.sizes[k]
	}
	return l
}

// strings reads strings, which must be UTF-8.
func (r *chunkReader) strings(v *pageValues) error {
	if n := len(r.texts); n > 0 && v.dict != nil && r.texts[n-1].of == v.dict {
		return r.addTexts(v, r.texts[n-1].textList)
	}
	data := v.data()
	b, ends := data.ByteArray()
	if len(ends) == 0 {
		ends = []uint32{0}
	}
	if !slices.IsSorted(ends) || int(ends[len(ends)-1]) > len(b) {
		return io.ErrUnexpectedEOF
	}
	if !validTexts(b, ends) {
		return errors.New("parquet: bytes that are not UTF-8, which columns do not have")
	}
	return r.addTexts(v, newTextList(v.dict, b, ends))
}

// validTexts reports whether each of the strings b[ends[i]:ends[i+1]] is UTF-8: all together, and none begins within a
// character.
func validTexts[E uint32 | int64](b []byte, ends []E) bool {
	first, last := ends[0], ends[len(ends)-1]
	for _, at := range ends {
		if at < last && !utf8.RuneStart(b[at]) {
			return false
		}
	}
	return utf8.Valid(b[first:last])
}

// addTexts keeps the strings of a page, and counts their bytes.
func (r *chunkReader) addTexts(v *pageValues, l *textList) error {
	if v.dict == nil {
		if len(l.ends)-1 < v.present {
			return io.ErrUnexpectedEOF
		}
		r.size += int64(l.ends[v.present] - l.ends[0])
	}
	for _, k := range v.indices {
		if uint(k) >= uint(len(l.sizes)) {
			return io.ErrUnexpectedEOF
		}
		n := int64(l.sizes[k])
		if n == long {
			n = int64(l.ends[k+1] - l.ends[k])
		}
		r.size += n
	}
	r.texts = append(r.texts, pageTexts{v, l})
	return nil
}

// putTexts makes the strings of a column of those of its groups of rows.
func (c *Column) putTexts(chunks []*chunkReader) error {
	starts, at := make([]int, len(chunks)+1), make([]int64, len(chunks)+1)
	for i, r := range chunks {
		starts[i+1], at[i+1] = starts[i]+r.rows, at[i]+r.size
	}
	size := at[len(chunks)]
	if e := budget.Room(size + 8*int64(c.n)); e != nil {
		return fmt.Errorf("parquet: texts of %d bytes: %w", size, e)
	}
	c.text, c.ends = make([]byte, size), make([]int64, c.n+1)
	each(len(chunks), func(i int) {
		r, to, ends := chunks[i], c.text[at[i]:at[i+1]:at[i+1]], c.ends[starts[i]+1:starts[i+1]+1]
		base := at[i]
		for _, t := range r.texts {
			n := t.put(to, base, ends[:t.n], r.level)
			to, ends, base = to[n:], ends[t.n:], base+int64(n)
			parquet.Release(t.page)
		}
	})
	return nil
}

// put writes the strings of a page, and where those of its rows end in the column, of whose text to is what begins at
// base. It returns the bytes that it has written.
func (t *pageTexts) put(to []byte, base int64, ends []int64, level byte) int {
	if t.dict == nil {
		first, next := t.ends[0], 0
		n := copy(to, t.b[first:t.ends[t.present]])
		for i := range ends {
			if t.levels == nil || t.levels[i] == level {
				next++
			}
			ends[i] = base + int64(t.ends[next]-first)
		}
		return n
	}
	at, indices, slots := 0, t.indices, t.slots
	for i := range ends {
		if t.levels == nil || t.levels[i] == level {
			k := indices[0]
			indices = indices[1:]
			slot := &slots[k]
			if n := int(slot[slotText]); n != long && at+len(slot) <= len(to) { // what is too much is overwritten
				*(*[16]byte)(to[at:]) = *slot
				at += n
			} else {
				at += copy(to[at:], t.b[t.ends[k]:t.ends[k+1]])
			}
		}
		ends[i] = base + int64(at)
	}
	return at
}
