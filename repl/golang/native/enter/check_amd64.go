//go:build linux || windows

package enter

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// goVersion is the release of Go whose runtime the invariants of this package have been compared with.
const goVersion = "go1.26"

// Unsupported says why generated code cannot run in this process, "" if it can: the runtime is another one than the
// invariants are about, or does not do what they say.
var Unsupported = sync.OnceValue(func() string {
	if why := otherVersion(runtime.Version()); why != "" {
		return why
	}
	why := make(chan string)
	go func() { why <- otherRuntime(PreemptAt, Preempt) }()
	return <-why
})

func otherVersion(version string) string {
	rest, ok := strings.CutPrefix(version, goVersion)
	if !ok || rest != "" && strings.Trim(rest[:1], "0123456789") == "" {
		return fmt.Sprintf("gorocm was built with %s, and machine code is known to run beside the runtime of Go %s only",
			version, strings.TrimPrefix(goVersion, "go"))
	}
	return ""
}

// otherRuntime says how the calling goroutine differs from what is assumed of it, "" if it does not: its first words
// are the bounds of its stack, the word at preemptAt is the bound that prologues look at, and where preempt is there, a
// prologue yields and puts the bound back instead of making the stack larger.
func otherRuntime(preemptAt int, preempt int64) string {
	g := Goroutine()
	word := func(at int) *uintptr {
		return (*uintptr)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&g)), at))
	}
	why := ""
	for range 5 { // the collector may make the stack smaller meanwhile, or ask the goroutine to yield
		low, high := atomic.LoadUintptr(word(0)), atomic.LoadUintptr(word(8))
		bound := atomic.LoadUintptr(word(preemptAt))
		if here := stackPointer(); here <= low || here >= high || bound <= low || bound >= here {
			why = "a goroutine does not begin with the bounds of its stack"
			prologue(1)
			continue
		}
		atomic.StoreUintptr(word(preemptAt), uintptr(preempt))
		prologue(1)
		if atomic.LoadUintptr(word(0)) == low && atomic.LoadUintptr(word(preemptAt)) == bound {
			return ""
		}
		why = "a goroutine does not yield when it finds the bound of its stack changed"
	}
	return fmt.Sprintf("the runtime of %s is not the one that machine code knows: %s", runtime.Version(), why)
}

// stackPointer is an address in the stack.
//
//go:noinline
func stackPointer() uintptr {
	var x byte
	return uintptr(unsafe.Pointer(&x))
}

// prologue is a function whose frame is so large that its prologue looks at the bound of the stack.
//
//go:noinline
func prologue(n int) byte {
	var frame [512]byte
	frame[n&511] = 1
	return frame[(n*7)&511]
}
