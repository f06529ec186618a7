package emulator

import (
	"encoding/binary"
	"math/bits"
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/class"
	"github.com/gorocm/gorocm/rocm/emulator/internal/race"
)

// undefined tracks values that come from uninitialised shared memory. Compilers load such values ahead of branches that
// do not use them, so only a value that reaches global memory or an address is an error. Uninitialised registers count
// as defined: compilers use them for bytes that do not matter, such as the padding of a struct.
type undefined struct {
	written [maxLDS / 64]uint64     // a bit for each byte of shared memory
	waves   [race.MaxWaves]struct { // or halves of waves
		lanes  [vgprSlots]uint32 // of each register, those with an undefined value
		origin [vgprSlots]origin // where one of the values comes from
	}
}

// origin is the instruction that loaded an undefined value from shared memory, and from where for each lane.
type origin struct {
	at      uint32
	offsets *lanes
}

func (u *undefined) startGroup(waves int) {
	clear(u.written[:])
	for i := range waves {
		clear(u.waves[i].lanes[:])
	}
}

// halfNumber counts waves of 32 and halves of waves of 64.
func (w *wave) halfNumber() int { return int(w.lane0 / waveSize) }

// step observes an instruction before it is executed, and propagates undefined values to its result. Comparisons and
// scalar registers count as defined.
func (u *undefined) step(whole, w *wave, in *inst) {
	n := w.halfNumber()
	s := &u.waves[n]
	switch {
	case in.class == LDS && in.touch == class.None:
		var mask uint32
		if in.name == "ds_bpermute_b32" {
			from, last := uint64(u.waves[whole.halfNumber()].lanes[in.data]), uint32(31)
			if w.group.run.mode.wide {
				from, last = from|uint64(u.waves[whole.halfNumber()+1].lanes[in.data])<<32, 63
			}
			for i, a := range w.v[in.s[0].reg] {
				mask |= uint32(from>>((a+uint32(in.off))>>2&last)&1) << uint(i)
			}
		}
		u.write(n, in.d, 1, mask, w.s[sExec], s.origin[in.data])
	case in.class != VALU || in.dst == kindMask:
	case in.pair != nil:
		a, fromA := u.sources(n, w, &in.pair[0])
		b, fromB := u.sources(n, w, &in.pair[1])
		u.write(n, in.pair[0].d, 1, a, w.s[sExec], fromA)
		u.write(n, in.pair[1].d, 1, b, w.s[sExec], fromB)
	case strings.HasPrefix(in.name, "v_read"), strings.HasPrefix(in.name, "v_s_"):
	case strings.HasPrefix(in.name, "v_movrel"):
	case in.name == "v_swaprel_b32":
	case in.name == "v_swap_b32":
		a, b := in.d, in.s[0].reg
		s.lanes[a], s.lanes[b] = s.lanes[b], s.lanes[a]
		s.origin[a], s.origin[b] = s.origin[b], s.origin[a]
	case in.name == "v_writelane_b32", strings.HasPrefix(in.name, "v_wmma"), strings.HasPrefix(in.name, "v_permlane"),
		in.matrix != nil:
		words := 1
		if strings.HasPrefix(in.name, "v_wmma") {
			words, _ = matrixWords(in.name, w.group.run.mode.wide)
		} else if in.matrix != nil {
			words = int(in.n)
		}
		u.write(n, in.d, words, 0, allLanes, origin{})
	default:
		mask, from := u.sources(n, w, in)
		e := w.s[sExec]
		if in.dpp != nil {
			e &= in.dpp.enable
		}
		if !lowAlone[in.name] {
			u.write(n, in.d, in.dst.words(), mask, e, from)
			return
		}
		low, lowFrom := u.lowSources(n, w, in) // before the upper half is written, which may be a source
		u.write(n, in.d, in.dst.words(), mask, e, from)
		u.write(n, in.d, 1, low, e, lowFrom)
	}
}

// lowAlone are the instructions whose lower half does not depend on the upper halves of their sources, which compilers
// may leave undefined.
var lowAlone = map[string]bool{"v_mad_u64_u32": true, "v_mad_i64_i32": true, "v_lshlrev_b64": true}

// lowSources is sources for the lower half of the result.
func (u *undefined) lowSources(n int, w *wave, in *inst) (uint32, origin) {
	low := inst{name: in.name, s: in.s, dpp: in.dpp}
	for k := range low.s {
		if low.s[k].typ.is64() {
			low.s[k].typ = kindU32
		}
	}
	return u.sources(n, w, &low)
}

// sources returns the lanes in which a source of an instruction is undefined, and where one of them comes from.
func (u *undefined) sources(n int, w *wave, in *inst) (mask uint32, from origin) {
	s := &u.waves[n]
	choice, chosen := uint32(0), false
	if strings.Contains(in.name, "cndmask") && in.s[2].place == placeSGPR {
		choice, chosen = w.s[in.s[2].reg], true
	}
	for k := range in.s {
		o := &in.s[k]
		place := o.place
		if place == placeModified {
			place = o.base
		}
		if o.typ == 0 || place != placeVGPR && place != placeDPP {
			continue
		}
		for r := o.reg; r < o.reg+uint16(o.typ.words()); r++ {
			lanes := s.lanes[r]
			if place == placeDPP && in.dpp != nil {
				lanes = moved(lanes, in.dpp)
			}
			if chosen && k == 0 {
				lanes &^= choice
			} else if chosen && k == 1 {
				lanes &= choice
			}
			if lanes != 0 {
				mask, from = mask|lanes, s.origin[r]
			}
		}
	}
	return mask, from
}

// moved is a set of lanes after a DPP control.
func moved(lanes uint32, c *dppControl) (to uint32) {
	for i, j := range c.source {
		if j >= 0 {
			to |= lanes >> uint(j) & 1 << uint(i)
		}
	}
	return to
}

func (u *undefined) write(n int, d uint16, words int, mask, e uint32, from origin) {
	s := &u.waves[n]
	for r := d; r < d+uint16(words); r++ {
		s.lanes[r] = s.lanes[r]&^e | mask&e
		if mask&e != 0 {
			s.origin[r] = from
		}
	}
}

// memory observes an access before it is made.
func (u *undefined) memory(t *touched) {
	if t.in.countsLanes() {
		u.write(t.wave.halfNumber(), t.in.d, 1, 0, t.wave.s[sExec], origin{})
	} else if t.in.class != SMEM {
		words := uint16(1)
		if t.in.fromBuffer() {
			words = uint16(bits.OnesCount8(t.in.n))
		} else if t.space == spaceGlobal && t.in.sbase == sNull {
			words = 2
		}
		if t.in.class != Scratch {
			u.use(t, t.in.s[0].reg, words, "uses as an address")
		}
	}
	n, words := t.wave.halfNumber(), uint16(max(t.size/4, 1))
	if t.in.touch != class.Loads && t.space == spaceGlobal {
		u.use(t, t.in.data, words, "stores to global memory")
	}
	if t.in.touch == class.Loads || t.in.touch == class.Modifies && t.in.glc {
		if t.in.class != SMEM {
			u.write(n, t.in.d, int(words), 0, t.lanes, origin{})
		}
		from := origin{at: t.in.at}
		t.each(func(lane int, addr uint64) {
			switch {
			case t.space == spaceGlobal:
				t.checkLoad(lane, addr)
			case t.space == spaceShared && !u.isWritten(addr, t.size):
				if from.offsets == nil {
					from.offsets = new(lanes)
				}
				from.offsets[lane] = uint32(addr)
				u.write(n, t.in.d, int(words), allLanes, 1<<uint(lane), from)
			}
		})
	}
	if t.in.touch != class.Loads && t.space == spaceShared {
		t.each(func(_ int, addr uint64) {
			for a := addr; a < addr+uint64(t.size); a++ {
				u.written[a/64] |= 1 << (a % 64)
			}
		})
	}
}

// isWritten reports whether all bytes of a range of shared memory are initialised.
func (u *undefined) isWritten(addr uint64, size uint32) bool {
	for a := addr; a < addr+uint64(size); a++ {
		if u.written[a/64]>>(a%64)&1 == 0 {
			return false
		}
	}
	return true
}

// checkLoad fails for a load of uninitialised global memory. It ignores a word at the end of an allocation that is not
// all in it.
func (t *touched) checkLoad(lane int, addr uint64) {
	r := &t.wave.worker.cache[t.in.slot%cacheLines]
	for a := addr &^ 3; a < addr+uint64(t.size); a += 4 {
		if !r.holds(a, a, 4) || binary.LittleEndian.Uint32(t.bytes(a, 4)) != Poison {
			continue
		}
		e := t.wave.fault(CodeLaunchFailure, "%s loads %d bytes of %s which nothing has written", t.who(lane), t.size,
			t.place(a))
		e.Address = a
		panic(e)
	}
}

// use fails where a register has an undefined value in an active lane.
func (u *undefined) use(t *touched, first, words uint16, does string) {
	s := &u.waves[t.wave.halfNumber()]
	for r := first; r < first+words; r++ {
		bad := s.lanes[r] & t.lanes
		if bad == 0 {
			continue
		}
		lane, from := bits.TrailingZeros32(bad), s.origin[r]
		offset := uint32(0)
		if from.offsets != nil {
			offset = from.offsets[lane]
		}
		panic(t.wave.fault(CodeLaunchFailure,
			"%s %s a value from shared memory near offset %#x that nothing has written, loaded by %s",
			t.who(lane), does, offset, t.wave.group.run.kernel.module.describe(uint64(from.at), t.wave.group.run.mode)))
	}
}
