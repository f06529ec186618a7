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

// weight is the definition of interpolation along a dim: what element j of n gives to element i of o.
func weight(kind nn.Interpolation, opts nn.InterpolateOptions, i, o, j, n int) float64 {
	scale := float64(n) / float64(o)
	filter, support := func(x float64) float64 { return math.Max(0, 1-math.Abs(x)) }, 1.0
	if kind == nn.ByCubic {
		a := -0.75
		if opts.Antialias {
			a = -0.5
		}
		support = 2
		filter = func(x float64) float64 {
			switch x = math.Abs(x); {
			case x < 1:
				return (a+2)*x*x*x - (a+3)*x*x + 1
			case x < 2:
				return a*x*x*x - 5*a*x*x + 8*a*x - 4*a
			}
			return 0
		}
	}
	at := (float64(i)+0.5)*scale - 0.5
	switch {
	case kind == nn.ByNearest:
		return map[bool]float64{true: 1}[int(math.Floor(float64(i)*scale+1e-9)) == j]
	case kind == nn.ByNearestExact:
		return map[bool]float64{true: 1}[int(math.Floor((float64(i)+0.5)*scale+1e-9)) == j]
	case opts.Antialias:
		wide, sum, mine := math.Max(scale, 1), 0.0, 0.0
		for k := range n {
			if d := float64(k) - at; d > -support*wide && d < support*wide {
				w := filter(d / wide)
				sum += w
				if k == j {
					mine = w
				}
			}
		}
		return mine / sum
	case opts.AlignCorners && o == 1:
		at = 0
	case opts.AlignCorners:
		at = float64(i) * float64(n-1) / float64(o-1)
	}
	sum := 0.0
	for k := -n - 9; k < 2*n+9; k++ { // the border goes on
		if min(max(k, 0), n-1) == j {
			if kind == nn.ByLinear {
				sum += filter(min(max(at, 0), float64(n-1)) - float64(k))
			} else {
				sum += filter(at - float64(k))
			}
		}
	}
	return sum
}

func TestInterpolate(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for n := 1; n <= dims(dev); n++ {
			r := rand.New(rand.NewPCG(8, uint64(n)))
			for i := range few(dev, 5) {
				xs, sizes := []int{1, 2}, []int(nil)
				for range n {
					xs, sizes = append(xs, 2+r.IntN(6)), append(sizes, 1+r.IntN(9))
				}
				x := drawn(r, xs...)
				for _, kind := range []nn.Interpolation{nn.ByNearest, nn.ByNearestExact, nn.ByLinear, nn.ByCubic} {
					for _, o := range []nn.InterpolateOptions{{}, {AlignCorners: true}, {Antialias: true}} {
						if kind < nn.ByLinear && o != (nn.InterpolateOptions{}) {
							continue
						}
						want := newGrid(append([]int{1, 2}, sizes...)...)
						each(want.shape, func(at []int) {
							each(xs[2:], func(from []int) {
								w := 1.0
								for d := range n {
									w *= weight(kind, o, at[2+d], sizes[d], from[d], xs[2+d])
								}
								want.add(w*x.at(append([]int{at[0], at[1]}, from...)...), at...)
							})
						})
						what := fmt.Sprintf("%s %v %+v: %v to %v", dev.Location(), kind, o, xs, sizes)
						for dt, units := range map[tensor.DType]float64{tensor.F64: 200, tensor.F32: 200, tensor.F16: 1} {
							same(t, what, nn.Interpolate(x.tensor(dt, dev), sizes, kind, o), want, units)
						}
						if i == 0 && (n < 3 || !dev.Emulated() || thorough.On()) {
							slopes(t, what, x.tensor(tensor.F64, dev).Div(8), func(x *tensor.Tensor) *tensor.Tensor {
								return nn.Interpolate(x, sizes, kind, o)
							})
						}
					}
				}
			}
		}
	}
}

// TestInterpolateDocumentation are the examples of PyTorch's documentation of nn.Upsample.
func TestInterpolateDocumentation(t *testing.T) {
	for _, dev := range devices(t) {
		x := tensor.Of(1, 2, 3, 4).ToDevice(dev).Reshape(1, 1, 2, 2)
		for _, c := range []struct {
			kind nn.Interpolation
			o    nn.InterpolateOptions
			want []float64
		}{
			{nn.ByNearest, nn.InterpolateOptions{}, []float64{1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}},
			{nn.ByLinear, nn.InterpolateOptions{}, []float64{1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3,
				3.25, 3.75, 4}},
			{nn.ByLinear, nn.InterpolateOptions{AlignCorners: true}, []float64{1, 4. / 3, 5. / 3, 2, 5. / 3, 2, 7. / 3, 8. / 3,
				7. / 3, 8. / 3, 3, 10. / 3, 3, 10. / 3, 11. / 3, 4}},
		} {
			got := nn.Interpolate(x, []int{4, 4}, c.kind, c.o)
			same(t, fmt.Sprint(dev.Location(), " ", c.kind), got, grid{[]int{1, 1, 4, 4}, c.want}, 4)
		}
	}
}

// TestInterpolateAgainstMethods: the methods of tensors, which have kernels, give the same.
func TestInterpolateAgainstMethods(t *testing.T) {
	for _, dev := range devices(t) {
		dev.SetSeed(1)
		x := dev.Rand(tensor.F32, 2, 3, 7, 5).Affine(2, -1)
		for _, size := range [][]int{{3, 9}, {14, 10}, {1, 1}, {7, 4}} {
			nearest := x.UpsampleNearest2d(size[0], size[1])
			if got := nn.Interpolate(x, size, nn.ByNearest, nn.InterpolateOptions{}); !got.Equal(nearest) {
				t.Errorf("%s: nearest, to %v", dev.Location(), size)
			}
			for _, corners := range []bool{false, true} {
				want := x.UpsampleBilinear2d(size[0], size[1], corners)
				got := nn.Interpolate(x, size, nn.ByLinear, nn.InterpolateOptions{AlignCorners: corners})
				if !got.AllClose(want, 1e-6, 1e-6) {
					t.Errorf("%s: linear, to %v, corners %v", dev.Location(), size, corners)
				}
			}
			area := nn.Interpolate(x, size, nn.ByArea, nn.InterpolateOptions{})
			if !area.Equal(nn.AdaptiveAvgPool(x, size...)) {
				t.Errorf("%s: area, to %v", dev.Location(), size)
			}
		}
		apart := tensor.Of(math.NaN(), 1, 2, 3, 4, 5, 6, 7).ToDevice(dev).Reshape(1, 1, 8)
		half := nn.Interpolate(apart, []int{4}, nn.ByLinear, nn.InterpolateOptions{}).Float64s()
		if half[0] == half[0] || !slices.Equal(half[1:], []float64{2.5, 4.5, 6.5}) {
			t.Errorf("%s: %v: a NaN reaches its neighbours only", dev.Location(), half)
		}
	}
}
