package rocm

import (
	"fmt"
	"reflect"
	"unsafe"
)

// padTo adds zeros up to an offset.
func (a *Args) padTo(offset int) {
	for len(a.data) < offset {
		a.data = append(a.data, 0)
	}
}

// sized adds an argument of which a module says the size alone. What says its size, too, is passed as it is: a struct,
// an array, or a number of a type of fixed size. An int is refused: the kernel may take a float of that size.
func (a *Args) sized(p Param, v any, d *Device) error {
	rv := reflect.ValueOf(v)
	if p.Anything && p.Size == 8 {
		switch v.(type) {
		case nil, *Buffer, Operand:
			return a.pointer(Param{Name: p.Name, Type: "void", Elem: "void", Pointer: true}, v, d)
		}
	}
	if rv.Kind() == reflect.Pointer && !rv.IsNil() && rv.Type().Elem().Kind() == reflect.Struct {
		rv = rv.Elem()
	}
	if !rv.IsValid() {
		return fmt.Errorf("want a value of %d bytes, not nil", p.Size)
	}
	t := rv.Type()
	if checkFixed(t, t.String()) != nil {
		return fmt.Errorf("want %s, not %s", wantSized(p), describeArg(v))
	}
	if int(t.Size()) != p.Size {
		return fmt.Errorf("want %s, not %s of %d", wantSized(p), describeArg(v), t.Size())
	}
	at := reflect.New(t)
	at.Elem().Set(rv)
	a.align(t.Align())
	a.data = append(a.data, unsafe.Slice((*byte)(at.UnsafePointer()), t.Size())...)
	return nil
}

// wantSized says what sized takes.
func wantSized(p Param) string {
	numbers := map[int]string{1: "uint8 or int8", 2: "uint16 or int16", 4: "int32, uint32 or float32",
		8: "int64, uint64 or float64"}[p.Size]
	switch {
	case numbers == "":
		return fmt.Sprintf("a Go struct or array of %d bytes", p.Size)
	case p.Anything && p.Size == 8:
		numbers += ", or a tensor"
	}
	return fmt.Sprintf("a value of %d bytes whose type says so (%s)", p.Size, numbers)
}
