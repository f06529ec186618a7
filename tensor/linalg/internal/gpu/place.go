package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// A place says which of an operation's kernels has the matrices of a batch, and where: in shared memory, where groups
// of 32 threads or a block have one each, or in memory that is allocated for the launch.
type place struct {
	kernel string // groups, block or memory
	spread kernels.Spread
	grid   int
	bytes  int // of memory
}

const (
	groupsOfBlock = 8       // groups of 32 threads in a block
	groupSide     = 32      // the longest side of matrices that a group has
	mostBlocks    = 1 << 12 // of a grid
	mostMemory    = 1 << 10 // blocks that work in memory at once
)

// choosePlace chooses by the longer side of the matrices and their size in the work space, rows of ld elements.
func choosePlace(dt kernels.DType, batch, side, rows, ld int) place {
	size := rows * ld
	bytes := size * dt.Size()
	slots := min(groupsOfBlock, kernels.FactorGroupsRoom/bytes)
	p := place{spread: kernels.Spread{Batch: uint64(batch), Slots: 1, LD: uint32(ld), Size: uint64(size)}}
	switch {
	case side <= groupSide && slots >= 2:
		p.kernel, p.spread.Slots = "groups", uint32(slots)
		p.grid = min((batch+slots-1)/slots, mostBlocks)
	case bytes <= kernels.FactorBlockRoom:
		p.kernel, p.grid = "block", min(batch, mostBlocks)
	default:
		p.kernel, p.grid = "memory", min(batch, mostMemory)
		p.bytes = p.grid * bytes
	}
	return p
}

// run launches the kernel of an operation for the place. args are those of the operation.
func (s *Solver) run(op string, dt kernels.DType, p place, args *rocm.Args) error {
	work, err := s.alloc(p.bytes)
	if err != nil {
		return err
	}
	args = addStore(args.Struct(&p.spread), work[0])
	return s.launch.Launch(op+"_"+p.kernel+"_"+dt.String(), [3]int{p.grid, 1, 1}, args)
}

// oddRows is a stride of rows of n elements with which columns spread over the banks of shared memory.
func oddRows(n int) int { return n | 1 }
