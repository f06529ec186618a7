//go:build amd64 || arm64

package run

// goroutine tells which goroutine runs, as a number that no other live goroutine has, and how many bytes of its stack
// are in use. It costs 2 ns; goroutineID costs a microsecond. The runtime's own assembly relies on the place of
// g.stack, too.
func goroutine() (id, used uintptr)

// copyStack copies the stack of this goroutine from the frame pointer of the caller on, at most room words of it. It
// tells the address that the copy is of, and how many words it has.
//
//go:noescape
func copyStack(to *uintptr, room uintptr) (from, n uintptr)

const KnowsStack = true
