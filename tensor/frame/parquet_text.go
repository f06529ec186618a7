package frame

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/gorocm/gorocm/internal/budget"
	"github.com/gorocm/gorocm/tensor/frame/internal/spread"
)

// pageTexts are the strings of a page: one after the other, or those of a dictionary by their numbers. Indices are
// memory of the page.
type pageTexts struct {
	*pageValues
	*spread.Texts
	of parquet.Dictionary // nil for those of a page
}

// strings reads strings, which must be UTF-8.
func (r *chunkReader) strings(v *pageValues) error {
	if n := len(r.texts); n > 0 && v.dict != nil && r.texts[n-1].of == v.dict {
		return r.addTexts(v, r.texts[n-1].Texts)
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
	return r.addTexts(v, v.texts(b, ends))
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

// texts are the strings of a page, or of its dictionary.
func (v *pageValues) texts(b []byte, ends []uint32) *spread.Texts {
	if v.dict == nil {
		return spread.Page(b, ends)
	}
	return spread.Dictionary(b, ends)
}

// addTexts keeps the strings of a page, and counts their bytes.
func (r *chunkReader) addTexts(v *pageValues, l *spread.Texts) error {
	size, ok := int64(0), l.Len() >= v.present
	if v.dict != nil {
		size, ok = l.Size(v.indices)
	} else if ok {
		size = l.First(v.present)
	}
	if !ok {
		return io.ErrUnexpectedEOF
	}
	r.size += size
	r.texts = append(r.texts, pageTexts{v, l, v.dict})
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
	c.text, c.ends = spread.Memory[byte](int(size)), spread.Memory[int64](c.n+1)
	c.ends[0] = 0
	each(len(chunks), func(i int) {
		r, to, ends := chunks[i], c.text[at[i]:at[i+1]:at[i+1]], c.ends[starts[i]+1:starts[i+1]+1]
		base := at[i]
		for _, t := range r.texts {
			n := t.Put(to, base, ends[:t.n], t.indices, t.there)
			to, ends, base = to[n:], ends[t.n:], base+int64(n)
			release(t.page)
		}
	})
	return nil
}
