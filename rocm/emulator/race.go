package emulator

import (
	"bytes"
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/history"
)

// races finds unordered accesses in the workgroups of a launch, which run one after the other.
//
// Each wave has a vector clock: the steps of wave j up to clocks[i][j] happen before wave i's next step. Barriers join
// the clocks of all waves. An atomic operation publishes its wave's clock at its address (a release). An instruction
// that invalidates a cache, which is how compilers express an acquire, joins the clocks that the atomic operations of
// its wave have seen.
type races struct {
	launch *launch
	group  uint32 // number of the workgroup, from 1
	waves  int

	clocks    [maxWaves]clock
	seen      [maxWaves]clock  // by atomic operations, not yet acquired
	published map[uint64]clock // by address of a word
	atomic    bool             // the workgroup has executed an atomic operation on global memory
	acquired  bool             // and has invalidated the caches of the device after it
	parted    [maxWaves]history.History

	shared []cell
	global map[uint64]*page
}

const maxWaves = maxGroup / waveSize

type clock [maxWaves]uint32

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

func newRaces(l *launch) *races {
	return &races{launch: l, waves: l.waves, shared: make([]cell, (l.lds+3)/4), global: map[uint64]*page{}}
}

func (r *races) startGroup(id uint64) {
	r.group = uint32(id) + 1
	r.published = map[uint64]clock{}
	r.atomic, r.acquired = false, false
	for i := range r.waves {
		r.clocks[i], r.seen[i] = clock{}, clock{}
		r.clocks[i][i] = 1
		r.parted[i].Reset()
	}
}

// barrier orders all accesses before it with all after it.
func (r *races) barrier(waves int) {
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

// number is the index of a wave, or of the wave of a half, in its workgroup.
func (w *wave) number() int { return int(w.lane0) / w.group.run.mode.lanes() }

// firstLane is the lane of the wave that is lane 0 of a half.
func (w *wave) firstLane() int { return int(w.lane0) % w.group.run.mode.lanes() }

// on is the mask of the active lanes of the whole wave.
func (w *wave) on() uint64 {
	if w.group.run.mode.wide {
		return w.pair(sExec)
	}
	return uint64(w.s[sExec])
}

// step observes every instruction before it is executed.
func (r *races) step(w *wave, in *inst) {
	n := w.number()
	r.parted[n].Note(w.on())
	if in.inval != 0 {
		r.clocks[n].join(&r.seen[n])
		if in.inval&invalidateL1 != 0 && r.atomic {
			r.acquired = true
		}
	}
}

// access looks for a race with what is recorded of the bytes, and records the access.
func (r *races) access(t *touched) {
	kind := loadAccess
	switch {
	case t.in.touch == stores:
		kind = storeAccess
	case t.in.touch == modifies && strings.Contains(t.in.name, "cmp"):
		kind = swapAccess
	case t.in.touch == modifies:
		kind = atomicAccess
	case t.in.glc && t.space == spaceGlobal:
		kind = bypassingAccess
	}
	if kind >= atomicAccess && t.space == spaceGlobal {
		r.atomic = true
	}
	n := t.wave.number()
	t.each(func(lane int, addr uint64) {
		for a := addr; a < addr+uint64(t.size); {
			word, first := a&^3, int(a&3)
			count := min(4-first, int(addr+uint64(t.size)-a))
			now := record{at: t.in.at, group: r.group, clock: r.clocks[n][n], step: r.parted[n].Step, wave: uint8(n),
				mask: (1<<count - 1) << first, kind: kind}
			for k := first; k < first+count; k++ {
				now.lanes |= uint32(t.wave.firstLane()+lane) << (8 * k)
			}
			if t.in.touch == modifies && a == addr {
				r.publish(n, word)
			}
			r.touch(t, r.cell(t.space, word), &now, word, a-addr)
			a += uint64(count)
		}
	})
}

// publish releases the clock of wave n at an address, for waves that acquire after an atomic operation on it.
func (r *races) publish(n int, word uint64) {
	c := r.published[word]
	r.seen[n].join(&c)
	c.join(&r.clocks[n])
	r.published[word] = c
	r.clocks[n][n]++
}

func (r *races) cell(s space, word uint64) *cell {
	if s == spaceShared {
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
func (r *races) touch(t *touched, c *cell, now *record, word, done uint64) {
	if k := r.conflict(t, &c.write, now); k >= 0 &&
		(t.in.touch != stores || !t.sameValue(&c.write, now, k, word, done)) {
		r.report(t, &c.write, now, word, k, "stored")
	}
	if k := r.conflict(t, &c.atomic, now); k >= 0 {
		r.report(t, &c.atomic, now, word, k, "modified")
	}
	if t.in.touch == loads {
		c.noteRead(now)
		return
	}
	for i := range c.read {
		if k := r.conflict(t, &c.read[i], now); k >= 0 {
			r.report(t, &c.read[i], now, word, k, "loaded")
		}
	}
	last := &c.write
	if t.in.touch == modifies {
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
func (r *races) conflict(t *touched, before, now *record) int {
	both := before.mask & now.mask
	if both == 0 || compatible(before.kind, now.kind) {
		return -1
	}
	if before.group != now.group {
		if t.space == spaceShared || r.acquired {
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
			if a == b || t.in.class == SMEM || !before.together(now) && r.parted[now.wave].Met(a, b, before.step) {
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
func (t *touched) sameValue(before, now *record, k int, word, done uint64) bool {
	lane := now.lane(k)
	first := uint64(0)
	for now.mask>>first&1 == 0 {
		first++
	}
	n := uint64(0)
	for now.mask>>(first+n)&1 != 0 && first+n < 4 {
		n++
	}
	mine := t.stored(lane, done, n)
	if before.together(now) {
		return bytes.Equal(mine, t.stored(before.lane(k), done, n))
	}
	return bytes.Equal(mine, t.bytes(word+first, n))
}

// stored returns n bytes, from byte at, of the value that a lane of the wave is about to store.
func (t *touched) stored(lane int, at, n uint64) []byte {
	w := t.whole
	if lane >= waveSize {
		w, lane = w.upper, lane-waveSize
	}
	out := make([]byte, 0, 4)
	shift := uint64(0)
	if strings.Contains(t.in.name, "d16_hi") {
		shift = 2
	}
	for i := at + shift; i < at+shift+n; i++ {
		out = append(out, byte(w.v[uint64(t.in.data)+i/4][lane]>>(8*(i%4))))
	}
	return out
}

func (r *races) report(t *touched, before, now *record, word uint64, k int, did string) {
	does := map[effect]string{loads: "loads", stores: "stores", modifies: "modifies"}[t.in.touch]
	who := "work-item " + r.launch.workItem(uint32(int(before.wave)*r.launch.mode.lanes()+before.lane(k)))
	switch {
	case before.group != now.group:
		who += " of block " + r.launch.blockName(before.group-1)
	case before.together(now):
		who += " with the same instruction"
	case before.wave == now.wave:
		who += " of the same wave, in another branch"
	}
	why := "without a barrier between"
	if before.group != now.group {
		why = "and nothing orders blocks; atomic operations do not race"
	}
	e := t.wave.fault(CodeLaunchFailure, "race: %s %s %s that %s has %s (%s) %s", t.who(now.lane(k)-t.wave.firstLane()),
		does, t.place(word+uint64(k)), who, did, r.launch.kernel.module.describe(uint64(before.at), r.launch.mode), why)
	e.Address = word + uint64(k)
	panic(e)
}
