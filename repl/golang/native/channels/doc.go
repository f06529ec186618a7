// Package channels has the operations on channels of generated code. They are the runtime's, on memory of Go code. One
// that need not wait is done at once: a receive while the goroutine is pinned, since it cannot panic. One that waits
// does so in Go code, and the session knows of it.
package channels

import (
	"go/token"
	"reflect"
	"unsafe"
)

// Session is what generated code needs of a session's channels.
type Session struct {
	// Waiter is for goroutines that wait at a place of a function.
	Waiter func(at token.Pos, in string) Waiter
	// Timed reports whether a timer sends to a channel.
	Timed func(c unsafe.Pointer) bool
	// Make returns what makes channels of a type with room for n elements.
	Make func(t reflect.Type) func(n int) unsafe.Pointer
}

// Waiter is told of goroutines that wait.
type Waiter interface {
	// Begin notes what the calling goroutine waits for, and whether a timer may end that. It returns a note for End,
	// and a channel that is closed when the goroutine is to stop, nil for none.
	Begin(what string, timed bool) (note, stop unsafe.Pointer)
	// End says that the goroutine waits no longer.
	End(note unsafe.Pointer)
	// Stopped ends the calling goroutine, since that channel is closed.
	Stopped()
}
