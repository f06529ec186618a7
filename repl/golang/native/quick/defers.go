package quick

import (
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// ofDefers calls the functions of package defers that only take notes.
func ofDefers(name string, fn any) Func {
	switch f := fn.(type) {
	case func() *byte: // New
		return func(c *enter.Context) bool {
			return c.Spend(160) && c.SetAddress(0, unsafe.Pointer(f()))
		}
	case func(*byte, func()):
		if name != "Add" {
			return nil
		}
		return func(c *enter.Context) bool {
			if !c.Spend(64) {
				return false
			}
			var call func()
			*(*unsafe.Pointer)(unsafe.Pointer(&call)) = c.Address(1)
			f((*byte)(c.Address(0)), call)
			return true
		}
	}
	return nil
}
