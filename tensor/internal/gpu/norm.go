package gpu

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (b *Backend) Softmax(in backend.Operand, dim int, log bool) (backend.Storage, error) {
	s, err := b.Alloc(in.Layout.ElemCount() * in.DType.Size())
	if err != nil {
		return nil, err
	}
	from, to := firsts(in, dim), firsts(backend.Operand{Store: s, DType: in.DType,
		Layout: backend.Dense(in.Layout.Shape)}, dim)
	if tooManyDims(from.Layout.Shape, from.Layout.Strides, to.Layout.Strides) {
		if in, err = b.makeDense(in); err != nil {
			return nil, err
		}
		from = firsts(in, dim)
	}
	name := "softmax_"
	if log {
		name = "logsoftmax_"
	}
	rows, cols, outStep := from.Layout.ElemCount(), in.Layout.Shape[dim], backend.Product(in.Layout.Shape[dim+1:])
	args := pointer(pointer(rocm.NewArgs(), from), to).Struct(layout2(from, to)).
		U64(uint64(rows)).U64(uint64(cols)).I64(int64(in.Layout.Strides[dim])).I64(int64(outStep))
	packed := in.Layout.Strides[dim] == 1 && outStep == 1 && packedRows(from, cols) && packedRows(to, cols)
	return s, b.Launch(name+heldRows(in.DType, rows, cols, packed)+in.DType.String(), rowBlocks(rows, (cols+7)/8), args)
}

// heldRows is the prefix of the kernel that reads dense rows of up to two or four times HeldRow elements once, or many
// short ones with so few threads for each that none waits for another. It is empty for the kernel for all rows, which
// reads rows above HeldRow again.
func heldRows(dt kernels.DType, rows, cols int, packed bool) string {
	held := kernels.HeldRow(dt)
	wave := held / block * 32 // elements that the threads of a wave hold
	if rows < manyRows {
		wave = held
	}
	switch {
	case !packed || cols > 4*held:
		return ""
	case wave < cols && cols <= 2*wave, held < cols && cols <= 2*held:
		return "x2_"
	case 2*wave < cols && cols <= 4*wave, 2*held < cols:
		return "x4_"
	}
	return ""
}

// manyRows keep a GPU busy with a wave for each.
const manyRows = 2048

// rowPack is the number of elements of the longest packs.
const rowPack = 8

// packedRows reports whether rows of cols elements, whose first elements are o, are whole and aligned packs of up to
// 16 bytes.
func packedRows(o backend.Operand, cols int) bool {
	if cols%rowPack != 0 || o.Layout.Offset%rowPack != 0 {
		return false
	}
	for _, s := range o.Layout.Strides {
		if s%rowPack != 0 {
			return false
		}
	}
	return true
}

func (b *Backend) Norm(
	in, alpha backend.Operand, beta *backend.Operand, rows, cols int, eps float64,
) (backend.Storage, error) {
	s, err := b.Alloc(rows * cols * in.DType.Size())
	if err != nil {
		return nil, err
	}
	if in, err = b.fitLeadingDims(in, 1); err != nil {
		return nil, err
	}
	from, stride := rowsOf(in)
	p := kernels.Norm{Rows: int64(rows), Cols: int64(cols), Step: int64(stride),
		AlphaStep: int64(alpha.Layout.Strides[0]), Eps: eps}
	name, args := "rms_norm_", pointer(pointer(rocm.NewArgs(), from), alpha)
	if beta != nil {
		p.BetaStep = int64(beta.Layout.Strides[0])
		name, args = "layer_norm_", pointer(args, *beta)
	}
	args = args.Buffer(buffer(s), 0).Struct(layout1(from)).Struct(&p)
	packed := stride == 1 && packedRows(from, cols) && p.AlphaStep == 1 && alpha.Layout.Offset%8 == 0
	if beta != nil {
		packed = packed && p.BetaStep == 1 && beta.Layout.Offset%8 == 0
	}
	return s, b.Launch(name+heldRows(in.DType, rows, cols, packed)+in.DType.String(), rowBlocks(rows, (cols+7)/8), args)
}

func (b *Backend) Rope(in, cos, sin backend.Operand, p kernels.Rope) (backend.Storage, error) {
	s, err := b.Alloc(in.Layout.ElemCount() * in.DType.Size())
	if err != nil {
		return nil, err
	}
	return s, rotate(b, in, backend.Operand{Store: s, DType: in.DType, Layout: backend.Dense(in.Layout.Shape)}, cos,
		sin,
		p)
}

func (b *Backend) RopeSet(x, cos, sin backend.Operand, p kernels.Rope) error {
	p.InPlace = 1
	return rotate(b, x, x, cos, sin, p)
}

func rotate(b *Backend, in, out, cos, sin backend.Operand, p kernels.Rope) error {
	from, stride := rowsOf(in)
	angles := kernels.Angles{Step: int64(stride), Cos: angleSteps(cos), Sin: angleSteps(sin)}
	args := pointer(pointer(pointer(pointer(rocm.NewArgs(), from), cos), sin),
		out).Struct(layout1(from)).Struct(&angles).Struct(&p)
	return b.Launch("rope_"+in.DType.String(), blocks(int(p.Rows*p.Half)), args)
}

// angleSteps returns the strides of angles [batch positions half], or [positions half], which all batches share.
func angleSteps(o backend.Operand) (steps [3]int64) {
	strides := o.Layout.Strides
	for i, s := range slices.Backward(strides) {
		steps[i+3-len(strides)] = int64(s)
	}
	return steps
}
