package run

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
)

// goStack is where a goroutine was in Go code, the innermost call first. Its text, which takes a third of a
// millisecond, is made where somebody asks for it.
type goStack []uintptr

// goStackWords is how much of a stack is looked at, and goStackCalls how many calls are told: the innermost ones.
const (
	goStackWords = 4 << 10
	goStackCalls = 128
)

// stackCopies are for takeGoStack.
var stackCopies = sync.Pool{New: func() any { return new([goStackWords]uintptr) }}

// takeGoStack is the stack of the calling goroutine. Its frame pointers tell the calls: package runtime takes ten times
// as long, which is most of what a panic takes that is recovered.
func takeGoStack() goStack {
	if !KnowsStack {
		pcs := make([]uintptr, goStackCalls)
		return pcs[:runtime.Callers(2, pcs)]
	}
	words := stackCopies.Get().(*[goStackWords]uintptr)
	defer stackCopies.Put(words)
	from, n := copyStack(&words[0], goStackWords)
	s := stackWalk{words: words[:n], from: from}
	list := make(goStack, 0, goStackCalls/2)
	for f := range s.frames {
		if list = append(list, f.pc); len(list) == goStackCalls {
			break
		}
	}
	return list
}

// text is the stack as the runtime prints it, without the arguments.
func (s goStack) text() string {
	var b strings.Builder
	b.WriteString("goroutine [running]:\n")
	for _, pc := range s {
		for _, f := range expand(pc) {
			fmt.Fprintf(&b, "%s(...)\n\t%s:%d +%#x\n", f.Function, f.File, f.Line, f.PC-f.Entry)
		}
	}
	return b.String()
}
