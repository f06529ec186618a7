package gpu

import (
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

// Elementwise operations on a GPU are not launched when they are called. Their results are deferred: storages without memory that know the
// operation and its operands, which may be deferred themselves. When something wants the memory, the operations that lead there become one
// kernel (accelerator_fuse.go), which reads the operands once and writes one result.
//
// What keeps this from being seen:
//
//   - Tensor.operand, the door to memory, computes first. Elementwise operations, and reductions (accelerator_close.go), go through
//     Tensor.deferrable, which does not.
//   - What writes to memory goes through storage.claim, which first computes all results that are to be made of it.
//   - Waiting for the device, measuring and profiling launch what is deferred. A capture begins with nothing deferred, and defers nothing.

// deferred is how the elements of a storage will be computed.
type deferred struct {
	kind    kernels.FusedKind
	op      string // the row of the table
	in, out kernels.DType
	args    [3]backend.Operand
	params  [2]uint64 // eight bytes each, as kernels take them
	shape   []int
	n       int // elements
	ops     int // at most so many operations, and inputs in memory, are in the chain that ends here
	inputs  int
	flat    bool // all inputs lie as the result does, or are one element: shapes do not matter

	listed weak.Pointer[Storage] // the result, as it is in the lists of deferred ones
}

// result is the storage of an elementwise operation, with what it takes to defer it: one thing to allocate, and to watch for Go's collector, for
// which small structs are not less work than large ones.
type result struct {
	Storage
	how deferred
}

func (e *deferred) operands() []backend.Operand { return e.args[:e.kind.Operands()] }

// name is what the operation is called in errors.
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

// fusion is what an accelerator knows about deferred results. The mutex is held while they are computed, too, so that each is once.
type fusion struct {
	mode        fuseMode
	hasCompiler atomic.Bool // there is a compiler
	lookOnce    sync.Once   // for it

	// Single operations have kernels that are made for the way in which their operands lie, in place of those that ask for it in every thread.
	// A GPU compiles either; the emulated one has the latter.
	specialize bool

	mu       sync.Mutex
	outputs  []weak.Pointer[Storage] // deferred results that no other one was made of, the oldest first
	all      []weak.Pointer[Storage] // deferred results, and some that are no more
	allLimit int                     // how many may be in all before the others are taken out
	chain    chain                   // used again and again
	kernels  fusedKernels
}

// fuseMode says when chains become kernels.
type fuseMode uint8

const (
	fuseLater fuseMode = iota // once a kernel was compiled in the background; until then operations run one by one
	fuseNever                 // nothing is deferred
	fuseWait                  // at once: whoever needs the result waits for the compiler
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
	a := &Backend{dev: d, DNN: d}
	a.fusion.mode = fuseModeOf(os.Getenv("GOROCM_FUSE"))
	if a.fusion.mode != fuseNever {
		a.fusion.specialize = !d.Emulated()
		d.OnWait(a.computeDeferred)
	}
	return a
}

// Bounds of what is deferred. A chain of more operations or inputs is cut: code and registers would grow out of proportion. More open
// results than maxOutputs are computed, the oldest first: the GPU shall have something to do, and their inputs' memory shall get free.
const (
	maxChain   = 32
	maxInputs  = 8
	maxOutputs = 16

	maxRecomputed = 2 // how often a result is computed for others before it is kept in memory
)

// deferring reports whether results may wait at all, now.
func (a *Backend) deferring() bool {
	return a.fusion.mode != fuseNever && a.dev.MayDefer() && a.canCompile()
}

// defers reports whether the result of an operation may wait.
func (a *Backend) defers(e *deferred) bool {
	if !a.deferring() {
		return false
	}
	for _, o := range e.operands() {
		if s := o.Store.(*Storage); s.exposed.Load() && !s.isNumber {
			return false
		}
	}
	return true
}

// canCompile reports whether there is a compiler. GPUs need one for every kernel; on the emulated device, which has code objects, looking for one takes
// time that nobody should wait for.
func (a *Backend) canCompile() bool {
	f := &a.fusion
	if f.hasCompiler.Load() {
		return true
	}
	look := func() { f.hasCompiler.Store(a.dev.CanCompile()) }
	f.lookOnce.Do(func() {
		switch {
		case !a.dev.Emulated():
			f.hasCompiler.Store(true)
		case f.mode == fuseWait:
			look()
		default:
			go look()
		}
	})
	return f.hasCompiler.Load()
}

// elementwise makes the result of an operation, deferred where it may be. r says how only.
func (a *Backend) elementwise(r *result) (backend.Storage, error) {
	s, e := &r.Storage, &r.how
	e.setShape()
	s.on, s.bytes = a, e.n*e.out.Size()
	if a.defers(e) {
		return s, a.deferResult(s, e)
	}
	for _, o := range e.operands() {
		if err := o.Store.Materialize(); err != nil {
			return nil, err
		}
	}
	if err := a.runLocked(s, e); err != nil {
		return nil, err
	}
	s.stored()
	return s, nil
}

// setShape notes the shape of the result.
func (e *deferred) setShape() {
	e.shape = e.args[len(e.operands())-1].Layout.Shape
	e.n = backend.Product(e.shape)
}

func (a *Backend) deferResult(s *Storage, e *deferred) error {
	f := &a.fusion
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := a.planFusion(e); err != nil {
		return err
	}
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
	a.track(w)
	return nil
}

// planFusion decides which of the deferred operands of e will be computed in the kernel that computes e, computes the others, and counts.
func (a *Backend) planFusion(e *deferred) error {
	for {
		e.ops, e.inputs, e.flat = 1, 0, true
		var longest *Storage
		most := 0
		for _, o := range e.operands() {
			s := o.Store.(*Storage)
			d := s.deferred.Load()
			if d != nil && (s.recomputed >= maxRecomputed || !d.fusible(o.Layout, e.shape)) {
				if err := a.compute(s); err != nil {
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
			e.ops, e.inputs = a.fusion.chain.count(e) // parts that are used twice were counted twice
		}
		if longest == nil || e.ops <= maxChain && e.inputs <= maxInputs {
			return nil
		}
		if err := a.compute(longest); err != nil {
			return err
		}
	}
}

// fusible reports whether an operand that lies so in the result of d can be computed where it is used, element by element.
func (d *deferred) fusible(l backend.Layout, shape []int) bool {
	return l.Offset == 0 && l.ElemCount() == d.n && l.IsContiguous() && (d.flat || slices.Equal(d.shape, shape))
}

// isOneElement reports whether all elements are one in memory.
func isOneElement(l backend.Layout) bool {
	for i, n := range l.Shape {
		if n != 1 && l.Strides[i] != 0 {
			return false
		}
	}
	return true
}

// track adds a deferred result to the lists, and takes out what is none any more.
func (a *Backend) track(w weak.Pointer[Storage]) {
	f := &a.fusion
	if f.outputs = append(f.outputs, w); len(f.outputs) > maxOutputs {
		f.outputs = slices.DeleteFunc(f.outputs, func(w weak.Pointer[Storage]) bool {
			s := w.Value()
			return s == nil || s.deferred.Load() == nil || s.hadDependents
		})
	}
	if len(f.outputs) > maxOutputs {
		if oldest := f.outputs[0].Value(); oldest != nil {
			_ = a.compute(oldest) // who wants its elements will be told
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

// computeDeferred computes what is deferred: the results that no other one was made of, or all.
func (a *Backend) computeDeferred(all bool) error {
	f := &a.fusion
	f.mu.Lock()
	defer f.mu.Unlock()
	lists := [][]weak.Pointer[Storage]{f.outputs}
	if all {
		lists = append(lists, f.all)
	}
	for i, list := range lists {
		for _, w := range list {
			if s := w.Value(); s != nil && (i > 0 || !s.hadDependents) {
				if err := a.compute(s); err != nil {
					return err
				}
			}
		}
	}
	f.outputs = f.outputs[:0]
	return nil
}

// relievePressure computes what is deferred, as far as there is memory. It reports whether there was something.
func (f *fusion) relievePressure(a *Backend) bool {
	if !f.mu.TryLock() { // something is computed right now: it needs memory itself
		return false
	}
	defer f.mu.Unlock()
	some := false
	for _, w := range slices.Clone(f.all) {
		if s := w.Value(); s != nil && s.deferred.Load() != nil && a.compute(s) == nil {
			some = true
		}
	}
	return some
}

// compute gives a deferred result its memory, and its elements. The mutex is held.
func (a *Backend) compute(s *Storage) error {
	e := s.deferred.Load()
	if e == nil {
		return nil
	}
	var done bool
	var err error
	if e.ops > 1 {
		done, err = a.fuse(s, s, e)
	}
	if !done && err == nil {
		err = a.computeUnfused(s, e)
	}
	return a.nameError(s, err)
}

// nameError says which operations an error is of.
func (a *Backend) nameError(s *Storage, err error) error {
	if err == nil {
		return nil
	}
	return &backend.OpError{Op: a.fusion.chain.namesOf(s), Location: a.dev.String(), Err: err}
}

// computeUnfused computes a result with the kernel of its operation, after what it is made of.
func (a *Backend) computeUnfused(s *Storage, e *deferred) error {
	for _, o := range e.operands() {
		arg := o.Store.(*Storage)
		if d := arg.deferred.Load(); d != nil {
			if err := a.computeUnfused(arg, d); err != nil {
				return err
			}
		}
	}
	return a.run(s, e)
}

// finish comes when the kernel that writes the elements of s to its own memory was launched, or was not.
func (s *Storage) finish(e *deferred, err error) error {
	if err != nil {
		s.own.Free()
		return err
	}
	s.buffer = &s.own
	s.clearDeferred(e)
	return nil
}

// clearDeferred forgets how the elements would be computed, so that operands that nothing else needs are collected. The lists of deferred results are left
// at once if s is the last in them, as where every result is looked at before the next one is made: looking through them later takes longer.
func (s *Storage) clearDeferred(e *deferred) {
	if s.deferred.Swap(nil) != nil {
		f := &s.on.fusion
		for _, o := range e.operands() {
			e.unlist(&o.Store.(*Storage).dependents)
		}
		e.unlist(&f.outputs)
		e.unlist(&f.all)
	}
	e.args = [3]backend.Operand{}
}

func (e *deferred) unlist(list *[]weak.Pointer[Storage]) {
	if last := len(*list) - 1; last >= 0 && (*list)[last] == e.listed {
		*list = (*list)[:last]
	}
}

// namesOf names the operations that a deferred result is made by, in their order.
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
