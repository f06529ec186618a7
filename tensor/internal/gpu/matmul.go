package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Matmul takes the strides from matrix to matrix from the layouts of x and y, which have the same dims before the last two.
func (a *Backend) Matmul(x, y backend.Operand, p kernels.MatMul) (backend.Storage, error) {
	s, err := a.Alloc(int(p.Batch*p.CBat) * x.DType.Size())
	if err != nil {
		return nil, err
	}
	// Libraries multiply by vectors at the speed of memory where elements are F32 or F64. Of small floats, cuBLAS does where columns of the matrix are
	// dense, or for several vectors.
	if x.DType.IsSmallFloat() {
		most, turned := int64(fewVectors), true
		if a.dev.Info().Platform == rocm.CUDA {
			most, turned = 1, false
		}
		if done, err := a.matvec(x, y, s, p, most, turned); done || err != nil {
			return s, err
		}
	}
	if done, err := a.gemm(x, y, s, p); done || err != nil {
		return s, err
	}
	if done, err := a.matvec(x, y, s, p, mostVectors, true); done || err != nil {
		return s, err
	}
	xs, _ := planesOf(x)
	ys, _ := planesOf(y)
	if tooManyDims(xs.Layout.Shape, xs.Layout.Strides, ys.Layout.Strides) {
		return nil, dimsError(xs.Layout.Shape)
	}
	args := pointer(pointer(rocm.NewArgs(), x), y).Buffer(buffer(s), 0).Struct(layout2(xs, ys)).Struct(&p)
	return s, a.Launch("matmul_"+x.DType.String(), matmulGrid(p), args)
}

// matmulGrid has a block for every tile of the result, within what devices take in y and z; kernels stride over the rest.
func matmulGrid(p kernels.MatMul) [3]int {
	const tile, most = 64, 1 << 15
	tiles := func(n int64) int { return int(min((n+tile-1)/tile, most)) }
	return [3]int{tiles(p.N), tiles(p.M), int(min(p.Batch, most))}
}
