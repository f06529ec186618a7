package gpu

import (
	"encoding/binary"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Masked counts the elements that each tile of the mask selects, and waits for the sum, which is the size of the
// result. From the counts each tile knows where its elements go.
func (b *Backend) Masked(mask backend.Operand, in *backend.Operand) (backend.Storage, int, error) {
	if in == nil {
		if rank := len(mask.Layout.Shape); rank > kernels.MaxDims {
			return nil, 0, dimsError(mask.Layout.Shape)
		}
	}
	os := []backend.Operand{mask}
	if in != nil {
		os = append(os, *in)
	}
	if err := b.fitDimsTogether(os); err != nil {
		return nil, 0, err
	}
	mask = os[0]
	n := mask.Layout.ElemCount()
	ends, count, err := maskEnds(b, mask, n)
	if err != nil {
		return nil, 0, err
	}
	defer ends.Release()
	size := kernels.U32.Size() * len(mask.Layout.Shape)
	if in != nil {
		size = in.DType.Size()
	}
	out, err := b.Alloc(count * size)
	if err != nil || count*size == 0 {
		return out, count, err
	}
	name, args := "mask_indices", pointer(rocm.NewArgs(), mask)
	if in != nil {
		name, args = "mask_select_"+bitsName(in.DType), pointer(args, os[1])
	}
	args.Buffer(buffer(ends), 0).Buffer(buffer(out), 0)
	if in != nil {
		args.Struct(layout2(mask, os[1]))
	} else {
		args.Struct(layout1(mask)).Struct(dimsOf(mask))
	}
	return out, count, b.Launch(name, maskGrid(n), args.U64(uint64(n)))
}

// maskEnds returns the number of selected elements up to the end of each tile, and the total.
func maskEnds(b *Backend, mask backend.Operand, n int) (ends backend.Storage, count int, err error) {
	tiles := (n + kernels.MaskTile - 1) / kernels.MaskTile
	counts, err := b.Alloc(tiles * kernels.I64.Size())
	if err != nil {
		return nil, 0, err
	}
	defer counts.Release()
	args := pointer(rocm.NewArgs(), mask).Buffer(buffer(counts), 0).Struct(layout1(mask)).U64(uint64(n))
	if err := b.Launch("mask_count", maskGrid(n), args); err != nil {
		return nil, 0, err
	}
	vector := backend.Operand{Store: counts, DType: kernels.I64, Layout: backend.Dense([]int{tiles})}
	if ends, err = b.Scan(backend.ScanOps["cumsum"], vector, 1, tiles); err != nil {
		return nil, 0, err
	}
	var last [8]byte
	err = b.Download(last[:], ends, (tiles-1)*kernels.I64.Size())
	return ends, int(binary.LittleEndian.Uint64(last[:])), err
}

func maskGrid(n int) [3]int { return rowGrid((n + kernels.MaskTile - 1) / kernels.MaskTile) }

// dimsOf is the dims of an operand, not coalesced, without strides.
func dimsOf(o backend.Operand) *kernels.Layout1 {
	l := &kernels.Layout1{Rank: int32(len(o.Layout.Shape))}
	if int64(o.Layout.ElemCount()) < 1<<31 {
		l.Flags = kernels.FlagIndex32
	}
	setDims(&l.Dims, o.Layout.Shape)
	return l
}
