package nn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// place is the definition of a position among n elements.
func place(g float64, n int, o nn.GridOptions) float64 {
	at, low, high := ((g+1)*float64(n)-1)/2, -0.5, float64(n)-0.5
	if o.AlignCorners {
		at, low, high = (g+1)/2*float64(n-1), 0, float64(n-1)
	}
	if o.Mode == tensor.Reflect {
		for high > low && (at < low || at > high) {
			if at < low {
				at = 2*low - at
			} else {
				at = 2*high - at
			}
		}
	}
	if o.Mode == tensor.Reflect || o.Mode == tensor.Replicate {
		at = min(max(at, 0), float64(n-1))
	}
	return at
}

// sample is the definition of GridSample.
func sample(x, g grid, kind nn.Interpolation, o nn.GridOptions) grid {
	n := len(x.shape) - 2
	y := newGrid(append([]int{x.shape[0], x.shape[1]}, g.shape[1:n+1]...)...)
	each(y.shape, func(at []int) {
		point := append([]int{at[0]}, at[2:]...)
		pos := make([]float64, n)
		for d := range n {
			pos[d] = place(g.at(append(slices.Clone(point), n-1-d)...), x.shape[2+d], o)
		}
		each(x.shape[2:], func(from []int) {
			w := 1.0
			for d, i := range from {
				if kind == nn.ByNearest {
					if math.RoundToEven(pos[d]) != float64(i) {
						w = 0
					}
				} else {
					w *= max(0, 1-math.Abs(pos[d]-float64(i)))
				}
			}
			y.add(w*x.at(append([]int{at[0], at[1]}, from...)...), at...)
		})
	})
	return y
}

func TestGridSample(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for n := 1; n <= dims(dev); n++ {
			r := rand.New(rand.NewPCG(9, uint64(n)))
			for i, mode := range []any{nil, 0, tensor.Replicate, tensor.Reflect} {
				options := []nn.GridOptions{{Mode: mode}, {Mode: mode, AlignCorners: true}}
				if dev.Emulated() {
					options = thorough.Sample(options, 2, i+n)
				}
				for _, o := range options {
					xs, gs := []int{2, 2}, []int{2}
					for range n {
						xs, gs = append(xs, 1+r.IntN(5)), append(gs, 1+r.IntN(4))
					}
					x, g := drawn(r, xs...), newGrid(append(gs, n)...)
					for i := range g.values {
						g.values[i] = float64(r.IntN(97)-48) / 20
					}
					for _, kind := range []nn.Interpolation{nn.ByNearest, nn.ByLinear} {
						what := fmt.Sprintf("%s %v %+v: x %v at %v", dev.Location(), kind, o, xs, g.shape)
						xt, gt := x.tensor(tensor.F64, dev), g.tensor(tensor.F64, dev)
						same(t, what, nn.GridSample(xt, gt, kind, o), sample(x, g, kind, o), 200)
						narrow := nn.GridSample(xt.ToDType(tensor.F16), gt, kind, o)
						wide := nn.GridSample(xt.ToDType(tensor.F32), gt, kind, o).ToDType(tensor.F16)
						if !narrow.Equal(wide) {
							t.Errorf("%s: f16 is not f32, rounded once", what)
						}
						if i == 0 || n > 2 {
							continue
						}
						slopes(t, what, xt.Div(8), func(x *tensor.Tensor) *tensor.Tensor { return nn.GridSample(x, gt, kind, o) })
						if kind == nn.ByLinear {
							inside := gt.Add(0.0037) // away from the kinks, which are at elements and borders
							slopes(t, what, inside, func(g *tensor.Tensor) *tensor.Tensor { return nn.GridSample(xt, g, kind, o) })
						}
					}
				}
			}
		}
	}
}

// TestGridSampleHalves: halves go to the even neighbour, also where 0.5 more would be rounded up.
func TestGridSampleHalves(t *testing.T) {
	for _, dev := range devices(t) {
		x := tensor.Of(10, 20, 30, 40, 50).ToDevice(dev).Reshape(1, 1, 5)
		at := tensor.Of(-0.75, -0.25, 0.25, 0.75, math.NaN(), math.Inf(1)).ToDevice(dev).Reshape(1, 6, 1)
		got := nn.GridSample(x, at, nn.ByNearest, nn.GridOptions{AlignCorners: true}).Float64s() // 0.5, 1.5, 2.5, 3.5
		if want := []float64{10, 30, 30, 50, 0, 0}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", dev.Location(), got, want)
		}
	}
}

// TestAffineGrid: the identity gives back the image, and a transposition its transpose.
func TestAffineGrid(t *testing.T) {
	for _, dev := range devices(t) {
		dev.SetSeed(2)
		x := dev.Rand(tensor.F32, 1, 2, 4, 3)
		for _, corners := range []bool{false, true} {
			identity := dev.New([][][]float32{{{1, 0, 0}, {0, 1, 0}}})
			g := nn.AffineGrid(identity, []int{4, 3}, corners)
			if y := nn.GridSample(x, g, nn.ByLinear, nn.GridOptions{AlignCorners: corners, Mode: tensor.Replicate}); !y.AllClose(x, 0,
				1e-6) {
				t.Errorf("%s: the identity, corners %v", dev.Location(), corners)
			}
			swap := dev.New([][][]float32{{{0, 1, 0}, {1, 0, 0}}})
			g = nn.AffineGrid(swap, []int{3, 4}, corners)
			y := nn.GridSample(x, g, nn.ByLinear, nn.GridOptions{AlignCorners: corners, Mode: tensor.Replicate})
			if !y.AllClose(x.T(), 0, 1e-6) {
				t.Errorf("%s: the transpose, corners %v", dev.Location(), corners)
			}
		}
		// x' = 2x + 3y + 4z + 5 at the centres of a volume of 1 × 1 × 2
		theta := dev.New([][][]float64{{{2, 3, 4, 5}, {0, 1, 0, 0}, {0, 0, 1, 1}}})
		if got := nn.AffineGrid(theta, []int{1, 1, 2}, false).Float64s(); !slices.Equal(got, []float64{4, 0, 1, 6, 0, 1}) {
			t.Errorf("%s: %v", dev.Location(), got)
		}
	}
}
