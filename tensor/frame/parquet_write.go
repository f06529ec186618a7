package frame

import (
	"fmt"
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// groupRows is the number of rows of a group of a Parquet file that WriteParquet writes.
const groupRows = 1 << 20

// WriteParquet writes the frame as a Parquet file, compressed by zstd, which pandas, polars and others read.
// ReadParquet reads the same values; a Category is read as strings.
func (f *Frame) WriteParquet(path string) error { return writeFile(path, f.EncodeParquet) }

// EncodeParquet is WriteParquet to a stream.
func (f *Frame) EncodeParquet(w io.Writer) (err error) {
	if len(f.cols) == 0 {
		return fmt.Errorf("parquet: a frame without columns")
	}
	defer malformed("parquet", &err)
	out := parquet.NewWriter(w, parquet.NewSchema("frame", parquetSchema(f)),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.CreatedBy("gorocm", "", ""))
	for lo := 0; lo < f.rows; lo += groupRows {
		hi := min(lo+groupRows, f.rows)
		group := out.BeginRowGroup()
		writers := group.ColumnWriters()
		errs := make([]error, len(f.cols))
		each(len(f.cols), func(j int) {
			defer malformed("parquet", &errs[j])
			errs[j] = writeValues(f.cols[j], writers[j], lo, hi)
		})
		if err := firstError(errs); err != nil {
			return err
		}
		if _, err := group.Commit(); err != nil {
			return fmt.Errorf("parquet: %w", err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}

// orderedGroup is a group of columns in the order of a frame; parquet.Group alone sorts them by name.
type orderedGroup struct {
	parquet.Group
	fields []parquet.Field
}

func (g orderedGroup) Fields() []parquet.Field { return g.fields }

// GoType is not used: no Go values are written.
func (g orderedGroup) GoType() reflect.Type { return reflect.TypeFor[struct{}]() }

type orderedField struct {
	parquet.Node
	name string
}

func (f orderedField) Name() string { return f.name }

func (f orderedField) Value(base reflect.Value) reflect.Value { return base }

func parquetSchema(f *Frame) parquet.Node {
	g := orderedGroup{Group: parquet.Group{}}
	for _, c := range f.cols {
		node := parquet.Optional(parquetNode(c))
		g.Group[c.name] = node
		g.fields = append(g.fields, orderedField{node, c.name})
	}
	return g
}

func parquetNode(c *Column) parquet.Node {
	switch c.typ {
	case Bool:
		return parquet.Leaf(parquet.BooleanType)
	case Int64:
		return parquet.Int(64)
	case Float64:
		return parquet.Leaf(parquet.DoubleType)
	case Float32:
		return parquet.Leaf(parquet.FloatType)
	case Date:
		return parquet.Date()
	case Timestamp:
		return parquet.TimestampAdjusted(parquet.Nanosecond, false)
	}
	return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
}

// writeValues writes rows lo to hi.
func writeValues(c *Column, w *parquet.ColumnWriter, lo, hi int) error {
	const together = 1024
	values := make([]parquet.Value, together)
	for ; lo < hi; lo += together {
		n := min(together, hi-lo)
		parquetValues(c, lo, values[:n])
		if _, err := w.WriteRowValues(values[:n]); err != nil {
			return fmt.Errorf("parquet: column %q: %w", c.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("parquet: column %q: %w", c.name, err)
	}
	return nil
}

// parquetValues sets the values of rows from lo on.
func parquetValues(c *Column, lo int, to []parquet.Value) {
	switch c.typ {
	case Bool:
		for i := range to {
			to[i] = parquet.BooleanValue(c.bits.get(lo + i))
		}
	case Int64, Timestamp:
		for i, x := range c.ints[lo : lo+len(to)] {
			to[i] = parquet.Int64Value(x)
		}
	case Float64:
		for i, x := range c.floats[lo : lo+len(to)] {
			to[i] = parquet.DoubleValue(x)
		}
	case Float32:
		for i, x := range c.single[lo : lo+len(to)] {
			to[i] = parquet.FloatValue(x)
		}
	case Date:
		for i, x := range c.days[lo : lo+len(to)] {
			to[i] = parquet.Int32Value(x)
		}
	case Category:
		for i := range to {
			if c.valid.has(lo + i) {
				to[i] = parquet.ByteArrayValue([]byte(c.str(lo + i)))
			}
		}
	default:
		for i := range to {
			to[i] = parquet.ByteArrayValue(c.text[c.ends[lo+i]:c.ends[lo+i+1]])
		}
	}
	for i := range to {
		if c.valid.has(lo + i) {
			to[i].SetDefinitionLevel(1)
		} else {
			to[i] = parquet.NullValue()
		}
	}
}
