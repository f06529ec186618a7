package emulator

import (
	"math/bits"
	"strings"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/emulator/internal/class"
)

// Buffer resources: descriptors of four scalar registers that MUBUF and s_buffer_load address memory through. An
// access outside of the buffer reads zeros and stores nothing, as on the hardware; one inside of it is checked against
// the live allocations like any other.

// What a buffer instruction takes from vector registers, in inst.n: an offset, and before it an index.
const (
	bufferOffset = 1 << iota
	bufferIndex
)

// fromBuffer reports whether an instruction addresses memory through a descriptor.
func (in *inst) fromBuffer() bool {
	return strings.HasPrefix(in.name, "buffer_") || strings.HasPrefix(in.name, "s_buffer_")
}

// resource is a decoded descriptor.
type resource struct {
	base    uint64
	stride  uint32 // bytes of a record
	records uint32 // of the buffer; bytes in raw buffers
	element uint32 // bytes that swizzling keeps together; 0 where addresses are linear
	group   uint32 // records that swizzling interleaves
	lanes   bool   // the number of the lane is added to the index
	bounds  uint32 // which accesses are outside: boundsStructured and the following
}

// The ways in which a descriptor asks for bounds to be checked.
const (
	boundsStructured = iota // an index beyond the records, or an offset beyond the stride
	boundsIndex             // an index beyond the records
	boundsEmpty             // a buffer without records
	boundsRaw               // an offset beyond records, which counts bytes; swizzled buffers are structured
)

// resource reads the descriptor in four scalar registers.
func (w *wave) resource(r uint16) resource {
	hi, flags := w.s[r+1], w.s[r+3]
	if flags>>30 != 0 {
		w.fail(CodeIllegalAddress, "s[%d:%d] describe no buffer: the type is %d, not 0 (flags %#08x)", r, r+3,
			flags>>30, flags)
	}
	b := resource{base: uint64(w.s[r]) | uint64(hi&0xffff)<<32, stride: hi >> 16 & 0x3fff, records: w.s[r+2],
		group: 8 << (flags >> 21 & 3), lanes: flags>>23&1 != 0, bounds: flags >> 28 & 3}
	if w.group.run.kernel.module.gfx9 {
		return w.resource9(r, b)
	}
	if s := hi >> 30; s != 0 {
		b.element = 2 << s
	}
	return b
}

// resource9 is a descriptor as gfx942 has it: its buffers are raw, or else swizzled and structured.
func (w *wave) resource9(r uint16, b resource) resource {
	if w.s[r+1]>>31 != 0 {
		w.fail(CodeIllegalAddress, "s[%d:%d] describe a swizzled buffer, which is not emulated for gfx942", r, r+3)
	}
	b.bounds = boundsRaw
	return b
}

// outside reports whether n bytes at an offset into a record are out of bounds.
func (b *resource) outside(index, offset uint32, n uint64) bool {
	end := uint64(offset) + n
	beyond := index >= b.records
	switch {
	case b.bounds == boundsIndex:
		return beyond
	case b.bounds == boundsEmpty:
		return b.records == 0
	case b.bounds == boundsRaw && (b.element == 0 || b.stride == 0):
		return end+uint64(index)*uint64(b.stride) > uint64(b.records)
	}
	return beyond || end > uint64(b.stride)
}

// place returns where an offset into a record is, relative to the base.
func (b *resource) place(index, offset uint32) uint64 {
	if b.element == 0 {
		return uint64(index)*uint64(b.stride) + uint64(offset)
	}
	block := uint64(index/b.group)*uint64(b.stride) + uint64(offset&^(b.element-1))
	return block*uint64(b.group) + uint64(index%b.group*b.element) + uint64(offset&(b.element-1))
}

// bufferAddresses computes the addresses of the lanes, and returns which of the lanes in e are inside of the buffer.
func (w *wave) bufferAddresses(in *inst, e uint32) (inside uint32) {
	b, a := w.resource(in.s[1].reg), &w.v[in.s[0].reg]
	offsets := a
	if in.n == bufferIndex|bufferOffset {
		offsets = &w.v[in.s[0].reg+1]
	}
	base := b.base + uint64(w.s32(&in.s[2])) // this offset takes no part in the check, nor in swizzling
	for i := range w.view.off {
		index, offset := uint32(0), uint32(in.off)
		if in.n&bufferIndex != 0 {
			index = a[i]
		}
		if in.n&bufferOffset != 0 {
			offset += offsets[i]
			if offset < offsets[i] {
				continue // wraps around: outside
			}
		}
		if b.lanes {
			index += uint32(w.firstLane() + i)
		}
		if !b.outside(index, offset, uint64(in.size)) {
			inside |= 1 << uint(i)
			w.view.off[i] = base + b.place(index, offset)
		}
	}
	return inside & e
}

// nothing is what accesses outside of a buffer read.
var nothing [4]uint32

// bufferOp executes the loads, stores and atomics of MUBUF.
func bufferOp(w *wave, in *inst) {
	e := w.s[sExec]
	if e == 0 {
		return
	}
	inside := w.bufferAddresses(in, e)
	if inside != 0 {
		w.globalAccess(in, inside)
	}
	outside := e &^ inside
	switch {
	case outside == 0:
	case in.touch == class.Loads:
		w.view.base, w.view.bias, w.view.off = unsafe.Pointer(&nothing), 0, wide{}
		in.mem(w, in, &w.view, outside)
	case in.glc && in.touch == class.Modifies:
		for k := range uint16(in.size / 4) {
			for e := outside; e != 0; e &= e - 1 {
				w.v[in.d+k][bits.TrailingZeros32(e)] = 0
			}
		}
	}
}

// scalarBuffer returns the address of an s_buffer_load, and how many bytes from there on are inside of the buffer.
func (w *wave) scalarBuffer(in *inst) (addr, n uint64) {
	b := w.resource(in.s[0].reg)
	offset := uint64(in.off)
	if in.sbase != sNull {
		offset += uint64(w.s[in.sbase])
	}
	offset &^= 3
	size := uint64(b.records) * uint64(max(b.stride, 1))
	return b.base + offset, min(uint64(in.size), (size-min(offset, size))&^3)
}

// loadScalarBuffer executes s_buffer_load_bN.
func loadScalarBuffer(w *wave, in *inst) {
	addr, n := w.scalarBuffer(in)
	clear(w.s[in.d:][n/4 : in.size/4])
	if n == 0 {
		return
	}
	r := &w.worker.cache[in.slot%cacheLines]
	if !r.holds(addr, addr, n) {
		w.locate(r, addr)
		if !r.holds(addr, addr, n) {
			w.memoryFault(addr, n, -1)
		}
	}
	copy(w.s[in.d:], unsafe.Slice((*uint32)(w.group.gpu.mem.Pointer(addr)), n/4))
}
