package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Few long rows are cut into tiles, so that the whole device has work.
const (
	scanLong = 1 << 14 // the fewest elements of such a row
	scanRows = 256     // so many rows are enough work without tiles
)

// sharedScanState is the largest state, in bytes, that scans share. Tests lower it.
var sharedScanState = rocm.ScanStateSize

func (b *Backend) Cumsum(in backend.Operand, rows, cols int) (backend.Storage, error) {
	in, err := b.makeRowsDense(in)
	if err == nil {
		in, err = b.fitDims(in)
	}
	if err != nil {
		return nil, err
	}
	out, err := b.Alloc(rows * cols * in.DType.Size())
	if err != nil {
		return nil, err
	}
	args := pointer(rocm.NewArgs(), in).Buffer(buffer(out), 0).Struct(layout1(in)).U64(uint64(rows)).U64(uint64(cols))
	if rows < scanRows && cols >= scanLong {
		return out, cumsumTiles(b, args, in.DType, rows, cols)
	}
	return out, b.Launch("cumsum_"+in.DType.String(), rowBlocks(rows, (cols+31)/32), args)
}

// cumsumTiles scans in one pass (decoupled look-back). args has the first arguments of the kernel.
func cumsumTiles(b *Backend, args *rocm.Args, dt kernels.DType, rows, cols int) error {
	const turn = 8 // bytes of the turn counter before the state
	n := turn + kernels.ScanState(dt, rows, cols, sumSize(dt))
	state, err := b.dev.ScanState()
	if err != nil {
		return err
	}
	if n > sharedScanState {
		large, err := b.Alloc(n)
		if err != nil {
			return err
		}
		defer large.Release()
		if err := b.Fill(backend.Operand{Store: large, DType: kernels.I64,
			Layout: backend.Dense([]int{n / kernels.I64.Size()})}, 0); err != nil {
			return err
		}
		state = buffer(large)
	}
	tiles := (cols + kernels.ScanTile(dt) - 1) / kernels.ScanTile(dt)
	return b.Launch("cumsum_tiles_"+dt.String(), [3]int{min(rows*tiles, maxBlocks), 1, 1},
		args.Buffer(state, 0).Buffer(state, turn))
}

// rowGrid has a block for each row, or for each part of one.
func rowGrid(rows int) [3]int { return [3]int{min(rows, maxBlocks), 1, 1} }

// sumSize is the size of the type in which kernels add elements of a dtype.
func sumSize(dt kernels.DType) int {
	if wide, ok := sumTypes[dt]; ok {
		return wide.Size()
	}
	return dt.Size()
}
