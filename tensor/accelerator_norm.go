package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// softmax takes dense rows, as the host does.
func (a *accelerator) softmax(in operand, rows, cols int, log bool) (storage, error) {
	in.layout = Layout{[]int{rows, cols}, []int{cols, 1}, in.layout.offset}
	return a.softmaxAlong(in, 1, log)
}

// softmaxAlong takes elements of any layout along any dim, and gives a dense result. Neighbours in memory stay neighbours.
func (a *accelerator) softmaxAlong(in operand, dim int, log bool) (storage, error) {
	s, err := a.alloc(in.layout.ElemCount() * in.dtype.Size())
	if err != nil {
		return nil, err
	}
	from, to := firsts(in, dim), firsts(operand{s, in.dtype, denseLayout(in.layout.shape)}, dim)
	if tooManyDims(from.layout.shape, from.layout.strides, to.layout.strides) {
		if in, err = a.densed(in); err != nil {
			return nil, err
		}
		from = firsts(in, dim)
	}
	name := "softmax_"
	if log {
		name = "logsoftmax_"
	}
	rows, cols, outStep := from.layout.ElemCount(), in.layout.shape[dim], product(in.layout.shape[dim+1:])
	args := pointer(pointer(rocm.NewArgs(), from), to).Struct(layout2(from, to)).
		U64(uint64(rows)).U64(uint64(cols)).I64(int64(in.layout.strides[dim])).I64(int64(outStep))
	return s, a.launch(name+in.dtype.String(), rowBlocks(rows, cols), args)
}

func (a *accelerator) norm(in, alpha operand, beta *operand, rows, cols int, eps float64) (storage, error) {
	s, err := a.alloc(rows * cols * in.dtype.Size())
	if err != nil {
		return nil, err
	}
	if in, err = a.simpleBefore(in, 1); err != nil {
		return nil, err
	}
	from, step := rowsOf(in)
	p := kernels.Norm{Rows: int64(rows), Cols: int64(cols), Step: int64(step), AlphaStep: int64(alpha.layout.strides[0]), Eps: eps}
	name, args := "rms_norm_", pointer(pointer(rocm.NewArgs(), from), alpha)
	if beta != nil {
		p.BetaStep = int64(beta.layout.strides[0])
		name, args = "layer_norm_", pointer(args, *beta)
	}
	args = args.Buffer(buffer(s), 0).Struct(layout1(from)).Struct(&p)
	return s, a.launch(name+in.dtype.String(), rowBlocks(rows, cols), args)
}

func (a *accelerator) rope(in, cos, sin operand, p kernels.Rope) (storage, error) {
	s, err := a.alloc(in.layout.ElemCount() * in.dtype.Size())
	if err != nil {
		return nil, err
	}
	from, step := rowsOf(in)
	angles := kernels.Angles{Step: int64(step), Cos: angleSteps(cos), Sin: angleSteps(sin)}
	args := pointer(pointer(pointer(rocm.NewArgs(), from), cos), sin).Buffer(buffer(s), 0).Struct(layout1(from)).Struct(&angles).Struct(&p)
	return s, a.launch("rope_"+in.dtype.String(), blocks(int(p.Rows*p.Half)), args)
}

// angleSteps are the strides of angles [batch positions half] or [positions half], which all batches share.
func angleSteps(o operand) (steps [3]int64) {
	strides := o.layout.strides
	for i, s := range slices.Backward(strides) {
		steps[i+3-len(strides)] = int64(s)
	}
	return steps
}
