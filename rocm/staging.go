package rocm

import (
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Uploads up to maxStaged bytes go through a ring of pinned memory, so that they neither wait nor stall the stream.
const (
	stagingSize = 1 << 20
	maxStaged   = 64 << 10
)

type staging struct {
	mu   sync.Mutex
	ring []byte // nil until first use
	off  int
	none bool // the driver gives no pinned memory
}

// trim gives the ring back, when nothing is on the bus any more.
func (s *staging) trim(d *Device) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ring == nil || d.drv.HostFree == nil || d.wait() != nil {
		return
	}
	freePinned(d, s.ring)
	s.ring, s.off = nil, 0
}

// freePinned gives pinned memory back to the driver. Nobody is there to hear of an error.
func freePinned(d *Device, memory []byte) {
	_ = d.do("HostFree", func() driver.Code { return d.drv.HostFree(unsafe.Pointer(unsafe.SliceData(memory))) })
}

// upload copies src, of at most maxStaged bytes, through the ring. done is false when src must go another way.
func (s *staging) upload(d *Device, dst uintptr, src []byte) (done bool, err error) {
	if d.drv.HostAlloc == nil {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ring == nil && !s.none {
		var p unsafe.Pointer
		err := d.do("HostAlloc", func() driver.Code { return d.drv.HostAlloc(&p, stagingSize, 0) })
		if s.none = err != nil || p == nil; !s.none {
			s.ring = unsafe.Slice((*byte)(p), stagingSize)
		}
	}
	if s.none {
		return false, nil
	}
	if s.off+len(src) > len(s.ring) {
		if err := d.wait(); err != nil {
			return true, err
		}
		s.off = 0
	}
	part := s.ring[s.off:]
	copy(part, src)
	s.off += (len(src) + 63) &^ 63
	return true, d.do("Upload", func() driver.Code {
		return d.drv.Upload(dst, unsafe.Pointer(unsafe.SliceData(part)), uintptr(len(src)), d.stream)
	})
}
