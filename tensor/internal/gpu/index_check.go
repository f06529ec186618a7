package gpu

import (
	"encoding/binary"
	"sync"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// indexChecks are the kernels that were launched with ids nobody has looked at yet. Each has a word in device memory, to which it
// writes 1 + the position of an id that is out of range. Nothing waits for them: the words are read when something waits for
// the device anyway.
type indexChecks struct {
	mu        sync.Mutex
	words     backend.Storage
	pending   []backend.IndexErrorFunc
	last      backend.Storage // the ids of the last of them
	heldBytes int             // bytes of ids that the pending ones keep in memory
}

// How much may be pending: launches, and bytes of ids, the same ids in a row counted once.
const (
	maxChecks  = 512
	maxIDBytes = 64 << 20
)

// launchChecked runs an index kernel, whose last argument is the fault word. bad takes the position that the kernel gives.
func (a *Backend) launchChecked(kernel string, grid [3]int, args *rocm.Args, ids backend.Operand, bad backend.IndexErrorFunc) error {
	c := &a.checks
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.pending) == maxChecks || c.heldBytes > maxIDBytes && c.last != ids.Store {
		c.mu.Unlock()
		err := a.CheckIndices()
		c.mu.Lock()
		if err != nil {
			return err
		}
	}
	if c.words == nil {
		words, err := a.Upload(make([]byte, 8*maxChecks))
		if err != nil {
			return err
		}
		c.words = words
	}
	if err := a.Launch(kernel, grid, args.Buffer(buffer(c.words), 8*len(c.pending))); err != nil {
		return err
	}
	c.pending = append(c.pending, bad)
	if c.last != ids.Store {
		c.last = ids.Store
		c.heldBytes += ids.Store.Size()
	}
	return nil
}

// CheckIndices waits for the kernels that were launched with ids, if there are any, and returns the error of the first one that met
// an id out of range. Each is reported once.
func (a *Backend) CheckIndices() error {
	bad, position, err := a.checks.take()
	if err != nil || bad == nil {
		return err
	}
	return bad(position)
}

// take empties the list and returns what its first failed check was, nil if there is none.
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
