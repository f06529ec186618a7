package emulator

import (
	"math/bits"
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/class"
	"github.com/gorocm/gorocm/rocm/emulator/internal/profile"
	"github.com/gorocm/gorocm/rocm/emulator/internal/race"
)

// Caches that an instruction invalidates. Acquires do it at the scope of a block, and of the device.
const (
	invalidateL0 = 1 << iota
	invalidateL1
)

// watch observes the instructions of the workgroups that one worker executes. Launches without checks and profile have
// none, and their waves run in a loop without it.
type watch struct {
	profile *Profile
	races   *race.Detector
	init    *undefined
}

// newWatch returns the watch of a launch, nil without checks and profile.
func newWatch(l *launch) *watch {
	if l.profile == nil && l.checks == 0 {
		return nil
	}
	w := &watch{}
	if l.checks&CheckInit != 0 {
		w.init = new(undefined)
	}
	if l.profile != nil {
		w.profile = &Profile{}
	}
	if l.checks&CheckRaces != 0 {
		w.races = race.New(l.waves, (l.lds+3)/4)
	}
	return w
}

// end adds a worker's counts to the launch's profile.
func (o *watch) end(l *launch) {
	if o.profile == nil {
		return
	}
	l.profileMu.Lock()
	defer l.profileMu.Unlock()
	profile.Add(l.profile, o.profile)
}

func (o *watch) startGroup(w *worker, id uint64) {
	if o.profile != nil {
		o.profile.Blocks++
		o.profile.Waves += uint64(w.group.run.waves)
	}
	if o.races != nil {
		o.races.StartGroup(id)
	}
	if o.init != nil {
		o.init.startGroup(w.group.run.waves * w.group.run.mode.lanes() / waveSize)
	}
}

// barrier is called when all waves of a workgroup that have not ended have reached it.
func (o *watch) barrier(waves []*wave) {
	if o.profile != nil {
		o.profile.Barriers++
	}
	if o.races != nil {
		o.races.Barrier(len(waves))
	}
}

// runWatched executes instructions until the wave halts, and passes each to the watch first.
func (w *wave) runWatched() {
	o := w.worker.watch
	for w.halt == haltNot {
		in := &w.code[w.pc]
		w.pc++
		w.count++
		o.instruction(w, in)
		in.fn(w, in)
	}
}

// touched is one access to memory that the lanes of a wave are about to make together.
type touched struct {
	wave  *wave // or the half of one
	whole *wave // the wave that it is of
	in    *inst // which instruction, or which half of one with two addresses
	space space
	addr  *wide  // of each lane; for private and shared memory, the offset
	lanes uint32 // that take part
	size  uint32 // bytes for each
}

type space uint8

const (
	spaceGlobal space = iota
	spaceShared
	spacePrivate
)

// scalarLane is the lane of scalar loads, which the wave makes as a whole.
const scalarLane = 0

func (o *watch) instruction(w *wave, in *inst) {
	if o.profile != nil {
		count(o.profile, w, in)
	}
	if o.races != nil {
		o.races.Step(w.number(), w.on(), in.inval != 0, in.inval&invalidateL1 != 0)
	}
	if w.group.run.mode.wide {
		w.upper.s[sExec] = w.s[sExec+1]
	}
	o.half(w, w, in)
	if in.halves != nil {
		o.half(w, in.halves.ready(w), &in.halves.upper)
	} else if w.group.run.mode.wide && (in.whole || acrossHalves[in.name] != nil) {
		o.half(w, w.upper, in)
	}
}

// half observes an instruction for one half of a wave, or for a wave of 32.
func (o *watch) half(whole, w *wave, in *inst) {
	if o.init != nil {
		o.init.step(whole, w, in)
	}
	if in.touch == class.None {
		return
	}
	e := w.s[sExec]
	t := touched{wave: w, whole: whole, in: in, addr: &w.view.off, lanes: e, size: in.size}
	switch in.class {
	case SMEM:
		t.lanes = 1 << scalarLane
		if in.fromBuffer() {
			n := uint64(0)
			t.addr[scalarLane], n = w.scalarBuffer(in)
			t.size = uint32(n)
			t.lanes = b2u(n != 0) << scalarLane
		} else {
			t.addr[scalarLane] = w.scalarAddress(in)
		}
		o.memory(&t)
	case LDS:
		t.space = spaceShared
		if in.countsLanes() {
			first := bits.TrailingZeros32(e) & 31
			t.lanes, t.addr[first] = e&(1<<first), uint64(whole.counter(in))
			o.memory(&t)
			return
		}
		if in.pair == nil {
			o.shared(&t, &w.v[in.s[0].reg])
			return
		}
		for k := range in.pair {
			t.in, t.size = &in.pair[k], in.pair[k].size
			o.shared(&t, &w.v[in.s[0].reg])
		}
	case Scratch:
		t.space = spacePrivate
		o.memory(&t)
	case VMEM:
		if in.fromBuffer() {
			t.lanes = w.bufferAddresses(in, e)
			o.memory(&t)
			return
		}
		w.globalAddresses(in)
		if strings.HasPrefix(in.name, "global_") {
			o.memory(&t)
			return
		}
		var by [3]uint32 // lanes by space
		for i, a := range t.addr {
			by[spaceOf(a)] |= e & (1 << uint(i))
		}
		all := *t.addr
		for s, lanes := range by {
			t.space, t.lanes = space(s), lanes
			for i := range all {
				t.addr[i] = all[i]
				if t.space != spaceGlobal {
					t.addr[i] &= 0xffffffff
				}
			}
			o.memory(&t)
		}
	}
}

func (o *watch) shared(t *touched, a *lanes) {
	for i, x := range a {
		t.addr[i] = uint64(x + uint32(t.in.off))
	}
	o.memory(t)
}

func spaceOf(addr uint64) space {
	switch addr >> 32 {
	case sharedAperture >> 32:
		return spaceShared
	case privateAperture >> 32:
		return spacePrivate
	}
	return spaceGlobal
}

func (o *watch) memory(t *touched) {
	if t.lanes == 0 {
		return
	}
	if o.profile != nil {
		countMemory(o.profile, t)
	}
	if o.init != nil {
		o.init.memory(t)
	}
	if o.races != nil && t.space != spacePrivate {
		o.races.Access(t.access())
	}
}

// each calls f for every lane that takes part and whose access is inside memory; the others fault when the instruction
// runs.
func (t *touched) each(f func(lane int, addr uint64)) {
	for e := t.lanes; e != 0; e &= e - 1 {
		i := bits.TrailingZeros32(e)
		if t.inside(t.addr[i]) {
			f(i, t.addr[i])
		}
	}
}

func (t *touched) inside(addr uint64) bool {
	if t.space == spaceShared {
		return addr+uint64(t.size) <= uint64(len(t.wave.group.lds))
	}
	r := &t.wave.worker.cache[t.in.slot%cacheLines]
	if !r.holds(addr, addr, uint64(t.size)) {
		t.wave.locate(r, addr)
	}
	return r.holds(addr, addr, uint64(t.size))
}

// bytes returns the memory at an address that is inside.
func (t *touched) bytes(addr, n uint64) []byte {
	if t.space == spaceShared {
		return t.wave.group.lds[addr : addr+n]
	}
	return t.wave.group.gpu.mem.Bytes(addr, n)
}
