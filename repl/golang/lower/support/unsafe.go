package support

import (
	"go/types"
	"reflect"
	"unsafe"
)

// addPointer adds what a cell asks for, where it may leave the memory that it began in.
//
//go:nocheckptr
func addPointer(p unsafe.Pointer, n int64) unsafe.Pointer { return unsafe.Add(p, n) }

// Unsafe is a function of package unsafe that yaegi lacks, for the types of its parameters and of its result.
func (fs *Functions) Unsafe(name string, in []types.Type, out types.Type) string {
	ts := make([]reflect.Type, len(in))
	for i, t := range in {
		ts[i] = fs.scope.Inner(t)
	}
	result := fs.scope.Inner(out)
	return fs.once("unsafe."+name, ts, []reflect.Type{result}, func(in []reflect.Value) []reflect.Value {
		var r reflect.Value
		switch name {
		case "Add":
			r = reflect.ValueOf(addPointer(in[0].UnsafePointer(), in[1].Int()))
		case "String":
			r = reflect.ValueOf(unsafe.String((*byte)(in[0].UnsafePointer()), in[1].Int()))
		case "StringData":
			r = reflect.ValueOf(unsafe.StringData(in[0].String()))
		case "Slice":
			r = reflect.SliceAt(result.Elem(), in[0].UnsafePointer(), int(in[1].Int()))
		case "SliceData":
			r = reflect.NewAt(result.Elem(), in[0].UnsafePointer())
		}
		return []reflect.Value{r}
	})
}
