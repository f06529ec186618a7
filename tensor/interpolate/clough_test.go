package interpolate

import (
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/spatial"
)

// TestSweeps: the search for gradients ends where rounding keeps them moving by more than 1e-14 of the largest one.
func TestSweeps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, narrow := range []float64{1, 1e-3, 1e-6} {
		const n = 2000
		at, z := make([]float64, 2*n), make([]float64, n)
		for i := range n {
			at[2*i], at[2*i+1], z[i] = r.Float64(), narrow*r.Float64(), r.NormFloat64()
		}
		mesh := spatial.Delaunay(tensor.CPU().FromSlice(at, n, 2))
		_, sweeps := leastCurvature(z, 1, edgesOf(at, whole(mesh.Triangles), whole(mesh.Neighbors)))
		if sweeps > 300 {
			t.Errorf("%d sweeps for points in a band of %g", sweeps, narrow)
		}
	}
}
