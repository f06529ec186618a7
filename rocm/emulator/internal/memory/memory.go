package memory

import (
	"encoding/binary"
	"fmt"
	"sort"
	"sync"
	"unsafe"
)

const (
	// Base is the first device address. It has 48 bits, as buffer resources hold. A process on amd64 ends below
	// it, and one on arm64 has its memory at the ends of the address space, so that a device address is no valid host
	// pointer.
	Base = 1 << 47
	// LowBase is the first address of a device whose code extends the sign of 48 bits, as that for gfx12 does with
	// addresses of its own. Hosts put nothing there unless a program asks for it.
	LowBase = 1 << 46
	// DefaultSize is the size of a device in bytes that has no other.
	DefaultSize = 16 << 30
	// Poison fills new device memory, word by word. As a float it is a NaN, as an integer a large negative number.
	Poison = 0xfff7_dead

	allocAlign = 256 // bytes; hipMalloc's alignment
	allocGuard = 256 // bytes after each allocation that belong to nobody, so that running off its end is an error
)

// Allocation is a live piece of device memory: [Addr, Addr+Size).
type Allocation struct {
	Addr, Size uint64
	span       uint64 // bytes taken from the free list, guard included
	What       string // "buffer", "code object", …: for error messages
}

type span struct{ Addr, Size uint64 }

// Memory is the device's address space: an arena that the host commits lazily, and the allocations in it.
type Memory struct {
	arena []byte
	base  unsafe.Pointer // of arena[0]
	start uint64         // the device address of arena[0]

	mu    sync.RWMutex
	live  []*Allocation // by address
	free  []span        // by address, never adjacent
	inUse uint64
}

// New reserves the address space of a device, which begins at Base or LowBase.
func New(size, start uint64) (*Memory, error) {
	arena, err := reserve(size)
	if err != nil {
		return nil, full(
			"cannot reserve %d bytes of address space for device memory: %v; set Config.Memory lower", size, err)
	}
	return &Memory{
		arena: arena,
		base:  unsafe.Pointer(unsafe.SliceData(arena)),
		start: start,
		free:  []span{{start, size}},
	}, nil
}

// Total is how many bytes there are.
func (m *Memory) Total() uint64 { return uint64(len(m.arena)) }

// Bytes returns the host's view of [addr, addr+n), which the caller has checked.
func (m *Memory) Bytes(addr, n uint64) []byte {
	off := addr - m.start
	return m.arena[off : off+n : off+n]
}

// Pointer returns the host's view of a checked device address.
func (m *Memory) Pointer(addr uint64) unsafe.Pointer { return unsafe.Add(m.base, addr-m.start) }

// Alloc allocates n bytes, for what the text says.
func (m *Memory) Alloc(n uint64, what string) (*Allocation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	need := n + allocGuard
	need = (need + allocAlign - 1) &^ (allocAlign - 1)
	if need < n || need > m.Total() {
		return nil, m.outOfMemory(n)
	}
	for i, s := range m.free {
		if s.Size < need {
			continue
		}
		if err := commit(m.Bytes(s.Addr, need)); err != nil {
			return nil, full("%d bytes asked for: the host has no memory for them: %v", n, err)
		}
		a := &Allocation{Addr: s.Addr, Size: n, span: need, What: what}
		if s.Size == need {
			m.free = append(m.free[:i], m.free[i+1:]...)
		} else {
			m.free[i] = span{s.Addr + need, s.Size - need}
		}
		at := m.search(a.Addr)
		m.live = append(m.live, nil)
		copy(m.live[at+1:], m.live[at:])
		m.live[at] = a
		m.inUse += need
		Fill(m.Bytes(a.Addr, n))
		return a, nil
	}
	return nil, m.outOfMemory(n)
}

func (m *Memory) outOfMemory(n uint64) error {
	var largest uint64
	for _, s := range m.free {
		largest = max(largest, s.Size)
	}
	return full("%d bytes asked for; %d of %d bytes are free, the largest piece has %d; %d allocations are live",
		n, m.Total()-m.inUse, m.Total(), largest, len(m.live))
}

func (m *Memory) Release(addr uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.search(addr)
	if i == len(m.live) || m.live[i].Addr != addr {
		e := wrong(addr, "%#x is not the start of a live allocation (freed twice?); %s", addr,
			m.nearest(addr))
		return e
	}
	a := m.live[i]
	m.live = append(m.live[:i], m.live[i+1:]...)
	m.inUse -= a.span
	discard(m.Bytes(a.Addr, a.span))
	at := sort.Search(len(m.free), func(j int) bool { return m.free[j].Addr > a.Addr })
	m.free = append(m.free, span{})
	copy(m.free[at+1:], m.free[at:])
	m.free[at] = span{a.Addr, a.span}
	m.merge(at)
	if at > 0 {
		m.merge(at - 1)
	}
	return nil
}

// merge joins free span i with its successor if they touch.
func (m *Memory) merge(i int) {
	if i+1 < len(m.free) && m.free[i].Addr+m.free[i].Size == m.free[i+1].Addr {
		m.free[i].Size += m.free[i+1].Size
		m.free = append(m.free[:i+1], m.free[i+2:]...)
	}
}

// search returns the index of the first live allocation at or after addr.
func (m *Memory) search(addr uint64) int {
	return sort.Search(len(m.live), func(i int) bool { return m.live[i].Addr >= addr })
}

// Find returns the allocation that holds addr, or nil.
func (m *Memory) Find(addr uint64) *Allocation {
	m.mu.RLock()
	defer m.mu.RUnlock()
	i := sort.Search(len(m.live), func(i int) bool { return m.live[i].Addr > addr })
	if i == 0 {
		return nil
	}
	if a := m.live[i-1]; addr-a.Addr < a.Size {
		return a
	}
	return nil
}

// Nearest describes the live allocation that is closest to addr.
func (m *Memory) Nearest(addr uint64) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.nearest(addr)
}

// Free is how many bytes are not allocated.
func (m *Memory) Free() uint64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.Total() - m.inUse
}

// Arena returns the host's memory of the device, at the beginning of which address Start is.
func (m *Memory) Arena() unsafe.Pointer { return m.base }

// Start is the first device address.
func (m *Memory) Start() uint64 { return m.start }

// Close gives the memory back to the host. None of it may be used afterwards.
func (m *Memory) Close() error {
	arena := m.arena
	m.arena, m.live, m.free = nil, nil, nil
	return unreserve(arena)
}

// Error says why there is no memory, or that an address is wrong.
type Error struct {
	Full    bool   // otherwise the address is wrong
	Address uint64 // the wrong one
	Message string
}

func (e *Error) Error() string { return e.Message }

func full(format string, args ...any) error {
	return &Error{Full: true, Message: fmt.Sprintf(format, args...)}
}

func wrong(addr uint64, format string, args ...any) error {
	return &Error{Address: addr, Message: fmt.Sprintf(format, args...)}
}

// nearest describes the live allocation that is closest to addr. The caller holds mu.
func (m *Memory) nearest(addr uint64) string {
	i := sort.Search(len(m.live), func(i int) bool { return m.live[i].Addr > addr })
	switch {
	case addr < 1<<16:
		return "a null pointer"
	case len(m.live) == 0:
		return "no allocation is live"
	case addr < m.start || addr-m.start >= m.Total():
		return fmt.Sprintf("device memory is %#x to %#x", m.start, m.start+m.Total())
	case i == 0, i < len(m.live) && m.live[i].Addr-addr < addr-(m.live[i-1].Addr+m.live[i-1].Size):
		a := m.live[i]
		return fmt.Sprintf("%d bytes before the %s of %d bytes at %#x", a.Addr-addr, a.What, a.Size, a.Addr)
	}
	a := m.live[i-1]
	if past := addr - a.Addr; past < a.Size {
		return fmt.Sprintf("%d bytes into the %s of %d bytes at %#x", past, a.What, a.Size, a.Addr)
	}
	return fmt.Sprintf("%d bytes past the end of the %s of %d bytes at %#x", addr-a.Addr-a.Size, a.What, a.Size, a.Addr)
}

// Check reports an error unless [addr, addr+n) lies in one live allocation.
func (m *Memory) Check(addr, n uint64) error {
	if n == 0 {
		return nil
	}
	if a := m.Find(addr); a != nil && a.Size-(addr-a.Addr) >= n {
		return nil
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	e := wrong(addr, "%d bytes at %#x are not in one live allocation; %s", n, addr,
		m.nearest(addr))
	return e
}

// Fill fills b with the Fill word.
func Fill(b []byte) {
	var word [4]byte
	binary.LittleEndian.PutUint32(word[:], Poison)
	for n := copy(b, word[:]); n > 0 && n < len(b); {
		n += copy(b[n:], b[:n])
	}
}

// pageOffset returns how many bytes of b lie before its first page boundary.
func pageOffset(b []byte, page int) int {
	return -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (page - 1)
}
