package rtype

import (
	"fmt"
	"go/types"
	"reflect"
	"sync"
	"unsafe"
)

// A stub is a few instructions that load the func value of the same number into the closure register and jump to its
// code. It has no frame, so the runtime never sees it on a stack.

// funcs holds the func values of the stubs: each is a pointer to a closure, whose first word is its code.
// The stubs read it by name.
var funcs [max(Stubs, 1)]unsafe.Pointer

var used struct {
	sync.Mutex
	stubs int
}

// stubKey tells the code of methods apart. The versions of a type share it.
type stubKey struct {
	of   *entry
	m    *types.Func
	word bool
}

// stub returns the offset of the code for c. See function for word.
func (w *World) stub(c callee, word bool) int32 {
	key := stubKey{w.entry(c.of), c.m, word}
	if off, ok := w.stubs[key]; ok {
		return off
	}
	t, body := w.function(c, word)
	fn := reflect.MakeFunc(t, body)
	slow := (*value)(unsafe.Pointer(&fn)).ptr
	code, place := newStub(slow, c)
	if word && w.cfg.Enter != nil && c.inter == nil && len(c.path) == 0 {
		if direct := w.cfg.Enter(t, c.byPtr, c.m, slow, place); direct != nil {
			*place = direct
		}
	}
	off := addReflectOff(code)
	w.stubs[key] = off
	return off
}

// newStub returns code that runs a closure, and where the closure is.
func newStub(closure unsafe.Pointer, c callee) (code unsafe.Pointer, place *unsafe.Pointer) {
	used.Lock()
	defer used.Unlock()
	if used.stubs == Stubs-1 { // the last one is checkStubs'
		panic(fmt.Sprintf("no room for method %s.%s: the methods of this session have taken all %d places, counting those of types "+
			"that were declared again; restart the session", typeText(c.of), c.m.Name(), Stubs-1))
	}
	i := used.stubs
	used.stubs++
	funcs[i] = closure
	return unsafe.Add(stubCode(), i*stubSize), &funcs[i]
}
