package gpu

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// indexChecks are launched kernels whose indices have not been checked yet. Each has a word in device memory, to
// which it writes 1 + the position of an index that is out of range. Nothing waits for the kernels: the words are
// read when something waits for the device anyway.
type indexChecks struct {
	mu        sync.Mutex
	words     backend.Storage
	pending   []backend.IndexErrorFunc
	last      backend.Storage // the indices of the last pending launch
	heldBytes int             // bytes of indices that pending launches keep in memory

	// Launches of graphs have words of their own, behind those of the others, as long as there is the graph.
	captured [maxCaptured]backend.IndexErrorFunc
	replayed bool // a graph with such launches was replayed since the last check
}

// Bounds of what is pending: launches, and bytes of indices. The same indices in a row count once.
const (
	maxChecks   = 512
	maxIDBytes  = 64 << 20
	maxCaptured = 1536 // launches in all graphs
)

// LaunchChecked launches an index kernel. Its last argument becomes the word for a bad index, and bad gets the
// position that the kernel writes there.
func (b *Backend) LaunchChecked(
	kernel string, grid [3]int, args *rocm.Args, ids backend.Operand, bad backend.IndexErrorFunc,
) error {
	if b.Capturing() {
		return b.checks.capture(b, kernel, grid, args, bad)
	}
	c := &b.checks
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.pending) == maxChecks || c.heldBytes > maxIDBytes && c.last != ids.Store {
		c.mu.Unlock()
		err := b.CheckIndices()
		c.mu.Lock()
		if err != nil {
			return err
		}
	}
	if err := c.makeWords(b); err != nil {
		return err
	}
	if err := b.Launch(kernel, grid, args.Buffer(buffer(c.words), 8*len(c.pending))); err != nil {
		return err
	}
	c.pending = append(c.pending, bad)
	if c.last != ids.Store {
		c.last = ids.Store
		c.heldBytes += ids.Store.Size()
	}
	return nil
}

// makeWords allocates the words at the first call.
func (c *indexChecks) makeWords(b *Backend) error {
	if c.words != nil {
		return nil
	}
	words, err := b.Upload(make([]byte, 8*(maxChecks+maxCaptured)))
	if err == nil {
		c.words = words
	}
	return err
}

// capture is LaunchChecked in a capture: whoever waits after a replay reads the word.
func (c *indexChecks) capture(
	b *Backend, kernel string, grid [3]int, args *rocm.Args, bad backend.IndexErrorFunc,
) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.makeWords(b); err != nil {
		return err
	}
	place := slices.IndexFunc(c.captured[:], func(bad backend.IndexErrorFunc) bool { return bad == nil })
	if place < 0 {
		return fmt.Errorf("graphs have %d launches with indices already, which is all that can be checked", maxCaptured)
	}
	c.captured[place] = bad
	recording := rocm.RecordingOn(b.dev)
	recording.Kept(c, func() any {
		recording.BeforeReplay(func() error {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.replayed = true
			return nil
		})
		return nil
	})
	recording.AfterFree(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.captured[place] = nil
	})
	return b.Launch(kernel, grid, args.Buffer(buffer(c.words), 8*(maxChecks+place)))
}

// CheckIndices waits for pending index kernels, if there are any, and returns the error of the first that met an
// index out of range. Each is reported once.
func (b *Backend) CheckIndices() error {
	bad, position, err := b.checks.take()
	if err != nil || bad == nil {
		return err
	}
	return bad(position)
}

// take clears the pending checks and returns the first that failed, nil if none did.
func (c *indexChecks) take() (bad backend.IndexErrorFunc, position int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.pending
	if c.replayed {
		list = slices.Concat(c.pending, make([]backend.IndexErrorFunc, maxChecks-len(c.pending)), c.captured[:])
	}
	if len(list) == 0 {
		return nil, 0, nil
	}
	words := make([]byte, 8*len(list))
	if err := buffer(c.words).Download(words, 0); err != nil {
		return nil, 0, err
	}
	some := false
	for i, f := range list {
		at := binary.LittleEndian.Uint64(words[8*i:])
		if some = some || at != 0; at != 0 && bad == nil {
			bad, position = f, int(at-1)
		}
	}
	if some {
		clear(words)
		err = buffer(c.words).Upload(0, words)
	}
	clear(c.pending)
	c.pending, c.last, c.heldBytes, c.replayed = c.pending[:0], nil, 0, false
	return bad, position, err
}
