package gpu

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// A reduction of deferred elements closes the chain that leads to them. One kernel computes the elements and reduces
// them, in the order and with the bits of the reduction alone; nothing writes them to memory. Another user of the
// elements computes them again, as with results in the middle of a chain.

// A reduction in fewer than minBusyBlocks blocks leaves part of a large GPU idle, where the chain alone would not. It
// still closes chains of up to maxOpsOfIdle operations: for those, a launch and a round trip through memory cost
// more.
const (
	minBusyBlocks = 128
	maxOpsOfIdle  = 4
)

// closeChain reduces deferred elements with one kernel if there is one. Otherwise it computes the elements and
// reports false.
func (f *fusion) closeChain(
	op string, in backend.Operand, rows, cols, part int, out backend.Storage,
) (closed bool, err error) {
	s := in.Store.(*Storage)
	if s.deferred.Load() == nil || !f.deferring() {
		return false, s.Materialize()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	e := s.deferred.Load()
	if e == nil { // another goroutine has computed them
		return false, nil
	}
	grid := reduceBlocks(in, rows, cols, part)
	lie, ok := s.closeLayout(e, in, cols, part, grid[0])
	if !ok {
		return false, f.compute(s)
	}
	k, args, soon := f.closingKernel(s, e, kernels.FusedClose{Op: op, Rows: lie}, cols, buffer(out))
	switch {
	case soon: // a kernel of the chain alone would not be used again
		return false, f.nameError(s, f.computeUnfused(s, e))
	case k == nil:
		return false, f.compute(s)
	}
	s.hadDependents = true
	return true, reduceRows(f.b, k, args, in, rows, cols, part)
}

// closeLayout decides whether a reduction closes the chain that leads to s, and returns the layout of its rows in the
// chain's result. It closes the chain if it reduces all elements and consecutive elements belong to the same row or
// to consecutive rows.
func (s *Storage) closeLayout(e *deferred, in backend.Operand, cols, part, blocks int) (kernels.FusedRows, bool) {
	often := s.recomputed >= maxRecomputed
	whole := in.Layout.Offset == 0 && in.Layout.ElemCount() == e.n
	if often || !whole || blocks < minBusyBlocks && e.ops > maxOpsOfIdle ||
		len(backend.Coalesce(in.Layout.Shape, in.Layout.Strides).Dims) > kernels.MaxDims {
		return 0, false
	}
	l, pack := layoutOfRows(in, cols), kernels.RowPack(in.DType)
	apart := func(n int64) bool { return n%int64(pack) != 0 }
	if l.Flags&kernels.FlagContiguous != 0 {
		if apart(int64(cols)) || apart(int64(part)) {
			return kernels.DenseRows, true
		}
		return kernels.PackedRows, true
	}
	last := int(l.Rank) - 1
	if interleavedRows(in, cols) == 0 || last < 1 || l.Dims[last] != int64(cols) || l.A[last-1] != 1 || l.A[last] <= 1 {
		return 0, false
	}
	if apart(l.Dims[last-1]) || apart(l.A[last]) || slices.ContainsFunc(l.A[:last-1], apart) {
		return kernels.Columns, true
	}
	return kernels.PackedColumns, true
}

// closingKernel returns the kernel of the chain that leads to s and of the reduction that closes it, with the
// kernel's first arguments. If there is no such kernel, soon says whether one is being compiled.
func (f *fusion) closingKernel(
	s *Storage, e *deferred, closing kernels.FusedClose, cols int, out *rocm.Buffer,
) (k *rocm.Function, args *rocm.Args, soon bool) {
	c := &f.chain
	c.reset()
	defer c.reset()
	c.add(s, e, e.shape)
	m, ok := c.walks(e)
	if !ok {
		return nil, nil, false
	}
	p := &c.program
	if !closing.Rows.Packed() {
		c.unpack()
	}
	if p.Rank > 0 && closing.Rows.Dense() {
		closing.Along = m.Dims[p.Rank-1]%cols == 0
	}
	p.Close = closing
	if k, soon = f.fusedKernel(c); k == nil {
		return nil, nil, soon
	}
	c.countRecomputed()
	return k, c.addNumbers(c.arguments(out, m)), false
}
