//go:build linux || windows

package enter

import (
	"sync"
	"unsafe"
)

// Locks is where a thread counts what pins its goroutine, in bytes from its start; 0 where that is not known.
var Locks = sync.OnceValue(func() int {
	found := make(chan int)
	go func() { found <- findLocks() }()
	return <-found
})

// threadWords is how many 32-bit words of a thread are looked at, which is less than it has.
const threadWords = 1 << 8

// findLocks looks for the one word of the thread that Pin and Unpin change, by 1. The thread is known by its goroutine,
// whose address it has.
func findLocks() int {
	g := Goroutine()
	Pin()
	defer Unpin()
	thread := *(**[threadWords]int32)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&g)), ThreadAt))
	if thread == nil || !hasWord((*[threadWords / 2]uintptr)(unsafe.Pointer(thread)), g) {
		return 0
	}
	before := *thread
	Pin()
	once := *thread
	Pin()
	twice := *thread
	Unpin()
	again := *thread
	Unpin()
	at := 0
	for i, n := range before {
		if n >= 0 && n < 1<<10 && once[i] == n+1 && twice[i] == n+2 && again[i] == n+1 && thread[i] == n {
			if at != 0 {
				return 0
			}
			at = 4 * i
		}
	}
	return at
}

func hasWord(list *[threadWords / 2]uintptr, x uintptr) bool {
	for _, w := range list {
		if w == x {
			return true
		}
	}
	return false
}
