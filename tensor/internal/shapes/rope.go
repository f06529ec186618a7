package shapes

import (
	"fmt"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Rope returns the argument of kernels for the rotation of rows in a tensor of rank 4, whose positions are dim, by
// angles of that shape: [positions half] or [batch positions half], with at least as many positions.
func Rope(shape, angles []int, dim int, interleaved bool) (kernels.Rope, error) {
	half, n := shape[3]/2, len(angles)
	if n < 2 || n > 3 || angles[n-1] != half || angles[n-2] < shape[dim] || n == 3 && angles[0] != shape[0] {
		return kernels.Rope{}, &backend.ShapeError{Shape: angles, Message: fmt.Sprintf(
			"shape %v, want [%d %d] or [%d %d %d], or more positions", angles, shape[dim], half, shape[0], shape[dim],
			half)}
	}
	p := kernels.Rope{
		Rows: int64(backend.Product(shape[:3])), Half: int64(half), PerPosition: 1,
		Positions: int64(shape[dim]), PerBatch: int64(shape[1] * shape[2]),
	}
	if dim == 1 {
		p.PerPosition = int64(shape[2])
	}
	if n == 3 {
		p.BatchStep = int64(angles[1] * angles[2])
	}
	if interleaved {
		p.Interleaved = 1
	}
	return p, nil
}
