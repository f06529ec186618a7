package ndimage_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/ndimage"
)

func noise(seed uint64, shape ...int) *tensor.Tensor {
	rng := rand.New(rand.NewPCG(seed, 1))
	n := 1
	for _, v := range shape {
		n *= v
	}
	list := make([]float64, n)
	for i := range list {
		list[i] = rng.NormFloat64()
	}
	return tensor.CPU().FromSlice(list, shape...)
}

// TestRanks compares ranks of large windows with sorted ones, on views and in all types.
func TestRanks(t *testing.T) {
	const h, w, size = 20, 17, 7
	x := noise(1, w, h).T() // a view
	got := ndimage.MedianFilter(x, []int{size}, ndimage.Border{Mode: ndimage.Nearest}).ToVec2()
	list := x.ToVec2()
	for i := range h {
		for j := range w {
			all := []float64{}
			for a := i - size/2; a <= i+size/2; a++ {
				for b := j - size/2; b <= j+size/2; b++ {
					all = append(all, list[min(max(a, 0), h-1)][min(max(b, 0), w-1)])
				}
			}
			slices.Sort(all)
			if got[i][j] != all[size*size/2] {
				t.Fatalf("element %d %d is %g, want %g", i, j, got[i][j], all[size*size/2])
			}
		}
	}
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range []tensor.DType{tensor.U8, tensor.I64, tensor.F32, tensor.BF16, tensor.F64, tensor.Bool} {
			v := dev.FromSlice([]float64{0, 5, 1, 1, 0, 7}, 6).ToDType(dt)
			if got := ndimage.MedianFilter(v, []int{3}, ndimage.Border{}); got.DType() != dt || dt != tensor.Bool && !slices.Equal(got.Float64s(), []float64{0, 1, 1, 1, 1, 7}) {
				t.Errorf("medians of %v are %v", dt, got)
			}
			if got := ndimage.MaximumFilter(v, []int{2}, ndimage.Border{}); got.DType() != dt {
				t.Errorf("maxima of %v are of %v", dt, got.DType())
			}
			want := dt
			if !dt.IsFloat() {
				want = tensor.DefaultDType()
			}
			if got := ndimage.GaussianFilter(v, []float64{1}, ndimage.GaussianOptions{}); got.DType() != want {
				t.Errorf("smoothed %v is %v", dt, got.DType())
			}
		}
		nan := dev.FromSlice([]float64{1, 2, math.NaN(), 4, 5, 6}, 6)
		for _, v := range []*tensor.Tensor{nan, tensor.NewVar(nan)} {
			got := ndimage.MedianFilter(v, []int{3}, ndimage.Border{}).Detach().Float64s()
			for i, v := range got {
				if math.IsNaN(v) != (i >= 1 && i <= 3) {
					t.Errorf("medians beside NaN are %v", got)
				}
			}
		}
	})
}

// TestRegions compares parts and distances of a larger image with slow ones.
func TestRegions(t *testing.T) {
	const n = 40
	x := noise(2, n, n).Gt(-0.2)
	list := x.ToDType(tensor.F64).ToVec2()
	labels, count := ndimage.Label(x, nil)
	at := labels.ToVec2()
	distances, nearest := ndimage.DistanceTransform(x, []float64{1, 1.5})
	far, where := distances.ToVec2(), nearest.ToVec3()
	seen := map[float64]bool{}
	for i := range n {
		for j := range n {
			if (list[i][j] != 0) != (at[i][j] != 0) {
				t.Fatalf("element %d %d has the label %g", i, j, at[i][j])
			}
			seen[at[i][j]] = true
			if i > 0 && list[i][j] != 0 && list[i-1][j] != 0 && at[i][j] != at[i-1][j] {
				t.Fatalf("%d %d and the one above have other labels", i, j)
			}
			least := math.Inf(1)
			for a := range n {
				for b := range n {
					if list[a][b] == 0 {
						least = min(least, math.Hypot(float64(a-i), 1.5*float64(b-j)))
					}
				}
			}
			own := math.Hypot(where[0][i][j]-float64(i), 1.5*(where[1][i][j]-float64(j)))
			if math.Abs(far[i][j]-least) > 1e-12 || math.Abs(own-least) > 1e-12 {
				t.Fatalf("element %d %d is at %g and %g, want %g", i, j, far[i][j], own, least)
			}
		}
	}
	delete(seen, 0)
	if len(seen) != count {
		t.Errorf("%d labels, want %d", len(seen), count)
	}
	distances, nearest = ndimage.DistanceTransform(tensor.CPU().Ones(tensor.F32, 2, 2), nil)
	if !math.IsInf(distances.Min().ToScalar(), 1) || nearest.Max().ToScalar() != -1 {
		t.Errorf("without a 0: %v %v", distances, nearest)
	}
	r := ndimage.Measure(tensor.Of(1, 2), tensor.Of(0, 3).ToDType(tensor.I64), 3)
	if got := r.Count.ToVec1(); !slices.Equal(got, []float64{0, 0, 1}) || !math.IsNaN(r.Mean.ToVec1()[0]) || r.MinAt.ToVec2()[0][0] != -1 {
		t.Errorf("%v %v %v", r.Count, r.Mean, r.MinAt)
	}
}

// TestQuarters: rotations by 90 degrees move elements, and twice the transforms are exact inverses.
func TestQuarters(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		x := dev.Arange(tensor.F64, 12).Reshape(3, 4)
		for _, order := range []ndimage.Order{ndimage.Step, ndimage.Linear, ndimage.Cubic} {
			o := ndimage.RotateOptions{TransformOptions: ndimage.TransformOptions{Order: order}}
			got, want := ndimage.Rotate(x, 90, o), x.T().Flip(0)
			if !slices.Equal(got.Dims(), want.Dims()) || got.Sub(want).Abs().Max().ToScalar() > 1e-12 {
				t.Errorf("%v: %v, want %v", order, got, want)
			}
			if got := ndimage.Rotate(x, 360, o); got.Sub(x).Abs().Max().ToScalar() > 1e-12 {
				t.Errorf("%v: %v, want %v", order, got, x)
			}
			zoomed := ndimage.Zoom(x, []float64{3}, o.TransformOptions)
			if last := zoomed.Get(8).Get(11).ToScalar(); math.Abs(last-11) > 1e-12 {
				t.Errorf("%v: the last element of a zoom is %g, want 11", order, last)
			}
		}
	})
}

// TestGradients compares gradients with differences.
func TestGradients(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		x := noise(3, 5, 4).To(dev)
		at := dev.FromSlice([]float64{0.3, 1.7, 3.2, 2.4, 0.2, 1.9}, 2, 3)
		check := func(name string, x *tensor.Tensor, f func(x *tensor.Tensor) *tensor.Tensor) {
			sum := func(x *tensor.Tensor) *tensor.Tensor { return f(x).Sqr().Sum() }
			v := tensor.NewVar(x)
			got := sum(v).Backward().Get(v).Float64s()
			values := x.Float64s()
			for i := range values {
				moved := func(h float64) float64 {
					list := slices.Clone(values)
					list[i] += h
					return sum(dev.FromSlice(list, x.Dims()...)).ToScalar()
				}
				if want := (moved(1e-5) - moved(-1e-5)) / 2e-5; math.Abs(got[i]-want) > 1e-5*max(1, math.Abs(want)) {
					t.Errorf("%s: gradient %d is %g, want %g", name, i, got[i], want)
					return
				}
			}
		}
		for _, m := range []ndimage.Mode{ndimage.Reflect, ndimage.Constant} {
			b := ndimage.Border{Mode: m}
			o := ndimage.TransformOptions{Border: b}
			check("gaussian", x, func(x *tensor.Tensor) *tensor.Tensor {
				return ndimage.GaussianFilter(x, []float64{1}, ndimage.GaussianOptions{Border: b})
			})
			check("median", x, func(x *tensor.Tensor) *tensor.Tensor { return ndimage.MedianFilter(x, []int{3}, b) })
			check("maximum", x, func(x *tensor.Tensor) *tensor.Tensor { return ndimage.MaximumFilter(x, []int{3}, b) })
			check("image", x, func(x *tensor.Tensor) *tensor.Tensor { return ndimage.MapCoordinates(x, at, o) })
			check("positions", at, func(at *tensor.Tensor) *tensor.Tensor { return ndimage.MapCoordinates(x, at, o) })
			check("zoom", x, func(x *tensor.Tensor) *tensor.Tensor { return ndimage.Zoom(x, []float64{1.5}, o) })
			check("rotate", x, func(x *tensor.Tensor) *tensor.Tensor {
				return ndimage.Rotate(x, 20, ndimage.RotateOptions{TransformOptions: o})
			})
		}
	})
}

// TestOwn: results do not share memory with images, and images without elements are left alone.
func TestOwn(t *testing.T) {
	x := tensor.Of(1, 2, 3)
	for name, f := range map[string]func(x *tensor.Tensor) *tensor.Tensor{
		"gaussian": func(x *tensor.Tensor) *tensor.Tensor {
			return ndimage.GaussianFilter(x, []float64{0}, ndimage.GaussianOptions{})
		},
		"uniform": func(x *tensor.Tensor) *tensor.Tensor { return ndimage.UniformFilter(x, []int{1}, ndimage.Border{}) },
		"median":  func(x *tensor.Tensor) *tensor.Tensor { return ndimage.MedianFilter(x, []int{1}, ndimage.Border{}) },
		"maximum": func(x *tensor.Tensor) *tensor.Tensor { return ndimage.MaximumFilter(x, []int{1}, ndimage.Border{}) },
		"erosion": func(x *tensor.Tensor) *tensor.Tensor { return ndimage.GreyErosion(x, ndimage.Grey{Sizes: []int{1}}) },
		"footprint": func(x *tensor.Tensor) *tensor.Tensor {
			return ndimage.GreyErosion(x, ndimage.Grey{Footprint: tensor.Of(0, 1, 0)})
		},
		"zoom": func(x *tensor.Tensor) *tensor.Tensor {
			return ndimage.Zoom(x, []float64{1}, ndimage.TransformOptions{Order: ndimage.Linear})
		},
	} {
		y := f(x)
		y.ZeroSet()
		if x.ToVec1()[0] != 1 {
			t.Errorf("%s writes to the image", name)
			x = tensor.Of(1, 2, 3)
		}
	}
	empty := tensor.CPU().Zeros(tensor.F32, 0, 3)
	for name, y := range map[string]*tensor.Tensor{
		"gaussian": ndimage.GaussianFilter(empty, []float64{1}, ndimage.GaussianOptions{}),
		"median":   ndimage.MedianFilter(empty, []int{3}, ndimage.Border{}),
		"maximum":  ndimage.MaximumFilter(empty, []int{3}, ndimage.Border{}),
		"dilation": ndimage.BinaryDilation(empty, ndimage.Binary{}),
	} {
		if !slices.Equal(y.Dims(), []int{0, 3}) {
			t.Errorf("%s of nothing has the shape %v", name, y.Dims())
		}
	}
	if labels, n := ndimage.Label(empty, nil); n != 0 || labels.ElemCount() != 0 {
		t.Errorf("nothing has %d parts", n)
	}
	ndimage.DistanceTransform(empty, nil)
	far := tensor.CPU().FromSlice([]float64{1e300, -1e300, math.NaN(), math.Inf(1)}, 1, 4)
	for mode := ndimage.Auto; mode <= ndimage.Constant; mode++ {
		for order := ndimage.Cubic; order <= ndimage.Step; order++ {
			o := ndimage.TransformOptions{Border: ndimage.Border{Mode: mode}, Order: order}
			ndimage.MapCoordinates(x, far, o).Float64s() // no panic
		}
	}
}

// TestErrors checks what is refused.
func TestErrors(t *testing.T) {
	x := tensor.Of(1, 2, 3, 4).Reshape(2, 2)
	o := ndimage.TransformOptions{}
	for what, c := range map[string]struct {
		kind error
		f    func()
	}{
		"a scalar":      {tensor.ErrShape, func() { ndimage.UniformFilter(tensor.CPU().Zeros(tensor.F32), []int{3}, ndimage.Border{}) }},
		"complex":       {tensor.ErrDType, func() { ndimage.UniformFilter(tensor.Complex(x, x), []int{3}, ndimage.Border{}) }},
		"a mode":        {tensor.ErrValue, func() { ndimage.UniformFilter(x, []int{3}, ndimage.Border{Mode: 9}) }},
		"three sizes":   {tensor.ErrShape, func() { ndimage.UniformFilter(x, []int{3, 3, 3}, ndimage.Border{}) }},
		"no size":       {tensor.ErrValue, func() { ndimage.MedianFilter(x, []int{0}, ndimage.Border{}) }},
		"weights":       {tensor.ErrShape, func() { ndimage.Convolve(x, tensor.Of(1), ndimage.Border{}) }},
		"no weights":    {tensor.ErrValue, func() { ndimage.Correlate1D(x, nil, 0, ndimage.Border{}) }},
		"a dim":         {tensor.ErrShape, func() { ndimage.Sobel(x, 2, ndimage.Border{}) }},
		"a width":       {tensor.ErrValue, func() { ndimage.GaussianFilter(x, []float64{-1}, ndimage.GaussianOptions{}) }},
		"a percentage":  {tensor.ErrValue, func() { ndimage.PercentileFilter(x, 101, []int{3}, ndimage.Border{}) }},
		"a rank":        {tensor.ErrValue, func() { ndimage.RankFilter(x, 4, x, ndimage.Border{}) }},
		"a footprint":   {tensor.ErrValue, func() { ndimage.RankFilter(x, 0, x.ZerosLike(), ndimage.Border{}) }},
		"a structure":   {tensor.ErrShape, func() { ndimage.Label(x, x) }},
		"one side":      {tensor.ErrValue, func() { ndimage.Label(tensor.Of(1, 0), tensor.Of(1, 1, 0)) }},
		"a mask":        {tensor.ErrShape, func() { ndimage.BinaryErosion(x, ndimage.Binary{Mask: tensor.Of(1)}) }},
		"float labels":  {tensor.ErrDType, func() { ndimage.Measure(x, x, 1) }},
		"other labels":  {tensor.ErrShape, func() { ndimage.Measure(x, tensor.Of(1).ToDType(tensor.I64), 1) }},
		"a spacing":     {tensor.ErrValue, func() { ndimage.DistanceTransform(x, []float64{0}) }},
		"positions":     {tensor.ErrShape, func() { ndimage.MapCoordinates(x, tensor.Of(1), o) }},
		"a matrix":      {tensor.ErrShape, func() { ndimage.AffineTransform(x, [][]float64{{1}}, []float64{0}, nil, o) }},
		"a shift":       {tensor.ErrShape, func() { ndimage.Shift(x, []float64{1}, o) }},
		"a factor":      {tensor.ErrValue, func() { ndimage.Zoom(x, []float64{0}, o) }},
		"an order":      {tensor.ErrValue, func() { ndimage.Zoom(x, []float64{2}, ndimage.TransformOptions{Order: 7}) }},
		"one dim twice": {tensor.ErrShape, func() { ndimage.Rotate(x, 1, ndimage.RotateOptions{Dims: [2]int{1, 1}}) }},
		"an angle":      {tensor.ErrValue, func() { ndimage.Rotate(x, math.NaN(), ndimage.RotateOptions{}) }},
		"no elements":   {tensor.ErrShape, func() { ndimage.Zoom(tensor.CPU().Zeros(tensor.F32, 0), []float64{2}, o) }},
	} {
		if err := tensor.Catch(func() error { c.f(); return nil }); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want the error %q", what, err, c.kind)
		}
	}
}

// TestBinaryWithoutEnd: where images repeat without end, that is said, also when others come before them.
func TestBinaryWithoutEnd(t *testing.T) {
	gap := tensor.Of(1, 0, 1)
	for _, c := range []struct {
		image, structure []float64
		every            string // "" where it ends
	}{
		{[]float64{1, 0, 1, 0, 1, 0}, []float64{1, 0, 1}, "every 2 iterations"},
		{[]float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, []float64{1, 0, 1}, "every 2 iterations"},
		{[]float64{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, []float64{1, 0, 0, 0, 0, 0, 1}, "every 2 iterations"},
		{[]float64{1, 1, 0, 0, 0, 0}, []float64{1, 0, 1}, ""},
		{[]float64{1, 0, 0, 0, 0, 0}, []float64{1, 1, 1}, ""},
		{[]float64{1, 0, 0, 0, 0, 0}, []float64{1, 0, 0}, ""},
	} {
		b := ndimage.Binary{Structure: tensor.CPU().New(c.structure), Iterations: -1}
		err := tensor.Catch(func() error { ndimage.BinaryDilation(tensor.CPU().New(c.image), b); return nil })
		if c.every == "" && err != nil || c.every != "" && (!errors.Is(err, tensor.ErrValue) || !strings.Contains(err.Error(), c.every)) {
			t.Errorf("%v: %v, want %q", c, err, c.every)
		}
	}
	odd := tensor.Of(0, 1, 0, 1, 0, 1)
	err := tensor.Catch(func() error {
		ndimage.BinaryErosion(odd, ndimage.Binary{Structure: gap, Iterations: -1, Outside: true})
		return nil
	})
	if !errors.Is(err, tensor.ErrValue) || !strings.Contains(err.Error(), "every 2 iterations") {
		t.Errorf("erosion: %v", err)
	}
}

// TestFarWeights: a width that is too large is named as that, and no spacings are as nil.
func TestFarWeights(t *testing.T) {
	x := tensor.Of(1, 2, 0, 4)
	err := tensor.Catch(func() error { ndimage.GaussianFilter(x, []float64{1e9}, ndimage.GaussianOptions{}); return nil })
	if !errors.Is(err, tensor.ErrValue) || !strings.Contains(err.Error(), "reaches farther than 1e+06 elements") {
		t.Error(err)
	}
	far, _ := ndimage.DistanceTransform(x, []float64{})
	if want, _ := ndimage.DistanceTransform(x, nil); !far.Equal(want) {
		t.Errorf("%v, want %v", far, want)
	}
}

// TestTooLarge: what no memory can hold is refused.
func TestTooLarge(t *testing.T) {
	x := tensor.Of(1, 2, 3, 4).Reshape(2, 2)
	for what, f := range map[string]func(){
		"medians":  func() { ndimage.MedianFilter(x, []int{1 << 30}, ndimage.Border{}) },
		"means":    func() { ndimage.UniformFilter(x, []int{1 << 50}, ndimage.Border{}) },
		"maxima":   func() { ndimage.MaximumFilter(x, []int{1 << 50}, ndimage.Border{}) },
		"constant": func() { ndimage.MaximumFilter(x, []int{1 << 50}, ndimage.Border{Mode: ndimage.Constant}) },
		"a zoom":   func() { ndimage.Zoom(x, []float64{1e11}, ndimage.TransformOptions{}) },
	} {
		err := tensor.Catch(func() error { f(); return nil })
		if !errors.Is(err, tensor.ErrMemory) && !errors.Is(err, tensor.ErrShape) {
			t.Errorf("%s: %v, want an error about memory", what, err)
		}
	}
}
