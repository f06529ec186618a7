package gradients

import (
	"fmt"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Select returns the gradient of size rows of cols elements of which grad [count cols] has those of the rows that ids
// selected: sums over equal ids in their order, in the compute type, and 0 for rows that none selected. ids have one of
// the types of index kernels.
func Select(b Launcher, ids, grad backend.Operand, count, size, cols int) (backend.Storage, error) {
	dt := grad.DType
	out, err := b.Alloc(size * cols * dt.Size())
	if err != nil {
		return nil, err
	}
	if err := b.Fill(backend.Operand{Store: out, DType: dt, Layout: backend.Dense([]int{size * cols})}, 0); err != nil {
		return nil, err
	}
	sorted, from, err := b.SortIDs(ids, count, size)
	if err != nil {
		return nil, err
	}
	defer sorted.Release()
	defer from.Release()
	args := pointer(rocm.NewArgs().Buffer(buffer(sorted), 0).Buffer(buffer(from), 0), grad).Buffer(buffer(out), 0).
		U64(uint64(count)).U64(uint64(size)).U64(uint64(cols))
	const pack = 8
	return out, b.Launch(fmt.Sprintf("select_gradient_%v_%v", ids.DType, dt), rowBlocks(count, (cols+pack-1)/pack),
		args)
}
