package gradients

import (
	"fmt"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Norm is a norm of rows of Cols elements and the gradient of its result. All operands have one float type.
type Norm struct {
	In, Grad, Alpha backend.Operand
	Rows, Cols      int
	Eps             float64
	Layer           bool // a layer norm, whose mean is taken from the rows and which has a beta
}

// normParts is how many sums over some of the rows the kernels make, at most. It determines the bits of results, so it
// depends on no GPU: so many blocks keep large ones busy, and their sums are little beside the rows.
const normParts = 256

// kernel is what is in the names of the kernels for these rows: see kernels.NormGradient.
func (n *Norm) kernel() (each, pack int, ok bool) {
	pack = kernels.RowPack(n.In.DType)
	packed := n.Cols%pack == 0
	for _, o := range []backend.Operand{n.In, n.Grad, n.Alpha} {
		packed = packed && o.Layout.Offset%pack == 0
	}
	return kernels.NormGradient(n.In.DType, n.Cols, packed)
}

// Takes reports whether there is a kernel for these rows.
func (n *Norm) Takes() bool {
	_, _, ok := n.kernel()
	return ok && n.Rows > 0
}

// Gradients returns those of the rows, of alpha and of beta, nil for what is not wanted.
func (n *Norm) Gradients(b Launcher, ofRows, ofParameters bool) (out [3]backend.Storage, err error) {
	dt, size := n.In.DType, computeType(n.In.DType).Size()
	each, pack, _ := n.kernel()
	name, kinds := "rms_norm_gradient", 1
	if n.Layer {
		name, kinds = "layer_norm_gradient", 2
	}
	name = fmt.Sprintf("%s_%d_%d_%v", name, each, pack, dt)
	grid := rowBlocks(n.Rows, (n.Cols+each-1)/each)
	grid[0] = min(grid[0], normParts)
	p := kernels.RowGradient{Rows: int64(n.Rows), Cols: int64(n.Cols), Count: int64(grid[0]), Eps: n.Eps}
	args := pointer(pointer(pointer(rocm.NewArgs(), n.In), n.Grad), n.Alpha)
	if ofRows {
		if out[0], err = b.Alloc(n.Rows * n.Cols * dt.Size()); err != nil {
			return out, err
		}
		args.Buffer(buffer(out[0]), 0)
	} else {
		args.U64(0)
	}
	if !ofParameters {
		return out, b.Launch(name, grid, args.U64(0).Struct(&p))
	}
	parts, err := b.Alloc(grid[0] * kinds * n.Cols * size)
	if err != nil {
		return out, err
	}
	defer parts.Release()
	if err := b.Launch(name, grid, args.Buffer(buffer(parts), 0).Struct(&p)); err != nil {
		return out, err
	}
	out[1], out[2], err = n.addParts(b, parts, grid[0])
	return out, err
}

// addParts adds the sums over some of the rows.
func (n *Norm) addParts(b Launcher, parts backend.Storage, count int) (alpha, beta backend.Storage, err error) {
	dt := n.In.DType
	if alpha, err = b.Alloc(n.Cols * dt.Size()); err != nil {
		return nil, nil, err
	}
	args, columns := rocm.NewArgs().Buffer(buffer(parts), 0).Buffer(buffer(alpha), 0), n.Cols
	if n.Layer {
		if beta, err = b.Alloc(n.Cols * dt.Size()); err != nil {
			return nil, nil, err
		}
		args.Buffer(buffer(beta), 0)
		columns *= 2
	} else {
		args.U64(0)
	}
	const columnsOfBlock = 8 // slopes.hip has the same number
	grid := [3]int{min((columns+columnsOfBlock-1)/columnsOfBlock, maxBlocks), 1, 1}
	args.U64(uint64(count)).U64(uint64(n.Cols))
	return alpha, beta, b.Launch("norm_parameters_"+dt.String(), grid, args)
}
