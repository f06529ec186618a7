package machine

import (
	"reflect"
	"unsafe"
)

// Captured lists what a function literal of the session keeps alive: the values in the frames of the functions around
// it, those of variables that it does not use among them. The id tells it from others; it is 0 for functions of other
// kinds. No goroutine of a cell may run beside it.
func Captured(fn reflect.Value) (id uintptr, list []reflect.Value) {
	if fn.Kind() != reflect.Func || fn.IsNil() {
		return 0, nil
	}
	h := asHeader(fn)
	l := known(*word(&h))
	if l == nil {
		return 0, nil
	}
	for f := l.from; f != nil && f != f.Root; f = f.Anc {
		for _, v := range f.Data {
			if v.IsValid() {
				list = append(list, v)
			}
		}
	}
	return uintptr(unsafe.Pointer(l)), list
}
