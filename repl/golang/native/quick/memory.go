package quick

import (
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// These functions are not inlined: then what they make is inlined in itself.

// New allocates a variable.
//
//go:noinline
func New(t enter.Type) Func {
	if t.Size > Most {
		return nil
	}
	return func(c *enter.Context) bool { return c.Spend(t.Size+16) && c.SetAddress(0, t.New()) }
}

// Make allocates the elements of a slice with a length and a capacity.
//
//go:noinline
func Make(t enter.Type) Func {
	return func(c *enter.Context) bool {
		n, room := c.Arg(0), c.Arg(1)
		return n >= 0 && n <= room && spend(c, room, t) && c.SetAddress(0, t.Make(room))
	}
}

// Move copies a variable.
//
//go:noinline
func Move(t enter.Type) Func {
	if t.Size > Most {
		return nil
	}
	return func(c *enter.Context) bool {
		t.Copy(c.Address(0), c.Address(1), 1)
		return true
	}
}

// Grow makes room for more elements of a slice.
//
//go:noinline
func Grow(t enter.Type) Func {
	return func(c *enter.Context) bool {
		n := c.Arg(3)
		return spend(c, 2*(c.Arg(1)+n), t) && setSlice(c, t.Grow(slice(c), n))
	}
}

// Append appends a slice to another one.
//
//go:noinline
func Append(t enter.Type) Func {
	return func(c *enter.Context) bool {
		n := c.Arg(4)
		return spend(c, 2*(c.Arg(1)+n), t) && setSlice(c, t.Append(slice(c), enter.Slice{Data: c.Address(3), Len: n}))
	}
}

// Copy copies a slice to another one.
//
//go:noinline
func Copy(t enter.Type) Func {
	return func(c *enter.Context) bool {
		n := min(c.Arg(1), c.Arg(4))
		if !spend(c, n, t) {
			return false
		}
		t.Copy(c.Address(0), c.Address(3), n)
		return c.SetInt(0, n)
	}
}

// mostCleared is how many bytes are cleared at once.
const mostCleared = 64 << 10

// Clear clears slices whose elements, of the given size, have no pointers.
func Clear(size int) Func {
	return func(c *enter.Context) bool {
		n := c.Arg(1)
		if n > mostCleared/size {
			return false
		}
		clear(unsafe.Slice((*byte)(c.Address(0)), n*size))
		return true
	}
}

// Concat joins two strings.
func Concat(c *enter.Context) bool {
	n := c.Arg(1) + c.Arg(3)
	return n <= Most && c.Spend(n+16) && c.SetText(0, join(c.Text(0), c.Text(2)))
}

// join is not inlined: what a function returns is not in the memory of its caller's frame.
//
//go:noinline
func join(a, b string) string { return a + b }

// Store stores a pointer where another one points to, as the collector must know while it marks.
func Store(c *enter.Context) bool {
	*(*unsafe.Pointer)(c.Address(0)) = c.Address(1)
	return true
}

// spend counts the memory of n elements, if it is little.
func spend(c *enter.Context, n int, t enter.Type) bool {
	return n >= 0 && n <= Most && n*t.Size <= Most && c.Spend(n*t.Size+16)
}

func slice(c *enter.Context) enter.Slice {
	return enter.Slice{Data: c.Address(0), Len: c.Arg(1), Cap: c.Arg(2)}
}

func setSlice(c *enter.Context, s enter.Slice) bool {
	c.SetAddress(0, s.Data)
	c.SetInt(1, s.Len)
	return c.SetInt(2, s.Cap)
}
