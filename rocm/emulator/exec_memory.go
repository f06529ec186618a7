package emulator

import (
	"math/bits"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
)

// Generic (flat) addresses whose upper half is one of these mean shared and private memory.
const (
	sharedAperture  = 0x0001_0000_0000_0000
	privateAperture = 0x0002_0000_0000_0000
)

// view is where the lanes of one access go: lane i to base + off[i] - bias, already checked.
type view struct {
	base unsafe.Pointer
	bias uint64
	off  wide
}

func (v *view) at(i int) unsafe.Pointer { return unsafe.Add(v.base, v.off[i]-v.bias) }

// accessFn loads, stores or modifies memory for the lanes in e.
type accessFn func(w *wave, in *inst, v *view, e uint32)

// region is a live allocation that a worker has seen.
type region struct{ addr, size uint64 }

func (r *region) holds(lo, hi, n uint64) bool { return lo-r.addr < r.size && hi-r.addr+n <= r.size }

// cacheLines is how many memory instructions of a kernel have a line of their own in the cache of allocations.
const cacheLines = 256

// globalOp executes GLOBAL instructions.
func globalOp(w *wave, in *inst) {
	e := w.s[sExec]
	if e == 0 || e == allLanes && in.words > 0 && w.globalBlock(in) {
		return
	}
	w.globalAddresses(in)
	w.globalAccess(in, e)
}

// globalBlock does a load or store of whole words when the lanes' addresses follow each other without gaps.
func (w *wave) globalBlock(in *inst) bool {
	a := &w.v[in.s[0].reg]
	if !lane.Steps(a, in.size) || a[31] < a[0] {
		return false
	}
	addr := uint64(in.off) + uint64(a[0])
	if in.sbase == sNull {
		hi := &w.v[in.s[0].reg+1]
		if !lane.Steps(hi, 0) {
			return false
		}
		addr += uint64(hi[0]) << 32
	} else {
		addr += w.pair(in.sbase)
	}
	n := waveSize * uint64(in.size)
	r := &w.worker.cache[in.slot%cacheLines]
	if !r.holds(addr, addr, n) {
		w.locate(r, addr)
		if !r.holds(addr, addr, n) {
			return false // the slow way finds out which lane is wrong
		}
	}
	block := unsafe.Slice((*uint32)(w.group.gpu.mem.Pointer(addr)), n/4)
	switch {
	case in.store && in.words == 1:
		copy(block, w.v[in.data][:])
	case in.store && in.words == 2:
		// A lane's registers are stored as one number, of which another worker sees all or nothing.
		lane.Join((*wide)(unsafe.Pointer(unsafe.SliceData(block))), &w.v[in.data], &w.v[in.data+1])
	case in.store && in.words == 4:
		lane.Store4(unsafe.Pointer(unsafe.SliceData(block)), (*[4]lanes)(w.v[in.data:]))
	case in.store:
		scatterWords(block, w.v[in.data:][:in.words])
	case in.words == 1:
		copy(w.v[in.d][:], block)
	case in.words == 2:
		lane.Split(&w.v[in.d], &w.v[in.d+1], (*wide)(unsafe.Pointer(unsafe.SliceData(block))))
	case in.words == 4:
		lane.Gather4((*[4]lanes)(w.v[in.d:]), unsafe.Pointer(unsafe.SliceData(block)), &every16)
	default:
		gatherWords(w.v[in.d:][:in.words], block)
	}
	return true
}

// every16 are the offsets of numbers of 16 bytes one after another.
var every16 = func() (off lanes) {
	for i := range off {
		off[i] = uint32(16 * i)
	}
	return off
}()

// scatterWords stores registers so that the words of a lane are together; gatherWords is its inverse.
func scatterWords(block []uint32, regs []lanes) {
	for k := range regs {
		for i, x := range regs[k] {
			block[i*len(regs)+k] = x
		}
	}
}

func gatherWords(regs []lanes, block []uint32) {
	for k := range regs {
		d := &regs[k]
		for i := range d {
			d[i] = block[i*len(regs)+k]
		}
	}
}

// globalAddresses computes the address of every lane: a 64-bit register pair, or a scalar base and a 32-bit offset.
func (w *wave) globalAddresses(in *inst) {
	a, off := &w.v[in.s[0].reg], &w.view.off
	if in.sbase == sNull {
		lane.Join(off, a, &w.v[in.s[0].reg+1])
		if k := uint64(in.off); k != 0 {
			for i := range off {
				off[i] += k
			}
		}
		return
	}
	base := w.pair(in.sbase) + uint64(in.off)
	for i := range off {
		off[i] = base + uint64(a[i])
	}
}

// globalAccess checks the addresses in w.view.off and does the access.
func (w *wave) globalAccess(in *inst, e uint32) {
	v, n := &w.view, uint64(in.size)
	v.base, v.bias = w.group.gpu.mem.Arena(), w.group.gpu.mem.Start()
	lo, hi := v.bounds(e)
	r := &w.worker.cache[in.slot%cacheLines]
	if !r.holds(lo, hi, n) {
		w.locate(r, lo)
		if !r.holds(lo, hi, n) {
			w.checkLanes(r, in, e)
		}
	}
	in.mem(w, in, v, e)
}

// bounds returns the lowest and the highest address of the lanes in e.
func (v *view) bounds(e uint32) (lo, hi uint64) {
	lo = ^uint64(0)
	if e == allLanes {
		for _, a := range v.off {
			lo, hi = min(lo, a), max(hi, a)
		}
		return lo, hi
	}
	for ; e != 0; e &= e - 1 {
		a := v.off[bits.TrailingZeros32(e)]
		lo, hi = min(lo, a), max(hi, a)
	}
	return lo, hi
}

// locate makes r the allocation that holds addr.
func (w *wave) locate(r *region, addr uint64) {
	*r = region{}
	if a := w.group.gpu.mem.Find(addr); a != nil {
		*r = region{a.Addr, a.Size}
	}
}

// checkLanes checks lane by lane: they may be in different allocations.
func (w *wave) checkLanes(r *region, in *inst, e uint32) {
	for ; e != 0; e &= e - 1 {
		i := bits.TrailingZeros32(e)
		if a := w.view.off[i]; !r.holds(a, a, uint64(in.size)) {
			w.locate(r, a)
			if !r.holds(a, a, uint64(in.size)) {
				w.memoryFault(a, uint64(in.size), i)
			}
		}
	}
}

// memoryFault ends the launch: an access is outside of every allocation. Scalar accesses have lane -1.
func (w *wave) memoryFault(addr, n uint64, lane int) {
	near := w.group.gpu.mem.Nearest(addr)
	who := "a scalar access"
	if lane >= 0 {
		who = "work-item " + w.workItem(lane)
	}
	e := w.fault(CodeIllegalAddress, "%s accesses %d bytes at %#x outside of every allocation; %s", who, n, addr, near)
	e.Address = addr
	panic(e)
}

// flatOp executes FLAT instructions: each lane's address may be global, shared or private.
func flatOp(w *wave, in *inst) {
	e := w.s[sExec]
	w.globalAddresses(in)
	var shared, private uint32
	for on := e; on != 0; on &= on - 1 {
		i := bits.TrailingZeros32(on)
		switch w.view.off[i] >> 32 {
		case sharedAperture >> 32:
			shared |= 1 << uint(i)
		case privateAperture >> 32:
			private |= 1 << uint(i)
		}
	}
	if shared|private != 0 {
		all := w.view.off
		if s := e & shared; s != 0 {
			for i := range all {
				w.view.off[i] = all[i] & 0xffffffff
			}
			w.sharedAccess(in, s)
		}
		if p := e & private; p != 0 {
			for i := range all {
				w.view.off[i] = all[i] & 0xffffffff
			}
			w.privateAccess(in, p)
		}
		w.view.off = all
	}
	if e &^= shared | private; e != 0 {
		w.globalAccess(in, e)
	}
}

// sharedOp executes DS instructions with one address.
func sharedOp(w *wave, in *inst) {
	if e := w.s[sExec]; e != 0 {
		w.sharedAt(in, &w.v[in.s[0].reg], e)
	}
}

// sharedTwice executes DS instructions with two addresses, one offset from the same register each.
func sharedTwice(w *wave, in *inst) {
	e := w.s[sExec]
	if e == 0 {
		return
	}
	a := &w.t[2]
	*a = w.v[in.s[0].reg] // the first half may overwrite it
	w.sharedAt(&in.pair[0], a, e)
	w.sharedAt(&in.pair[1], a, e)
}

// sharedAt does a shared memory access at the addresses in a, plus the instruction's offset.
func (w *wave) sharedAt(in *inst, a *lanes, e uint32) {
	lds, n := w.group.lds, uint64(in.size)
	off := &w.t[3]
	most := uint64(lane.OffsetMax(off, a, uint32(in.off)))
	if e == allLanes && in.words > 0 && most+n <= uint64(len(lds)) {
		base := unsafe.Pointer(unsafe.SliceData(lds))
		switch {
		case in.store:
		case in.words == 2:
			lane.Gather2((*[2]lanes)(w.v[in.d:]), base, off)
			return
		case in.words == 4:
			lane.Gather4((*[4]lanes)(w.v[in.d:]), base, off)
			return
		}
		if in.store {
			scatter(base, off, w.v[in.data:][:in.words])
			return
		}
		for k := range in.words {
			lane.Gather(&w.v[in.d+uint16(k)], unsafe.Add(base, 4*k), off)
		}
		return
	}
	for i, x := range off {
		w.view.off[i] = uint64(x)
	}
	w.sharedAccess(in, e)
}

// scatter stores the words that each lane has in regs at base+off, one lane after another.
func scatter(base unsafe.Pointer, off *lanes, regs []lanes) {
	for i, o := range off {
		for k := range regs {
			*(*uint32)(unsafe.Add(base, int(o)+4*k)) = regs[k][i]
		}
	}
}

// sharedAccess checks the offsets in w.view.off and does the access.
func (w *wave) sharedAccess(in *inst, e uint32) {
	v, n, lds := &w.view, uint64(in.size), w.group.lds
	if _, hi := v.bounds(e); hi+n > uint64(len(lds)) {
		w.rangeFault("shared", uint64(len(lds)), n, e)
	}
	v.base, v.bias = unsafe.Pointer(unsafe.SliceData(lds)), 0
	in.mem(w, in, v, e)
}

// scratchOp executes SCRATCH instructions: the address is the sum of a vector register, a scalar and an offset.
func scratchOp(w *wave, in *inst) {
	e := w.s[sExec]
	if e == 0 {
		return
	}
	k := uint32(in.off)
	if in.sbase != sNull {
		k += w.s[in.sbase]
	}
	off := &w.view.off
	if in.n == 0 {
		for i := range off {
			off[i] = uint64(k)
		}
	} else {
		for i, a := range w.v[in.s[0].reg] {
			off[i] = uint64(a + k)
		}
	}
	w.privateAccess(in, e)
}

func (w *wave) privateAccess(in *inst, e uint32) {
	v, n := &w.view, uint64(in.size)
	if _, hi := v.bounds(e); hi+n > w.perLane {
		w.rangeFault("private", w.perLane, n, e)
	}
	for i := range v.off {
		v.off[i] += uint64(i) * w.perLane
	}
	v.base, v.bias = unsafe.Pointer(unsafe.SliceData(w.scratch)), 0
	in.mem(w, in, v, e)
}

func (w *wave) rangeFault(what string, size, n uint64, e uint32) {
	for ; e != 0; e &= e - 1 {
		i := bits.TrailingZeros32(e)
		if a := w.view.off[i]; a+n > size {
			w.fail(CodeIllegalAddress, "work-item %s accesses %d bytes at offset %#x of %s memory, which has %d bytes",
				w.workItem(i), n, a, what, size)
		}
	}
}

// scalarAddress computes the address of a scalar load.
func (w *wave) scalarAddress(in *inst) uint64 {
	addr := w.s64(&in.s[0]) + uint64(in.off)
	if in.sbase != sNull {
		addr += uint64(w.s[in.sbase])
	}
	return addr &^ 3
}

// loadScalar executes s_load_bN.
func loadScalar(w *wave, in *inst) {
	addr := w.scalarAddress(in)
	checkScalar(w, in, addr)
	src := unsafe.Slice((*uint32)(w.group.gpu.mem.Pointer(addr)), in.size/4)
	copy(w.s[in.d:], src)
}

// checkScalar checks the address of a scalar load.
func checkScalar(w *wave, in *inst, addr uint64) {
	r, n := &w.worker.cache[in.slot%cacheLines], uint64(in.size)
	if !r.holds(addr, addr, n) {
		w.locate(r, addr)
		if !r.holds(addr, addr, n) {
			w.memoryFault(addr, n, -1)
		}
	}
}
