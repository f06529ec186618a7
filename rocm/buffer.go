package rocm

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"weak"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Buffer is a piece of device memory. Its memory is freed when Go collects an unreachable Buffer; Free does so at once.
type Buffer struct {
	device *Device
	n      int
	block  *block  // never nil
	holder *Buffer // of memory of a capture: the one that holds the block for the graph; or nil
	number int     // of such a holder
	// such a holder's contents are there before each replay
	constant bool
	isFreed  atomic.Bool
}

// Alloc returns n bytes of device memory with undefined contents, aligned to 256 bytes. n may be 0.
// When memory is short, unused memory is collected before Alloc fails with ErrOutOfMemory.
func (d *Device) Alloc(n int) (*Buffer, error) {
	b := new(Buffer)
	if err := d.AllocIn(b, n); err != nil {
		return nil, err
	}
	return b, nil
}

// AllocIn is Alloc for an existing Buffer without memory, such as a field of a larger struct: that saves the allocation
// of a Buffer, which the collector would have to watch. The memory is freed when the struct is collected. It is an
// error, of kind ErrInvalid, when b has memory.
func (d *Device) AllocIn(b *Buffer, n int) error {
	if n < 0 {
		return invalid("alloc", "size %d is negative", n)
	}
	if b.block != nil && !b.freed() {
		return invalid("alloc", "the buffer has memory already")
	}
	if c := d.recording(); c != nil {
		return c.allocIn(b, n)
	}
	return allocOutside(d, b, n)
}

// allocOutside is AllocIn of memory that belongs to no capture.
func allocOutside(d *Device, b *Buffer, n int) error {
	mem, err := d.pool.get(n, weak.Make(b))
	if err != nil {
		return err
	}
	b.device, b.n, b.block, b.holder = d, n, mem, nil
	b.isFreed.Store(false)
	return nil
}

// Free frees the memory. Work that is already on the stream may still use it. Memory of a capture stays with its graph;
// during a capture nothing else is freed, since the graph may need it. Free may be called more than once.
func (b *Buffer) Free() {
	if c := b.device.recording(); c != nil {
		c.free(b)
		return
	}
	if b.holder != nil {
		b.isFreed.Store(true)
		return
	}
	if b.device.pool.put(b) {
		b.device.pool.trim()
	}
}

// Len returns the size in bytes that was allocated.
func (b *Buffer) Len() int { return b.n }

// Ptr returns the device address, 0 for an empty buffer. The host cannot access it. It is invalid after Free.
func (b *Buffer) Ptr() uintptr { return b.block.ptr }

// Device returns the device that the memory is on.
func (b *Buffer) Device() *Device { return b.device }

// String describes the memory, not its contents.
func (b *Buffer) String() string {
	if b.freed() {
		return fmt.Sprintf("memory of %s on %v, freed", byteText(int64(b.n)), b.device)
	}
	return fmt.Sprintf("memory of %s at %#x on %v", byteText(int64(b.n)), b.Ptr(), b.device)
}

func (b *Buffer) freed() bool { return b.isFreed.Load() || b.holder != nil && b.holder.isFreed.Load() }

// check says whether n bytes at off are inside of the buffer.
func (b *Buffer) check(op string, off, n int) error {
	if b.freed() {
		return invalid(op, "the buffer was freed")
	}
	if off < 0 || n < 0 || off > b.n-n {
		return invalid(op, "bytes %d to %d are outside of the buffer of %d bytes", off, off+n, b.n)
	}
	return nil
}

// Upload copies src to the buffer at byte off. src may be reused on return; the copy is on the stream.
func (b *Buffer) Upload(off int, src []byte) error {
	if err := b.check("upload", off, len(src)); err != nil || len(src) == 0 {
		return err
	}
	defer runtime.KeepAlive(b)
	d := b.device
	if err := d.notCapturing("upload"); err != nil {
		return err
	}
	return d.upload(b.Ptr()+uintptr(off), src)
}

// Download copies len(dst) bytes from byte off of the buffer, after all work on the stream.
func (b *Buffer) Download(dst []byte, off int) error {
	if err := b.check("download", off, len(dst)); err != nil {
		return err
	}
	d := b.device
	if err := d.notCapturing("download"); err != nil {
		return err
	}
	if len(dst) == 0 {
		return d.wait()
	}
	defer runtime.KeepAlive(b)
	return d.download(dst, b.Ptr()+uintptr(off))
}

// CopyFrom copies n bytes from byte srcOff of src to byte off. On one device the copy is on the stream, and the ranges
// may overlap only if they are the same. Between streams of one GPU it is ordered with both, and does not wait. Between
// devices it waits for both, and goes through the host where peer access is not possible.
func (b *Buffer) CopyFrom(off int, src *Buffer, srcOff, n int) error {
	if err := b.check("copy to", off, n); err != nil {
		return err
	}
	if err := src.check("copy from", srcOff, n); err != nil || n == 0 {
		return err
	}
	defer runtime.KeepAlive(b)
	defer runtime.KeepAlive(src)
	d := b.device
	to, from := b.Ptr()+uintptr(off), src.Ptr()+uintptr(srcOff)
	if src.device == d {
		if recordCopy(d, b, off, src, srcOff, n) {
			return nil
		}
		stream := d.workStream()
		return d.call("Copy", func() driver.Code { return d.drv.Copy(to, from, uintptr(n), stream) })
	}
	if err := d.notCapturing("copy between devices"); err != nil {
		return err
	}
	if sameGPU(d, src.device) {
		return copyOverStreams(d, src.device, to, from, n)
	}
	if d.drv == src.device.drv && d.drv.CopyPeer != nil {
		if err := src.device.wait(); err != nil {
			return err
		}
		enablePeerAccess(d, src.device)
		err := d.call("CopyPeer", func() driver.Code {
			return d.drv.CopyPeer(to, d.handle, from, src.device.handle, uintptr(n), d.stream)
		})
		if err != nil {
			return err
		}
		return d.wait()
	}
	piece := make([]byte, min(n, 16<<20))
	for done := 0; done < n; {
		part := piece[:min(n-done, len(piece))]
		if err := src.Download(part, srcOff+done); err != nil {
			return err
		}
		if err := b.Upload(off+done, part); err != nil {
			return err
		}
		done += len(part)
	}
	return nil
}
