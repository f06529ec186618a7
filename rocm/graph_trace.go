package rocm

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"
)

// traced is a launch as two captures of one function can be compared by: the addresses of a graph's own memory may
// differ, nothing else.
type traced struct {
	kernel  string
	numbers []byte  // grid, block and shared memory, and the arguments with 0 for addresses
	memory  []place // of the addresses
}

// place is where an argument points to.
type place struct {
	outside *Buffer // memory from before the capture
	number  int     // or that of the graph, by its number in the list of all
	offset  uintptr
}

// traceLaunch adds a launch. The caller holds the mutex.
func (c *Recording) traceLaunch(f *Function, grid, block [3]int, shared int, args *Args) {
	numbers := appendNumbers(nil, append(append(grid[:], block[:]...), shared)...)
	arguments := len(numbers)
	t := traced{kernel: f.name, numbers: append(numbers, args.data...), memory: c.places(args.buffers)}
	at := 0 // addresses are in the order of buffers
	for i, b := range args.buffers {
		for ; at+8 <= len(args.data); at += 8 {
			address := binary.NativeEndian.Uint64(args.data[at:])
			if begin := uint64(b.Ptr()); address >= begin && address <= begin+uint64(b.n) {
				t.memory[i].offset = uintptr(address - begin)
				clear(t.numbers[arguments+at:][:8])
				at += 8
				break
			}
		}
	}
	c.trace = append(c.trace, t)
}

// places says where buffers begin.
func (c *Recording) places(memory []*Buffer) []place {
	list := make([]place, len(memory))
	for i, b := range memory {
		if n := c.own.number(b.holder); n >= 0 {
			list[i].number = n
		} else if n := c.own.number(b); n >= 0 { // of parameters
			list[i].number = n
		} else {
			list[i].outside = b
		}
	}
	return list
}

func appendNumbers(to []byte, list ...int) []byte {
	for _, n := range list {
		to = binary.NativeEndian.AppendUint64(to, uint64(n))
	}
	return to
}

// Difference says in which launch two graphs of one function differ, "" if in none: then they launch the same kernels
// with the same arguments, and read and write the same memory, but for memory of their own. A function of which two
// captures differ depends on something that a replay cannot follow. Of the work of libraries it compares the memory.
func (g *Graph) Difference(other *Graph) string {
	for i := range min(len(g.trace), len(other.trace)) {
		a, b := g.trace[i], other.trace[i]
		switch {
		case a.kernel != b.kernel:
			return fmt.Sprintf("launch %d was %s, and is now %s", i+1, a.kernel, b.kernel)
		case !bytes.Equal(a.numbers, b.numbers):
			return fmt.Sprintf("launch %d, %s, has other arguments", i+1, a.kernel)
		case !slices.Equal(a.memory, b.memory):
			return fmt.Sprintf("launch %d, %s, uses other memory", i+1, a.kernel)
		}
	}
	if len(g.trace) != len(other.trace) {
		return fmt.Sprintf("%d launches and copies became %d", len(g.trace), len(other.trace))
	}
	return ""
}

// captures counts the captures under way on all devices.
var captures atomic.Int32

// checkElsewhere fails when the calling thread captures on another device: what it launches here would run once, and
// not when the graph is replayed.
func checkElsewhere(d *Device, kernel string) error {
	if captures.Load() == 0 {
		return nil
	}
	thread := threadID()
	for _, other := range openDevices() {
		if c := other.capture.Load(); other != d && c != nil && c.caller == thread && thread != 0 {
			return &Error{Op: "launch " + kernel, Kind: ErrInvalid,
				Text:   fmt.Sprintf("a capture is under way on %v, and the launch is on %v", other, d),
				Detail: "a graph has the launches of one device: capture those of the other apart"}
		}
	}
	return nil
}
