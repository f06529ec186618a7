package rocm

import "sync"

const (
	CounterCount  = 4096      // numbers of Counters
	ScanStateSize = 256 << 10 // bytes of ScanState: enough for a row of 60 million F32
)

// counters are memory through which the blocks of a kernel communicate. Each kernel leaves it as the next one needs it.
type counters struct {
	mu    sync.Mutex
	count *Buffer // CounterCount U32
	scan  *Buffer
}

// Counters returns memory of CounterCount U32 that are 0 whenever a kernel begins. It is for kernels whose last block
// combines the results of all blocks: each block increments a counter, and the last one sets it to 0 again. A kernel
// must leave zeros. The kernels of a stream share the memory, those of captured graphs among them, since they run one
// after the other.
func (d *Device) Counters() (*Buffer, error) {
	return d.counters.buffer(d, &d.counters.count, 4*CounterCount)
}

// ScanState returns memory of ScanStateSize bytes for kernels.ScanState: a ticket counter of 8 bytes, and then the
// state of each block. It is zero at first, and then as the last scan has left it. Scans share it as other kernels
// share Counters.
func (d *Device) ScanState() (*Buffer, error) {
	return d.counters.buffer(d, &d.counters.scan, ScanStateSize)
}

// buffer returns the memory at b, which is allocated and cleared at the first call.
func (c *counters) buffer(d *Device, b **Buffer, size int) (*Buffer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if *b != nil {
		return *b, nil
	}
	memory, err := d.Alloc(size)
	if err == nil {
		err = memory.Upload(0, make([]byte, size))
	}
	if err != nil {
		return nil, err
	}
	*b = memory
	return memory, nil
}

// allocate allocates all counters.
func (c *counters) allocate(d *Device) error {
	if _, err := d.Counters(); err != nil {
		return err
	}
	_, err := d.ScanState()
	return err
}

// reset clears the counters after a kernel was stopped. Only an emulated device continues after that.
func (c *counters) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range []*Buffer{c.count, c.scan} {
		if b != nil {
			_ = b.Upload(0, make([]byte, b.Len())) // after a failure, later calls fail, too
		}
	}
}
