package native

import (
	"reflect"
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
	case leaveNew:
		return small(1, int(s.aux.(reflect.Type).Size()))
	case leaveMove:
		return small(1, int(s.aux.(reflect.Type).Size()))
	case leaveMake:
		n, room := word(c, 0), word(c, 1)
		if n < 0 || n > room {
			return tooMany
		}
		return small(room, int(s.aux.(reflect.Type).Elem().Size()))
	case leaveGrow:
		return small(2*(word(c, 1)+word(c, 3)), int(s.aux.(reflect.Type).Elem().Size()))
	case leaveAppend:
		return small(2*(word(c, 1)+word(c, 4)), int(s.aux.(reflect.Type).Elem().Size()))
	case leaveCopy:
		return small(min(word(c, 1), word(c, 4)), int(s.aux.(reflect.Type).Elem().Size()))
	case leaveConcat:
		return small(word(c, 1)+word(c, 3), 1)
	}
	return tooMany
}

// pinned does what generated code was left for without Unpin.
func (p *Proc) pinned(s *stop, ctx *enter.Context, h *Host) {
	switch s.code { // without memory for a request
	case leaveNew:
		*ctx.Word(enter.ResultsAt) = uint64(reflect.New(s.aux.(reflect.Type)).Pointer())
		return
	case leaveMake:
		v := reflect.MakeSlice(s.aux.(reflect.Type), word(ctx, 0), word(ctx, 1))
		*ctx.Word(enter.ResultsAt) = uint64(v.Pointer())
		return
	case leaveConcat:
		t := join(text(ctx, 0), text(ctx, 2))
		*ctx.Word(enter.ResultsAt) = uint64(uintptr(unsafe.Pointer(unsafe.StringData(t))))
		*ctx.Word(enter.ResultsAt + 8) = uint64(len(t))
		return
	}
	w := request{s: s, h: h, p: p.of, small: true}
	w.begin(ctx)
	w.do(ctx)
	w.end(ctx)
}

// join is not inlined: what a function returns is not in the memory of its caller's frame.
//
//go:noinline
func join(a, b string) string { return a + b }
