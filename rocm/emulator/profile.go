package emulator

import (
	"math/bits"
	"slices"
	"strings"
	"time"
)

// Profile is what the launches of a kernel did while a profile was taken. Counts are of waves, not of lanes, unless
// they say so.
type Profile struct {
	Kernel       string
	Wave         int // lanes of a wave: 32 or 64
	Launches     uint64
	Blocks       uint64
	Waves        uint64
	Instructions [Classes]uint64 // without waits and hints
	Lanes        uint64          // active in vector instructions (VALU, VMEM, LDS, scratch)
	Barriers     uint64          // of blocks
	BytesRead    uint64          // of global memory, by all lanes; atomic operations read and write
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
	n := p.Instructions[VALU] + p.Instructions[VMEM] + p.Instructions[LDS] + p.Instructions[Scratch]
	if n == 0 {
		return 0
	}
	return float64(p.Lanes) / float64(n*uint64(p.Wave))
}

// StartProfile makes launches from now on count what they do, until StopProfile. It takes two to three times as long to
// run them.
func (g *GPU) StartProfile() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.profiles = map[string]*Profile{}
}

// StopProfile ends a profile and returns what each kernel did, in alphabetical order.
func (g *GPU) StopProfile() (list []Profile) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range g.profiles {
		list = append(list, *p)
	}
	g.profiles = nil
	slices.SortFunc(list, func(a, b Profile) int { return strings.Compare(a.Kernel, b.Kernel) })
	return list
}

// observe begins the profile of a launch, if profiles are taken.
func (l *launch) observe() {
	l.checks = l.gpu.Checks()
	l.gpu.mu.Lock()
	defer l.gpu.mu.Unlock()
	if l.gpu.profiles != nil {
		l.profile = &Profile{Kernel: l.kernel.meta.Name, Wave: l.mode.lanes(), Launches: 1}
		l.begun = time.Now()
	}
}

// observed adds a launch to its kernel's profile.
func (l *launch) observed() {
	if l.profile == nil {
		return
	}
	l.profile.Time = time.Since(l.begun)
	l.profile.Spans = []Span{{l.begun, l.profile.Time}}
	l.gpu.mu.Lock()
	defer l.gpu.mu.Unlock()
	if l.gpu.profiles == nil { // stopped meanwhile
		return
	}
	if p := l.gpu.profiles[l.profile.Kernel]; p != nil {
		p.add(l.profile)
		return
	}
	l.gpu.profiles[l.profile.Kernel] = l.profile
}

func (p *Profile) add(q *Profile) {
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

func (p *Profile) count(w *wave, in *inst) {
	p.Instructions[in.class]++
	switch in.class {
	case VALU, VMEM, LDS, Scratch:
		p.Lanes += uint64(bits.OnesCount64(w.on()))
	}
}

func (p *Profile) memory(t *touched) {
	n := uint64(bits.OnesCount32(t.lanes)) * uint64(t.size)
	read, written := &p.BytesRead, &p.BytesWritten
	switch t.space {
	case spaceShared:
		read, written = &p.LDSRead, &p.LDSWritten
		p.Conflicts += t.conflicts()
	case spacePrivate:
		return
	default:
		p.Lines += t.lines()
	}
	if t.in.touch != stores {
		*read += n
	}
	if t.in.touch != loads {
		*written += n
	}
}

const cacheLine = 128

// lines counts the cache lines that an access needs.
func (t *touched) lines() uint64 {
	var seen [2 * waveSize]uint64
	list := seen[:0]
	for e := t.lanes; e != 0; e &= e - 1 {
		a := t.addr[bits.TrailingZeros32(e)]
		for line := a / cacheLine; line <= (a+uint64(t.size)-1)/cacheLine; line++ {
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

// conflicts counts the cycles that an access to shared memory takes beyond what it would without conflicts. In a cycle,
// each bank gives one word; so many lanes take part in it that their words are at most 32.
func (t *touched) conflicts() (extra uint64) {
	words := max(t.size/4, 1)
	step := int(banks / max(words, 1))
	if words == 3 {
		step = 8
	}
	for first := 0; first < waveSize; first += step {
		var wanted [banks][]uint64
		var most int
		for i := first; i < min(first+step, waveSize); i++ {
			if t.lanes>>uint(i)&1 == 0 {
				continue
			}
			for k := range uint64(words) {
				word := t.addr[i]/4 + k
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
