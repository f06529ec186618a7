package rocm

import "sync"

// CounterCount is how many numbers Counters has room for.
const CounterCount = 4096

// counters are numbers for kernels whose blocks count one another.
type counters struct {
	mu     sync.Mutex
	memory *Buffer
}

// Counters returns memory of CounterCount U32 that are 0 whenever a kernel begins, for kernels in which the last of several blocks finishes what all have begun:
// the blocks count themselves there, and the last one puts the number back to 0. A kernel that is given the memory must leave zeros. Kernels of one
// stream run one after the other, those of captured graphs among them, and so share it.
func (d *Device) Counters() (*Buffer, error) {
	c := &d.counters
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.memory != nil {
		return c.memory, nil
	}
	b, err := d.Alloc(4 * CounterCount)
	if err == nil {
		err = b.Upload(0, make([]byte, 4*CounterCount))
	}
	if err != nil {
		return nil, err
	}
	c.memory = b
	return b, nil
}

// abandoned comes when a kernel was stopped, which may have left numbers that are not 0. Only an emulated device goes on after that.
func (c *counters) abandoned() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.memory != nil {
		_ = c.memory.Upload(0, make([]byte, 4*CounterCount)) // if that fails, so does what comes after it
	}
}
