package frame

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/gorocm/gorocm/tensor/frame/internal/spread"
	"github.com/gorocm/gorocm/tensor/internal/pages"
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
func readChunk(l leaf, from io.ReaderAt, file *parquet.File, i int, whole *Column) (r *chunkReader, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("column %q: %w", l.name, err)
		}
	}()
	defer malformed("parquet", &err)
	if l.read == nil {
		return nil, nil
	}
	g, lo := file.RowGroups()[i], 0
	for _, before := range file.RowGroups()[:i] {
		lo += int(before.NumRows())
	}
	r = &chunkReader{leaf: l, rows: int(g.NumRows()), level: byte(l.col.MaxDefinitionLevel())}
	r.c = windowOf(whole, lo, r.rows)
	next, done := pagesOf(l, from, file, i)
	defer done()
	for r.c.n < r.rows { // as far as pages were checked
		page, err := next()
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
			release(page)
		}
	}
	if r.c.n != r.rows {
		return nil, fmt.Errorf("parquet: %d values in a group of %d rows", r.c.n, r.rows)
	}
	return r, nil
}

// pagesOf returns what reads the pages of a column in group i, one after the other, and what is called at the end.
func pagesOf(l leaf, from io.ReaderAt, file *parquet.File, i int) (next func() (pages.Page, error), done func()) {
	if own := pages.NewReader(from, &file.Metadata().RowGroups[i].Columns[l.col.Index()].MetaData, l.col); own != nil {
		return own.ReadPage, func() {}
	}
	all := file.RowGroups()[i].ColumnChunks()[l.col.Index()].Pages()
	return func() (pages.Page, error) { return all.ReadPage() }, func() { all.Close() }
}

// release gives the memory of a page of the library back.
func release(p pages.Page) {
	if of, ok := p.(parquet.Page); ok {
		parquet.Release(of)
	}
}

// pageValues are the values of a page that are there, or numbers of them in its dictionary.
type pageValues struct {
	page    pages.Page
	n       int    // rows
	present int    // of which so many have a value
	there   bitmap // nil: all of them
	indices []int32
	dict    parquet.Dictionary
}

func (r *chunkReader) page(p pages.Page) error {
	v := &pageValues{page: p, n: int(p.NumValues()), dict: p.Dictionary()}
	v.present = v.n
	if v.n > r.rows-r.c.n {
		return fmt.Errorf("parquet: more than %d values in a group of as many rows", r.rows)
	}
	if r.level > 0 && p.NumNulls() > 0 {
		levels := p.DefinitionLevels()
		if len(levels) != v.n {
			return fmt.Errorf("parquet: %d levels of %d values", len(levels), v.n)
		}
		v.there, v.present = spread.Rows(levels, r.level)
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

// presence notes which rows have values.
func (r *chunkReader) presence(v *pageValues) {
	if v.there == nil && r.valid == nil {
		return
	}
	if r.valid == nil {
		r.valid = newBitmap(r.rows)
		r.valid.put(0, nil, r.c.n)
	}
	r.valid.put(r.c.n, v.there, v.n)
}

// put appends the values of a page to those of a column, which has room for them: looked up in values if the page has a
// dictionary, and the zero value where one is missing.
func put[T any](v *pageValues, out, values []T) ([]T, error) {
	to := out[len(out) : len(out)+v.n]
	if v.dict != nil && !spread.Lookup(to, values, v.indices, v.there) ||
		v.dict == nil && !spread.Values(to, values, v.there) {
		return out, io.ErrUnexpectedEOF
	}
	return out[:len(out)+v.n], nil
}
