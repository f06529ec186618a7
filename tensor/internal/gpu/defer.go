package gpu

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Elementwise operations on a GPU are not launched when they are called. Their results are deferred: a storage
// without memory knows the operation and its operands, which may be deferred themselves. When something needs the
// memory, the operations that lead there become one kernel (fuse.go), which reads the inputs once and writes one
// result.
//
// Deferral cannot be observed:
//
//   - The front materialises an operand before a backend reads its memory. Only elementwise operations and reductions
//     (close.go) take deferred operands.
//   - Writers call PrepareWrite, which first computes all results that depend on the old elements.
//   - Waiting for the device, measuring and profiling launch what is deferred. A capture begins and ends with nothing
//     deferred. That of rocm.CaptureStep defers; then other goroutines do not, and what it has deferred is its own.

// deferred is an operation whose result has no memory yet.
type deferred struct {
	kind    kernels.FusedKind
	op      string // its row in the op table
	in, out kernels.DType
	args    [3]backend.Operand
	params  [2]uint64 // eight bytes each, as kernels take them
	shape   []int
	n       int // number of elements
	ops     int // upper bounds of the operations, and of the inputs in memory, of the chain that ends here
	inputs  int
	flat    bool // every input has the layout of the result or is one element, so that shapes do not matter

	capture *rocm.Recording // the capture that the operation belongs to, or nil

	listed weak.Pointer[Storage] // the entry of the result in the lists of deferred results
}

// result is the storage of an elementwise operation together with what it takes to defer it: one allocation, and one
// object for the garbage collector to watch.
type result struct {
	Storage
	how deferred
}

func (e *deferred) operands() []backend.Operand { return e.args[:e.kind.Operands()] }

// name is the operation's name in errors.
func (e *deferred) name() string {
	switch e.kind {
	case kernels.FusedAffine:
		return "affine"
	case kernels.FusedCast:
		return "to dtype"
	case kernels.FusedWhere:
		return "where"
	}
	return e.op
}

// fusion is what a backend knows about deferred results. The mutex is also held while they are computed, so that each
// is computed once.
type fusion struct {
	b *Backend

	mode        fuseMode
	hasCompiler atomic.Bool // whether there is a compiler, as far as is known
	lookOnce    sync.Once   // looks for one

	// specialize compiles kernels of single operations for the layouts of their operands, in place of the general
	// kernels. Only GPUs do: the emulated device has code objects of the general ones.
	specialize bool

	mu       sync.Mutex
	outputs  []weak.Pointer[Storage] // deferred results without deferred dependents, the oldest first
	all      []weak.Pointer[Storage] // all deferred results, and some that are done
	allLimit int                     // the length of all at which done ones are removed
	chain    chain                   // reused, to save allocations
	kernels  fusedKernels
}

// fuseMode says when chains become kernels.
type fuseMode uint8

const (
	// when the kernel has been compiled in the background; until then operations run one by one
	fuseLater fuseMode = iota
	fuseNever          // never: nothing is deferred
	fuseWait           // at once: whoever needs the result waits for the compiler
)

func fuseModeOf(text string) fuseMode {
	switch text {
	case "0":
		return fuseNever
	case "wait":
		return fuseWait
	}
	return fuseLater
}

func New(d *rocm.Device) *Backend {
	b := &Backend{dev: d, DNN: d}
	b.fusion.b = b
	b.fusion.mode = fuseModeOf(os.Getenv("GOROCM_FUSE"))
	if b.fusion.mode != fuseNever {
		b.fusion.specialize = !d.Emulated()
		d.OnWait(b.fusion.computeDeferred)
	}
	return b
}

// Bounds of what is deferred. Longer chains, and those with more inputs, are cut: their code and registers would grow
// out of proportion. If there are more than maxOutputs results without dependents, the oldest is computed, so that
// the GPU has work and inputs are freed.
const (
	maxChain   = 32
	maxInputs  = 8
	maxOutputs = 16

	maxRecomputed = 2 // a result is stored once it was recomputed so often for its dependents
)

// deferring reports whether results may be deferred now.
func (f *fusion) deferring() bool {
	return f.mode != fuseNever && f.b.dev.MayDefer() && f.canCompile()
}

// defers reports whether the result of an operation may be deferred.
func (f *fusion) defers(e *deferred) bool {
	if !f.deferring() {
		return false
	}
	for _, o := range e.operands() {
		if s := o.Store.(*Storage); (s.given.Load() || s.exposed.Load() && !f.b.Capturing()) && !s.isNumber {
			return false
		}
	}
	return true
}

// canCompile reports whether there is a compiler. GPUs need one for every kernel. The emulated device has code
// objects, so nobody waits while a compiler is looked for.
func (f *fusion) canCompile() bool {
	if f.hasCompiler.Load() {
		return true
	}
	look := func() { f.hasCompiler.Store(f.b.dev.CanCompile()) }
	f.lookOnce.Do(func() {
		switch {
		case !f.b.dev.Emulated():
			f.hasCompiler.Store(true)
		case f.mode == fuseWait:
			look()
		default:
			go look()
		}
	})
	return f.hasCompiler.Load()
}

// elementwise returns the result of an operation, deferred if possible. Only r.how is set.
func (f *fusion) elementwise(r *result) (backend.Storage, error) {
	s, e := &r.Storage, &r.how
	e.setShape()
	s.on, s.bytes = f.b, e.n*e.out.Size()
	if f.defers(e) {
		return s, f.deferResult(s, e)
	}
	for _, o := range e.operands() {
		if err := o.Store.Materialize(); err != nil {
			return nil, err
		}
	}
	if err := f.runLocked(s, e); err != nil {
		return nil, err
	}
	s.stored()
	return s, nil
}

// setShape sets the shape of the result.
func (e *deferred) setShape() {
	e.shape = e.args[len(e.operands())-1].Layout.Shape
	e.n = backend.Product(e.shape)
}

func (f *fusion) deferResult(s *Storage, e *deferred) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.planFusion(e); err != nil {
		return err
	}
	e.capture = rocm.RecordingOn(f.b.dev)
	s.deferred.Store(e)
	w := weak.Make(s)
	e.listed = w
	for i, o := range e.operands() {
		arg := o.Store.(*Storage)
		if arg.isNumber || slices.ContainsFunc(e.args[:i], func(p backend.Operand) bool { return p.Store == o.Store }) {
			continue
		}
		arg.addDependent(w)
		if arg.deferred.Load() != nil {
			arg.hadDependents = true
		}
	}
	f.track(w)
	return nil
}

// planFusion decides which deferred operands of e become part of its kernel. It computes the others, and sets the
// counts of e.
func (f *fusion) planFusion(e *deferred) error {
	for {
		e.ops, e.inputs, e.flat = 1, 0, true
		var longest *Storage
		most := 0
		for _, o := range e.operands() {
			s := o.Store.(*Storage)
			d := s.deferred.Load()
			if d != nil && (s.recomputed >= maxRecomputed || !d.fusible(o.Layout, e.shape)) {
				if err := f.compute(s); err != nil {
					return err
				}
				d = nil
			}
			switch {
			case s.isNumber:
			case d != nil:
				e.ops += d.ops
				e.inputs += d.inputs
				e.flat = e.flat && d.flat
				if d.ops+d.inputs > most {
					longest, most = s, d.ops+d.inputs
				}
			default:
				e.inputs++
				e.flat = e.flat && (o.Layout.IsContiguous() || isOneElement(o.Layout))
			}
		}
		if e.ops > maxChain || e.inputs > maxInputs {
			e.ops, e.inputs = f.chain.count(e) // operands that are used twice were counted twice
		}
		if longest == nil || e.ops <= maxChain && e.inputs <= maxInputs {
			return nil
		}
		if err := f.compute(longest); err != nil {
			return err
		}
	}
}

// fusible reports whether an operand with this layout in the result of d can be computed where it is used, element by
// element.
func (d *deferred) fusible(l backend.Layout, shape []int) bool {
	return l.Offset == 0 && l.ElemCount() == d.n && l.IsContiguous() && (d.flat || slices.Equal(d.shape, shape))
}

// isOneElement reports whether all elements are one element of memory.
func isOneElement(l backend.Layout) bool {
	for i, n := range l.Shape {
		if n != 1 && l.Strides[i] != 0 {
			return false
		}
	}
	return true
}

// track adds a deferred result to the lists, and removes entries that are done.
func (f *fusion) track(w weak.Pointer[Storage]) {
	if f.outputs = append(f.outputs, w); len(f.outputs) > maxOutputs {
		f.outputs = slices.DeleteFunc(f.outputs, func(w weak.Pointer[Storage]) bool {
			s := w.Value()
			return s == nil || s.deferred.Load() == nil || s.hadDependents
		})
	}
	if len(f.outputs) > maxOutputs {
		if oldest := f.outputs[0].Value(); oldest != nil && oldest.ours() {
			_ = f.compute(oldest) // an error comes again when somebody needs the elements
		}
		f.outputs = slices.Delete(f.outputs, 0, 1)
	}
	if f.all = append(f.all, w); len(f.all) > f.allLimit {
		f.all = slices.DeleteFunc(f.all, isDone)
		f.allLimit = max(256, 2*len(f.all))
	}
}

// isDone reports whether a result is collected or computed.
func isDone(w weak.Pointer[Storage]) bool {
	s := w.Value()
	return s == nil || s.deferred.Load() == nil
}

// computeDeferred computes deferred results: those without dependents, or all.
func (f *fusion) computeDeferred(all bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	lists := [][]weak.Pointer[Storage]{f.outputs}
	if all {
		lists = append(lists, f.all)
	}
	for i, list := range lists {
		for _, w := range list {
			if s := w.Value(); s != nil && (i > 0 || !s.hadDependents) && s.ours() {
				if err := f.compute(s); err != nil {
					return err
				}
			}
		}
	}
	f.outputs = f.outputs[:0]
	return nil
}

// relievePressure computes what is deferred, as far as memory allows. It reports whether there was anything.
func (f *fusion) relievePressure() bool {
	if !f.mu.TryLock() { // a computation is under way, which needs the memory itself
		return false
	}
	defer f.mu.Unlock()
	some := false
	for _, w := range slices.Clone(f.all) {
		if s := w.Value(); s != nil && s.deferred.Load() != nil && s.ours() && f.compute(s) == nil {
			some = true
		}
	}
	return some
}

// compute gives a deferred result its memory and its elements. The caller holds the mutex.
func (f *fusion) compute(s *Storage) error {
	e := s.deferred.Load()
	if e == nil {
		return nil
	}
	if e.capture != nil && !s.ours() {
		return f.nameError(s, errors.New("the result is deferred in a capture of another goroutine, or one that has failed"))
	}
	if e.capture == nil && f.b.Capturing() { // it was deferred before: the graph must not compute it
		done := make(chan error)
		go func() { done <- f.computeNow(s, e) }()
		return <-done
	}
	return f.computeNow(s, e)
}

// ours reports whether a deferred result belongs to the capture of the calling goroutine, or both to none.
func (s *Storage) ours() bool {
	e := s.deferred.Load()
	return e == nil || e.capture == rocm.RecordingOn(s.on.dev)
}

// computeNow is compute on the goroutine that may launch it.
func (f *fusion) computeNow(s *Storage, e *deferred) error {
	var done bool
	var err error
	if e.ops > 1 {
		done, err = f.fuse(s, s, e)
	}
	if !done && err == nil {
		err = f.computeUnfused(s, e)
	}
	return f.nameError(s, err)
}

// nameError wraps an error with the names of the operations that lead to s.
func (f *fusion) nameError(s *Storage, err error) error {
	if err == nil {
		return nil
	}
	return &backend.OpError{Op: f.chain.namesOf(s), Location: f.b.dev.String(), Err: err}
}

// computeUnfused computes the deferred operands of an operation and then the operation, each with its own kernel.
func (f *fusion) computeUnfused(s *Storage, e *deferred) error {
	for _, o := range e.operands() {
		arg := o.Store.(*Storage)
		if d := arg.deferred.Load(); d != nil {
			if err := f.computeUnfused(arg, d); err != nil {
				return err
			}
		}
	}
	return f.run(s, e)
}

// finish ends the computation of s: the kernel that writes to its memory was launched, or err says why not.
func (s *Storage) finish(e *deferred, err error) error {
	if err != nil {
		s.own.Free()
		return err
	}
	s.buffer = &s.own
	s.stored()
	s.clearDeferred(e)
	return nil
}

// clearDeferred drops the operation, so that operands that nothing else needs are collected. If s is the last entry
// of a list it is removed at once, which is cheaper than a search later; that is the usual case where every result is
// used before the next one is made.
func (s *Storage) clearDeferred(e *deferred) {
	if s.deferred.Swap(nil) != nil {
		f := &s.on.fusion
		for _, o := range e.operands() {
			e.unlist(&o.Store.(*Storage).dependents)
		}
		e.unlist(&f.outputs)
		e.unlist(&f.all)
		args := e.args
		e.args = [3]backend.Operand{}
		for _, o := range args[:e.kind.Operands()] {
			o.Store.(*Storage).freeDropped()
		}
		s.freeDropped()
	}
	e.args = [3]backend.Operand{}
}

func (e *deferred) unlist(list *[]weak.Pointer[Storage]) {
	if last := len(*list) - 1; last >= 0 && (*list)[last] == e.listed {
		*list = (*list)[:last]
	}
}

// namesOf lists the operations that lead to a deferred result, in their order.
func (c *chain) namesOf(s *Storage) string {
	c.visit(s, nil)
	var names []string
	for i := range c.nodes {
		if i == maxNamed {
			names = append(names, fmt.Sprintf("and %d more", len(c.nodes)-i))
			break
		}
		names = append(names, c.nodes[i].e.name())
	}
	c.reset()
	return strings.Join(names, ", ")
}

const maxNamed = 8
