package emulator

import (
	"encoding/binary"
	"fmt"
)

// Check says what launches check besides that accesses are inside memory.
type Check uint32

const (
	// CheckRaces makes a launch fail where two work-items touch the same bytes of shared or global memory, at least one writes, and nothing orders them.
	CheckRaces Check = 1 << iota
	// CheckInit makes a launch fail where a kernel loads shared or global memory that nothing has written since it was allocated, or since the
	// block began.
	CheckInit
)

// SetChecks says what the launches that begin from now on check; 0 is nothing. A checked launch runs on one goroutine, and takes
// 10 to 100 times as long.
//
// Races: two accesses to one byte, at least one a store, race when neither a barrier nor an acquire of what an atomic operation of the other has released
// orders them. Lanes of one wave run in step, so that their instructions are ordered, unless a branch has parted the lanes and they
// have not met again in between. Stores of the same value do not race with each other, nor do atomic operations, nor in global memory loads that
// bypass caches (volatile and atomic ones). Accesses of different blocks to global memory are compared too.
//
// Initialisation: a load fails that reads a whole aligned word with the pattern Poison. What a kernel stores that it computed from such a word is
// found only if the pattern survives.
func (g *GPU) SetChecks(c Check) { g.checks.Store(uint32(c)) }

// Checks returns what SetChecks has set.
func (g *GPU) Checks() Check { return Check(g.checks.Load()) }

// checkInit fails for the first word that a load finds to be Poison.
func (t *touched) checkInit() {
	t.each(func(lane int, addr uint64) {
		first := addr &^ 3
		for a := first; a+4 <= (addr+uint64(t.size)+3)&^3; a += 4 {
			if t.space == spaceShared && a+4 > uint64(len(t.wave.group.lds)) {
				return
			}
			if binary.LittleEndian.Uint32(t.bytes(a, 4)) != Poison {
				continue
			}
			e := t.wave.fault(CodeLaunchFailure, "%s loads %d bytes of %s which nothing has written", t.who(lane), t.size, t.place(a))
			e.Address = a
			panic(e)
		}
	})
}

// who names a lane.
func (t *touched) who(lane int) string {
	if t.in.class == SMEM {
		return fmt.Sprintf("wave %d", t.wave.lane0/waveSize)
	}
	return "work-item " + t.wave.workItem(lane)
}

// place names an address.
func (t *touched) place(addr uint64) string {
	if t.space == spaceShared {
		return fmt.Sprintf("shared memory at offset %#x", addr)
	}
	if a := t.wave.group.gpu.mem.find(addr); a != nil {
		return fmt.Sprintf("global memory at %#x, %d bytes into the %s of %d bytes,", addr, addr-a.addr, a.what, a.size)
	}
	return fmt.Sprintf("global memory at %#x", addr)
}
