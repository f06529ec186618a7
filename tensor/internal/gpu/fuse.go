package gpu

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// chain is the operations that lead to a result, each once, and their inputs.
type chain struct {
	nodes   []chainNode
	inputs  []backend.Operand
	numbers []uint64
	program kernels.Fused
	key     []byte
}

type chainNode struct {
	store *Storage
	e     *deferred
}

func (c *chain) reset() {
	clear(c.nodes)
	clear(c.inputs)
	c.nodes, c.inputs, c.numbers = c.nodes[:0], c.inputs[:0], c.numbers[:0]
	p := &c.program
	*p = kernels.Fused{Inputs: p.Inputs[:0], Numbers: p.Numbers[:0], Steps: p.Steps[:0]}
}

// count returns the numbers of operations and of inputs.
func (c *chain) count(e *deferred) (ops, inputs int) {
	c.reset()
	c.add(nil, e, e.shape)
	ops, inputs = len(c.nodes), len(c.inputs)
	c.reset()
	return ops, inputs
}

// visit adds a deferred result after its operands, and returns its index. shape is that of the last result of the
// chain.
func (c *chain) visit(s *Storage, shape []int) uint8 {
	for i := range c.nodes {
		if c.nodes[i].store == s {
			return uint8(i)
		}
	}
	return c.add(s, s.deferred.Load(), shape)
}

func (c *chain) add(s *Storage, e *deferred, shape []int) uint8 {
	step := kernels.FusedStep{Kind: e.kind, Op: e.op, In: e.in, Out: e.out}
	for i, o := range e.operands() {
		arg := o.Store.(*Storage)
		switch {
		case arg.isNumber:
			step.Args[i] = kernels.FusedRef{From: kernels.FromNumber, Index: c.number(o.DType, arg.number)}
		case arg.deferred.Load() != nil:
			step.Args[i] = kernels.FusedRef{From: kernels.FromStep, Index: c.visit(arg, shape)}
		default:
			step.Args[i] = kernels.FusedRef{From: kernels.FromInput, Index: c.input(o, shape)}
		}
	}
	for i := range e.kind.Params() {
		t := kernels.F64
		if e.in.IsInt() {
			t = kernels.I64
		}
		step.Params[i] = c.number(t, e.params[i])
	}
	c.nodes = append(c.nodes, chainNode{s, e})
	c.program.Steps = append(c.program.Steps, step)
	return uint8(len(c.nodes) - 1)
}

func (c *chain) number(t kernels.DType, bits uint64) uint8 {
	c.numbers = append(c.numbers, bits)
	c.program.Numbers = append(c.program.Numbers, t)
	return uint8(len(c.numbers) - 1)
}

// input adds an operand in memory, once, and returns its index.
func (c *chain) input(o backend.Operand, shape []int) uint8 {
	dense := o.Layout.IsContiguous()
	if !dense && isOneElement(o.Layout) { // its shape does not matter
		o.Layout.Shape, o.Layout.Strides = shape, make([]int, len(shape))
	}
	for i, p := range c.inputs {
		if p.Store != o.Store || p.DType != o.DType || p.Layout.Offset != o.Layout.Offset {
			continue
		}
		if dense && p.Layout.IsContiguous() || !dense && slices.Equal(p.Layout.Strides, o.Layout.Strides) {
			return uint8(i)
		}
	}
	c.inputs = append(c.inputs, o)
	return uint8(len(c.inputs) - 1)
}

// fuse computes s with one kernel for the whole chain. It reports false where there is no such chain or no kernel.
// node is s, or nil where the computation does not count as one for dependents.
func (f *fusion) fuse(s, node *Storage, e *deferred) (done bool, err error) {
	c := &f.chain
	c.reset()
	defer c.reset()
	c.add(node, e, e.shape)
	if len(c.nodes) == 1 && !f.specialize {
		return false, nil
	}
	m, ok := c.walks(e)
	if !ok {
		return false, nil
	}
	k, _ := f.fusedKernel(c)
	if k == nil {
		return false, nil
	}
	if err := f.b.dev.AllocIn(&s.own, s.bytes); err != nil {
		return false, err
	}
	args := c.words(c.arguments(&s.own, m), e.n)
	c.addNumbers(args)
	c.countRecomputed()
	return true, s.finish(e, launchFunction(f.b, k, fusedBlocks(e.n, &c.program), block, args))
}

// arguments returns the first arguments of the kernel: inputs, result and layout.
func (c *chain) arguments(out *rocm.Buffer, m backend.Coalesced) *rocm.Args {
	args := rocm.NewArgs()
	for _, o := range c.inputs {
		pointer(args, o)
	}
	args.Buffer(out, 0)
	if c.program.Rank > 0 {
		c.words(args, m.Dims...)
		for _, strides := range m.Strides {
			c.words(args, strides...)
		}
	}
	return args
}

// words adds counts and strides at the width that the kernel takes.
func (c *chain) words(args *rocm.Args, list ...int) *rocm.Args {
	for _, x := range list {
		if c.program.Wide {
			args.U64(uint64(x))
		} else {
			args.U32(uint32(x))
		}
	}
	return args
}

func (c *chain) addNumbers(args *rocm.Args) *rocm.Args {
	for _, bits := range c.numbers {
		args.U64(bits)
	}
	return args
}

// countRecomputed counts one more computation of every result of the chain.
func (c *chain) countRecomputed() {
	for i := range c.nodes {
		if s := c.nodes[i].store; s != nil {
			s.recomputed++
		}
	}
}

// runLocked is run for callers that do not hold the mutex.
func (f *fusion) runLocked(s *Storage, e *deferred) error {
	if f.specialize {
		f.mu.Lock()
		defer f.mu.Unlock()
	}
	return f.run(s, e)
}

// fusedBlocks is the grid for n elements in packs: one pack per thread, and two where there are many. Threads of long
// chains take four if the GPU is busy even so.
func fusedBlocks(n int, p *kernels.Fused) [3]int {
	const enough = 2048
	each := block * max(p.Pack, 4)
	blocks := (n + each - 1) / each
	if p.Long() && len(p.Steps) > 1 {
		blocks = max(min(blocks, enough), (blocks+3)/4)
	}
	return [3]int{min(blocks, maxBlocks), 1, 1}
}

// walks sets how the program reads its inputs, and returns their coalesced layout. It reports false when they have
// too many dims.
func (c *chain) walks(e *deferred) (m backend.Coalesced, ok bool) {
	p := &c.program
	p.Wide = e.n > math.MaxInt32
	size := e.out.Size()
	var strided [maxInputs + 1][]int
	k := 0
	for _, o := range c.inputs {
		walk := kernels.FusedDense
		if !o.Layout.IsContiguous() {
			if k == len(strided) {
				return m, false
			}
			walk = kernels.FusedStrided
			strided[k] = o.Layout.Strides
			k++
		}
		p.Inputs = append(p.Inputs, kernels.FusedInput{Type: o.DType, Walk: walk})
		size = max(size, o.DType.Size())
	}
	if k > 0 {
		m = backend.Coalesce(e.shape, strided[:k]...)
		if len(m.Dims) > kernels.MaxDims {
			return m, false
		}
		p.Rank = len(m.Dims)
		p.Wide = p.Wide || !fits32(m)
	}
	p.Pack = min(8, 16/size)
	for k, i := 0, 0; i < len(c.inputs); i++ {
		o, in := c.inputs[i], &p.Inputs[i]
		aligned := (o.Layout.Offset*o.DType.Size()+int(buffer(o.Store).Ptr()))%(p.Pack*o.DType.Size()) == 0
		if in.Walk == kernels.FusedDense {
			if !aligned {
				p.Pack = 1
			}
			continue
		}
		switch packing(m, k, p.Pack, aligned) {
		case packBroadcast:
			in.Walk = kernels.FusedRepeated
		case packNone:
			p.Pack = 1
		}
		k++
	}
	if p.Pack == 1 {
		c.unpack()
	}
	return m, true
}

// unpack makes the kernel read one element at a time.
func (c *chain) unpack() {
	p := &c.program
	p.Pack = 1
	for i := range p.Inputs { // the same code reads both
		if p.Inputs[i].Walk == kernels.FusedRepeated {
			p.Inputs[i].Walk = kernels.FusedStrided
		}
	}
}

// How the elements of a pack lie in memory.
const (
	packNone = iota // not adjacent
	packDense
	packBroadcast
)

// packing returns how packs of operand k lie. kernels/elementwise.h has the same rule.
func packing(m backend.Coalesced, k, pack int, aligned bool) int {
	q := len(m.Dims) - 1
	if q > 0 && m.Dims[q]%pack != 0 {
		return packNone
	}
	switch m.Strides[k][q] {
	case 0:
		return packBroadcast
	case 1:
	default:
		return packNone
	}
	if !aligned || slices.ContainsFunc(m.Strides[k][:q], func(s int) bool { return s%pack != 0 }) {
		return packNone
	}
	return packDense
}
