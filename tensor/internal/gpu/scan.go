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

func (b *Backend) Scan(op *kernels.ScanOp, in backend.Operand, rows, cols int) (backend.Storage, error) {
	in, err := rowsDense(b, in)
	if err == nil {
		in, err = b.fitDims(in)
	}
	if err != nil {
		return nil, err
	}
	size := in.DType.Size()
	if op.Arg {
		size = kernels.U32.Size()
	}
	out, err := b.Alloc(rows * cols * size)
	if err != nil {
		return nil, err
	}
	args := pointer(rocm.NewArgs(), in).Buffer(buffer(out), 0).Struct(layout1(in)).U64(uint64(rows)).U64(uint64(cols))
	if rows < scanRows && cols >= scanLong {
		return out, scanTiles(b, op, args, in.DType, rows, cols)
	}
	return out, b.Launch(op.Name+"_"+in.DType.String(), rowBlocks(rows, (cols+31)/32), args)
}

// scanTiles scans in one pass (decoupled look-back). args has the first arguments of the kernel.
func scanTiles(b *Backend, op *kernels.ScanOp, args *rocm.Args, dt kernels.DType, rows, cols int) error {
	const turn = 8 // bytes of the turn counter before the state
	n := turn + op.TilesState(dt, rows, cols)
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
	tiles := (cols + op.Tile(dt) - 1) / op.Tile(dt)
	return b.Launch(op.Name+"_tiles_"+dt.String(), [3]int{min(rows*tiles, maxBlocks), 1, 1},
		args.Buffer(state, 0).Buffer(state, turn))
}

// SearchSorted searches for each value in a thread of its own.
func (b *Backend) SearchSorted(
	sorted, values backend.Operand, cols, each int, right bool,
) (backend.Storage, error) {
	n := values.Layout.ElemCount()
	out, err := b.Alloc(n * kernels.U32.Size())
	if err != nil {
		return nil, err
	}
	after := uint64(0)
	if right {
		after = 1
	}
	args := pointer(pointer(rocm.NewArgs(), sorted), values).Buffer(buffer(out), 0).U64(uint64(n)).U64(uint64(cols)).
		U64(uint64(each)).U64(after)
	return out, b.Launch("searchsorted_"+values.DType.String(), blocks(n), args)
}

// rowGrid has a block for each row, or for each part of one.
func rowGrid(rows int) [3]int { return [3]int{min(rows, maxBlocks), 1, 1} }
