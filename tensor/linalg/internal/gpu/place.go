package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// A place says which of an operation's kernels has the matrices of a batch, and where: in shared memory, where groups
// of 32 threads or a block have one each, or in memory that is allocated for the launch.
type place struct {
	kernel  string // groups, block or memory; rows, for LU, is groups whose threads have a row each
	spread  kernels.Spread
	grid    int
	threads int // of a block
	bytes   int // of memory
}

const (
	groupSize     = 32      // threads of a group
	groupsOfBlock = 8       // groups in a block, at most
	groupSide     = 32      // the longest side of matrices that a group has
	mostBlocks    = 1 << 12 // of a grid
	mostMemory    = 1 << 10 // blocks that work in memory at once
)

// choosePlace chooses by the longer side of the matrices and their size in the work space, rows of ld elements.
func (s *Solver) choosePlace(dt kernels.DType, batch, side, rows, ld int) place {
	room := kernels.FactorGroupsRoom
	if s.dev.Info().Platform == rocm.CUDA {
		room = kernels.FactorGroupsRoomCUDA
	}
	size := (rows*ld + 3) &^ 3 // so that each begins at a multiple of 16 bytes
	bytes := size * dt.Size()
	slots := min(groupsOfBlock, room/bytes)
	p := place{
		spread:  kernels.Spread{Batch: uint64(batch), Slots: 1, LD: uint32(ld), Size: uint64(size)},
		threads: groupSize * groupsOfBlock,
	}
	switch {
	case side <= groupSide && slots >= 2:
		p.kernel, p.spread.Slots, p.threads = "groups", uint32(slots), groupSize*slots
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
	return s.launch.LaunchBlocks(op+"_"+p.kernel+"_"+dt.String(), [3]int{p.grid, 1, 1}, p.threads, args)
}

// oddRows is a stride of rows of n elements with which columns spread over the banks of shared memory.
func oddRows(n int) int { return n | 1 }
