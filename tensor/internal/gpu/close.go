package gpu

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// A reduction of elements that are deferred closes the chain that leads to them: one kernel computes them where it would have read them, in the
// order and with the bits of the reduction alone, and nothing writes them to memory. Somebody else who needs them computes them again, as
// with results in the middle of a chain.

// A reduction of fewer blocks than minBusyBlocks leaves some of a large GPU idle, where a chain alone would not. It closes chains of up to
// maxOpsOfIdle even so: for those, a launch and a way through memory cost more.
const (
	minBusyBlocks = 128
	maxOpsOfIdle  = 4
)

// closeChain reduces deferred elements with one kernel, where there is such a kernel. Otherwise it computes them, and reports false.
func (a *Backend) closeChain(op string, in backend.Operand, rows, cols, part int, out backend.Storage) (closed bool, err error) {
	s := in.Store.(*Storage)
	if s.deferred.Load() == nil || !a.deferring() {
		return false, s.Materialize()
	}
	a.fusion.mu.Lock()
	defer a.fusion.mu.Unlock()
	e := s.deferred.Load()
	if e == nil { // since another goroutine computed them
		return false, nil
	}
	grid := reduceBlocks(in, rows, cols, part)
	lie, ok := s.closeLayout(e, in, cols, part, grid[0])
	if !ok {
		return false, a.compute(s)
	}
	k, args, soon := a.closingKernel(s, e, kernels.FusedClose{Op: op, Rows: lie}, cols, buffer(out))
	switch {
	case soon: // nobody will need a kernel of the chain alone
		return false, a.nameError(s, a.computeUnfused(s, e))
	case k == nil:
		return false, a.compute(s)
	}
	s.hadDependents = true
	return true, a.reduceRows(k, args, in, rows, cols, part)
}

// closeLayout decides whether a reduction closes the chain that leads to s, and says how its rows lie there. It does when it reduces all elements, and
// neighbours in memory would be in one row or in neighbouring ones.
func (s *Storage) closeLayout(e *deferred, in backend.Operand, cols, part, blocks int) (kernels.FusedRows, bool) {
	often := s.recomputed >= maxRecomputed
	whole := in.Layout.Offset == 0 && in.Layout.ElemCount() == e.n
	if often || !whole || blocks < minBusyBlocks && e.ops > maxOpsOfIdle || len(backend.Coalesce(in.Layout.Shape, in.Layout.Strides).Dims) > kernels.MaxDims {
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

// closingKernel returns the kernel of the chain that leads to s and of the reduction that closes it, with the first of its arguments; or nil, and
// whether it is being compiled.
func (a *Backend) closingKernel(s *Storage, e *deferred, closing kernels.FusedClose, cols int, out *rocm.Buffer) (k *rocm.Function, args *rocm.Args, soon bool) {
	c := &a.fusion.chain
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
	if k, soon = a.fusedKernel(c); k == nil {
		return nil, nil, soon
	}
	c.countRecomputed()
	return k, c.addNumbers(c.arguments(out, m)), false
}
