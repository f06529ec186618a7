package frame

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/gorocm/gorocm/tensor"
)

// ReadParquet reads a Parquet file on all cores: compressed by snappy, gzip, zstd, LZ4 or brotli, or not; with or
// without dictionaries. columns chooses columns, in their order; without any all are read.
//
// Integers become Int64, 16-bit floats Float32, decimals of up to 18 digits the nearest Float64, timestamps of all
// units (INT96, too) Timestamp in UTC, UUIDs strings. Fields of structs become columns a.b. Lists and maps, times of
// day and other types are an error that names the column, unless other columns are chosen.
func ReadParquet(path string, columns ...string) (*Frame, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	f, err := DecodeParquet(file, info.Size(), columns...)
	return f, named(path, err)
}

// DecodeParquet is ReadParquet from size bytes.
func DecodeParquet(r io.ReaderAt, size int64, columns ...string) (f *Frame, err error) {
	defer malformed("parquet", &err) // the library panics on some malformed files
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true),
		parquet.FileReadMode(parquet.ReadModeSync))
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	leaves, err := chosenLeaves(file.Root(), columns)
	if err != nil {
		return nil, err
	}
	if err := checkChunks(r, size, file, leaves); err != nil {
		return nil, err
	}
	groups := file.RowGroups()
	rows := int64(0)
	for _, g := range groups {
		rows += g.NumRows()
	}
	whole := make([]*Column, len(leaves))
	for k, l := range leaves {
		whole[k] = columnFor(l.typ, int(rows))
	}
	pieces := make([]*Column, len(groups)*len(leaves))
	errs := make([]error, len(pieces))
	each(len(pieces), func(i int) {
		k := i / len(groups)
		pieces[i], errs[i] = readChunk(leaves[k], groups, i%len(groups), whole[k])
	})
	if err := firstError(errs); err != nil {
		return nil, err
	}
	cols := make([]*Column, len(leaves))
	each(len(leaves), func(k int) {
		of := pieces[k*len(groups) : (k+1)*len(groups)]
		cols[k] = assembled(leaves[k], of, whole[k], int(rows)).Rename(leaves[k].name)
	})
	return framed("parquet", cols, int(rows))
}

// columnFor has memory for the values of a column, which have one size.
func columnFor(typ Type, rows int) *Column {
	c := &Column{typ: typ}
	switch typ {
	case Int64, Timestamp:
		c.ints = make([]int64, rows)
	case Date:
		c.days = make([]int32, rows)
	case Float64:
		c.floats = make([]float64, rows)
	case Float32:
		c.single = make([]float32, rows)
	}
	return c
}

// window has memory for the rows of a group within that of all rows.
func windowOf(c *Column, lo, n int) *Column {
	out := &Column{typ: c.typ}
	switch c.typ {
	case Int64, Timestamp:
		out.ints = c.ints[lo : lo : lo+n]
	case Date:
		out.days = c.days[lo : lo : lo+n]
	case Float64:
		out.floats = c.floats[lo : lo : lo+n]
	case Float32:
		out.single = c.single[lo : lo : lo+n]
	}
	return out
}

// assembled makes a column of its groups of rows: their values are in whole already if they have one size.
func assembled(l leaf, pieces []*Column, whole *Column, rows int) *Column {
	if len(pieces) == 0 {
		return missingColumn("", l.typ, 0)
	}
	if l.typ == Bool || l.typ == String {
		return concat(pieces)
	}
	whole.n = rows
	for lo, i := 0, 0; i < len(pieces); i++ {
		if p := pieces[i]; p.valid != nil && whole.valid == nil {
			whole.valid = newBitmap(rows)
			whole.valid.put(0, nil, lo)
		}
		if whole.valid != nil {
			whole.valid.put(lo, pieces[i].valid, pieces[i].n)
		}
		lo += pieces[i].n
	}
	return whole
}

func firstError(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// malformed makes an error of a panic of a library on a file.
func malformed(format string, err *error) {
	switch p := recover().(type) {
	case nil:
	case *tensor.Error:
		*err = p
	default:
		*err = fmt.Errorf("%s: a malformed file: %v", format, p)
	}
}

// leaf is a column of a file, and how its values become those of a column.
type leaf struct {
	name  string
	typ   Type
	col   *parquet.Column
	kind  parquet.Kind
	scale int64 // nanoseconds of a unit of a timestamp
	ten   float64
	uint  int // bits of an unsigned integer
	read  func(p *chunkReader, v *pageValues) error
}

// chosenLeaves lists the columns that are read.
func chosenLeaves(root *parquet.Column, columns []string) ([]leaf, error) {
	var all []*parquet.Column
	var names []string
	var walk func(c *parquet.Column)
	walk = func(c *parquet.Column) {
		if c.Leaf() {
			all = append(all, c)
			names = append(names, strings.Join(c.Path(), "."))
			return
		}
		for _, child := range c.Columns() {
			walk(child)
		}
	}
	walk(root)
	wanted := columns
	if len(wanted) == 0 {
		wanted = names
	}
	var out []leaf
	for i, n := range wanted {
		at := i
		if len(columns) > 0 {
			if at = indexOf(names, n); at < 0 {
				return nil, missingName("parquet", n, names)
			}
		}
		l, err := leafOf(names[at], all[at])
		if err != nil {
			return nil, fmt.Errorf("parquet: column %q: %w; ReadParquet with the names of other columns leaves it out", names[at], err)
		}
		out = append(out, l)
	}
	return out, nil
}

func indexOf(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

// leafOf says how a column is read, or why it is not.
func leafOf(name string, c *parquet.Column) (leaf, error) {
	l := leaf{name: name, col: c, kind: c.Type().Kind(), scale: 1}
	if c.MaxRepetitionLevel() > 0 {
		return l, errors.New("a list or a map, which columns do not have")
	}
	var logical any
	if t := c.Type().LogicalType(); t != nil {
		logical = t.Value
	}
	switch l.kind {
	case parquet.Boolean:
		l.typ, l.read = Bool, (*chunkReader).bools
	case parquet.Float:
		l.typ, l.read = Float32, (*chunkReader).singles
	case parquet.Double:
		l.typ, l.read = Float64, (*chunkReader).doubles
	case parquet.Int96:
		l.typ, l.read = Timestamp, (*chunkReader).int96
	case parquet.Int32, parquet.Int64:
		return l.integer(logical)
	case parquet.ByteArray:
		switch logical.(type) {
		case nil, *format.StringType, *format.EnumType, *format.JsonType:
			l.typ, l.read = String, (*chunkReader).texts
		default:
			return l, fmt.Errorf("the type %v", c.Type())
		}
	default:
		switch logical.(type) {
		case *format.UUIDType:
			l.typ, l.read = String, (*chunkReader).uuids
		case *format.Float16Type:
			l.typ, l.read = Float32, (*chunkReader).halves
		default:
			return l, fmt.Errorf("the type %v", c.Type())
		}
	}
	return l, nil
}

// integer says how integers are read, which may be dates, times or decimals.
func (l leaf) integer(logical any) (leaf, error) {
	l.typ, l.read = Int64, (*chunkReader).integers
	switch t := logical.(type) {
	case nil:
	case *format.IntType:
		if !t.IsSigned {
			l.uint = int(t.BitWidth)
		}
	case *format.DateType:
		l.typ, l.read = Date, (*chunkReader).dates
	case *format.TimestampType:
		l.typ = Timestamp
		switch t.Unit.Value.(type) {
		case *format.MilliSeconds:
			l.scale = 1e6
		case *format.MicroSeconds:
			l.scale = 1e3
		}
	case *format.DecimalType:
		if t.Scale < 0 || t.Scale > 22 {
			return l, fmt.Errorf("the type %v", l.col.Type())
		}
		l.typ, l.read, l.ten = Float64, (*chunkReader).decimals, powersOf10[t.Scale]
	default:
		return l, fmt.Errorf("the type %v", l.col.Type())
	}
	return l, nil
}

// chunkReader reads a column of a group of rows.
type chunkReader struct {
	leaf
	c      *Column
	groups []bool // bools
	valid  bitmap // nil up to the first missing value
	level  byte   // of values that are there
	rows   int    // of the group
}

func readChunk(l leaf, groups []parquet.RowGroup, i int, whole *Column) (c *Column, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("column %q: %w", l.name, err)
		}
	}()
	defer malformed("parquet", &err)
	g, lo := groups[i], 0
	for _, before := range groups[:i] {
		lo += int(before.NumRows())
	}
	r := &chunkReader{leaf: l, c: windowOf(whole, lo, int(g.NumRows())), level: byte(l.col.MaxDefinitionLevel())}
	if l.typ == String {
		r.c.ends = append(make([]int64, 0, min(g.NumRows()+1, 1<<20)), 0)
	}
	r.rows = int(g.NumRows())
	pages := g.ColumnChunks()[l.col.Index()].Pages()
	defer pages.Close()
	for int64(r.c.n) < g.NumRows() { // as far as pages were checked
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("parquet: %w", err)
		}
		err = r.page(page)
		parquet.Release(page)
		if err != nil {
			return nil, err
		}
	}
	if int64(r.c.n) != g.NumRows() {
		return nil, fmt.Errorf("parquet: %d values in a group of %d rows", r.c.n, g.NumRows())
	}
	if l.typ == Bool {
		r.c.bits = bitsOf(r.c.n, func(i int) bool { return r.groups[i] })
	}
	r.c.valid = r.valid
	return r.c, nil
}

// pageValues are the values of a page that are there, or numbers of them in its dictionary.
type pageValues struct {
	page    parquet.Page
	n       int    // rows
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
	if r.c.n+v.n > maxRows {
		return fmt.Errorf("parquet: more than %d rows", maxRows)
	}
	if v.dict != nil {
		data := p.Data()
		v.indices = data.Int32()
	}
	r.presence(v)
	if err := r.read(r, v); err != nil {
		return err
	}
	r.c.n += v.n
	return nil
}

// presence notes which rows have values.
func (r *chunkReader) presence(v *pageValues) {
	if v.levels == nil && r.valid == nil {
		return
	}
	first := r.valid == nil
	for len(r.valid) < (r.c.n+v.n+63)/64 {
		r.valid = append(r.valid, 0)
	}
	all := r.valid
	if first {
		all.put(0, nil, r.c.n)
	}
	if v.levels == nil {
		all.put(r.c.n, nil, v.n)
	}
	for i, level := range v.levels {
		if level == r.level {
			all.set(r.c.n + i)
		}
	}
}

// spread appends the values of a page in rows: looked up in the dictionary if there is one, the zero value where one is
// missing.
func spread[F, T any](r *chunkReader, v *pageValues, out []T, values []F, f func(F) T) ([]T, error) {
	next := 0
	if v.levels == nil && v.dict == nil && len(values) == v.n {
		for _, x := range values {
			out = append(out, f(x))
		}
		return out, nil
	}
	for i := range v.n {
		var x T
		if v.levels == nil || v.levels[i] == r.level {
			k := next
			if v.dict != nil {
				if next >= len(v.indices) {
					return out, io.ErrUnexpectedEOF
				}
				k = int(v.indices[next])
			}
			if k < 0 || k >= len(values) {
				return out, io.ErrUnexpectedEOF
			}
			x = f(values[k])
			next++
		}
		out = append(out, x)
	}
	return out, nil
}

func same[T any](v T) T { return v }

// int64s returns the integers of a page, or of its dictionary.
func (v *pageValues) int64s(kind parquet.Kind) []int64 {
	if kind == parquet.Int64 {
		if v.dict != nil {
			data := v.dict.Page().Data()
			return data.Int64()
		}
		data := v.page.Data()
		return data.Int64()
	}
	var narrow []int32
	if v.dict != nil {
		data := v.dict.Page().Data()
		narrow = data.Int32()
	} else {
		data := v.page.Data()
		narrow = data.Int32()
	}
	out := make([]int64, len(narrow))
	for i, x := range narrow {
		out[i] = int64(x)
	}
	return out
}

func (r *chunkReader) integers(v *pageValues) (err error) {
	values := v.int64s(r.kind)
	if r.scale != 1 || r.uint != 0 {
		values = append([]int64{}, values...)
	}
	if r.scale != 1 {
		for i, x := range values {
			if x > math.MaxInt64/r.scale || x <= math.MinInt64/r.scale {
				return fmt.Errorf("parquet: the time %d is outside what a timestamp holds, 1678 to 2261", x)
			}
			values[i] = x * r.scale
		}
	}
	switch {
	case r.uint == 64:
		for _, x := range values {
			if x < 0 {
				return fmt.Errorf("parquet: %d is beyond int64", uint64(x))
			}
		}
	case r.uint != 0:
		for i, x := range values {
			values[i] = x & (1<<r.uint - 1)
		}
	}
	r.c.ints, err = spread(r, v, r.c.ints, values, same)
	return err
}

func (r *chunkReader) dates(v *pageValues) (err error) {
	r.c.days, err = spread(r, v, r.c.days, v.int64s(r.kind), func(x int64) int32 { return int32(x) })
	return err
}

// decimals divides integers by a power of ten: exactly rounded up to 2^53, and to within a unit in the last place
// beyond.
func (r *chunkReader) decimals(v *pageValues) (err error) {
	r.c.floats, err = spread(r, v, r.c.floats, v.int64s(r.kind), func(x int64) float64 { return float64(x) / r.ten })
	return err
}
