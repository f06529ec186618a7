// Package profile has what the launches of a kernel did while a profile was taken, and counts it.
package profile

import (
	"math/bits"
	"slices"
	"time"

	"github.com/gorocm/gorocm/rocm/emulator/internal/class"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
)

// Profile is what the launches of a kernel did while a profile was taken. Counts are of waves, not of lanes, unless
// they say so.
type Profile struct {
	Kernel       string
	Wave         int // lanes of a wave: 32 or 64
	Launches     uint64
	Blocks       uint64
	Waves        uint64
	Instructions [class.Classes]uint64 // without waits and hints
	Lanes        uint64                // active in vector instructions (VALU, VMEM, LDS, scratch)
	Barriers     uint64                // of blocks
	BytesRead    uint64                // of global memory, by all lanes; atomic operations read and write
	BytesWritten uint64
	LDSRead      uint64 // bytes of shared memory
	LDSWritten   uint64
	// Lines is how many cache lines of 128 bytes the instructions on global memory asked for, counted for each
	// instruction anew: neighbouring lanes that touch neighbouring words need few.
	Lines uint64
	// Conflicts is how many further cycles accesses to shared memory take because lanes want different words of one of
	// the 32 banks.
	Conflicts uint64
	Time      time.Duration // of the emulation
	Spans     []Span        // of each launch, at most MaxSpans
}

// Span is when a launch ran, by the clock of the host.
type Span struct {
	Start time.Time
	Time  time.Duration
}

// MaxSpans is the largest number of launches of a kernel whose times are kept one by one.
const MaxSpans = 1 << 17

// Executed returns how many instructions waves have executed.
func (p *Profile) Executed() (n uint64) {
	for _, c := range p.Instructions {
		n += c
	}
	return n
}

// Utilisation returns the fraction of lanes that were active in vector instructions.
func (p *Profile) Utilisation() float64 {
	n := p.Instructions[class.VALU] + p.Instructions[class.VMEM] + p.Instructions[class.LDS] +
		p.Instructions[class.Scratch]
	if n == 0 {
		return 0
	}
	return float64(p.Lanes) / float64(n*uint64(p.Wave))
}

// Add adds to p the counts q of other launches of the kernel.
func Add(p, q *Profile) {
	p.Launches += q.Launches
	p.Blocks += q.Blocks
	p.Waves += q.Waves
	for i, n := range q.Instructions {
		p.Instructions[i] += n
	}
	p.Lanes += q.Lanes
	p.Barriers += q.Barriers
	p.BytesRead += q.BytesRead
	p.BytesWritten += q.BytesWritten
	p.LDSRead += q.LDSRead
	p.LDSWritten += q.LDSWritten
	p.Lines += q.Lines
	p.Conflicts += q.Conflicts
	p.Time += q.Time
	if len(p.Spans) < MaxSpans {
		p.Spans = append(p.Spans, q.Spans...)
	}
}

const cacheLine = 128

// Lines counts the cache lines that an access of lanes to so many bytes at their addresses needs.
func Lines(addr *lane.Wide, lanes, size uint32) uint64 {
	var seen [2 * len(addr)]uint64
	list := seen[:0]
	for e := lanes; e != 0; e &= e - 1 {
		a := addr[bits.TrailingZeros32(e)]
		for line := a / cacheLine; line <= (a+uint64(size)-1)/cacheLine; line++ {
			if n := len(list); n > 0 && list[n-1] == line {
				continue
			}
			if !slices.Contains(list, line) {
				list = append(list, line)
			}
		}
	}
	return uint64(len(list))
}

const banks = 32

// Conflicts counts the cycles that an access to shared memory takes beyond what it would without conflicts. In a cycle,
// each bank gives one word; so many lanes take part in it that their words are at most 32.
func Conflicts(addr *lane.Wide, lanes, size uint32) (extra uint64) {
	words := max(size/4, 1)
	step := int(banks / max(words, 1))
	if words == 3 {
		step = 8
	}
	for first := 0; first < len(addr); first += step {
		var wanted [banks][]uint64
		var most int
		for i := first; i < min(first+step, len(addr)); i++ {
			if lanes>>uint(i)&1 == 0 {
				continue
			}
			for k := range uint64(words) {
				word := addr[i]/4 + k
				bank := &wanted[word%banks]
				if !slices.Contains(*bank, word) {
					*bank = append(*bank, word)
				}
				most = max(most, len(*bank))
			}
		}
		extra += uint64(max(most-1, 0))
	}
	return extra
}
