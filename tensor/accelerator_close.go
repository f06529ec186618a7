package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
)

// A reduction of elements that are deferred closes the chain that leads to them: one kernel computes them where it would have read them, in the
// order and with the bits of the reduction alone, and nothing writes them to memory. Somebody else who needs them computes them again, as
// with results in the middle of a chain.

// A reduction of fewer blocks than busyEnough leaves some of a large GPU idle, where a chain alone would not. It closes chains of up to
// fewOperations even so: for those, a launch and a way through memory cost more.
const (
	busyEnough    = 128
	fewOperations = 4
)

// reduceChain is reduceInto for elements that may be deferred. step is the name of the kernel without the type.
func (a *accelerator) reduceChain(step string, in operand, rows, cols, part int, out storage) error {
	if closed, err := a.closeChain(step, in, rows, cols, part, out); closed || err != nil {
		return err
	}
	return a.reduceInto(step+"_"+in.dtype.String(), in, rows, cols, part, out)
}

// closeChain reduces deferred elements with one kernel, where there is such a kernel. Otherwise it computes them, and reports false.
func (a *accelerator) closeChain(step string, in operand, rows, cols, part int, out storage) (closed bool, err error) {
	s := in.store.(*deviceStorage)
	if s.deferred.Load() == nil || !a.deferring() {
		return false, s.ready()
	}
	f := &a.fusion
	f.mu.Lock()
	defer f.mu.Unlock()
	e := s.deferred.Load()
	if e == nil {
		return false, nil
	}
	lie, ok := closes(e, in, cols, part)
	grid := reduceBlocks(in, rows, cols, part)
	if !ok || s.repeats >= maxRepeats || grid[0] < busyEnough && e.ops > fewOperations {
		return false, a.compute(s)
	}
	c := &f.chain
	c.reset()
	defer c.reset()
	c.add(s, e, e.shape)
	m, ok := c.walks(e)
	if !ok {
		c.reset()
		return false, a.compute(s)
	}
	p := &c.program
	p.Close = kernels.FusedClose{Op: step, Rows: lie}
	if !lie.Packed() {
		c.unpack()
	}
	if p.Rank > 0 && lie <= kernels.PackedRows {
		p.Close.Along = m.dims[p.Rank-1]%cols == 0
	}
	k, soon := a.fusedKernel(c)
	if soon { // nobody will need a kernel of the chain alone
		c.reset()
		return false, a.notComputed(s, a.oneByOne(s, e))
	}
	if k == nil {
		c.reset()
		return false, a.compute(s)
	}
	args := c.addNumbers(c.arguments(buffer(out), m)).Struct(layoutOfRows(in, cols)).U64(uint64(rows)).U64(uint64(cols)).U64(uint64(part))
	c.repeated()
	s.consumed = true
	return true, a.launchFunction(k, grid, args)
}

// closes says how the rows of a reduction lie in a deferred result, and whether there are kernels for it: when its elements are all reduced, each once,
// and neighbours side by side are in one row or in neighbouring ones.
func closes(e *deferred, in operand, cols, part int) (kernels.FusedRows, bool) {
	if in.layout.offset != 0 || in.layout.ElemCount() != e.n || len(merge(in.layout.shape, in.layout.strides).dims) > kernels.MaxDims {
		return 0, false
	}
	l := layoutOfRows(in, cols)
	pack := kernels.RowPack(in.dtype)
	if l.Flags&kernels.FlagContiguous != 0 {
		if cols%pack == 0 && part%pack == 0 {
			return kernels.PackedRows, true
		}
		return kernels.DenseRows, true
	}
	last := int(l.Rank) - 1
	if sideBySide(in, cols) == 0 || last < 1 || l.Dims[last] != int64(cols) || l.A[last-1] != 1 || l.A[last] < 1 {
		return 0, false
	}
	apart := func(stride int64) bool { return stride%int64(pack) != 0 }
	if l.Dims[last-1]%int64(pack) != 0 || apart(l.A[last]) || slices.ContainsFunc(l.A[:last-1], apart) {
		return kernels.Columns, true
	}
	return kernels.PackedColumns, true
}
