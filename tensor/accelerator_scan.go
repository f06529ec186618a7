package tensor

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// Few long rows are cut into tiles, so that there is work for the whole device.
const (
	scanLong = 1 << 14 // elements of such a row
	scanRows = 256     // that many rows are enough work
)

func (a *accelerator) cumsum(in operand, rows, cols int) (storage, error) {
	in, err := a.rowsTogether(in)
	if err == nil {
		in, err = a.simple(in)
	}
	if err != nil {
		return nil, err
	}
	out, err := a.alloc(rows * cols * in.dtype.Size())
	if err != nil {
		return nil, err
	}
	args := pointer(rocm.NewArgs(), in).Buffer(buffer(out), 0).Struct(layout1(in)).U64(uint64(rows)).U64(uint64(cols))
	if rows < scanRows && cols >= scanLong {
		return out, a.cumsumTiles(args, in.dtype, rows, cols)
	}
	return out, a.launch("cumsum_"+in.dtype.String(), rowBlocks(rows, (cols+31)/32), args)
}

// cumsumTiles scans in one pass. args are the first of the kernel's.
func (a *accelerator) cumsumTiles(args *rocm.Args, dt DType, rows, cols int) error {
	n := kernels.ScanState(dt, rows, cols, sumSize(dt))
	state, err := a.alloc(n)
	if err != nil {
		return err
	}
	defer state.release()
	if err := a.fill(operand{state, I64, denseLayout([]int{n / I64.Size()})}, 0); err != nil {
		return err
	}
	tiles := (cols + kernels.ScanTile(dt) - 1) / kernels.ScanTile(dt)
	return a.launch("cumsum_tiles_"+dt.String(), [3]int{min(tiles, maxBlocks), rows, 1}, args.Buffer(buffer(state), 0))
}

// rowGrid is a block for each row, or part of one.
func rowGrid(rows int) [3]int { return [3]int{min(rows, maxBlocks), 1, 1} }

// sumSize is the size of what kernels add elements of a type in.
func sumSize(dt DType) int {
	if wide, ok := sumTypes[dt]; ok {
		return wide.Size()
	}
	return dt.Size()
}
