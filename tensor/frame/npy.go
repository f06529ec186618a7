package frame

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gorocm/gorocm/tensor/frame/internal/half"
	"github.com/gorocm/gorocm/tensor/internal/npy"
	"github.com/gorocm/gorocm/tensor/limits"
)

const maxNpyElement = npy.MaxSize // bytes of a row

// ReadNpy reads an array of NumPy's as a table. Each field of a structured array (of one dim) is a column; fields in a
// field become columns a.b, and arrays in each element columns a.0, a.1 and so on. Another array has one column,
// values, or with two dims a column for each of its columns, 0, 1 and so on.
//
// Booleans are Bool, integers Int64, floats of 16 and 32 bits Float32, of 64 Float64, texts (U, and S in UTF-8)
// String. Times (datetime64) are Date where they count days or longer, else Timestamp; NaT is a missing value. Columns
// of other types (complex numbers, durations, objects), and values that do not fit, are an error that names the column.
func ReadNpy(path string) (*Frame, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := DecodeNpy(bufio.NewReader(file))
	return f, named(path, err)
}

// DecodeNpy is ReadNpy from a stream.
func DecodeNpy(r io.Reader) (*Frame, error) {
	text, _, end, err := npy.Read(r)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	h, err := npy.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("npy: the header %.200q: %w", text, err)
	}
	t := &npyTable{}
	rows, err := t.layout(h)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	if len(t.cols) == 0 {
		return nil, fmt.Errorf("npy: the array has no columns")
	}
	need := int64(rows) * int64(t.size)
	data, err := io.ReadAll(io.LimitReader(r, need)) // memory grows as bytes arrive
	if err != nil {
		return nil, fmt.Errorf("npy: rows, from byte %d on: %w", end, err)
	}
	if int64(len(data)) < need {
		return nil, fmt.Errorf("npy: rows, from byte %d on: the file ends after %d of %d bytes: %w", end, len(data), need,
			io.ErrUnexpectedEOF)
	}
	cols := make([]*Column, len(t.cols))
	for i, c := range t.cols {
		if c.stride == 0 {
			c.stride = t.size
		}
		if cols[i], err = c.column(data, rows); err != nil {
			return nil, fmt.Errorf("npy: column %q: %w", c.name, err)
		}
	}
	return framed("npy", cols, rows)
}

// npyTable is where the values of columns are in a row.
type npyTable struct {
	cols  []*npyColumn
	size  int // bytes of a row
	steps int // elements of arrays in a row, also of those without columns
}

// npyColumn is a column of values of one plain type.
type npyColumn struct {
	name   string
	code   npy.Code
	offset int // of the first value
	stride int // from one value to the next; 0 is the size of a row
}

// layout makes the columns of a header, and returns the number of rows.
func (t *npyTable) layout(h npy.Header) (rows int, err error) {
	if len(h.Shape) == 0 || len(h.Shape) > 2 || len(h.Shape) == 2 && h.Type.Fields != nil {
		return 0, fmt.Errorf("an array of shape %v is no table: want one dim, or two for an array without fields", h.Shape)
	}
	if rows = h.Shape[0]; rows > maxRows {
		return 0, fmt.Errorf("%d rows: at most %d", rows, maxRows)
	}
	if h.Type.Fields != nil {
		return rows, t.fields("", h.Type.Fields)
	}
	if len(h.Shape) == 1 {
		return rows, t.add("values", h.Type)
	}
	if err := t.array("", h.Type, h.Shape[1:]); err != nil {
		return 0, err
	}
	if h.Fortran { // a column after the other
		for i, c := range t.cols {
			c.stride = c.code.Bytes()
			c.offset = i * rows * c.stride
		}
	}
	return rows, nil
}

func (t *npyTable) fields(prefix string, fields []npy.Field) error {
	for _, f := range fields {
		err := error(nil)
		if f.Shape == nil {
			err = t.add(prefix+f.Name, f.Type)
		} else {
			err = t.array(prefix+f.Name+".", f.Type, f.Shape)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// array adds the columns of an array in each row, whose names are its indices.
func (t *npyTable) array(prefix string, of npy.Type, shape []int) error {
	if len(shape) == 0 {
		return t.add(strings.TrimSuffix(prefix, "."), of)
	}
	for i := range shape[0] {
		if t.steps++; t.steps > limits.Columns.Value() {
			return limits.Columns.Reached("rows of more columns")
		}
		name := fmt.Sprintf("%s%d", prefix, i)
		if len(shape) > 1 {
			name += "."
		}
		if err := t.array(name, of, shape[1:]); err != nil {
			return err
		}
	}
	return nil
}

// add adds a column, or those of fields. Void elements without a name fill gaps.
func (t *npyTable) add(name string, of npy.Type) error {
	if of.Fields != nil {
		return t.fields(name+".", of.Fields)
	}
	code, err := npy.ParseCode(of.Code)
	if err != nil {
		return fmt.Errorf("column %q: %w", name, err)
	}
	gap := code.Kind == 'V' && (name == "" || strings.HasSuffix(name, "."))
	if code.Kind == 'V' && !gap {
		return fmt.Errorf("column %q: elements of type %q, which are bytes without a meaning, are not read", name, of.Code)
	}
	if !gap {
		t.cols = append(t.cols, &npyColumn{name: name, code: code, offset: t.size})
	}
	if t.size += code.Bytes(); t.size > maxNpyElement {
		return fmt.Errorf("rows of more than %d bytes are not read", maxNpyElement)
	}
	return limits.Columns.Check(len(t.cols), fmt.Sprintf("rows of %d columns", len(t.cols)))
}

// column reads the values of all rows.
func (c *npyColumn) column(data []byte, rows int) (*Column, error) {
	out := &Column{name: c.name, n: rows}
	at := func(i int) []byte { return data[c.offset+i*c.stride:][:c.code.Bytes()] }
	switch c.code.Kind {
	case 'b':
		out.typ, out.bits = Bool, serialBits(rows, func(i int) bool { return at(i)[0] != 0 })
		return out, nil
	case 'U', 'S':
		return c.texts(out, at)
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if c.code.Big {
		order = binary.BigEndian
	}
	switch kind := fmt.Sprintf("%c%d", c.code.Kind, c.code.Size); kind {
	case "f8":
		out.typ = Float64
		out.floats = serial(rows, func(i int) float64 { return math.Float64frombits(order.Uint64(at(i))) })
	case "f4":
		out.typ = Float32
		out.single = serial(rows, func(i int) float32 { return math.Float32frombits(order.Uint32(at(i))) })
	case "f2":
		out.typ, out.single = Float32, serial(rows, func(i int) float32 { return half.Float32(order.Uint16(at(i))) })
	case "M8":
		return c.times(out, func(i int) int64 { return int64(order.Uint64(at(i))) })
	default:
		return c.integers(out, order, at)
	}
	return out, nil
}

func (c *npyColumn) integers(out *Column, order binary.ByteOrder, at func(int) []byte) (*Column, error) {
	out.typ, out.ints = Int64, make([]int64, out.n)
	signed := c.code.Kind == 'i'
	for i := range out.n {
		b, v := at(i), uint64(0)
		switch len(b) {
		case 1:
			v = uint64(b[0])
		case 2:
			v = uint64(order.Uint16(b))
		case 4:
			v = uint64(order.Uint32(b))
		case 8:
			v = order.Uint64(b)
		}
		if !signed && v > math.MaxInt64 {
			return nil, fmt.Errorf("row %d: %d is beyond int64", i, v)
		}
		if shift := 64 - 8*len(b); signed {
			out.ints[i] = int64(v<<shift) >> shift
		} else {
			out.ints[i] = int64(v)
		}
	}
	return out, nil
}

// texts reads texts, which end before the zeros that fill them up.
func (c *npyColumn) texts(out *Column, at func(int) []byte) (*Column, error) {
	out.typ, out.ends = String, make([]int64, out.n+1)
	order := binary.ByteOrder(binary.LittleEndian)
	if c.code.Big {
		order = binary.BigEndian
	}
	for i := range out.n {
		b := at(i)
		if c.code.Kind == 'S' {
			text := strings.TrimRight(string(b), "\x00")
			if !utf8.ValidString(text) {
				return nil, fmt.Errorf("row %d: %.40q is not UTF-8: np.char.decode(x, 'latin1') makes texts of bytes", i, text)
			}
			out.text = append(out.text, text...)
		} else {
			for len(b) > 0 && order.Uint32(b[len(b)-4:]) == 0 {
				b = b[:len(b)-4]
			}
			for ; len(b) > 0; b = b[4:] {
				r := order.Uint32(b)
				if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
					return nil, fmt.Errorf("row %d: %#x is not a character", i, r)
				}
				out.text = utf8.AppendRune(out.text, rune(r))
			}
		}
		out.ends[i+1] = int64(len(out.text))
	}
	return out, nil
}

// times reads times, of which the least number is none.
func (c *npyColumn) times(out *Column, at func(int) int64) (*Column, error) {
	const nat = math.MinInt64
	out.valid = serialBits(out.n, func(i int) bool { return at(i) != nat })
	out.dropValid()
	scale := npy.Units[c.code.Unit]
	if out.typ = Timestamp; scale < 0 {
		out.typ, out.days = Date, make([]int32, out.n)
	} else {
		out.ints = make([]int64, out.n)
	}
	months := c.code.Unit == "M" || c.code.Unit == "Y"
	step := max(scale, -scale) * c.code.Count
	for i := range out.n {
		v := at(i)
		if v == nat {
			continue
		}
		limit := int64(math.MaxInt64)
		if out.typ == Date {
			limit = math.MaxInt32
		}
		if v > limit/step || v < -limit/step {
			return nil, fmt.Errorf("row %d: %d %s since 1970 is outside what a %v holds", i, v, c.code.Unit, out.typ)
		}
		switch v *= step; {
		case months:
			day := time.Date(1970, time.Month(1+v), 1, 0, 0, 0, 0, time.UTC).Unix() / 86400
			if day < math.MinInt32 || day > math.MaxInt32 {
				return nil, fmt.Errorf("row %d: %d months since 1970 is outside what a date holds", i, v)
			}
			out.days[i] = int32(day)
		case out.typ == Date:
			out.days[i] = int32(v)
		default:
			out.ints[i] = v
		}
	}
	return out, nil
}
