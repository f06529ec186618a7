package frame

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// chunkReader reads a column of a group of rows. Texts stay in the pages until those of all groups are there.
type chunkReader struct {
	leaf
	c     *Column // values of one size; n are the rows up to now
	texts []pageTexts
	size  int64  // of the texts
	valid bitmap // nil up to the first missing value
	level byte   // of values that are there
	rows  int    // of the group
}

// readChunk reads a column of group i. Values of one size come to lie in the column of all groups.
func readChunk(l leaf, groups []parquet.RowGroup, i int, whole *Column) (r *chunkReader, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("column %q: %w", l.name, err)
		}
	}()
	defer malformed("parquet", &err)
	if l.read == nil {
		return nil, nil
	}
	g, lo := groups[i], 0
	for _, before := range groups[:i] {
		lo += int(before.NumRows())
	}
	r = &chunkReader{leaf: l, rows: int(g.NumRows()), level: byte(l.col.MaxDefinitionLevel())}
	r.c = windowOf(whole, lo, r.rows)
	pages := g.ColumnChunks()[l.col.Index()].Pages()
	defer pages.Close()
	for r.c.n < r.rows { // as far as pages were checked
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("parquet: %w", err)
		}
		if err := r.page(page); err != nil {
			return nil, err
		}
		if l.typ != String {
			parquet.Release(page)
		}
	}
	if r.c.n != r.rows {
		return nil, fmt.Errorf("parquet: %d values in a group of %d rows", r.c.n, r.rows)
	}
	return r, nil
}

// pageValues are the values of a page that are there, or numbers of them in its dictionary.
type pageValues struct {
	page    parquet.Page
	n       int    // rows
	present int    // of which so many have a value
	levels  []byte // nil: all are there
	indices []int32
	dict    parquet.Dictionary
}

func (r *chunkReader) page(p parquet.Page) error {
	v := &pageValues{page: p, n: int(p.NumValues()), dict: p.Dictionary()}
	if r.level > 0 && p.NumNulls() > 0 {
		v.levels = p.DefinitionLevels()
		if len(v.levels) != v.n {
			return fmt.Errorf("parquet: %d levels of %d values", len(v.levels), v.n)
		}
	}
	if v.n > r.rows-r.c.n {
		return fmt.Errorf("parquet: more than %d values in a group of as many rows", r.rows)
	}
	r.presence(v)
	if v.dict != nil {
		data := p.Data()
		if v.indices = data.Int32(); len(v.indices) < v.present {
			return io.ErrUnexpectedEOF
		}
		v.indices = v.indices[:v.present]
	}
	if err := r.read(r, v); err != nil {
		return err
	}
	r.c.n += v.n
	return nil
}

// presence notes which rows have values, and counts those of a page.
func (r *chunkReader) presence(v *pageValues) {
	v.present = v.n
	if v.levels == nil && r.valid == nil {
		return
	}
	if r.valid == nil {
		r.valid = newBitmap(r.rows)
		r.valid.put(0, nil, r.c.n)
	}
	if v.levels == nil {
		r.valid.put(r.c.n, nil, v.n)
		return
	}
	there := newBitmap(v.n)
	for w := range there {
		var word uint64
		for i, level := range v.levels[64*w : min(64*w+64, v.n)] {
			var bit uint64
			if level == r.level {
				bit = 1
			}
			word |= bit << i
		}
		there[w] = word
	}
	v.present = there.count()
	r.valid.put(r.c.n, there, v.n)
}

// put appends the values of a page to those of a column, which has room for them: looked up in values if the page has a
// dictionary, and the zero value where one is missing.
func put[T any](r *chunkReader, v *pageValues, out, values []T) ([]T, error) {
	to := out[len(out) : len(out)+v.n]
	switch {
	case v.dict != nil:
		for i, k := range v.indices {
			if uint(k) >= uint(len(values)) {
				return out, io.ErrUnexpectedEOF
			}
			to[i] = values[k]
		}
	case len(values) < v.present:
		return out, io.ErrUnexpectedEOF
	default:
		copy(to[:v.present], values)
	}
	if v.levels != nil { // from the last one on, each to its row
		var missing T
		next := v.present
		for i := v.n - 1; i >= 0; i-- {
			if v.levels[i] != r.level {
				to[i] = missing
				continue
			}
			next--
			to[i] = to[next]
		}
	}
	return out[:len(out)+v.n], nil
}
