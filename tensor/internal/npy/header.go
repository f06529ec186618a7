package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/gorocm/gorocm/tensor/limits"
)

const magic = "\x93NUMPY"

// Header is what the header of a file says.
type Header struct {
	Type    Type
	Fortran bool // the first index varies fastest
	Shape   []int
}

// Type is the type of an element: a plain one, whose Code is NumPy's such as "<f4", or one of Fields.
type Type struct {
	Code   string
	Fields []Field // nil for a plain type
}

// Field is a part of the elements of a structured type, which come one after the other without gaps: where there is a
// gap, it is a field of void elements.
type Field struct {
	Name  string
	Type  Type
	Shape []int // of an array in each element; nil for one value
}

// Read returns the text of a header, and where in the file it begins and ends. Latin-1, in which older versions have
// it, becomes UTF-8.
func Read(r io.Reader) (text string, start, end int, err error) {
	var fixed [12]byte
	if err := fill(r, fixed[:8]); err != nil {
		return "", 0, 0, err
	}
	if string(fixed[:6]) != magic {
		return "", 0, 0, fmt.Errorf("the file begins with %q, not %q", fixed[:6], magic)
	}
	size := 2 // of the length that follows
	switch version := fixed[6]; version {
	case 1:
	case 2, 3:
		size = 4
	default:
		return "", 0, 0, fmt.Errorf("version %d.%d is unknown", version, fixed[7])
	}
	if err := fill(r, fixed[8:8+size]); err != nil {
		return "", 0, 0, fmt.Errorf("length of the header: %w", err)
	}
	n := binary.LittleEndian.Uint32(fixed[8:12])
	if err := limits.NpyHeader.Check(int(n), fmt.Sprintf("at byte 8: a header of %d bytes", n)); err != nil {
		return "", 0, 0, err
	}
	raw := make([]byte, n)
	if err := fill(r, raw); err != nil {
		return "", 0, 0, fmt.Errorf("header: %w", err)
	}
	if fixed[6] == 3 {
		return string(raw), 8 + size, 8 + size + int(n), nil
	}
	var b strings.Builder
	for _, c := range raw {
		b.WriteRune(rune(c))
	}
	return b.String(), 8 + size, 8 + size + int(n), nil
}

// fill reads as many bytes as there is room for.
func fill(r io.Reader, b []byte) error {
	n, err := io.ReadFull(r, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("the file ends after %d of %d bytes: %w", n, len(b), io.ErrUnexpectedEOF)
	}
	return err
}

// Parse returns what the text of a header says.
func Parse(text string) (h Header, err error) {
	v, err := literal(text)
	if err != nil {
		return h, err
	}
	d, _ := v.(dict)
	dims, isShape := d["shape"].([]any)
	fortran, isOrder := d["fortran_order"].(bool)
	if d["descr"] == nil || !isShape || !isOrder {
		return h, fmt.Errorf("there is no descr, fortran_order and shape in it")
	}
	h.Fortran = fortran
	if h.Shape, err = shapeOf(dims); err != nil {
		return h, err
	}
	left := limits.Columns.Value()
	h.Type, err = typeOf(d["descr"], &left)
	return h, err
}

func shapeOf(dims []any) ([]int, error) {
	shape := make([]int, len(dims))
	for i, d := range dims {
		n, ok := d.(int)
		if !ok || n < 0 {
			return nil, fmt.Errorf("the shape %v is not possible", dims)
		}
		shape[i] = n
	}
	return shape, nil
}

// typeOf is a type: the code of a plain one, or a list of fields.
func typeOf(v any, left *int) (t Type, err error) {
	if code, ok := v.(string); ok {
		return Type{Code: code}, nil
	}
	list, ok := v.([]any)
	if !ok {
		return t, fmt.Errorf("the descr %v is neither a text nor a list of fields", v)
	}
	t.Fields = []Field{}
	for _, one := range list {
		parts, ok := one.([]any)
		if *left--; *left < 0 {
			return t, limits.Columns.Reached("there are more fields")
		}
		if !ok || len(parts) != 2 && len(parts) != 3 {
			return t, fmt.Errorf("the field %v is not a name, a type and perhaps a shape", one)
		}
		f := Field{}
		name := parts[0]
		if both, ok := name.([]any); ok && len(both) == 2 { // a title, and the name
			name = both[1]
		}
		if f.Name, ok = name.(string); !ok {
			return t, fmt.Errorf("the name %v of a field is not a text", name)
		}
		if f.Type, err = typeOf(parts[1], left); err != nil {
			return t, err
		}
		if len(parts) == 3 {
			dims, ok := parts[2].([]any)
			if n, one := parts[2].(int); one {
				dims, ok = []any{n}, true
			}
			if !ok {
				return t, fmt.Errorf("the shape %v of the field %q is not possible", parts[2], f.Name)
			}
			if f.Shape, err = shapeOf(dims); err != nil {
				return t, err
			}
		}
		t.Fields = append(t.Fields, f)
	}
	return t, nil
}
