package run

import (
	"fmt"
	"runtime"
	"strings"
)

// goStack is where a goroutine was in Go code: its text, which takes a third of a millisecond, is made where somebody
// asks for it.
type goStack []uintptr

// takeGoStack is the stack of the calling goroutine, from the caller on.
func takeGoStack() goStack {
	pcs := make([]uintptr, 128)
	return pcs[:runtime.Callers(2, pcs)]
}

// text is the stack as the runtime prints it, without the arguments.
func (s goStack) text() string {
	var b strings.Builder
	b.WriteString("goroutine [running]:\n")
	frames := runtime.CallersFrames(s)
	for {
		f, more := frames.Next()
		fmt.Fprintf(&b, "%s(...)\n\t%s:%d +%#x\n", f.Function, f.File, f.Line, f.PC-f.Entry)
		if !more {
			return b.String()
		}
	}
}
