package tensor

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/show"
)

const (
	// fetched is how many bytes are copied to the host to be counted there. Larger tensors are reduced on their
	// device.
	fetched = 1 << 18
	// standing is the approximate size of a sample, where counting all elements would take too long.
	standing = 1 << 14
	// scanned is how many elements of the host's memory a histogram counts. Of larger tensors it counts a sample.
	scanned = 1 << 22
)

// statistics are computed where the elements are. At most fetched bytes and a few numbers are copied to the host.
func (t *Tensor) statistics() (*show.Statistics, error) {
	t = t.view(t.layout.InStrideOrder())
	if t.ElemCount() == 0 {
		return &show.Statistics{}, nil
	}
	onHost := t.dev.IsCPU() || t.dev.Emulated()
	whole := t.Bytes() <= fetched || t.dev.IsCPU() &&
		(t.ElemCount() <= scanned || t.IsContiguous() && (!t.dtype.IsFloat() || t.dtype.Size() >= 4))
	if whole || onHost {
		part := t
		if !whole { // strided elements are slow to read there, and small floats slow to convert
			part = t.view(t.layout.Spread(standing))
		}
		raw, err := part.read("html")
		if err != nil {
			return nil, err
		}
		s := show.Survey(t.dtype, raw)
		if s.N <= scanned {
			s.Fill(t.dtype, raw)
			return s, nil
		}
		return s, t.spreadCounts(s)
	}
	s, err := t.surveyed()
	if err != nil {
		return nil, err
	}
	return s, t.spreadCounts(s)
}

// spreadCounts counts the histogram of a sample.
func (t *Tensor) spreadCounts(s *show.Statistics) error {
	raw, err := t.view(t.layout.Spread(standing)).read("html")
	if err == nil {
		s.Fill(t.dtype, raw)
	}
	return err
}

// surveyed computes the statistics with the device's own reductions. The minimum and the maximum are NaN if there is
// a NaN, so only tensors with such elements need more memory.
func (t *Tensor) surveyed() (s *show.Statistics, err error) {
	_, err = Try(func() *Tensor {
		x := t
		s = &show.Statistics{N: t.ElemCount()}
		s.Min, s.Max = x.Min().Float64s()[0], x.Max().Float64s()[0]
		if t.dtype.IsFloat() && (math.IsNaN(s.Min) || math.IsInf(s.Min, 0) || math.IsInf(s.Max, 0)) {
			total := func(mask *Tensor) int { return int(ToScalar[int64](mask.Sum())) }
			odd := x.Sub(x).Ne(0) // NaN and infinities, minus themselves, are NaN
			s.NaN = total(x.Ne(x))
			s.Inf = total(odd) - s.NaN
			if s.Finite() == 0 {
				s.Min, s.Max = math.NaN(), math.NaN()
				return nil
			}
			s.Min, s.Max = odd.WhereCond(math.Inf(1), x).Min().Float64s()[0],
				odd.WhereCond(math.Inf(-1), x).Max().Float64s()[0]
			x = odd.WhereCond(0, x)
		}
		if !t.dtype.IsFloat() || t.dtype.Size() < 4 {
			x = x.ToDType(F32)
		}
		s.Mean = x.Mean().ToScalar() * (float64(s.N) / float64(s.Finite()))
		return nil
	})
	return s, err
}

// Sample returns every steps[d]-th element of each dim d as float64, in row-major order, and the resulting dims, for
// pictures of large tensors. Only these elements leave the device. Steps that are left out are 1. It panics with
// ErrShape when a step is not positive or there are more steps than dims.
func (t *Tensor) Sample(steps ...int) (dims []int, values []float64) {
	l := t.layout.Clone()
	for d, step := range steps {
		if d >= len(l.Shape) || step < 1 {
			check(fault("sample", ErrShape, []*Tensor{t}, "steps %v: want at most %d, all positive", steps,
				len(l.Shape)))
		}
		l.Shape[d] = (l.Shape[d] + step - 1) / step
		l.Strides[d] *= step
	}
	values, err := t.view(l).float64s("sample")
	check(err)
	return l.Shape, values
}

// Histogram counts the elements in bins of equal width from the minimum to the maximum of the finite ones, for any
// shape and dtype: PyTorch's histc. NaN and infinities are not counted; equal elements are all in the middle bin. On
// a GPU the counting is done there, one bin after another, unless the tensor is small, and only the counts are copied
// to the host. It panics with ErrShape when bins is not positive.
func (t *Tensor) Histogram(bins int) (counts []int, low, high float64) {
	if bins < 1 {
		check(fault("histogram", ErrShape, []*Tensor{t}, "%d bins: want at least one", bins))
	}
	check(room("histogram", []int{bins}, I64))
	check(accepts("histogram", t, kernels.All))
	t = t.view(t.layout.InStrideOrder())
	if t.ElemCount() == 0 {
		return make([]int, bins), 0, 0
	}
	if t.dev.IsCPU() || t.Bytes() <= 4*fetched {
		raw, err := t.read("histogram")
		check(err)
		s := show.Survey(t.dtype, raw)
		if s.Finite() == 0 {
			return make([]int, bins), 0, 0
		}
		return s.Count(t.dtype, raw, bins), s.Min, s.Max
	}
	s, err := t.surveyed()
	check(err)
	counts = make([]int, bins)
	if s.Finite() == 0 {
		return counts, 0, 0
	}
	x := t
	if t.dtype != F64 {
		x = t.ToDType(F32)
	}
	below := 0
	for i := range bins {
		edge := s.Min + (s.Max-s.Min)*float64(i+1)/float64(bins)
		upTo := x.Lt(edge)
		if i == bins-1 {
			upTo = x.Le(s.Max)
		}
		n := int(ToScalar[int64](upTo.Sum()))
		if i == 0 { // minus infinity is not counted
			below = int(ToScalar[int64](x.Lt(s.Min).Sum()))
		}
		counts[i] = n - below
		below = n
	}
	if s.Min == s.Max {
		clear(counts)
		counts[bins/2] = s.Finite()
	}
	return counts, s.Min, s.Max
}
