package host

import (
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// tileElems is how many elements of each result of a chain are computed at a time: a few of them stay in the second
// caches, and loops over fewer cost too much between them.
const tileElems = vectors

// tileFunc is the loop of an operation, over memory of as many elements each.
type tileFunc func(out []byte, in *[3][]byte)

// program is a chain of operations, tile by tile.
type program struct {
	n        int
	inputs   []input
	steps    []step // in an order in which they can be computed; the last one is the result
	buffers  []int  // sizes of elements
	done     chan struct{}
	finished bool
	states   sync.Pool // of *tileState
}

// input is an operand in memory.
type input struct {
	o      backend.Operand
	data   []byte
	size   int
	dense  bool
	number bool // all elements are one
	m      backend.Coalesced
}

type step struct {
	s      *Storage
	e      *deferred
	in     [3]source
	args   int // how many of in it has
	run    tileFunc
	size   int
	buffer int      // which buffer has the tile, if memory is nil
	last   int      // the last step that reads the tile
	used   int      // how many steps read it
	keep   bool     // the whole result is stored
	memory *Storage // of the whole result, or nil
}

// source is where a step reads: a step, or an input if that is below 0 (-1 is the first one).
type source int

// tileState is what one goroutine needs to run a program.
type tileState struct {
	inputs  [][]byte // copies of inputs that are not dense, or nil
	buffers [][]byte
}

func newProgram(n int) *program { return &program{n: n, done: make(chan struct{})} }

// add adds a deferred result after its operands, each once, and returns its index. The caller holds fusing.mu.
func (p *program) add(s *Storage, e *deferred) int {
	for i := range p.steps {
		if p.steps[i].s == s {
			return i
		}
	}
	st := step{s: s, e: e, size: e.out.Size(), args: len(e.in)}
	for i, o := range e.in {
		arg := o.Store.(*Storage)
		if d := arg.deferred.Load(); d != nil {
			st.in[i] = source(p.add(arg, d))
		} else {
			st.in[i] = p.input(o)
		}
	}
	p.steps = append(p.steps, st)
	return len(p.steps) - 1
}

// input adds an operand in memory, once.
func (p *program) input(o backend.Operand) source {
	size := o.DType.Size()
	in := input{o: o, size: size, data: o.Store.(*Storage).Data[o.Layout.Offset*size:]}
	in.dense = o.Layout.IsContiguous()
	if !in.dense {
		in.m = backend.Coalesce(o.Layout.Shape, o.Layout.Strides)
		in.number = len(in.m.Dims) == 1 && in.m.Strides[0][0] == 0
	}
	for i, q := range p.inputs {
		if q.o.Store == o.Store && q.o.DType == o.DType && q.o.Layout.Offset == o.Layout.Offset &&
			(q.dense && in.dense || q.number && in.number) {
			return source(-1 - i)
		}
	}
	p.inputs = append(p.inputs, in)
	return source(-len(p.inputs))
}

// plan decides which results are stored, and which buffer has the tile of each other step. Another result is stored
// beside the last one if other deferred results are made of it, or if it was computed before without being stored. The
// caller holds fusing.mu.
func (p *program) plan() {
	end := len(p.steps) - 1
	for i := range p.steps {
		for k := range p.steps[i].args {
			if from := p.steps[i].in[k]; from >= 0 {
				p.steps[from].last = i
				p.steps[from].used++
			}
		}
	}
	var free []int
	for i := range p.steps {
		st := &p.steps[i]
		other := st.e.uses > st.used || st.e.again > 0
		st.keep = i == end || other && st.e.busy == nil && !st.s.IsFreed()
		if st.keep {
			st.e.busy = p.done
		} else {
			if len(free) == 0 {
				free = append(free, len(p.buffers))
				p.buffers = append(p.buffers, 0)
			}
			st.buffer, free = free[len(free)-1], free[:len(free)-1]
			p.buffers[st.buffer] = max(p.buffers[st.buffer], st.size)
		}
		for j := range i { // results that are not read any more
			if q := &p.steps[j]; q.last == i && !q.keep {
				free = append(free, q.buffer)
			}
		}
	}
}

// prepare allocates the results and makes the loops. Results are written past the caches if they are large and no
// step reads them.
func (p *program) prepare() {
	for i := range p.steps {
		st, n := &p.steps[i], 0
		if st.keep {
			st.memory = NewUninitialized(st.e.bytes)
			if st.used == 0 {
				n = staysWarm(st.memory, p.n, st.e.bytes*(1+len(p.inputs)))
			}
		}
		st.run = st.e.tile(n)
	}
}

// run computes all tiles.
func (p *program) run() {
	if e := p.steps[0].e; len(p.steps) == 1 {
		s, _ := e.alone(e.in) // never fails on the host
		p.steps[0].memory = s.(*Storage)
		return
	}
	fusing.fused.Add(1)
	defer p.timed(0)()
	p.prepare()
	Parallel((p.n+tileElems-1)/tileElems, tileElems*len(p.steps), func(lo, hi int) {
		t := p.state()
		for ; lo < hi; lo++ {
			p.tile(t, lo*tileElems, min((lo+1)*tileElems, p.n), nil)
		}
		p.states.Put(t)
		fence(p.n)
	})
}

func (p *program) state() *tileState {
	if t, ok := p.states.Get().(*tileState); ok {
		return t
	}
	t := &tileState{inputs: make([][]byte, len(p.inputs)), buffers: make([][]byte, len(p.buffers))}
	for i, size := range p.buffers {
		t.buffers[i] = newBuffer(size)
	}
	for i := range p.inputs {
		if in := &p.inputs[i]; !in.dense {
			t.inputs[i] = newBuffer(in.size)
			if in.number {
				in.fill(t.inputs[i])
			}
		}
	}
	return t
}

func newBuffer(size int) []byte { return BytesOf(make([]uint64, (tileElems*size+7)/8)) }

// tile computes the elements lo to hi. The last result goes to end if that is not nil.
func (p *program) tile(t *tileState, lo, hi int, end []byte) {
	n := hi - lo
	where := func(i int) []byte {
		st := &p.steps[i]
		switch {
		case st.memory != nil:
			return st.memory.Data[lo*st.size : hi*st.size]
		case i == len(p.steps)-1:
			return end
		}
		return t.buffers[st.buffer][:n*st.size]
	}
	var in [3][]byte
	for i := range p.steps {
		st := &p.steps[i]
		for k := range st.args {
			if from := st.in[k]; from >= 0 {
				in[k] = where(int(from))
			} else {
				in[k] = p.inputs[-1-from].elems(t.inputs[-1-from], lo, hi)
			}
		}
		st.run(where(i), &in)
	}
}

// elems returns the elements lo to hi of an input, in buffer where they are not dense in memory.
func (in *input) elems(buffer []byte, lo, hi int) []byte {
	n := (hi - lo) * in.size
	if in.dense {
		return in.data[lo*in.size:][:n]
	}
	if in.number {
		return buffer[:n]
	}
	var whole []byte
	along := in.m.Strides[0][len(in.m.Dims)-1]
	in.m.EachRun(lo, hi, func(r backend.Run) {
		from := in.data[r.Offsets[0]*in.size:]
		switch {
		case along == 0:
			repeat(buffer[(r.Index-lo)*in.size:][:r.Len*in.size], from[:in.size])
		case r.Len == hi-lo:
			whole = from[:n]
		default:
			copy(buffer[(r.Index-lo)*in.size:][:r.Len*in.size], from)
		}
	})
	if whole != nil {
		return whole
	}
	return buffer[:n]
}

func (in *input) fill(buffer []byte) { repeat(buffer, in.data[:in.size]) }

// repeat fills out with copies of one element.
func repeat(out, one []byte) {
	for n := copy(out, one); n < len(out); n *= 2 {
		copy(out[n:], out[:n])
	}
}

// closeChain reduces deferred rows without storing them. It returns nil if in is not deferred, or its rows are too long
// or not dense.
func (f *fusion) closeChain(b Backend, op *kernels.ReduceOp, in backend.Operand, rows, cols int) backend.Storage {
	s := in.Store.(*Storage)
	if s.deferred.Load() == nil || !in.Layout.IsContiguous() || in.Layout.Offset != 0 || cols > tileElems {
		return nil
	}
	f.mu.Lock()
	e := s.deferred.Load()
	if e == nil || e.n != rows*cols || e.again > 0 || e.uses > 0 || e.busy != nil {
		f.mu.Unlock()
		return nil
	}
	p := newProgram(e.n)
	p.add(s, e)
	p.plan()
	last := &p.steps[len(p.steps)-1]
	last.keep, e.busy = false, nil
	e.uses++
	f.running = append(f.running, p)
	f.count.Add(1)
	f.mu.Unlock()
	defer f.end(p)
	out := p.reduce(b, op, in.DType, rows, cols)
	p.finished = true
	return out
}

// reduce computes the rows of the last result, as many at a time as a tile has room for, and reduces them.
func (p *program) reduce(b Backend, op *kernels.ReduceOp, dt kernels.DType, rows, cols int) backend.Storage {
	fusing.fused.Add(1)
	defer p.timed(rows * op.Out(dt).Size())()
	p.prepare()
	size := op.Out(dt).Size()
	out := NewUninitialized(rows * size)
	each := tileElems / cols
	Parallel((rows+each-1)/each, each*cols*(1+len(p.steps)), func(lo, hi int) {
		t := p.state()
		tile := &Storage{Data: newBuffer(dt.Size())}
		for ; lo < hi; lo++ {
			from, to := lo*each, min((lo+1)*each, rows)
			p.tile(t, from*cols, to*cols, tile.Data[:(to-from)*cols*dt.Size()])
			in := backend.Operand{Store: tile, DType: dt, Layout: backend.Dense([]int{to - from, cols})}
			part, _ := b.Reduce(op, in, to-from, cols) // never fails on the host
			copy(out.Data[from*size:to*size], part.(*Storage).Data)
		}
		p.states.Put(t)
	})
	return out
}
