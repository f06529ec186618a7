package run

import (
	"bytes"
	"context"
	"errors"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/google/pprof/profile"

	"github.com/gorocm/gorocm/repl/golang/machine"
)

// Profile is a CPU profile of what cells do, by functions of cells rather than by those of the interpreter. Package
// runtime/pprof takes the samples. While it does, each function of a cell labels its goroutine with the node of a tree
// of calls, and the label of a sample tells which functions of cells had called each other; what the innermost one has
// called of compiled Go is in the sample's stack. Goroutines inherit the label of the one that starts them, so the
// profile holds the goroutine that starts it and its descendants; all others are told by their compiled functions.
type Profile struct {
	rt     *Runtime
	cell   string // that is run
	text   bytes.Buffer
	before unsafe.Pointer // the label of the goroutine that has started the profile

	mu     sync.RWMutex
	nodes  []*profileNode // by number
	merged float64        // see Merged
	by     map[unsafe.Pointer]*profileNode
}

// profileNode is a function of a cell, as called by those above it. A function that calls itself stays in its node.
type profileNode struct {
	number   int
	depth    int
	parent   *profileNode
	fn       *machine.Node
	label    unsafe.Pointer // of goroutines that are in it
	children map[*machine.Node]*profileNode
	holds    atomic.Bool // its machine code calls other functions
}

// Bounds of the tree. What is beyond counts as its caller's.
const (
	profileDepth = 200
	profileNodes = 20_000
	profileLabel = "gorocm"
)

//go:linkname goroutineLabel runtime/pprof.runtime_getProfLabel
func goroutineLabel() unsafe.Pointer

//go:linkname setGoroutineLabel runtime/pprof.runtime_setProfLabel
func setGoroutineLabel(label unsafe.Pointer)

// StartProfile begins a profile of what the calling goroutine runs of a cell until Stop. The process can have one at a
// time.
func StartProfile(rt *Runtime, cell string) (*Profile, error) {
	p := &Profile{rt: rt, cell: cell, before: goroutineLabel(), by: map[unsafe.Pointer]*profileNode{}}
	if err := pprof.StartCPUProfile(&p.text); err != nil {
		return nil, errors.New("a CPU profile runs already, which a cell has started")
	}
	p.add(nil, nil)
	rt.profile.Store(p)
	return p, nil
}

// Stop ends the profile and returns it.
func (p *Profile) Stop() (*profile.Profile, error) {
	p.rt.profile.Store(nil)
	pprof.StopCPUProfile()
	setGoroutineLabel(p.before)
	raw, err := profile.ParseData(p.text.Bytes())
	if err != nil {
		return nil, err
	}
	return p.rewrite(raw), nil
}

// add makes a node and gives its label to the calling goroutine. p.mu is held, or p is not shared yet.
func (p *Profile) add(parent *profileNode, fn *machine.Node) *profileNode {
	n := &profileNode{number: len(p.nodes), parent: parent, fn: fn, children: map[*machine.Node]*profileNode{}}
	if parent != nil {
		n.depth = parent.depth + 1
		parent.children[fn] = n
	}
	labels := pprof.Labels(profileLabel, strconv.Itoa(n.number))
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), labels))
	n.label = goroutineLabel()
	p.nodes = append(p.nodes, n)
	p.by[n.label] = n
	return n
}

// enter labels the calling goroutine, which calls a function, until leave is called.
func (p *Profile) enter(fn *machine.Node) (leave func()) {
	was := goroutineLabel()
	from, to := p.find(was, fn)
	if from == nil || from.fn == fn {
		return func() {}
	}
	if to == nil {
		to = p.addOnce(from, fn)
	}
	setGoroutineLabel(to.label)
	return func() { setGoroutineLabel(was) }
}

// holdsOthers notes that the function whose label the calling goroutine has calls others as machine code.
func (p *Profile) holdsOthers() {
	if n, _ := p.find(goroutineLabel(), nil); n != nil {
		n.holds.Store(true)
	}
}

// Merged is the part of the time that went to machine code that calls other functions as machine code, from 0 to 1. It
// is not known which of them took it. It is for after Stop.
func (p *Profile) Merged() float64 { return p.merged }

// find is the node of a label, nil for one of another profile, and that of a function that it calls, if it is known.
func (p *Profile) find(label unsafe.Pointer, fn *machine.Node) (from, to *profileNode) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if from = p.by[label]; from != nil {
		to = from.children[fn]
	}
	return from, to
}

// addOnce is the node of a function that another calls, a new one unless another goroutine has made it meanwhile.
// Beyond the bounds of the tree it is the caller's.
func (p *Profile) addOnce(from *profileNode, fn *machine.Node) *profileNode {
	p.mu.Lock()
	defer p.mu.Unlock()
	if to := from.children[fn]; to != nil {
		return to
	}
	if from.depth >= profileDepth || len(p.nodes) >= profileNodes {
		return from
	}
	return p.add(from, fn)
}

// place is a function of a profile.
type place struct {
	name, file string
	line       int
}

// path lists the functions of cells that a node stands for, the innermost first, and the cell. There is none where no
// function has been called.
func (p *Profile) path(n *profileNode) (list []place) {
	if n.fn == nil {
		return nil
	}
	defer func() {
		if k := len(list); k == 0 || list[k-1].name != p.cell {
			list = append(list, place{p.cell, p.cell, 1})
		}
	}()
	for ; n != nil && n.fn != nil; n = n.parent {
		if len(n.fn.Child) < 4 {
			continue
		}
		pos, fn, made := p.rt.Traces.sourceOf(n.fn.Child[3].Pos)
		if !pos.IsValid() || made == &Inlined || made == &Around {
			continue // a part of the function around it
		}
		at := place{fn, pos.Filename, pos.Line}
		if fn == "" { // a cell's statements
			at.name, at.line = pos.Filename, 1
		}
		if k := len(list); k > 0 && list[k-1].name == at.name && list[k-1].file == at.file {
			continue // the body of a function that defers is a literal
		}
		list = append(list, at)
	}
	return list
}

// rewrite makes a profile whose stacks are those of the functions of cells, and of the compiled ones that they call.
func (p *Profile) rewrite(raw *profile.Profile) *profile.Profile {
	r := &profile.Profile{SampleType: raw.SampleType, PeriodType: raw.PeriodType, Period: raw.Period,
		TimeNanos: raw.TimeNanos, DurationNanos: raw.DurationNanos}
	known := map[place]*profile.Location{}
	location := func(at place) *profile.Location {
		if l := known[at]; l != nil {
			return l
		}
		id := uint64(len(r.Function) + 1)
		f := &profile.Function{ID: id, Name: at.name, SystemName: at.name, Filename: at.file, StartLine: int64(at.line)}
		l := &profile.Location{ID: id, Line: []profile.Line{{Function: f, Line: int64(at.line)}}}
		r.Function, r.Location, known[at] = append(r.Function, f), append(r.Location, l), l
		return l
	}
	paths := map[int][]place{}
	var all, merged int64
	for _, s := range raw.Sample {
		sample := &profile.Sample{Value: s.Value}
		var stack []place
		compiled := compiledStack(s)
		if n, ok := p.nodeOf(s); ok {
			if _, ok := paths[n.number]; !ok {
				paths[n.number] = p.path(n)
			}
			stack = append(calledFromCells(compiled), paths[n.number]...)
			if n.holds.Load() && len(compiled) > 0 && compiled[0].name == machineCode {
				merged += s.Value[0]
			}
			if len(stack) == 0 {
				stack = []place{{name: "checking and compiling the cell"}}
			}
		} else {
			stack = elsewhere(compiled)
		}
		all += s.Value[0]
		for _, at := range stack {
			sample.Location = append(sample.Location, location(at))
		}
		r.Sample = append(r.Sample, sample)
	}
	if all > 0 {
		p.merged = float64(merged) / float64(all)
	}
	return r
}

// machineCode is the function of samples within code that the runtime does not know.
const machineCode = "runtime._ExternalCode"

func (p *Profile) nodeOf(s *profile.Sample) (*profileNode, bool) {
	label := s.Label[profileLabel]
	if len(label) == 0 {
		return nil, false
	}
	n, err := strconv.Atoi(label[0])
	if err != nil || n < 0 || n >= len(p.nodes) {
		return nil, false
	}
	return p.nodes[n], true
}

// compiledStack lists the compiled functions of a sample, the innermost first.
func compiledStack(s *profile.Sample) (list []place) {
	for _, l := range s.Location {
		for _, line := range l.Line {
			list = append(list, place{line.Function.Name, line.Function.Filename, int(line.Function.StartLine)})
		}
	}
	return list
}

// calledFromCells is the part of a stack that a function of a cell has called: what is below the interpreter and the
// runtime.
func calledFromCells(stack []place) []place {
	end := 0
	for end < len(stack) && !isInterpreter(stack[end].name) {
		end++
	}
	stack = stack[:end]
	for len(stack) > 0 && isPlumbing(stack[len(stack)-1].name) {
		stack = stack[:len(stack)-1]
	}
	return withoutRuntime(stack)
}

// elsewhere is the stack of a goroutine that no cell has started while the profile ran.
func elsewhere(stack []place) []place {
	name := "other goroutines"
	for _, at := range stack {
		if strings.HasPrefix(at.name, "runtime.gcBgMarkWorker") || strings.HasPrefix(at.name, "runtime.bgsweep") {
			return []place{{name: "the garbage collector"}}
		}
	}
	for len(stack) > 0 && isPlumbing(stack[len(stack)-1].name) {
		stack = stack[:len(stack)-1]
	}
	if stack = withoutRuntime(stack); len(stack) == 0 {
		name = "the Go runtime"
	}
	return append(stack, place{name: name})
}

// withoutRuntime leaves out the runtime's innermost functions: their time is that of what has called them.
func withoutRuntime(stack []place) []place {
	for len(stack) > 0 && isPlumbing(stack[0].name) {
		stack = stack[1:]
	}
	return append([]place(nil), stack...)
}

func isInterpreter(name string) bool {
	return strings.HasPrefix(name, "github.com/traefik/yaegi/") ||
		strings.HasPrefix(name, "github.com/gorocm/gorocm/repl/golang/")
}

// plumbing are the packages whose innermost functions are their callers' business.
var plumbing = []string{"runtime.", "internal/", "reflect.", "sync.", "sync/atomic."}

func isPlumbing(name string) bool {
	return !strings.Contains(name, ".") ||
		slices.ContainsFunc(plumbing, func(s string) bool { return strings.HasPrefix(name, s) })
}
