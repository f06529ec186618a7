package run

import (
	"go/token"
	"reflect"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/native"
	"github.com/gorocm/gorocm/repl/golang/native/channels"
)

// Channels is what machine code needs of the session's channels.
func Channels(rt *Runtime) *channels.Session {
	return &channels.Session{Timed: machine.IsTimerAt,
		Waiter: func(at token.Pos, fn string) channels.Waiter {
			return &waiter{rt: rt, at: at, fn: strings.TrimPrefix(fn, native.Piece)}
		},
		Make: func(t reflect.Type) func(n int) unsafe.Pointer {
			size, t := int(t.Elem().Size()), reflect.ChanOf(reflect.BothDir, t.Elem()) // which may only send or receive
			return func(n int) unsafe.Pointer { return reflect.MakeChan(t, rt.Memory.makeChan(n, size)).UnsafePointer() }
		}}
}

// waiter is a place of a function where goroutines wait.
type waiter struct {
	rt   *Runtime
	at   token.Pos
	fn   string
	last atomic.Pointer[machine.Wait] // what one has waited for
}

func (w *waiter) Begin(what string, timed bool) (note, stop unsafe.Pointer) {
	x := w.last.Load()
	if x == nil || x.What != what || x.Timed != timed {
		x = &machine.Wait{What: what, At: w.at, Fn: w.fn, Timed: timed, Interpreter: unsafe.Pointer(w.rt.interp)}
		w.last.Store(x)
	}
	p := machine.BeginWait(x)
	g, _ := goroutine()
	if c := w.rt.stops.channel(g); c != w.rt.stops.never {
		stop = c.Chan.UnsafePointer()
	}
	return unsafe.Pointer(p), stop
}

func (w *waiter) End(note unsafe.Pointer) { machine.EndWait((*machine.WaitPlace)(note)) }

func (w *waiter) Stopped() {
	g, _ := goroutine()
	w.rt.stops.woken(g)
	panic(interrupted{})
}
