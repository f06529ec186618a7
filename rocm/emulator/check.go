package emulator

import "fmt"

// Check is what launches check in addition to the bounds of accesses.
type Check uint32

const (
	// CheckRaces makes a launch fail where two work-items touch the same bytes of shared or global memory, at least one
	// writes, and nothing orders them.
	CheckRaces Check = 1 << iota
	// CheckInit makes a launch fail where a kernel loads uninitialised global memory, or where what it stores in global
	// memory or uses as an address comes from shared memory that the block has not initialised.
	CheckInit
)

// SetChecks says what the launches that begin from now on check; 0 is nothing. A checked launch runs on one goroutine,
// and takes 10 to 100 times as long.
//
// Races: two accesses to one byte, at least one a store, race when neither a barrier nor an acquire of what an atomic
// operation of the other has released orders them. Lanes of one wave run in lockstep, so that their instructions are
// ordered, unless the lanes have diverged at a branch and have not reconverged in between. Stores of the same value do
// not race with each other, nor do atomic operations, nor in global memory loads that bypass caches (volatile and
// atomic ones). Accesses of different blocks to global memory are compared too.
//
// Initialisation: memory counts as uninitialised where a whole aligned word has the pattern Poison. Values of shared
// memory are tracked through vector instructions, but not through comparisons, scalar registers and private memory.
func (g *GPU) SetChecks(c Check) { g.checks.Store(uint32(c)) }

// Checks returns what SetChecks has set.
func (g *GPU) Checks() Check { return Check(g.checks.Load()) }

// who names a lane.
func (t *touched) who(lane int) string {
	if t.in.class == SMEM {
		return fmt.Sprintf("wave %d", t.wave.number())
	}
	return "work-item " + t.wave.workItem(lane)
}

// place names an address.
func (t *touched) place(addr uint64) string {
	if t.space == spaceShared {
		return fmt.Sprintf("shared memory at offset %#x", addr)
	}
	if a := t.wave.group.gpu.mem.Find(addr); a != nil {
		return fmt.Sprintf("global memory at %#x, %d bytes into the %s of %d bytes,", addr, addr-a.Addr, a.What, a.Size)
	}
	return fmt.Sprintf("global memory at %#x", addr)
}
