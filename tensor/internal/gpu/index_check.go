package gpu

import (
	"encoding/binary"
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
}

// Bounds of what is pending: launches, and bytes of indices. The same indices in a row count once.
const (
	maxChecks  = 512
	maxIDBytes = 64 << 20
)

// launchChecked launches an index kernel. Its last argument becomes the word for a bad index, and bad gets the
// position that the kernel writes there.
func (b *Backend) launchChecked(
	kernel string, grid [3]int, args *rocm.Args, ids backend.Operand, bad backend.IndexErrorFunc,
) error {
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
	if c.words == nil {
		words, err := b.Upload(make([]byte, 8*maxChecks))
		if err != nil {
			return err
		}
		c.words = words
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
	if len(c.pending) == 0 {
		return nil, 0, nil
	}
	words := make([]byte, 8*len(c.pending))
	if err := buffer(c.words).Download(words, 0); err != nil {
		return nil, 0, err
	}
	for i, b := range c.pending {
		if at := binary.LittleEndian.Uint64(words[8*i:]); at != 0 {
			bad, position = b, int(at-1)
			clear(words)
			err = buffer(c.words).Upload(0, words)
			break
		}
	}
	clear(c.pending)
	c.pending, c.last, c.heldBytes = c.pending[:0], nil, 0
	return bad, position, err
}
