package frame

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/gorocm/gorocm/internal/budget"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/frame/internal/decimal"
	"github.com/gorocm/gorocm/tensor/frame/internal/spread"
	"github.com/gorocm/gorocm/tensor/internal/pages"
)

// ReadParquet reads a Parquet file on all cores: compressed by snappy, gzip, zstd, LZ4 or brotli, or not; with or
// without dictionaries. columns chooses columns, in their order; without any all are read.
//
// Integers become Int64, 16-bit floats Float32, timestamps of all units (INT96, too) Timestamp in UTC, UUIDs strings.
// Decimals of up to 15 digits become Float64, which holds each of them as a number of its own, those of up to 18 digits
// with none after the point Int64, and others String with all of their digits, for Cast. Fields of structs become
// columns a.b. Lists and maps, times of day and other types are an error that names the column, unless other
// columns are chosen.
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
	if err := pages.CheckFooter(r, size); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true),
		parquet.FileReadMode(parquet.ReadModeSync))
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	leaves, err := chosenLeaves(file, columns)
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
	chunks := make([]*chunkReader, len(groups)*len(leaves))
	errs := make([]error, len(chunks))
	each(len(chunks), func(i int) {
		k := i / len(groups)
		chunks[i], errs[i] = readChunk(leaves[k], r, file, i%len(groups), whole[k])
	})
	if err := firstError(errs); err != nil {
		return nil, err
	}
	cols := make([]*Column, len(leaves))
	for k, l := range leaves {
		if cols[k], err = assembled(l, chunks[k*len(groups):(k+1)*len(groups)], whole[k]); err != nil {
			return nil, err
		}
	}
	return framed("parquet", cols, int(rows))
}

// columnFor has memory for the values of a column, which have one size.
func columnFor(typ Type, rows int) *Column {
	c := &Column{typ: typ, n: rows}
	switch typ {
	case Bool:
		c.bits = newBitmap(rows)
	case Int64, Timestamp:
		c.ints = spread.Memory[int64](rows)
	case Date:
		c.days = spread.Memory[int32](rows)
	case Float64:
		c.floats = spread.Memory[float64](rows)
	case Float32:
		c.single = spread.Memory[float32](rows)
	}
	return c
}

// window has memory for the rows of a group within that of all rows.
func windowOf(c *Column, lo, n int) *Column {
	out := &Column{typ: c.typ}
	switch c.typ {
	case Bool:
		out.bits = newBitmap(n)
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

// assembled makes a column of its groups of rows: values of one size are in whole already.
func assembled(l leaf, chunks []*chunkReader, whole *Column) (*Column, error) {
	if len(chunks) == 0 || l.read == nil {
		return missingColumn(l.name, l.typ, whole.n), nil
	}
	for lo, i := 0, 0; i < len(chunks); i++ {
		c := chunks[i]
		if c.valid != nil && whole.valid == nil {
			whole.valid = newBitmap(whole.n)
			whole.valid.put(0, nil, lo)
		}
		if whole.valid != nil {
			whole.valid.put(lo, c.valid, c.rows)
		}
		if l.typ == Bool {
			whole.bits.put(lo, c.c.bits, c.rows)
		}
		lo += c.rows
	}
	if l.typ == String {
		if err := whole.putTexts(chunks); err != nil {
			return nil, fmt.Errorf("column %q: %w", l.name, err)
		}
	}
	return whole.Rename(l.name), nil
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
	scale int64                                     // nanoseconds of a unit of a timestamp
	ten   decimal.Type                              // of decimals
	uint  int                                       // bits of an unsigned integer
	read  func(p *chunkReader, v *pageValues) error // nil for the type of columns without values
}

// chosenLeaves lists the columns that are read.
func chosenLeaves(file *parquet.File, columns []string) ([]leaf, error) {
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
	walk(file.Root())
	var logical []any // the types in the file, of which the library lacks some
	for _, e := range file.Metadata().Schema {
		if e.Type.Valid {
			logical = append(logical, e.LogicalType.Value)
		}
	}
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
		l, err := leafOf(names[at], all[at], logical[all[at].Index()])
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
func leafOf(name string, c *parquet.Column, logical any) (leaf, error) {
	l := leaf{name: name, typ: String, col: c, scale: 1}
	if _, none := logical.(*format.NullType); none {
		return l, nil
	}
	l.kind = c.Type().Kind()
	if c.MaxRepetitionLevel() > 0 {
		return l, errors.New("a list or a map, which columns do not have")
	}
	if t := c.Type().LogicalType(); t != nil {
		logical = t.Value
	}
	if d, ok := logical.(*format.DecimalType); ok {
		return l.decimal(d)
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
			l.typ, l.read = String, (*chunkReader).strings
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

// integer says how integers are read, which may be dates or times.
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
	default:
		return l, fmt.Errorf("the type %v", l.col.Type())
	}
	return l, nil
}

// decimal says how decimals are read, which are integers or bytes.
func (l leaf) decimal(t *format.DecimalType) (leaf, error) {
	switch l.kind {
	case parquet.Int32, parquet.Int64, parquet.ByteArray, parquet.FixedLenByteArray:
	default:
		return l, fmt.Errorf("decimals in values of the type %v", l.kind)
	}
	var err error
	l.ten, err = decimal.Of(int(t.Precision), int(t.Scale))
	l.typ, l.read = decimalTypes[l.ten.Form()], (*chunkReader).decimals
	return l, err
}

// checkChunks checks the pages of the columns that are read, and that there is room for their rows.
func checkChunks(r io.ReaderAt, size int64, file *parquet.File, leaves []leaf) error {
	groups := file.Metadata().RowGroups
	rows := int64(0)
	for g, group := range groups {
		if group.NumRows < 0 || group.NumRows > maxRows {
			return fmt.Errorf("parquet: a group of %d rows: at most %d", group.NumRows, maxRows)
		}
		if rows += group.NumRows; rows > maxRows {
			return fmt.Errorf("parquet: %d rows: at most %d", rows, maxRows)
		}
		for _, l := range leaves {
			if l.col.Index() >= len(group.Columns) {
				return fmt.Errorf("parquet: column %q is not in group %d", l.name, g)
			}
			if err := pages.Check(r, size, &group.Columns[l.col.Index()].MetaData, group.NumRows); err != nil {
				return fmt.Errorf("column %q: %w", l.name, err)
			}
		}
	}
	if e := budget.Room(8 * rows * int64(len(leaves))); e != nil {
		return fmt.Errorf("parquet: %d rows of %d columns: %w", rows, len(leaves), e)
	}
	return nil
}
