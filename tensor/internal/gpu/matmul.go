package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Matmul takes the strides between matrices from the layouts of x and y, which have the same batch dims.
func (b *Backend) Matmul(x, y backend.Operand, p kernels.MatMul) (backend.Storage, error) {
	s, err := b.Alloc(int(p.Batch*p.CBat) * x.DType.Size())
	if err != nil {
		return nil, err
	}
	// Libraries multiply F32 and F64 matrices by vectors at the speed of memory. For small floats cuBLAS does so only
	// with dense columns or several vectors.
	if x.DType.IsSmallFloat() {
		maxVectors, transposed := int64(fewVectors), true
		if b.dev.Info().Platform == rocm.CUDA {
			maxVectors, transposed = 1, false
		}
		if done, err := matvec(b, x, y, s, p, maxVectors, transposed); done || err != nil {
			return s, err
		}
	}
	if done, err := gemm(b, x, y, s, p); done || err != nil {
		return s, err
	}
	if done, err := matvec(b, x, y, s, p, mostVectors, true); done || err != nil {
		return s, err
	}
	xs, _ := planesOf(x)
	ys, _ := planesOf(y)
	if tooManyDims(xs.Layout.Shape, xs.Layout.Strides, ys.Layout.Strides) {
		return nil, dimsError(xs.Layout.Shape)
	}
	args := pointer(pointer(rocm.NewArgs(), x), y).Buffer(buffer(s), 0).Struct(layout2(xs, ys)).Struct(&p)
	return s, b.Launch("matmul_"+x.DType.String(), matmulGrid(p), args)
}

// matmulGrid has a block for every tile of the result, up to what devices take in y and z; kernels stride over the
// rest.
func matmulGrid(p kernels.MatMul) [3]int {
	const tile, maxGrid = 64, 1 << 15
	tiles := func(n int64) int { return int(min((n+tile-1)/tile, maxGrid)) }
	return [3]int{tiles(p.N), tiles(p.M), int(min(p.Batch, maxGrid))}
}
