package tensor

import (
	"encoding/binary"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// masked counts what tiles of the mask keep, and waits for the sum. It is the size of the result, in which each tile then knows its place.
func (a *accelerator) masked(mask operand, in *operand) (storage, int, error) {
	if in == nil {
		if rank := len(mask.layout.Shape); rank > kernels.MaxDims {
			return nil, 0, dimsError(mask.layout.Shape)
		}
	}
	os := []operand{mask}
	if in != nil {
		os = append(os, *in)
	}
	if err := a.simplify(os); err != nil {
		return nil, 0, err
	}
	mask = os[0]
	n := mask.layout.ElemCount()
	ends, count, err := a.maskEnds(mask, n)
	if err != nil {
		return nil, 0, err
	}
	defer ends.release()
	size := U32.Size() * len(mask.layout.Shape)
	if in != nil {
		size = in.dtype.Size()
	}
	out, err := a.alloc(count * size)
	if err != nil || count*size == 0 {
		return out, count, err
	}
	name, args := "mask_places", pointer(rocm.NewArgs(), mask)
	if in != nil {
		name, args = "mask_select_"+sized(in.dtype), pointer(args, os[1])
	}
	args.Buffer(buffer(ends), 0).Buffer(buffer(out), 0)
	if in != nil {
		args.Struct(layout2(mask, os[1]))
	} else {
		args.Struct(layout1(mask)).Struct(dimsOf(mask))
	}
	return out, count, a.launch(name, maskGrid(n), args.U64(uint64(n)))
}

// maskEnds returns how many elements the mask keeps up to the end of each tile, and the last of these numbers.
func (a *accelerator) maskEnds(mask operand, n int) (ends storage, count int, err error) {
	tiles := (n + kernels.MaskTile - 1) / kernels.MaskTile
	counts, err := a.alloc(tiles * I64.Size())
	if err != nil {
		return nil, 0, err
	}
	defer counts.release()
	args := pointer(rocm.NewArgs(), mask).Buffer(buffer(counts), 0).Struct(layout1(mask)).U64(uint64(n))
	if err := a.launch("mask_count", maskGrid(n), args); err != nil {
		return nil, 0, err
	}
	if ends, err = a.cumsum(operand{counts, I64, denseLayout([]int{tiles})}, 1, tiles); err != nil {
		return nil, 0, err
	}
	var last [8]byte
	err = a.download(last[:], ends, (tiles-1)*I64.Size())
	return ends, int(binary.LittleEndian.Uint64(last[:])), err
}

func maskGrid(n int) [3]int { return rowGrid((n + kernels.MaskTile - 1) / kernels.MaskTile) }

// dimsOf has the dims of an operand as they are, not merged, and no strides.
func dimsOf(o operand) *kernels.Layout1 {
	l := &kernels.Layout1{Rank: int32(len(o.layout.Shape))}
	if o.layout.ElemCount() < 1<<31 {
		l.Flags = kernels.FlagIndex32
	}
	setDims(&l.Dims, o.layout.Shape)
	return l
}
