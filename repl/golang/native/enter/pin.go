package enter

import (
	"sync/atomic"
	"unsafe"
)

// Pin has the goroutine stay on its thread: nothing stops it until Unpin.
func Pin() { procPin() }

// Unpin ends Pin.
func Unpin() { procUnpin() }

// Thread is the address of the thread that runs the calling goroutine, which is pinned.
func Thread() uintptr {
	g := Goroutine()
	return *(*uintptr)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&g)), ThreadAt))
}

//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

// mapped is set once there is generated code.
var mapped atomic.Bool

// Poke has generated code leave that runs in a goroutine, whose address is given, soon. It writes what the runtime
// writes to stop a goroutine; if that runs Go code, or has ended, it yields once at most. It does nothing before there
// is generated code.
func Poke(goroutine uintptr) {
	if !mapped.Load() || goroutine == 0 || goroutine == ^uintptr(0) {
		return
	}
	p := *(*unsafe.Pointer)(unsafe.Pointer(&goroutine))
	atomic.StoreInt64((*int64)(unsafe.Add(p, PreemptAt)), Preempt)
}
