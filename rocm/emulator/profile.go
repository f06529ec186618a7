package emulator

import (
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/gorocm/gorocm/rocm/emulator/internal/class"
	"github.com/gorocm/gorocm/rocm/emulator/internal/profile"
)

type (
	// Class is a kind of instruction, by the unit of the GPU that executes it.
	Class = class.Class
	// Profile is what the launches of a kernel did while a profile was taken.
	Profile = profile.Profile
	// Span is when a launch ran, by the clock of the host.
	Span = profile.Span
)

// The classes of instructions.
const (
	VALU    = class.VALU    // arithmetic of lanes
	SALU    = class.SALU    // arithmetic of a wave
	SMEM    = class.SMEM    // loads of a wave
	VMEM    = class.VMEM    // global and generic memory
	LDS     = class.LDS     // shared memory, and what moves data between lanes through it
	Scratch = class.Scratch // private memory
	Branch  = class.Branch
	Other   = class.Other // barriers, ends, messages
	Classes = class.Classes
)

// MaxSpans is the largest number of launches of a kernel whose times are kept one by one.
const MaxSpans = profile.MaxSpans

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
	l.profile.Spans = []Span{{Start: l.begun, Time: l.profile.Time}}
	l.gpu.mu.Lock()
	defer l.gpu.mu.Unlock()
	if l.gpu.profiles == nil { // stopped meanwhile
		return
	}
	if p := l.gpu.profiles[l.profile.Kernel]; p != nil {
		profile.Add(p, l.profile)
		return
	}
	l.gpu.profiles[l.profile.Kernel] = l.profile
}

// count counts an instruction.
func count(p *Profile, w *wave, in *inst) {
	p.Instructions[in.class]++
	switch in.class {
	case VALU, VMEM, LDS, Scratch:
		p.Lanes += uint64(bits.OnesCount64(w.on()))
	}
}

// countMemory counts an access to memory.
func countMemory(p *Profile, t *touched) {
	n := uint64(bits.OnesCount32(t.lanes)) * uint64(t.size)
	read, written := &p.BytesRead, &p.BytesWritten
	switch t.space {
	case spaceShared:
		read, written = &p.LDSRead, &p.LDSWritten
		p.Conflicts += profile.Conflicts(t.addr, t.lanes, t.size)
	case spacePrivate:
		return
	default:
		p.Lines += profile.Lines(t.addr, t.lanes, t.size)
	}
	if t.in.touch != class.Stores {
		*read += n
	}
	if t.in.touch != class.Loads {
		*written += n
	}
}
