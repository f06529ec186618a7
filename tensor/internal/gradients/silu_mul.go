package gradients

import (
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// SiluMul returns the gradients of x and y from that of n elements of SiluMul, nil for what is not wanted.
func SiluMul(b Launcher, x, y, grad backend.Operand, n int, wanted [2]bool) (out [2]backend.Storage, err error) {
	args := pointer(pointer(pointer(rocm.NewArgs(), x), y), grad)
	for i := range out {
		if !wanted[i] {
			args.U64(0)
			continue
		}
		if out[i], err = b.Alloc(n * x.DType.Size()); err != nil {
			return out, err
		}
		args.Buffer(buffer(out[i]), 0)
	}
	const perThread = 8
	grid := [3]int{min((n+block*perThread-1)/(block*perThread), maxBlocks), 1, 1}
	return out, b.Launch("silu_mul_gradient_"+x.DType.String(), grid, args.U64(uint64(n)))
}
