package machine

import (
	"go/token"
	"sync"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// WaitingMethod is a method of package sync that may wait for another goroutine as a function that notes that it does,
// at a place of a function in a cell; nil for any other. The name is the receiver's type and the method's.
func WaitingMethod(in *interp.Interpreter, name string, at token.Pos, fn string) any {
	w := &Wait{What: waitingCalls[name], At: at, Fn: fn, Interpreter: unsafe.Pointer(in)}
	switch name {
	case "*sync.Mutex.Lock":
		return func(m *sync.Mutex) { lock(w, m.TryLock, m.Lock) }
	case "*sync.RWMutex.Lock":
		return func(m *sync.RWMutex) { lock(w, m.TryLock, m.Lock) }
	case "*sync.RWMutex.RLock":
		return func(m *sync.RWMutex) { lock(w, m.TryRLock, m.RLock) }
	case "*sync.WaitGroup.Wait":
		return func(g *sync.WaitGroup) { lock(w, func() bool { return false }, g.Wait) }
	}
	return nil
}

// lock waits, unless that is not needed.
func lock(w *Wait, try func() bool, wait func()) {
	if try() {
		return
	}
	p := BeginWait(w)
	defer EndWait(p)
	wait()
}
