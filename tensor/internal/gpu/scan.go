package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Few long rows are cut into tiles, so that there is work for the whole device.
const (
	scanLong = 1 << 14 // elements of such a row
	scanRows = 256     // that many rows are enough work
)

// Larger states are not shared. A variable for tests.
var sharedScanState = rocm.ScanStateSize

func (a *Backend) Cumsum(in backend.Operand, rows, cols int) (backend.Storage, error) {
	in, err := a.makeRowsDense(in)
	if err == nil {
		in, err = a.fitDims(in)
	}
	if err != nil {
		return nil, err
	}
	out, err := a.Alloc(rows * cols * in.DType.Size())
	if err != nil {
		return nil, err
	}
	args := pointer(rocm.NewArgs(), in).Buffer(buffer(out), 0).Struct(layout1(in)).U64(uint64(rows)).U64(uint64(cols))
	if rows < scanRows && cols >= scanLong {
		return out, a.cumsumTiles(args, in.DType, rows, cols)
	}
	return out, a.Launch("cumsum_"+in.DType.String(), rowBlocks(rows, (cols+31)/32), args)
}

// cumsumTiles scans in one pass. args are the first of the kernel's.
func (a *Backend) cumsumTiles(args *rocm.Args, dt kernels.DType, rows, cols int) error {
	const turn = 8 // bytes, before the state
	n := turn + kernels.ScanState(dt, rows, cols, sumSize(dt))
	state, err := a.dev.ScanState()
	if err != nil {
		return err
	}
	if n > sharedScanState {
		large, err := a.Alloc(n)
		if err != nil {
			return err
		}
		defer large.Release()
		if err := a.Fill(backend.Operand{Store: large, DType: kernels.I64, Layout: backend.Dense([]int{n / kernels.I64.Size()})}, 0); err != nil {
			return err
		}
		state = buffer(large)
	}
	tiles := (cols + kernels.ScanTile(dt) - 1) / kernels.ScanTile(dt)
	return a.Launch("cumsum_tiles_"+dt.String(), [3]int{min(rows*tiles, maxBlocks), 1, 1}, args.Buffer(state, 0).Buffer(state, turn))
}

// rowGrid is a block for each row, or part of one.
func rowGrid(rows int) [3]int { return [3]int{min(rows, maxBlocks), 1, 1} }

// sumSize is the size of what kernels add elements of a type in.
func sumSize(dt kernels.DType) int {
	if wide, ok := sumTypes[dt]; ok {
		return wide.Size()
	}
	return dt.Size()
}
