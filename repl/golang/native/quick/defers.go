package quick

import (
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// Deferring are the functions of package defers that keep what a function defers in the context.
var Deferring = map[string]Func{
	"Begin": func(c *enter.Context) bool { return c.Spend(step) && c.BeginDeferring() },
	"Later": func(c *enter.Context) bool {
		if !c.Spend(step) {
			return false
		}
		var f func(int)
		*(*unsafe.Pointer)(unsafe.Pointer(&f)) = c.Address(0)
		return c.Defer(f)
	},
	"Next": func(c *enter.Context) bool {
		if !c.Spend(step) {
			return false
		}
		f, more := c.NextDeferred()
		return c.SetAddress(0, *(*unsafe.Pointer)(unsafe.Pointer(&f))) && c.SetBool(1, more)
	},
}

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
