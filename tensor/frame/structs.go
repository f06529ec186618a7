package frame

import (
	"reflect"
	"strings"
	"time"

	"github.com/gorocm/gorocm/tensor"
)

// FromStructs makes a frame of a slice of structs, or of pointers to them, with a column for each exported field of
// bool, number, string, time.Time or a pointer to one of them. A tag names the column, or leaves it out with "-":
//
//	type Trip struct {
//		City string   `frame:"city"`
//		Tip  *float64 `frame:"tip"` // nil is missing
//	}
//
// Fields of embedded structs are taken, too. It panics with ErrDType for anything else.
func FromStructs(rows any) *Frame {
	const op = "fromstructs"
	v := reflect.ValueOf(rows)
	if !v.IsValid() || v.Kind() != reflect.Slice && v.Kind() != reflect.Array || structOf(v.Type().Elem()) == nil {
		fail(op, tensor.ErrDType, "", "a %T: want a slice of structs", rows)
	}
	t := structOf(v.Type().Elem())
	fields := columnFields(op, t)
	builders := make([]*builder, len(fields))
	for j, field := range fields {
		builders[j] = newBuilder(op, field.name, v.Len())
		builders[j].typ = elementType(field.typ)
	}
	for i := range v.Len() {
		row := v.Index(i)
		if row.Kind() == reflect.Pointer {
			row = row.Elem()
		}
		for j, field := range fields {
			if !row.IsValid() {
				builders[j].add(reflect.Value{})
				continue
			}
			builders[j].add(row.FieldByIndex(field.index))
		}
	}
	cols := make([]*Column, len(fields))
	for j, b := range builders {
		cols[j] = b.column()
	}
	out := fromColumns(op, cols...)
	out.rows = v.Len()
	return out
}

// structOf is a type of structs, or the one that a pointer points to; nil for other types.
func structOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return nil
	}
	return t
}

// columnField is a field of a struct that is a column.
type columnField struct {
	name  string
	index []int
	typ   reflect.Type
}

func columnFields(op string, t reflect.Type) (out []columnField) {
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("frame")
		if !f.IsExported() || f.Anonymous && structOf(f.Type) != nil || tag == "-" || throughPointer(t, f.Index) {
			continue
		}
		name, _, _ := strings.Cut(tag, ",")
		if name == "" {
			name = f.Name
		}
		if elementType(f.Type) == 0 {
			fail(op, tensor.ErrDType, "the tag `frame:\"-\"` leaves a field out",
				"field %s is %v: want bool, a number, string or time.Time", f.Name, f.Type)
		}
		out = append(out, columnField{name, f.Index, f.Type})
	}
	return out
}

// throughPointer reports whether a field is in an embedded pointer, which may be nil.
func throughPointer(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// ToStructs sets a slice of structs to the rows. to is a pointer to the slice. Columns without a field are left out; a
// field without a column stays zero, and a pointer is nil where a value is missing. It panics with ErrValue when a
// value is missing that a field without a pointer would have, and with ErrDType when a type does not fit.
func (f *Frame) ToStructs(to any) {
	const op = "tostructs"
	v := reflect.ValueOf(to)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Slice ||
		v.Elem().Type().Elem().Kind() != reflect.Struct {
		fail(op, tensor.ErrDType, "", "a %T: want a pointer to a slice of structs", to)
	}
	t := v.Elem().Type().Elem()
	out := reflect.MakeSlice(v.Elem().Type(), f.rows, f.rows)
	for _, field := range columnFields(op, t) {
		if !f.Has(field.name) {
			continue
		}
		c := f.column(op, field.name)
		elem := field.typ
		if elem.Kind() == reflect.Pointer {
			elem = elem.Elem()
		} else if n := c.Missing(); n > 0 {
			fail(op, tensor.ErrValue, "a field of a pointer is nil where a value is missing",
				"%d of %d values of column %q are missing", n, c.n, c.name)
		}
		for i := range f.rows {
			if c.valid.has(i) {
				storeIn(c, op, out.Index(i).FieldByIndex(field.index), elem, i)
			}
		}
	}
	v.Elem().Set(out)
}

// store sets a field to a value of a row.
func storeIn(c *Column, op string, field reflect.Value, elem reflect.Type, i int) {
	value := reflect.ValueOf(c.At(i))
	fits := givable(c, elem)
	if c.typ == Int64 && elem.Kind() >= reflect.Int && elem.Kind() <= reflect.Uint64 {
		fits = true
		if zero := reflect.Zero(elem); zero.CanInt() && zero.OverflowInt(c.ints[i]) ||
			zero.CanUint() && (c.ints[i] < 0 || zero.OverflowUint(uint64(c.ints[i]))) {
			fail(op, tensor.ErrValue, "", "column %q, row %d: %d is beyond %v", c.name, i, c.ints[i], elem)
		}
	}
	if !fits {
		fail(op, tensor.ErrDType, "", "column %q is %v, the field %v", c.name, c.typ, elem)
	}
	value = value.Convert(elem)
	if field.Kind() == reflect.Pointer {
		p := reflect.New(elem)
		p.Elem().Set(value)
		value = p
	}
	field.Set(value)
}
