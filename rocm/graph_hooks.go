package rocm

import (
	"crypto/sha256"
	"sync"
)

// hooks are what packages do for a graph that the graph cannot do itself.
type hooks struct {
	before     []func() error
	parameters []*parameter
	room       int // bytes that are left in the last block of parameters
	block      *Buffer
	once       sync.Once
	after      []func()
}

// parameter is memory whose contents are set before each replay.
type parameter struct {
	memory    *Buffer
	offset, n int
	fill      func(contents []byte) error
}

// RecordingOn returns the capture that launches of the calling goroutine on a device go to, or nil if they are
// executed. Packages whose launches depend on what the host counts, such as random numbers, ask for it: what they pass
// by value would be the same in every replay.
func RecordingOn(d *Device) *Recording { return d.recording() }

// BeforeReplay has f called before each replay, in the order of the calls. If it returns an error, nothing is replayed.
// f must not keep the graph's results alive.
func (c *Recording) BeforeReplay(f func() error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.before = append(c.before, f)
}

// Kept returns the value of a key in this capture, which create makes at the first call.
func (c *Recording) Kept(key any, create func() any) any {
	c.mu.Lock()
	v, ok := c.values[key]
	c.mu.Unlock()
	if ok {
		return v
	}
	v = create() // may ask for parameters
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil {
		c.values = map[any]any{}
	}
	c.values[key] = v
	return v
}

// AfterFree has f called once, when the graph was freed or collected, or when the capture has failed.
func (c *Recording) AfterFree(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.after = append(c.after, f)
}

// blockSize is the memory that parameters share: one upload sets them.
const blockSize = 4096

// Parameter returns n bytes of memory, at most 4,096, of a buffer from offset on, aligned to 16 bytes. Before each
// replay fill sets their contents, which are 0 before: so the launches of a graph get numbers that change. Functions of
// BeforeReplay are called earlier.
func (c *Recording) Parameter(n int, fill func(contents []byte) error) (b *Buffer, offset int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n = (n + 15) &^ 15
	if n > blockSize {
		return nil, 0, invalid("parameter", "%d bytes: at most %d are possible", n, blockSize)
	}
	if n > c.room {
		if c.block, err = c.hold(blockSize); err != nil {
			return nil, 0, err
		}
		c.room = blockSize
	}
	p := &parameter{memory: c.block, offset: blockSize - c.room, n: n, fill: fill}
	c.room -= n
	c.parameters = append(c.parameters, p)
	return p.memory, p.offset, nil
}

// Constant returns memory with these bytes, which belongs to the graph. ok is false if the capture is not that of
// CaptureStep: a replay would not repeat an upload.
func (c *Recording) Constant(src []byte) (b *Buffer, ok bool, err error) {
	if !c.compared {
		return nil, false, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	holder, err := c.hold(len(src))
	if err != nil {
		return nil, true, err
	}
	holder.constant = true
	b = &Buffer{device: c.device, n: len(src), block: holder.block, holder: holder}
	sum := sha256.Sum256(src)
	c.trace = append(c.trace, traced{kernel: "an upload", numbers: sum[:], memory: c.places([]*Buffer{b})})
	done := make(chan error)
	go func() { done <- c.device.upload(b.Ptr(), src) }() // what other goroutines do is not captured
	return b, true, <-done
}

// prepare does what is due before a replay.
func (h *hooks) prepare(d *Device) error {
	for _, f := range h.before {
		if err := f(); err != nil {
			return err
		}
	}
	for i := 0; i < len(h.parameters); {
		memory := h.parameters[i].memory
		contents := make([]byte, 0, blockSize)
		for ; i < len(h.parameters) && h.parameters[i].memory == memory; i++ {
			p := h.parameters[i]
			contents = contents[:p.offset+p.n]
			if err := p.fill(contents[p.offset:]); err != nil {
				return err
			}
		}
		if err := d.upload(memory.Ptr(), contents); err != nil {
			return err
		}
	}
	return nil
}

// release calls what AfterFree was given.
func (h *hooks) release() {
	h.once.Do(func() {
		for _, f := range h.after {
			f()
		}
	})
}
