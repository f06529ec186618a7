// Package race finds data races of the workgroups of a launch.
package race

import (
	"bytes"

	"github.com/gorocm/gorocm/rocm/emulator/internal/class"
	"github.com/gorocm/gorocm/rocm/emulator/internal/history"
)

// Detector finds unordered accesses in the workgroups of a launch, which run one after the other.
//
// Each wave has a vector clock: the steps of wave j up to clocks[i][j] happen before wave i's next step. Barriers join
// the clocks of all waves. An atomic operation publishes its wave's clock at its address (a release). An instruction
// that invalidates a cache, which is how compilers express an acquire, joins the clocks that the atomic operations of
// its wave have seen.
type Detector struct {
	group uint32 // number of the workgroup, from 1
	waves int

	clocks    [MaxWaves]clock
	seen      [MaxWaves]clock  // by atomic operations, not yet acquired
	published map[uint64]clock // by address of a word
	atomic    bool             // the workgroup has executed an atomic operation on global memory
	acquired  bool             // and has invalidated the caches of the device after it
	parted    [MaxWaves]history.History

	shared []cell
	global map[uint64]*page
}

// MaxWaves is the largest number of waves of a workgroup.
const MaxWaves = 32

type clock [MaxWaves]uint32

func (c *clock) join(d *clock) {
	for i := range c {
		c[i] = max(c[i], d[i])
	}
}

// cell is what is known of the accesses to a word: the last store, the last atomic operation, and the last loads of two
// waves.
type cell struct {
	write, atomic record
	read          [2]record
}

// record is an access of a wave to a word.
type record struct {
	at    uint32 // the instruction
	group uint32
	clock uint32
	step  uint32 // of the wave
	lanes uint32 // that of each byte, 8 bits for each
	wave  uint8
	mask  uint8 // which bytes; 0 is not an access
	kind  recordKind
}

type recordKind uint8

const (
	loadAccess recordKind = iota
	storeAccess
	atomicAccess
	swapAccess      // a compare-and-swap: the loop around it begins with a plain load
	bypassingAccess // a load past the caches, of a volatile or atomic variable
)

func (r *record) lane(k int) int { return int(r.lanes >> (8 * k) & 0xff) }

// page is the cells of a range of global memory.
type page [pageWords]cell

const (
	pageWords = 64
	pageLimit = 32 << 10 // pages that a launch keeps, for 8 MiB of memory; older accesses are then forgotten
)

// New returns a detector for workgroups of so many waves and words of shared memory.
func New(waves int, shared uint32) *Detector {
	return &Detector{waves: waves, shared: make([]cell, shared), global: map[uint64]*page{}}
}

// StartGroup begins the next workgroup.
func (r *Detector) StartGroup(id uint64) {
	r.group = uint32(id) + 1
	r.published = map[uint64]clock{}
	r.atomic, r.acquired = false, false
	for i := range r.waves {
		r.clocks[i], r.seen[i] = clock{}, clock{}
		r.clocks[i][i] = 1
		r.parted[i].Reset()
	}
}

// Barrier orders all accesses before it with all after it.
func (r *Detector) Barrier(waves int) {
	var joined clock
	for i := range waves {
		joined.join(&r.clocks[i])
	}
	for i := range waves {
		r.clocks[i] = joined
		r.clocks[i][i]++
		r.parted[i].Reset()
	}
}

// Step observes every instruction of a wave before it is executed: which lanes are active, whether it invalidates a
// cache, and whether one of the device.
func (r *Detector) Step(wave int, active uint64, invalidates, device bool) {
	r.parted[wave].Note(active)
	if invalidates {
		r.clocks[wave].join(&r.seen[wave])
		if device && r.atomic {
			r.acquired = true
		}
	}
}

// Access is one access to memory that the lanes of a wave are about to make together.
type Access struct {
	Lanes
	Wave      int    // its number in the workgroup
	FirstLane int    // the lane of the wave that is lane 0 of the access
	At        uint32 // the instruction
	Size      uint32 // bytes for each lane
	Effect    class.Effect
	Shared    bool // the memory of the workgroup, otherwise of the device
	Scalar    bool // by the wave as a whole
	Compares  bool // of atomic operations: a compare-and-swap
	Bypasses  bool // of loads: past the caches
}

// Lanes is what a Detector asks of an access.
type Lanes interface {
	// Each calls f for every lane that takes part, with its address.
	Each(f func(lane int, addr uint64))
	// Stored returns n bytes, from byte at, of the value that a lane of the wave is about to store.
	Stored(lane int, at, n uint64) []byte
	// Bytes returns the memory at an address.
	Bytes(addr, n uint64) []byte
	// Report fails with a race; it does not return.
	Report(r Race)
}

// Race is two accesses to a byte that nothing orders.
type Race struct {
	Addr   uint64 // of the byte
	Lane   int    // of the wave that is about to access it
	Before Before // the access that has been
}

// Before is the earlier access of a race.
type Before struct {
	Did          string // stored, modified or loaded
	At           uint32 // the instruction
	Group        uint32 // the number of its workgroup
	Wave, Lane   int
	AnotherGroup bool // than that of the later one
	SameStep     bool // it is by the same instruction of the same wave
	SameWave     bool
}

// Access looks for a race with what is recorded of the bytes, and records the access.
func (r *Detector) Access(t *Access) {
	kind := loadAccess
	switch {
	case t.Effect == class.Stores:
		kind = storeAccess
	case t.Effect == class.Modifies && t.Compares:
		kind = swapAccess
	case t.Effect == class.Modifies:
		kind = atomicAccess
	case t.Bypasses && !t.Shared:
		kind = bypassingAccess
	}
	if kind >= atomicAccess && !t.Shared {
		r.atomic = true
	}
	n := t.Wave
	t.Each(func(lane int, addr uint64) {
		for a := addr; a < addr+uint64(t.Size); {
			word, first := a&^3, int(a&3)
			count := min(4-first, int(addr+uint64(t.Size)-a))
			now := record{at: t.At, group: r.group, clock: r.clocks[n][n], step: r.parted[n].Step, wave: uint8(n),
				mask: (1<<count - 1) << first, kind: kind}
			for k := first; k < first+count; k++ {
				now.lanes |= uint32(t.FirstLane+lane) << (8 * k)
			}
			if t.Effect == class.Modifies && a == addr {
				r.publish(n, word)
			}
			r.touch(t, r.cell(t.Shared, word), &now, word, a-addr)
			a += uint64(count)
		}
	})
}

// publish releases the clock of wave n at an address, for waves that acquire after an atomic operation on it.
func (r *Detector) publish(n int, word uint64) {
	c := r.published[word]
	r.seen[n].join(&c)
	c.join(&r.clocks[n])
	r.published[word] = c
	r.clocks[n][n]++
}

func (r *Detector) cell(shared bool, word uint64) *cell {
	if shared {
		return &r.shared[word/4]
	}
	number, at := word/4/pageWords, word/4%pageWords
	p := r.global[number]
	if p == nil {
		if len(r.global) >= pageLimit {
			clear(r.global)
		}
		p = new(page)
		r.global[number] = p
	}
	return &p[at]
}

// touch compares an access to a word with earlier ones. done is the bytes of the lane's access before the word.
func (r *Detector) touch(t *Access, c *cell, now *record, word, done uint64) {
	if k := r.conflict(t, &c.write, now); k >= 0 &&
		(t.Effect != class.Stores || !t.sameValue(&c.write, now, k, word, done)) {
		r.report(t, &c.write, now, word, k, "stored")
	}
	if k := r.conflict(t, &c.atomic, now); k >= 0 {
		r.report(t, &c.atomic, now, word, k, "modified")
	}
	if t.Effect == class.Loads {
		c.noteRead(now)
		return
	}
	for i := range c.read {
		if k := r.conflict(t, &c.read[i], now); k >= 0 {
			r.report(t, &c.read[i], now, word, k, "loaded")
		}
	}
	last := &c.write
	if t.Effect == class.Modifies {
		last = &c.atomic
	}
	if last.together(now) {
		last.merge(now)
	} else {
		*last = *now
	}
}

func (c *cell) noteRead(now *record) {
	last := &c.read[0]
	if last.together(now) {
		last.merge(now)
		return
	}
	if last.wave != now.wave || last.group != now.group {
		c.read[1] = *last
	}
	*last = *now
}

// together reports whether two accesses are by one instruction of one wave.
func (r *record) together(now *record) bool {
	return r.step == now.step && r.wave == now.wave && r.group == now.group
}

// merge adds the bytes of another lane's access by the same instruction.
func (r *record) merge(now *record) {
	for k := range 4 {
		if now.mask>>k&1 != 0 {
			r.lanes = r.lanes&^(0xff<<(8*k)) | now.lanes&(0xff<<(8*k))
		}
	}
	r.mask |= now.mask
}

// conflict returns a byte of the word for which an earlier access races with the next one, or -1. At least one of them
// is a store or an atomic operation.
func (r *Detector) conflict(t *Access, before, now *record) int {
	both := before.mask & now.mask
	if both == 0 || compatible(before.kind, now.kind) {
		return -1
	}
	if before.group != now.group {
		if t.Shared || r.acquired {
			return -1
		}
	} else if before.wave != now.wave && r.clocks[now.wave][before.wave] >= before.clock {
		return -1
	}
	for k := range 4 {
		if both>>k&1 == 0 {
			continue
		}
		if before.group == now.group && before.wave == now.wave {
			a, b := before.lane(k), now.lane(k)
			if a == b || t.Scalar || !before.together(now) && r.parted[now.wave].Met(a, b, before.step) {
				continue
			}
		}
		return k
	}
	return -1
}

// compatible reports whether two kinds of accesses never race.
func compatible(a, b recordKind) bool {
	a, b = min(a, b), max(a, b)
	switch b {
	case bypassingAccess:
		return true
	case swapAccess:
		return a != storeAccess
	case atomicAccess:
		return a == atomicAccess
	}
	return false
}

// sameValue reports whether a store writes the value that memory has already or, if the other access is by the same
// instruction, the value of that lane.
func (t *Access) sameValue(before, now *record, k int, word, done uint64) bool {
	lane := now.lane(k)
	first := uint64(0)
	for now.mask>>first&1 == 0 {
		first++
	}
	n := uint64(0)
	for now.mask>>(first+n)&1 != 0 && first+n < 4 {
		n++
	}
	mine := t.Stored(lane, done, n)
	if before.together(now) {
		return bytes.Equal(mine, t.Stored(before.lane(k), done, n))
	}
	return bytes.Equal(mine, t.Bytes(word+first, n))
}

func (r *Detector) report(t *Access, before, now *record, word uint64, k int, did string) {
	t.Report(Race{Addr: word + uint64(k), Lane: now.lane(k), Before: Before{
		Did: did, At: before.at, Group: before.group - 1, Wave: int(before.wave), Lane: before.lane(k),
		AnotherGroup: before.group != now.group, SameStep: before.together(now), SameWave: before.wave == now.wave,
	}})
}
