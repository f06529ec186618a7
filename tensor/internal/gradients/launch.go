package gradients

import (
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Launcher is a backend that runs the kernels of this package.
type Launcher interface {
	backend.Backend
	backend.Launcher
	backend.CheckedLauncher
	// SortIDs returns n numbers from 0 to below limit, of an index type, in ascending order, with their positions.
	SortIDs(ids backend.Operand, n, limit int) (values, positions backend.Storage, err error)
}

// On returns the backend as one that runs kernels, and false for one that does not.
func On(b backend.Backend) (l Launcher, ok bool) {
	l, ok = b.(Launcher)
	return l, ok
}

func buffer(s backend.Storage) *rocm.Buffer { return s.(backend.DeviceMemory).DeviceBuffer() }

// pointer adds the first element of an operand.
func pointer(args *rocm.Args, o backend.Operand) *rocm.Args {
	return args.Buffer(buffer(o.Store), o.Layout.Offset*o.DType.Size())
}

// optional is pointer for an operand that may be nil: a null pointer.
func optional(args *rocm.Args, o *backend.Operand) *rocm.Args {
	if o == nil {
		return args.U64(0)
	}
	return pointer(args, *o)
}

const (
	block     = 256
	maxBlocks = 1 << 16
)

// rowBlocks is the grid for rows of `each` elements, or packs, of which teams of up to block threads take one each: see
// kernels/rows.h.
func rowBlocks(rows, each int) [3]int {
	group := 1
	for group < block && group < each {
		group *= 2
	}
	perBlock := block / group
	return [3]int{min((rows+perBlock-1)/perBlock, maxBlocks), 1, 1}
}
