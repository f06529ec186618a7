package emulator

import (
	"encoding/binary"
	"fmt"
	"sort"
	"sync"
	"unsafe"
)

const (
	// baseAddress is the first device address. It has 48 bits, as buffer resources hold. A process on amd64 ends below
	// it, and one on arm64 has its memory at the ends of the address space, so that a device address is no valid host
	// pointer.
	baseAddress = 1 << 47
	// DefaultMemory is the size of device memory in bytes when Config.Memory is 0.
	DefaultMemory = 16 << 30
	// Poison fills new device memory, word by word. As a float it is a NaN, as an integer a large negative number.
	Poison = 0xfff7_dead

	allocAlign = 256 // bytes; hipMalloc's alignment
	allocGuard = 256 // bytes after each allocation that belong to nobody, so that running off its end is an error
)

// allocation is a live piece of device memory: [addr, addr+size).
type allocation struct {
	addr, size uint64
	span       uint64 // bytes taken from the free list, guard included
	what       string // "buffer", "code object", …: for error messages
}

type span struct{ addr, size uint64 }

// memory is the device's address space: an arena that the host commits lazily, and the allocations in it.
type memory struct {
	arena []byte
	base  unsafe.Pointer // of arena[0]

	mu    sync.RWMutex
	live  []*allocation // by address
	free  []span        // by address, never adjacent
	inUse uint64
}

func newMemory(size uint64) (*memory, error) {
	arena, err := reserve(size)
	if err != nil {
		return nil, errorf(CodeOutOfMemory, "new",
			"cannot reserve %d bytes of address space for device memory: %v; set Config.Memory lower", size, err)
	}
	return &memory{
		arena: arena,
		base:  unsafe.Pointer(unsafe.SliceData(arena)),
		free:  []span{{baseAddress, size}},
	}, nil
}

func (m *memory) total() uint64 { return uint64(len(m.arena)) }

// bytes returns the host's view of [addr, addr+n), which the caller has checked.
func (m *memory) bytes(addr, n uint64) []byte {
	off := addr - baseAddress
	return m.arena[off : off+n : off+n]
}

// pointer returns the host's view of a checked device address.
func (m *memory) pointer(addr uint64) unsafe.Pointer { return unsafe.Add(m.base, addr-baseAddress) }

func (m *memory) alloc(n uint64, what string) (*allocation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	need := n + allocGuard
	need = (need + allocAlign - 1) &^ (allocAlign - 1)
	if need < n || need > m.total() {
		return nil, m.outOfMemory(n)
	}
	for i, s := range m.free {
		if s.size < need {
			continue
		}
		a := &allocation{addr: s.addr, size: n, span: need, what: what}
		if s.size == need {
			m.free = append(m.free[:i], m.free[i+1:]...)
		} else {
			m.free[i] = span{s.addr + need, s.size - need}
		}
		at := m.search(a.addr)
		m.live = append(m.live, nil)
		copy(m.live[at+1:], m.live[at:])
		m.live[at] = a
		m.inUse += need
		poison(m.bytes(a.addr, n))
		return a, nil
	}
	return nil, m.outOfMemory(n)
}

func (m *memory) outOfMemory(n uint64) error {
	var largest uint64
	for _, s := range m.free {
		largest = max(largest, s.size)
	}
	return errorf(CodeOutOfMemory, "malloc",
		"%d bytes asked for; %d of %d bytes are free, the largest piece has %d; %d allocations are live",
		n, m.total()-m.inUse, m.total(), largest, len(m.live))
}

func (m *memory) release(addr uint64, op string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.search(addr)
	if i == len(m.live) || m.live[i].addr != addr {
		e := errorf(CodeInvalidDevicePointer, op, "%#x is not the start of a live allocation (freed twice?); %s", addr,
			m.nearest(addr))
		e.Address = addr
		return e
	}
	a := m.live[i]
	m.live = append(m.live[:i], m.live[i+1:]...)
	m.inUse -= a.span
	discard(m.bytes(a.addr, a.span))
	at := sort.Search(len(m.free), func(j int) bool { return m.free[j].addr > a.addr })
	m.free = append(m.free, span{})
	copy(m.free[at+1:], m.free[at:])
	m.free[at] = span{a.addr, a.span}
	m.merge(at)
	if at > 0 {
		m.merge(at - 1)
	}
	return nil
}

// merge joins free span i with its successor if they touch.
func (m *memory) merge(i int) {
	if i+1 < len(m.free) && m.free[i].addr+m.free[i].size == m.free[i+1].addr {
		m.free[i].size += m.free[i+1].size
		m.free = append(m.free[:i+1], m.free[i+2:]...)
	}
}

// search returns the index of the first live allocation at or after addr.
func (m *memory) search(addr uint64) int {
	return sort.Search(len(m.live), func(i int) bool { return m.live[i].addr >= addr })
}

// find returns the allocation that holds addr, or nil.
func (m *memory) find(addr uint64) *allocation {
	m.mu.RLock()
	defer m.mu.RUnlock()
	i := sort.Search(len(m.live), func(i int) bool { return m.live[i].addr > addr })
	if i == 0 {
		return nil
	}
	if a := m.live[i-1]; addr-a.addr < a.size {
		return a
	}
	return nil
}

// nearest describes the live allocation that is closest to addr. The caller holds mu.
func (m *memory) nearest(addr uint64) string {
	i := sort.Search(len(m.live), func(i int) bool { return m.live[i].addr > addr })
	switch {
	case addr < 1<<16:
		return "a null pointer"
	case len(m.live) == 0:
		return "no allocation is live"
	case addr < baseAddress || addr-baseAddress >= m.total():
		return fmt.Sprintf("device memory is %#x to %#x", uint64(baseAddress), baseAddress+m.total())
	case i == 0, i < len(m.live) && m.live[i].addr-addr < addr-(m.live[i-1].addr+m.live[i-1].size):
		a := m.live[i]
		return fmt.Sprintf("%d bytes before the %s of %d bytes at %#x", a.addr-addr, a.what, a.size, a.addr)
	}
	a := m.live[i-1]
	if past := addr - a.addr; past < a.size {
		return fmt.Sprintf("%d bytes into the %s of %d bytes at %#x", past, a.what, a.size, a.addr)
	}
	return fmt.Sprintf("%d bytes past the end of the %s of %d bytes at %#x", addr-a.addr-a.size, a.what, a.size, a.addr)
}

// check reports an error unless [addr, addr+n) lies in one live allocation.
func (m *memory) check(op string, addr, n uint64) error {
	if n == 0 {
		return nil
	}
	if a := m.find(addr); a != nil && a.size-(addr-a.addr) >= n {
		return nil
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	e := errorf(CodeInvalidDevicePointer, op, "%d bytes at %#x are not in one live allocation; %s", n, addr,
		m.nearest(addr))
	e.Address = addr
	return e
}

// poison fills b with the poison word.
func poison(b []byte) {
	var word [4]byte
	binary.LittleEndian.PutUint32(word[:], Poison)
	for n := copy(b, word[:]); n > 0 && n < len(b); {
		n += copy(b[n:], b[:n])
	}
}
