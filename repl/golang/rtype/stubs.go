package rtype

import (
	"fmt"
	"go/types"
	"reflect"
	"sync"
	"unsafe"
)

// A stub is a few instructions that load the func value of the same number into the closure register and jump to its code.
// It has no frame, so the runtime never sees it on a stack.

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
	fn := reflect.MakeFunc(w.function(c, word))
	off := addReflectOff(newStub(fn, c))
	w.stubs[key] = off
	return off
}

// newStub returns code that runs fn.
func newStub(fn reflect.Value, c callee) unsafe.Pointer {
	used.Lock()
	defer used.Unlock()
	if used.stubs == Stubs-1 { // the last one is checkStubs'
		panic(fmt.Sprintf("no room for method %s.%s: the methods of this session have taken all %d places, counting those of types "+
			"that were declared again; restart the session", typeText(c.of), c.m.Name(), Stubs-1))
	}
	i := used.stubs
	used.stubs++
	funcs[i] = (*value)(unsafe.Pointer(&fn)).ptr
	return unsafe.Add(stubCode(), i*stubSize)
}
