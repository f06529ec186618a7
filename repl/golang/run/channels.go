package run

import (
	"go/token"
	"reflect"
	"strings"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/native"
)

// Channels is what machine code needs of the session's channels.
func Channels(rt *Runtime) *native.Channels {
	return &native.Channels{Wait: rt.waitAt, Timed: machine.IsTimerAt,
		Make: func(t reflect.Type) func(n int) unsafe.Pointer {
			size := int(t.Elem().Size())
			return func(n int) unsafe.Pointer { return reflect.MakeChan(t, rt.Memory.makeChan(n, size)).UnsafePointer() }
		}}
}

// waitAt is native.Channels.Wait.
func (rt *Runtime) waitAt(at token.Pos, fn string) func(string, bool, func(unsafe.Pointer) bool) {
	place := machine.Wait{At: at, Fn: strings.TrimPrefix(fn, native.Piece), Interpreter: unsafe.Pointer(rt.interp)}
	return func(what string, timed bool, wait func(stop unsafe.Pointer) bool) {
		w := place
		w.What, w.Timed = what, timed
		p := machine.BeginWait(&w)
		defer machine.EndWait(p)
		g, _ := goroutine()
		var stop unsafe.Pointer
		if c := rt.stops.channel(g); c != rt.stops.never {
			stop = c.Chan.UnsafePointer()
		}
		if wait(stop) {
			rt.stops.woken(g)
			panic(interrupted{})
		}
	}
}
