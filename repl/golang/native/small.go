package native

import (
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// A small allocation is made while the goroutine is pinned, so that the pointers of all frames need not be listed for
// it, which would take time that grows with the depth of a recursion. The runtime begins no collection then, and asks
// for no help with one. So after some of them the next one is made unpinned, where it does both.

// maxSmall is how many bytes are a small allocation or copy, and maxPinned how many of them are made between two that
// are not pinned.
const (
	maxSmall  = 1 << 10
	maxPinned = 32 << 10
)

const tooMany = maxPinned + 1

// smallBytes is how many bytes are allocated or copied for generated code, tooMany if that must not be done
// while the goroutine is pinned: there are many, or it may panic, or it is something else that is wanted.
func smallBytes(s *stop, c *enter.Context) int {
	small := func(n, size int) int {
		if n < 0 || n > maxSmall || n*size > maxSmall {
			return tooMany
		}
		return n*size + 16
	}
	switch s.code {
	case leaveNew, leaveMove:
		return small(1, s.typ.Size)
	case leaveMake:
		n, room := word(c, 0), word(c, 1)
		if n < 0 || n > room {
			return tooMany
		}
		return small(room, s.typ.Size)
	case leaveGrow:
		return small(2*(word(c, 1)+word(c, 3)), s.typ.Size)
	case leaveAppend:
		return small(2*(word(c, 1)+word(c, 4)), s.typ.Size)
	case leaveCopy:
		return small(min(word(c, 1), word(c, 4)), s.typ.Size)
	case leaveConcat:
		return small(word(c, 1)+word(c, 3), 1)
	}
	return tooMany
}

// pinned does what generated code was left for without Unpin.
func pinned(s *stop, c *enter.Context) {
	result := func(i, n int) { *c.Word(enter.ResultsAt + 8*i) = uint64(n) }
	pointer := func(p unsafe.Pointer) { *c.Word(enter.ResultsAt) = uint64(uintptr(p)) }
	slice := func(s enter.Slice) {
		pointer(s.Data)
		result(1, s.Len)
		result(2, s.Cap)
	}
	data := func(i int) unsafe.Pointer { return *c.Pointer(enter.ArgsAt + 8*i) }
	switch s.code {
	case leaveNew:
		pointer(s.typ.New())
	case leaveMake:
		pointer(s.typ.Make(word(c, 1)))
	case leaveMove:
		s.typ.Copy(data(0), data(1), 1)
	case leaveGrow:
		slice(s.typ.Grow(enter.Slice{Data: data(0), Len: word(c, 1), Cap: word(c, 2)}, word(c, 3)))
	case leaveAppend:
		slice(s.typ.Append(enter.Slice{Data: data(0), Len: word(c, 1), Cap: word(c, 2)},
			enter.Slice{Data: data(3), Len: word(c, 4)}))
	case leaveCopy:
		n := min(word(c, 1), word(c, 4))
		s.typ.Copy(data(0), data(3), n)
		result(0, n)
	case leaveConcat:
		t := join(text(c, 0), text(c, 2))
		pointer(unsafe.Pointer(unsafe.StringData(t)))
		result(1, len(t))
	default:
		panic("native: this is not done while the goroutine is pinned") // cannot happen
	}
}

// join is not inlined: what a function returns is not in the memory of its caller's frame.
//
//go:noinline
func join(a, b string) string { return a + b }
