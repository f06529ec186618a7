package gpu

import (
	"encoding/binary"
	"errors"

	"github.com/gorocm/gorocm/rocm"
)

// Capturing reports whether launches of the calling goroutine are captured now.
func (b *Backend) Capturing() bool { return b.dev.Capturing() }

// draws are the random numbers that a graph draws: kernels read the seed and the counter where a replay begins from
// memory.
type draws struct {
	memory   *rocm.Buffer
	offset   int
	counters uint64
	err      error
}

// capturedDraws returns the draws of the capture under way.
func capturedDraws(b *Backend, draw func(numbers int) (seed, counter uint64)) *draws {
	c := rocm.RecordingOn(b.dev)
	return c.Kept(draws{}, func() any {
		d := &draws{}
		if draw == nil {
			d.err = errors.New("the numbers were not drawn in the capture under way, and would be the same in each replay")
			return d
		}
		d.memory, d.offset, d.err = c.Parameter(16, func(to []byte) error {
			seed, counter := draw(int(4 * d.counters))
			binary.LittleEndian.PutUint64(to, seed)
			binary.LittleEndian.PutUint64(to[8:], counter)
			return nil
		})
		return d
	}).(*draws)
}

// DrawCaptured reserves counters in each replay of the capture under way.
func (b *Backend) DrawCaptured(counters uint64, draw func(numbers int) (seed, counter uint64)) (first uint64) {
	d := capturedDraws(b, draw)
	first = d.counters
	d.counters += counters
	return first
}

// addDraws adds the address of the seed and counter of a replay to arguments, or 0 outside of a capture.
func addDraws(b *Backend, args *rocm.Args) error {
	if !b.Capturing() {
		args.U64(0)
		return nil
	}
	d := capturedDraws(b, nil)
	if d.err == nil {
		args.Buffer(d.memory, d.offset)
	}
	return d.err
}
