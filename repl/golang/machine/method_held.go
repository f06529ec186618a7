package machine

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A method table lives for ever, and a session must not: so the trampoline of a method asks, at every call, a weak
// pointer for what the method runs. Where that is a function value of machine code, it takes the place of the
// trampoline in the table until the next collection has ended, or until any method gets another function.

// held are the methods whose place in the table has such a function value.
var held struct {
	sync.Mutex
	list []*method
}

// hold puts a function value into the place of the trampoline, if it still is what runs the method.
func (m *method) hold(direct *byte) {
	held.Lock()
	defer held.Unlock()
	if l := m.literal(); l == nil || l.d.now().directly(m.pointer) != direct {
		return
	}
	if len(held.list) == 0 {
		runtime.AddCleanup(new([2]unsafe.Pointer), func(struct{}) { release() }, struct{}{})
	}
	held.list = append(held.list, m)
	atomic.StorePointer(m.place, unsafe.Pointer(direct))
}

// release puts all trampolines back.
func release() {
	held.Lock()
	defer held.Unlock()
	for _, m := range held.list {
		atomic.StorePointer(m.place, m.entry)
	}
	clear(held.list)
	held.list = held.list[:0]
}
