package rocm

import (
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/internal/budget"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Uploads up to maxStaged bytes go through a ring of pinned memory, so that they neither wait nor stall the stream.
const (
	stagingSize = 1 << 20
	maxStaged   = 64 << 10
)

type staging struct {
	mu          sync.Mutex
	ring        []byte // nil until first use
	offset      int
	unavailable bool // the driver has no pinned memory
}

// trim frees the ring, after all transfers.
func (s *staging) trim(d *Device) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ring == nil || d.drv.HostFree == nil || d.wait() != nil {
		return
	}
	freePinned(d, s.ring)
	s.ring, s.offset = nil, 0
}

// pinnedBytes is what this package pins of the host's memory for transfers.
var pinnedBytes = budget.NewAccount("pinned memory")

// allocPinned allocates n bytes of pinned memory.
func allocPinned(d *Device, n int) ([]byte, error) {
	if err := pinnedBytes.Take(int64(n)); err != nil {
		return nil, err
	}
	var p unsafe.Pointer
	err := d.call("HostAlloc", func() driver.Code { return d.drv.HostAlloc(&p, uintptr(n), 0) })
	if err != nil || p == nil {
		pinnedBytes.Give(int64(n))
		return nil, err
	}
	return unsafe.Slice((*byte)(p), n), nil
}

// freePinned frees what allocPinned has returned. An error has nobody to be returned to.
func freePinned(d *Device, memory []byte) {
	pinnedBytes.Give(int64(len(memory)))
	_ = d.call("HostFree", func() driver.Code { return d.drv.HostFree(unsafe.Pointer(unsafe.SliceData(memory))) })
}

// upload copies src, of at most maxStaged bytes, through the ring. done is false when src must go another way.
func (s *staging) upload(d *Device, dst uintptr, src []byte) (done bool, err error) {
	if d.drv.HostAlloc == nil {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ring == nil && !s.unavailable {
		ring, err := allocPinned(d, stagingSize)
		if s.unavailable = err != nil || ring == nil; !s.unavailable {
			s.ring = ring
		}
	}
	if s.unavailable {
		return false, nil
	}
	if s.offset+len(src) > len(s.ring) {
		if err := d.wait(); err != nil {
			return true, err
		}
		s.offset = 0
	}
	part := s.ring[s.offset:]
	copy(part, src)
	s.offset += (len(src) + 63) &^ 63
	return true, d.call("Upload", func() driver.Code {
		return d.drv.Upload(dst, unsafe.Pointer(unsafe.SliceData(part)), uintptr(len(src)), d.stream)
	})
}
