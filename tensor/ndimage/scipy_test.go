package ndimage_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/ndimage"
)

// suite compares with SciPy on a device.
type suite struct{ *testutil.Suite }

func newSuite(t *testing.T, dev *tensor.Device, dt tensor.DType) *suite {
	s := &suite{testutil.NewSuite(t, dev, dt, 1e-4, 1e-9)}
	s.OrF64 = true
	return s
}

var (
	names = []string{"line", "image", "volume"}
	modes = map[string]ndimage.Mode{"reflect": ndimage.Reflect, "mirror": ndimage.Mirror, "nearest": ndimage.Nearest,
		"wrap": ndimage.Wrap, "constant": ndimage.Constant}
	orders = []ndimage.Order{ndimage.Step, ndimage.Linear, ndimage.Quadratic, ndimage.Cubic}
)

// TestSciPy compares all functions with SciPy's: on the host all cases, on other devices a part of the modes.
func TestSciPy(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range []tensor.DType{tensor.F64, tensor.F32} {
			if dt == tensor.F32 && !dev.IsCPU() && !thorough.On() {
				continue
			}
			s := newSuite(t, dev, dt)
			for _, name := range names {
				for mode := range modes {
					if dev.IsCPU() || thorough.On() || mode == "mirror" || name == "image" && mode == "constant" {
						s.filters(name, mode)
						s.transforms(name, mode)
					}
				}
				s.binary(name)
				s.regions(name)
			}
			if dev.IsCPU() && dt == tensor.F64 {
				s.All()
			}
		}
	})
}

func (s *suite) filters(name, mode string) {
	x, w := s.Input(name), s.Input(name+" weights")
	b := ndimage.Border{Mode: modes[mode], Value: 1.5}
	last, key := x.Rank()-1, name+" "+mode
	orders := []int{2}
	for range last {
		orders = append(orders, 1)
	}
	g := ndimage.GaussianOptions{Border: b}
	mask := w.Gt(-0.5)
	for what, got := range map[string]*tensor.Tensor{
		"correlate":         ndimage.Correlate(x, w, b),
		"convolve":          ndimage.Convolve(x, w, b),
		"correlate1d":       ndimage.Correlate1D(x, []float64{1, -2, 3, 0.5, 7, 1, 1, 2, 3, 4, 5}, -1, b),
		"uniform":           ndimage.UniformFilter(x, []int{4}, b),
		"gaussian":          ndimage.GaussianFilter(x, []float64{1.3}, g),
		"gaussian order":    ndimage.GaussianFilter(x, []float64{0.9}, ndimage.GaussianOptions{Border: b, Orders: orders, Truncate: 3}),
		"laplace":           ndimage.Laplace(x, b),
		"gaussian laplace":  ndimage.GaussianLaplace(x, []float64{1}, g),
		"gaussian gradient": ndimage.GaussianGradientMagnitude(x, []float64{1}, g),
		"sobel":             ndimage.Sobel(x, last, b),
		"prewitt":           ndimage.Prewitt(x, 0, b),
		"median":            ndimage.MedianFilter(x, []int{3}, b),
		"median even":       ndimage.MedianFilter(x, []int{4}, b),
		"percentile":        ndimage.PercentileFilter(x, 30, []int{3}, b),
		"maximum":           ndimage.MaximumFilter(x, []int{4}, b),
		"minimum":           ndimage.MinimumFilter(x, []int{5}, b),
		"rank":              ndimage.RankFilter(x, -2, mask, b),
		"erosion":           ndimage.GreyErosion(x, ndimage.Grey{Border: b, Sizes: []int{4}}),
		"dilation":          ndimage.GreyDilation(x, ndimage.Grey{Border: b, Sizes: []int{4}}),
		"opening":           ndimage.GreyOpening(x, ndimage.Grey{Border: b}),
		"closing":           ndimage.GreyClosing(x, ndimage.Grey{Border: b, Footprint: mask}),
		"tophat":            ndimage.WhiteTopHat(x, ndimage.Grey{Border: b}),
		"morphological":     ndimage.MorphologicalGradient(x, ndimage.Grey{Border: b}),
	} {
		s.Check(what+" "+key, got)
	}
	// the way of variables and of GPUs
	s.Check("median "+key, ndimage.MedianFilter(tensor.NewVar(x), []int{3}, b).Detach())
}

func (s *suite) transforms(name, mode string) {
	x, at := s.Input(name), s.Input(fmt.Sprintf("at %s %s", name, mode)).ToDType(tensor.F64)
	if s.DType == tensor.F32 { // positions that are rounded are elsewhere
		at = s.Dev.FromSlice(s.Array(fmt.Sprintf("at %s %s", name, mode)).Values, at.Dims()...)
	}
	rank := x.Rank()
	by, factors, offset := []float64{0.3}, []float64{1.6}, []float64{0.4}
	shape := []int{5}
	for range rank - 1 {
		by, factors, offset, shape = append(by, -1.2), append(factors, 0.7), append(offset, 0.4), append(shape, 5)
	}
	for degree, order := range orders {
		o := ndimage.TransformOptions{Border: ndimage.Border{Mode: modes[mode], Value: 1.5}, Order: order}
		key := fmt.Sprintf("%s %s %d", name, mode, degree)
		s.Check("map "+key, ndimage.MapCoordinates(x, at, o))
		s.Check("shift "+key, ndimage.Shift(x, by, o))
		s.Check("zoom "+key, ndimage.Zoom(x, factors, o))
		if rank > 1 {
			s.Check("rotate "+key, ndimage.Rotate(x, 33, ndimage.RotateOptions{TransformOptions: o}))
			s.Check("rotate keep "+key, ndimage.Rotate(x, -70, ndimage.RotateOptions{TransformOptions: o, Dims: [2]int{-1, 0}, Keep: true}))
		}
		values := s.Array("matrix " + key).Values
		matrix := [][]float64{}
		for row := range slices.Chunk(values, rank) {
			matrix = append(matrix, row)
		}
		s.Check("affine "+key, ndimage.AffineTransform(x, matrix, offset, shape, o))
		if scipy := map[string]string{"mirror": "mirror", "reflect": "reflect", "wrap": "grid-wrap"}[mode]; degree > 1 && scipy != "" {
			s.Check(fmt.Sprintf("filter %s %s %d", name, scipy, degree), ndimage.SplineFilter(x, o))
		}
	}
}

func (s *suite) binary(name string) {
	x, mask := s.Input("binary "+name), s.Input("mask "+name)
	full, some := ndimage.BinaryStructure(x.Rank(), x.Rank()), s.Input(name+" weights").Gt(-0.5)
	for border, outside := range []bool{false, true} {
		key := fmt.Sprintf("%s %d", name, border)
		s.Check("binary erosion "+key, ndimage.BinaryErosion(x, ndimage.Binary{Outside: outside}))
		s.Check("binary erosion full "+key, ndimage.BinaryErosion(x, ndimage.Binary{Structure: full, Outside: outside, Mask: mask}))
		s.Check("binary dilation "+key, ndimage.BinaryDilation(x, ndimage.Binary{Structure: some, Outside: outside}))
		s.Check("binary dilation twice "+key, ndimage.BinaryDilation(x, ndimage.Binary{Iterations: 2, Outside: outside, Mask: mask}))
	}
	s.Check("binary opening "+name, ndimage.BinaryOpening(x, ndimage.Binary{}))
	s.Check("binary closing "+name, ndimage.BinaryClosing(x, ndimage.Binary{}))
	s.Check("fill "+name, ndimage.BinaryFillHoles(x, nil))
	s.Check("propagation "+name, ndimage.BinaryPropagation(s.Input("seeds "+name), ndimage.Binary{Mask: x}))
}

func (s *suite) regions(name string) {
	x, b := s.Input(name), s.Input("binary "+name)
	labels, n := ndimage.Label(b, nil)
	s.Check("label faces "+name, labels)
	all, _ := ndimage.Label(b, ndimage.BinaryStructure(x.Rank(), x.Rank()))
	s.Check("label all "+name, all)
	r := ndimage.Measure(x, labels, n)
	for what, got := range map[string]*tensor.Tensor{
		"sum": r.Sum, "mean": r.Mean, "variance": r.Variance, "standard_deviation": r.Std, "minimum": r.Min, "maximum": r.Max,
		"minimum_position": r.MinAt, "maximum_position": r.MaxAt, "center_of_mass": r.Center,
	} {
		s.Check(what+" "+name, got)
	}
	ends := []float64{}
	for _, box := range ndimage.FindObjects(labels, n) {
		for d := range box.Start {
			ends = append(ends, float64(box.Start[d]), float64(box.Stop[d]))
		}
	}
	s.Check("objects "+name, tensor.CPU().FromSlice(ends, n, x.Rank(), 2))
	spacing := []float64{0.7}
	for range x.Rank() - 1 {
		spacing = append(spacing, 1.9)
	}
	for what, by := range map[string][]float64{"distance ": nil, "distance spaced ": spacing} {
		distances, nearest := ndimage.DistanceTransform(b, by)
		s.Check(what+name, distances)
		// each nearest position is 0 and at the distance
		ids := nearest.Get(0)
		for d := 1; d < x.Rank(); d++ {
			ids = ids.Mul(x.Dim(d)).Add(nearest.Get(d))
		}
		if worst := b.Take(ids).Abs().Max().ToScalar(); worst != 0 {
			s.Errorf("%s%s: an element that is not 0 is nearest", what, name)
		}
	}
}
