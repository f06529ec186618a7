package ndimage_test

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/ndimage"
	"github.com/gorocm/gorocm/tensor/random"
)

// TestGather: loops on the host give what tensor operations give, which compute where there is a gradient.
func TestGather(t *testing.T) {
	g := random.New(4)
	for _, dims := range [][]int{{7, 9}, {1, 5}, {6}, {3, 4, 5}} {
		for _, dt := range []tensor.DType{tensor.F32, tensor.F64} {
			room := 1e-13 // sums in another order
			if dt == tensor.F32 {
				room = 1e-5
			}
			x := g.Normal(0, 1, dims, dt, tensor.CPU())
			at := g.Uniform(-20, 20, []int{len(dims), 700}, tensor.F64, tensor.CPU())
			odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e18, 0, 4, 5, 6, 8, -1e-13, 6 + 1e-12, 2.5, -0.5}
			for i, v := range odd {
				for d := range dims {
					at.Data().([]float64)[d*700+(i*50+d*7)%700] = v
				}
			}
			for mode := ndimage.Reflect; mode <= ndimage.Constant; mode++ {
				for order := ndimage.Cubic; order <= ndimage.Step; order++ {
					o := ndimage.TransformOptions{Order: order, Border: ndimage.Border{Mode: mode, Value: 3}}
					got := ndimage.MapCoordinates(x, at, o).Float64s()
					want := ndimage.MapCoordinates(x, tensor.NewVar(at), o).Float64s()
					for i, v := range got {
						if v != want[i] && !(v != v && want[i] != want[i]) && !(math.Abs(v-want[i]) <= room) {
							t.Fatalf("%v of %v, %v, %v: element %d is %v, want %v", dims, dt, mode, order, i, v, want[i])
						}
					}
				}
			}
		}
	}
}
