package tensor

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

func (a *accelerator) norm(in, alpha operand, beta *operand, rows, cols int, eps float64) (storage, error) {
	s, err := a.alloc(rows * cols * in.dtype.Size())
	if err != nil {
		return nil, err
	}
	name, args := "rms_norm_", pointer(pointer(rocm.NewArgs(), in), alpha)
	if beta != nil {
		name, args = "layer_norm_", pointer(args, *beta)
	}
	args = args.Buffer(buffer(s), 0).U64(uint64(rows)).U64(uint64(cols)).F64(eps)
	return s, a.launch(name+in.dtype.String(), rowBlocks(rows, cols), args)
}

func (a *accelerator) rope(in, cos, sin operand, p kernels.Rope) (storage, error) {
	s, err := a.alloc(in.layout.ElemCount() * in.dtype.Size())
	if err != nil {
		return nil, err
	}
	args := pointer(pointer(pointer(rocm.NewArgs(), in), cos), sin).Buffer(buffer(s), 0).Struct(&p)
	return s, a.launch("rope_"+in.dtype.String(), blocks(int(p.Rows*p.Half)), args)
}
