package host

import (
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Large results of elementwise operations are deferred, as on GPUs: a storage without memory knows the operation and
// its operands, which may be deferred themselves. When something needs the memory, the operations that lead there run
// tile by tile.
//
// Deferral cannot be observed: whoever reads memory calls Materialize first, and whoever writes to it PrepareWrite,
// which computes the results that are made of the old elements. Memory that may be written to at any time is not read
// by deferred operations.
type deferred struct {
	tile  func(n int) tileFunc // the loop, for a result of n elements
	alone func([]backend.Operand) (backend.Storage, error)
	in    []backend.Operand
	out   kernels.DType
	n     int
	bytes int
	ops   int // upper bounds of the operations, and of the inputs in memory, of the chain that ends here
	loads int

	// Under fusing.mu:
	uses  int           // how many deferred results and reductions were made of this one
	again int           // how often it was computed for others only
	busy  chan struct{} // closed when the computation under way has ended; nil if there is none
}

// Bounds of what is deferred.
const (
	maxChain   = 32   // operations of a chain
	maxInputs  = 8    // and its operands in memory
	maxPending = 32   // results that no others are made of
	maxKnown   = 1024 // results, of which most are in the middle of chains and unreachable
)

// fusing is what is deferred on the host.
var fusing = newFusion(os.Getenv("GOROCM_FUSE"))

// newFusion defers large results; smaller ones stay in the caches between operations. With "0" it defers none, and with
// "wait" all.
func newFusion(mode string) *fusion {
	switch mode {
	case "0":
		return &fusion{from: math.MaxInt, run: math.MaxInt}
	case "wait":
		return &fusion{from: 1, run: 1}
	}
	return &fusion{from: 1 << 20, run: 64}
}

type fusion struct {
	from  int          // bytes of the smallest results that are deferred
	run   int          // elements of the shortest dense run of an operand that is not contiguous
	count atomic.Int64 // of pending and running
	fused atomic.Int64 // chains of several operations that were computed

	mu      sync.Mutex
	pending []weak.Pointer[Storage] // deferred results, the oldest first, and some that were collected
	running []*program
}

// elementwise returns the result of an operation, deferred if possible. run is the operation at once.
func (f *fusion) elementwise(
	out kernels.DType, tile func(n int) tileFunc, run func([]backend.Operand) (backend.Storage, error),
	in ...backend.Operand,
) (backend.Storage, error) {
	n := in[len(in)-1].Layout.ElemCount()
	if n*out.Size() >= f.from && f.canRead(in) && tile(0) != nil {
		return f.hold(&deferred{tile: tile, alone: run, in: in, out: out, n: n, bytes: n * out.Size()}), nil
	}
	for _, o := range in {
		if err := o.Store.Materialize(); err != nil {
			return nil, err
		}
	}
	return run(in)
}

// canRead reports whether deferred operations can read operands later, and in tiles.
func (f *fusion) canRead(in []backend.Operand) bool {
	for _, o := range in {
		s := o.Store.(*Storage)
		if s.exposed.Load() || s.pinned != nil {
			return false
		}
		if o.Layout.IsContiguous() {
			continue
		}
		if m := backend.Coalesce(o.Layout.Shape, o.Layout.Strides); m.Strides[0][len(m.Dims)-1] > 1 ||
			m.Dims[len(m.Dims)-1] < f.run {
			return false
		}
	}
	return true
}

// hold returns a deferred result.
func (f *fusion) hold(e *deferred) *Storage {
	f.limit(e)
	r := new(struct {
		Storage
		how deferred
	})
	s := &r.Storage
	r.how = *e
	f.mu.Lock()
	for i, o := range r.how.in {
		if d := o.Store.(*Storage).deferred.Load(); d != nil && !slices.ContainsFunc(r.how.in[:i],
			func(p backend.Operand) bool { return p.Store == o.Store }) {
			d.uses++
		}
	}
	s.deferred.Store(&r.how)
	f.pending = append(f.pending, weak.Make(s))
	f.tidy()
	ends, many := f.ends(), len(f.pending) > maxKnown
	f.mu.Unlock()
	if len(ends) > maxPending {
		f.compute(ends[0])
	}
	if many { // results in the middle of chains, which nobody refers to any more
		runtime.GC()
	}
	return s
}

// ends are the deferred results that no others are made of, the oldest first. The caller holds the mutex.
func (f *fusion) ends() (ends []*Storage) {
	for _, w := range f.pending {
		if s := w.Value(); s != nil && !s.IsFreed() {
			if e := s.deferred.Load(); e != nil && e.uses == 0 {
				ends = append(ends, s)
			}
		}
	}
	return ends
}

// limit computes operands that cannot be a part of the chain of e, or would make it too long.
func (f *fusion) limit(e *deferred) {
	for {
		e.ops, e.loads = 1, 0
		var longest *Storage
		most := 0
		for _, o := range e.in {
			s := o.Store.(*Storage)
			d := s.deferred.Load()
			if d != nil && !(o.Layout.Offset == 0 && d.n == e.n && o.Layout.IsContiguous()) {
				f.compute(s)
				d = nil
			}
			if d == nil {
				e.loads++
				continue
			}
			e.ops += d.ops
			e.loads += d.loads
			if d.ops+d.loads > most {
				longest, most = s, d.ops+d.loads
			}
		}
		if longest == nil || e.ops <= maxChain && e.loads <= maxInputs {
			return
		}
		f.compute(longest)
	}
}

// tidy removes what is done or collected from the list. The caller holds the mutex.
func (f *fusion) tidy() {
	f.pending = slices.DeleteFunc(f.pending, func(w weak.Pointer[Storage]) bool {
		s := w.Value()
		return s == nil || s.deferred.Load() == nil
	})
	f.count.Store(int64(len(f.pending) + len(f.running)))
}

// compute gives a deferred result its memory and its elements.
func (f *fusion) compute(s *Storage) {
	for s.deferred.Load() != nil {
		f.mu.Lock()
		e := s.deferred.Load()
		switch {
		case e == nil:
			f.mu.Unlock()
		case e.busy != nil:
			busy := e.busy
			f.mu.Unlock()
			<-busy
		default:
			p := f.begin(s, e)
			f.mu.Unlock()
			func() {
				defer f.end(p)
				p.run()
				p.finished = true
			}()
		}
	}
}

// begin plans the computation of s. The caller holds the mutex.
func (f *fusion) begin(s *Storage, e *deferred) *program {
	p := newProgram(e.n)
	p.add(s, e)
	p.plan()
	f.running = append(f.running, p)
	f.count.Add(1)
	return p
}

// end gives the results of a program to their storages, and frees the memory that was freed while the program or other
// deferred results read it.
func (f *fusion) end(p *program) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range p.steps {
		st := &p.steps[i]
		switch {
		case st.memory == nil:
			st.e.again++
			continue
		case p.finished:
			m := st.memory
			st.s.Data, st.s.block, st.s.warm = m.Data, m.block, m.warm
			st.s.deferred.Store(nil)
			st.e.in = nil
		}
		st.e.busy = nil
	}
	close(p.done)
	f.running = slices.DeleteFunc(f.running, func(q *program) bool { return q == p })
	f.tidy()
	for _, in := range p.inputs {
		if s := in.o.Store.(*Storage); s.dying && !f.isRead(s) {
			s.dying = false
			s.release()
		}
	}
}

// isRead reports whether a deferred result that may still be needed is made of s, or a computation reads s. The caller
// holds the mutex.
func (f *fusion) isRead(s *Storage) bool {
	return f.reader(s) != nil || f.runner(s) != nil
}

// reader returns a deferred result that is made of s and may still be needed.
func (f *fusion) reader(s *Storage) *Storage {
	for _, w := range f.pending {
		if r := w.Value(); r != nil && !r.IsFreed() {
			if e := r.deferred.Load(); e != nil && e.reads(s) {
				return r
			}
		}
	}
	return nil
}

func (f *fusion) runner(s *Storage) *program {
	for _, p := range f.running {
		if slices.ContainsFunc(p.inputs, func(in input) bool { return in.o.Store == s }) {
			return p
		}
	}
	return nil
}

func (e *deferred) reads(s *Storage) bool {
	for _, o := range e.in {
		arg := o.Store.(*Storage)
		if arg == s {
			return true
		}
		if d := arg.deferred.Load(); d != nil && d.reads(s) {
			return true
		}
	}
	return false
}

// computeDependents computes the deferred results that are made of s.
func (f *fusion) computeDependents(s *Storage) {
	for f.count.Load() > 0 {
		f.mu.Lock()
		p, r := f.runner(s), f.reader(s)
		f.mu.Unlock()
		switch {
		case p != nil:
			<-p.done
		case r != nil:
			f.compute(r)
		default:
			return
		}
	}
}

// mayRelease reports whether the memory of a storage that was just freed can be used again at once. A deferred result
// that nothing is made of is forgotten.
func (f *fusion) mayRelease(s *Storage) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := s.deferred.Load()
	read := f.isRead(s)
	switch {
	case e != nil && !read && e.busy == nil:
		ins := e.in
		e.in = nil
		s.deferred.Store(nil)
		f.tidy()
		for _, o := range ins {
			if arg := o.Store.(*Storage); arg.dying && !f.isRead(arg) {
				arg.dying = false
				arg.release()
			}
		}
		return false
	case e != nil:
		return false
	case read:
		s.dying = true
	}
	return !read
}

// computeAll computes all that is deferred, but for what only other deferred results are made of.
func (f *fusion) computeAll() {
	f.mu.Lock()
	ends := f.ends()
	f.mu.Unlock()
	for _, s := range ends {
		f.compute(s)
	}
}
