package emulator

import (
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/class"
	"github.com/gorocm/gorocm/rocm/emulator/internal/race"
)

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

// access is what the search for races knows of an access. It has a copy, so that others do not allocate.
func (t touched) access() *race.Access {
	return &race.Access{Lanes: &t, Wave: t.wave.number(), FirstLane: t.wave.firstLane(), At: t.in.at, Size: t.size,
		Effect: t.in.touch, Shared: t.space == spaceShared, Scalar: t.in.class == SMEM,
		Compares: strings.Contains(t.in.name, "cmp"), Bypasses: t.in.glc}
}

// Each calls f for every lane that takes part and whose access is inside memory.
func (t *touched) Each(f func(lane int, addr uint64)) { t.each(f) }

// Bytes returns the memory at an address that is inside.
func (t *touched) Bytes(addr, n uint64) []byte { return t.bytes(addr, n) }

// Stored returns n bytes, from byte at, of the value that a lane of the wave is about to store.
func (t *touched) Stored(lane int, at, n uint64) []byte {
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

// Report fails with a race.
func (t *touched) Report(r race.Race) {
	l, b := t.wave.group.run, r.Before
	does := map[class.Effect]string{
		class.Loads: "loads", class.Stores: "stores", class.Modifies: "modifies",
	}[t.in.touch]
	who := "work-item " + l.workItem(uint32(b.Wave*l.mode.lanes()+b.Lane))
	why := "without a barrier between"
	switch {
	case b.AnotherGroup:
		who += " of block " + l.blockName(b.Group)
		why = "and nothing orders blocks; atomic operations do not race"
	case b.SameStep:
		who += " with the same instruction"
	case b.SameWave:
		who += " of the same wave, in another branch"
	}
	e := t.wave.fault(CodeLaunchFailure, "race: %s %s %s that %s has %s (%s) %s",
		t.who(r.Lane-t.wave.firstLane()), does, t.place(r.Addr), who, b.Did,
		l.kernel.module.describe(uint64(b.At), l.mode), why)
	e.Address = r.Addr
	panic(e)
}
