package rocm

import (
	"runtime"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Fill sets n bytes from byte off on to value, on the stream. It does not wait.
func (b *Buffer) Fill(off, n int, value byte) error {
	if err := b.check("fill", off, n); err != nil || n == 0 {
		return err
	}
	d := b.device
	if d.drv.Memset == nil {
		return lacks(d, "fill", "Memset")
	}
	to := b.Ptr() + uintptr(off)
	return b.fill("Memset", []int{off, n, int(value)}, func(stream uintptr) driver.Code {
		return d.drv.Memset(to, value, uintptr(n), stream)
	})
}

// Fill32 sets n words of 32 bits from byte off on to value, on the stream: the bits of a float32 are those of
// math.Float32bits. off is a multiple of 4. It does not wait.
func (b *Buffer) Fill32(off, n int, value uint32) error {
	if n < 0 || n > b.n/4 {
		return invalid("fill", "%d words of 4 bytes are more than the buffer of %d bytes has", n, b.n)
	}
	if off%4 != 0 {
		return invalid("fill", "the offset %d is not a multiple of 4", off)
	}
	if err := b.check("fill", off, 4*n); err != nil || n == 0 {
		return err
	}
	d := b.device
	if d.drv.Memset32 == nil {
		return lacks(d, "fill", "Memset32")
	}
	to := b.Ptr() + uintptr(off)
	return b.fill("Memset32", []int{off, n, int(value)}, func(stream uintptr) driver.Code {
		return d.drv.Memset32(to, value, uintptr(n), stream)
	})
}

// fill makes the call, or adds it to the capture under way. numbers tell fills of the buffer apart.
func (b *Buffer) fill(field string, numbers []int, set func(stream uintptr) driver.Code) error {
	defer runtime.KeepAlive(b)
	d := b.device
	if c := d.recording(); c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.keep("a fill", b)
		c.trace = append(c.trace, traced{kernel: "a fill", memory: c.places([]*Buffer{b}),
			numbers: appendNumbers(nil, numbers...)})
		if d.Emulated() {
			c.steps = append(c.steps, func() error {
				return d.call(field, func() driver.Code { return set(d.stream) })
			})
			return nil
		}
	}
	stream := d.workStream()
	return d.call(field, func() driver.Code { return set(stream) })
}
