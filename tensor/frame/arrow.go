package frame

import (
	"fmt"
	"math"
	"unicode/utf8"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/frame/internal/decimal"
	"github.com/gorocm/gorocm/tensor/frame/internal/half"
	"github.com/gorocm/gorocm/tensor/frame/internal/integer"
)

// bytesOf are the bytes of numbers in memory, which Arrow has in this order, too (little endian).
func bytesOf[T any](v []T) []byte {
	if len(v) == 0 {
		return []byte{}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}

func arrowBuffer[T any](v []T) *memory.Buffer { return memory.NewBufferBytes(bytesOf(v)) }

// arrowType is the type of Arrow that a column has there.
func arrowType(c *Column) arrow.DataType {
	switch c.typ {
	case Bool:
		return arrow.FixedWidthTypes.Boolean
	case Int64:
		return arrow.PrimitiveTypes.Int64
	case Float64:
		return arrow.PrimitiveTypes.Float64
	case Float32:
		return arrow.PrimitiveTypes.Float32
	case Date:
		return arrow.FixedWidthTypes.Date32
	case Timestamp:
		return &arrow.TimestampType{Unit: arrow.Nanosecond}
	case Category:
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.LargeString}
	}
	return arrow.BinaryTypes.LargeString
}

// Arrow returns the column as an array of Apache Arrow, which shares its memory: Bool as boolean, Int64, Float64 and
// Float32 as such, String as large_string, Date as date32, Timestamp as timestamp[ns] without a zone, Category as a
// dictionary of int32 and large_string. It must not be written to.
func (c *Column) Arrow() arrow.Array {
	data := arrowData(c)
	defer data.Release()
	return array.MakeFromData(data)
}

func arrowData(c *Column) *array.Data {
	var valid *memory.Buffer
	if c.valid != nil {
		valid = arrowBuffer(c.valid)
	}
	buffers := []*memory.Buffer{valid}
	var dict *array.Data
	switch c.typ {
	case Bool:
		buffers = append(buffers, arrowBuffer(c.bits))
	case Int64, Timestamp:
		buffers = append(buffers, arrowBuffer(c.ints))
	case Float64:
		buffers = append(buffers, arrowBuffer(c.floats))
	case Float32:
		buffers = append(buffers, arrowBuffer(c.single))
	case String:
		buffers = append(buffers, arrowBuffer(c.ends), arrowBuffer(c.text))
	case Category:
		dict = arrowData(c.dict)
		fallthrough
	case Date:
		buffers = append(buffers, arrowBuffer(c.days))
	}
	if dict != nil {
		return array.NewDataWithDictionary(arrowType(c), c.n, buffers, c.Missing(), 0, dict)
	}
	return array.NewData(arrowType(c), c.n, buffers, nil, c.Missing(), 0)
}

// Record returns the frame as a record batch of Apache Arrow, which shares its memory.
func (f *Frame) Record() arrow.RecordBatch {
	arrays := make([]arrow.Array, len(f.cols))
	for i, c := range f.cols {
		arrays[i] = c.Arrow()
	}
	return array.NewRecordBatch(arrowSchema(f), arrays, int64(f.rows))
}

func arrowSchema(f *Frame) *arrow.Schema {
	fields := make([]arrow.Field, len(f.cols))
	for i, c := range f.cols {
		fields[i] = arrow.Field{Name: c.name, Type: arrowType(c), Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

// FromRecord makes a frame of a record batch of Apache Arrow. Types that columns do not have become one that holds the
// same values: integers Int64, half floats Float32, timestamps of all units Timestamp in UTC, date64 Date,
// dictionaries of strings Category, decimals as in ReadParquet. Nested and other types, and values that do not fit, are
// an error that names the column.
func FromRecord(r arrow.RecordBatch) (*Frame, error) {
	cols := make([]*Column, r.NumCols())
	for i := range cols {
		c, err := fromArrow(r.Column(i))
		if err != nil {
			return nil, fmt.Errorf("arrow: column %q: %w", r.ColumnName(i), err)
		}
		cols[i] = c.Rename(r.ColumnName(i))
	}
	return framed("arrow", cols, int(r.NumRows()))
}

// framed makes a frame of what a file has.
func framed(format string, cols []*Column, rows int) (f *Frame, err error) {
	if rows > maxRows {
		return nil, fmt.Errorf("%s: %d rows: at most %d", format, rows, maxRows)
	}
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.name
	}
	for i, n := range different(names, true) {
		cols[i] = cols[i].Rename(n)
	}
	err = tensor.Catch(func() error { f = fromColumns(format, cols...); return nil })
	if err == nil {
		f.rows = rows
	}
	return f, err
}

// fromArrow copies an array as a column.
func fromArrow(a arrow.Array) (*Column, error) {
	n := a.Len()
	c := &Column{n: n}
	if a.NullN() > 0 {
		c.valid = serialBits(n, func(i int) bool { return a.IsValid(i) })
		c.dropValid()
	}
	switch a := a.(type) {
	case *array.Null:
		return missingColumn("", String, n), nil
	case *array.Boolean:
		c.typ = Bool
		c.bits = serialBits(n, func(i int) bool { return a.Value(i) && c.valid.has(i) })
	case *array.Float64:
		c.typ, c.floats = Float64, append([]float64{}, a.Float64Values()...)
	case *array.Float32:
		c.typ, c.single = Float32, append([]float32{}, a.Float32Values()...)
	case *array.Float16:
		c.typ, c.single = Float32, serial(n, func(i int) float32 { return half.Float32(a.Value(i).Uint16()) })
	case *array.String:
		return textValues(c, func(i int) string { return a.Value(i) })
	case *array.LargeString:
		return textValues(c, func(i int) string { return a.Value(i) })
	case *array.StringView:
		return textValues(c, func(i int) string { return a.Value(i) })
	case *array.Date32:
		c.typ, c.days = Date, serial(n, func(i int) int32 { return int32(a.Value(i)) })
	case *array.Date64:
		c.typ, c.days = Date, serial(n, func(i int) int32 { return int32(integer.FloorDiv(int64(a.Value(i)), 864e5)) })
	case *array.Timestamp:
		return timeValues(c, a.DataType().(*arrow.TimestampType).Unit, func(i int) int64 { return int64(a.Value(i)) })
	case *array.Decimal32:
		return decimalValues(c, a, func(i int) decimal.Value { return decimal.Small(int64(a.Value(i))) })
	case *array.Decimal64:
		return decimalValues(c, a, func(i int) decimal.Value { return decimal.Small(int64(a.Value(i))) })
	case *array.Decimal128:
		return decimalValues(c, a, func(i int) decimal.Value { return decimal.Large(a.Value(i).BigInt()) })
	case *array.Decimal256:
		return decimalValues(c, a, func(i int) decimal.Value { return decimal.Large(a.Value(i).BigInt()) })
	case *array.Dictionary:
		return categoryValues(c, a)
	default:
		return integerValues(c, a)
	}
	return c, nil
}

// textValues copies strings, which must be UTF-8.
func textValues(c *Column, at func(i int) string) (*Column, error) {
	c.typ, c.ends = String, make([]int64, c.n+1)
	for i := range c.n {
		if c.valid.has(i) {
			text := at(i)
			if !utf8.ValidString(text) {
				return nil, fmt.Errorf("row %d: %.40q is not UTF-8", i, text)
			}
			c.text = append(c.text, text...)
		}
		c.ends[i+1] = int64(len(c.text))
	}
	return c, nil
}

// timeValues converts timestamps of a unit to nanoseconds.
func timeValues(c *Column, unit arrow.TimeUnit, at func(i int) int64) (*Column, error) {
	scale := int64(unit.Multiplier())
	c.typ, c.ints = Timestamp, make([]int64, c.n)
	for i := range c.n {
		if !c.valid.has(i) {
			continue
		}
		v := at(i)
		if v > math.MaxInt64/scale || v <= math.MinInt64/scale {
			return nil, fmt.Errorf("row %d: %d %v since 1970 is outside what a timestamp holds, 1678 to 2261", i, v, unit)
		}
		c.ints[i] = v * scale
	}
	return c, nil
}

// integers64 reads integers of any size.
func integerValues(c *Column, a arrow.Array) (*Column, error) {
	var at func(i int) int64
	switch a := a.(type) {
	case *array.Int8:
		at = func(i int) int64 { return int64(a.Value(i)) }
	case *array.Int16:
		at = func(i int) int64 { return int64(a.Value(i)) }
	case *array.Int32:
		at = func(i int) int64 { return int64(a.Value(i)) }
	case *array.Int64:
		c.typ, c.ints = Int64, append([]int64{}, a.Int64Values()...)
		return c, nil
	case *array.Uint8:
		at = func(i int) int64 { return int64(a.Value(i)) }
	case *array.Uint16:
		at = func(i int) int64 { return int64(a.Value(i)) }
	case *array.Uint32:
		at = func(i int) int64 { return int64(a.Value(i)) }
	case *array.Uint64:
		for i := range c.n {
			if c.valid.has(i) && a.Value(i) > math.MaxInt64 {
				return nil, fmt.Errorf("row %d: %d is beyond int64", i, a.Value(i))
			}
		}
		at = func(i int) int64 { return int64(a.Value(i)) }
	default:
		return nil, fmt.Errorf("the type %v: columns have bool, numbers, strings, dates and timestamps", a.DataType())
	}
	c.typ, c.ints = Int64, serial(c.n, at)
	return c, nil
}

// dictionary reads categories; dictionaries of other values than strings are read as those.
func categoryValues(c *Column, a *array.Dictionary) (*Column, error) {
	values, err := fromArrow(a.Dictionary())
	if err != nil {
		return nil, err
	}
	rows := make([]int32, c.n)
	for i := range rows {
		if rows[i] = -1; c.valid.has(i) {
			k := a.GetValueIndex(i)
			if k < 0 || k >= values.n {
				return nil, fmt.Errorf("row %d: the code %d of a dictionary of %d values", i, k, values.n)
			}
			rows[i] = int32(k)
		}
	}
	if values.typ != String || values.valid != nil {
		return values.take(rows, true), nil
	}
	distinct := values.category() // a dictionary of a file may have a value twice
	c.typ, c.dict, c.days = Category, distinct.dict, rows
	for i, k := range rows {
		if c.days[i] = 0; k >= 0 {
			c.days[i] = distinct.days[k]
		}
	}
	return c, nil
}

func arrowBuilder(t arrow.DataType) array.Builder {
	return array.NewBuilder(memory.NewGoAllocator(), t)
}

// serial makes values of rows on this goroutine: values of a malformed file panic, which helpers must not.
func serial[T any](n int, f func(i int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// serialBits is bitsOf on this goroutine.
func serialBits(n int, f func(i int) bool) bitmap {
	out := newBitmap(n)
	for i := range n {
		if f(i) {
			out.set(i)
		}
	}
	return out
}
