package tensor

import (
	"math"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// statistics describe n elements of a tensor. min, mean and max are those of the finite ones.
type statistics struct {
	n, nan, inf    int
	min, mean, max float64
	counts         []int // counts of finite elements in equal parts of min … max
}

func (s *statistics) finite() int { return s.n - s.nan - s.inf }

const (
	statisticBins = 24
	// fetched is how many bytes are copied to the host to be counted there. Larger tensors are reduced on their
	// device.
	fetched = 1 << 18
	// standing is the approximate size of a sample, where counting all elements would take too long.
	standing = 1 << 14
	// scanned is how many elements of the host's memory a histogram counts. Of larger tensors it counts a sample.
	scanned = 1 << 22
)

// statistics computes the statistics where the elements are. At most fetched bytes and a few numbers are copied to
// the host.
func (t *Tensor) statistics() (*statistics, error) {
	t = t.inStrideOrder()
	switch {
	case t.ElemCount() == 0:
		return &statistics{}, nil
	case t.dev.IsCPU() && (t.IsContiguous() && (!t.dtype.IsFloat() || t.dtype.Size() >= 4) ||
		t.ElemCount() <= scanned) ||
		t.Bytes() <= fetched:
		raw, err := t.read("html")
		if err != nil {
			return nil, err
		}
		s := survey(t.dtype, raw)
		if s.n <= scanned {
			s.counts = count(t.dtype, raw, s.min, s.max, statisticBins)
			return s, nil
		}
		return s, t.spreadCounts(s)
	case t.dev.Emulated() || t.dev.IsCPU():
		// On the host, strided elements are slow to read, and small floats slow to convert.
		part := t.spreadOut()
		raw, err := part.read("html")
		if err != nil {
			return nil, err
		}
		s := survey(t.dtype, raw)
		s.counts = count(t.dtype, raw, s.min, s.max, statisticBins)
		return s, nil
	}
	s, err := t.surveyed()
	if err != nil {
		return nil, err
	}
	return s, t.spreadCounts(s)
}

// inStrideOrder is a view of the same elements in their order in memory, on which no statistic depends.
func (t *Tensor) inStrideOrder() *Tensor {
	l := backend.Layout{Offset: t.layout.Offset}
	dims := make([]int, t.Rank())
	for i := range dims {
		dims[i] = i
	}
	slices.SortStableFunc(dims, func(a, b int) int { return t.layout.Strides[b] - t.layout.Strides[a] })
	for _, d := range dims {
		l.Shape, l.Strides = append(l.Shape, t.layout.Shape[d]), append(l.Strides, t.layout.Strides[d])
	}
	return t.view(l)
}

// spreadCounts counts the histogram of a sample.
func (t *Tensor) spreadCounts(s *statistics) error {
	raw, err := t.spreadOut().read("html")
	if err == nil {
		s.counts = count(t.dtype, raw, s.min, s.max, statisticBins)
	}
	return err
}

// spreadOut is a view of about standing elements at equal distances. The steps are odd, so that they do not follow
// the powers of two that sizes often are.
func (t *Tensor) spreadOut() *Tensor {
	l := t.layout.Clone()
	for total := t.ElemCount(); total > standing; {
		longest := 0
		for d, n := range l.Shape {
			if n > l.Shape[longest] {
				longest = d
			}
		}
		step := max(2, min((total+standing-1)/standing, (l.Shape[longest]+7)/8))
		if step%2 == 0 {
			step++
		}
		total /= l.Shape[longest]
		l.Shape[longest] = (l.Shape[longest] + step - 1) / step
		l.Strides[longest] *= step
		total *= l.Shape[longest]
	}
	return t.view(l)
}

// surveyed computes the statistics with the device's own reductions. The minimum and the maximum are NaN if there is
// a NaN, so only tensors with such elements need more memory.
func (t *Tensor) surveyed() (s *statistics, err error) {
	_, err = Try(func() *Tensor {
		x := t
		s = &statistics{n: t.ElemCount()}
		s.min, s.max = x.Min().Float64s()[0], x.Max().Float64s()[0]
		if t.dtype.IsFloat() && (math.IsNaN(s.min) || math.IsInf(s.min, 0) || math.IsInf(s.max, 0)) {
			total := func(mask *Tensor) int { return int(ToScalar[int64](mask.Sum())) }
			odd := x.Sub(x).Ne(0) // NaN and infinities, minus themselves, are NaN
			s.nan = total(x.Ne(x))
			s.inf = total(odd) - s.nan
			if s.finite() == 0 {
				s.min, s.max = math.NaN(), math.NaN()
				return nil
			}
			s.min, s.max = odd.WhereCond(math.Inf(1), x).Min().Float64s()[0],
				odd.WhereCond(math.Inf(-1), x).Max().Float64s()[0]
			x = odd.WhereCond(0, x)
		}
		if !t.dtype.IsFloat() || t.dtype.Size() < 4 {
			x = x.ToDType(F32)
		}
		s.mean = x.Mean().ToScalar() * (float64(s.n) / float64(s.finite()))
		return nil
	})
	return s, err
}

// surveyRun is how many elements a core reads at a time.
const surveyRun = 1 << 16

// survey reads all elements, on all cores. Runs have one length and their sums are added in order, so that the bits
// do not depend on the cores.
func survey(dt DType, raw []byte) *statistics {
	size := dt.Size()
	n := len(raw) / size
	runs := make([]*statistics, (n+surveyRun-1)/surveyRun)
	host.Parallel(len(runs), surveyRun, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			runs[i] = surveyPart(dt, raw[i*surveyRun*size:min(n, (i+1)*surveyRun)*size])
		}
	})
	s := &statistics{n: n, min: math.Inf(1), max: math.Inf(-1)}
	sum := 0.0
	for _, r := range runs {
		s.nan, s.inf = s.nan+r.nan, s.inf+r.inf
		s.min, s.max = min(s.min, r.min), max(s.max, r.max)
		sum += r.mean // the sum of the run
	}
	s.mean = sum / float64(s.finite())
	return s
}

// inChunks calls f with the elements as float64, some at a time.
func inChunks(dt DType, raw []byte, f func([]float64)) {
	chunk := 4096 * dt.Size()
	for len(raw) > 0 {
		part := raw[:min(len(raw), chunk)]
		f(host.ToFloat64(dt, part))
		raw = raw[len(part):]
	}
}

// surveyPart returns the sum in place of the mean.
func surveyPart(dt DType, raw []byte) *statistics {
	s := &statistics{min: math.Inf(1), max: math.Inf(-1)}
	switch dt.Stored() {
	case F32:
		surveyFloats(s, host.View[float32](raw))
	case F64:
		surveyFloats(s, host.View[float64](raw))
	case U8:
		surveyInts(s, host.View[uint8](raw))
	case I16:
		surveyInts(s, host.View[int16](raw))
	case I8:
		surveyInts(s, host.View[int8](raw))
	case U16:
		surveyInts(s, host.View[uint16](raw))
	case U64:
		surveyInts(s, host.View[uint64](raw))
	case U32:
		surveyInts(s, host.View[uint32](raw))
	case I32:
		surveyInts(s, host.View[int32](raw))
	case I64:
		surveyInts(s, host.View[int64](raw))
	default:
		inChunks(dt, raw, func(v []float64) { surveyFloats(s, v) })
	}
	return s
}

// surveyFloats adds numbers to s. Short runs are summed on their own, so that the sums of long ones keep their
// digits.
func surveyFloats[T float32 | float64](s *statistics, values []T) {
	low, high := T(math.Inf(1)), T(math.Inf(-1))
	for len(values) > 0 {
		run := values[:min(len(values), 256)]
		values = values[len(run):]
		var sum float64
		for _, v := range run {
			if v-v != 0 { // NaN or infinite
				if v != v {
					s.nan++
				} else {
					s.inf++
				}
				continue
			}
			sum += float64(v)
			if v < low {
				low = v
			}
			if v > high {
				high = v
			}
		}
		s.mean += sum
	}
	s.min, s.max = min(s.min, float64(low)), max(s.max, float64(high))
}

// surveyInts adds numbers to s.
func surveyInts[T uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64](s *statistics, values []T) {
	if len(values) == 0 {
		return
	}
	low, high, sum := values[0], values[0], 0.0
	for _, v := range values {
		low, high = min(low, v), max(high, v)
		sum += float64(v)
	}
	s.mean += sum
	s.min, s.max = min(s.min, float64(low)), max(s.max, float64(high))
}

// count counts the finite elements in equal parts of low … high, on all cores.
func count(dt DType, raw []byte, low, high float64, bins int) []int {
	out := make([]int, bins)
	if !(low < high) {
		if low == high {
			s := survey(dt, raw)
			out[bins/2] = s.finite()
		}
		return out
	}
	var mu sync.Mutex
	scale := float64(bins) / (high/2 - low/2) / 2 // halves, so that the range of float64 cannot overflow
	host.Parallel(len(raw)/dt.Size(), 1, func(lo, hi int) {
		part := make([]int, bins)
		inChunks(dt, raw[lo*dt.Size():hi*dt.Size()], func(values []float64) {
			for _, v := range values {
				if v >= low && v <= high {
					part[min(bins-1, int((v/2-low/2)*2*scale))]++
				}
			}
		})
		mu.Lock()
		defer mu.Unlock()
		for i, n := range part {
			out[i] += n
		}
	})
	return out
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
	check(accepts("histogram", t, kernels.All))
	t = t.inStrideOrder()
	if t.ElemCount() == 0 {
		return make([]int, bins), 0, 0
	}
	if t.dev.IsCPU() || t.Bytes() <= 4*fetched {
		raw, err := t.read("histogram")
		check(err)
		s := survey(t.dtype, raw)
		if s.finite() == 0 {
			return make([]int, bins), 0, 0
		}
		return count(t.dtype, raw, s.min, s.max, bins), s.min, s.max
	}
	s, err := t.surveyed()
	check(err)
	counts = make([]int, bins)
	if s.finite() == 0 {
		return counts, 0, 0
	}
	x := t
	if t.dtype != F64 {
		x = t.ToDType(F32)
	}
	below := 0
	for i := range bins {
		edge := s.min + (s.max-s.min)*float64(i+1)/float64(bins)
		upTo := x.Lt(edge)
		if i == bins-1 {
			upTo = x.Le(s.max)
		}
		n := int(ToScalar[int64](upTo.Sum()))
		if i == 0 { // minus infinity is not counted
			below = int(ToScalar[int64](x.Lt(s.min).Sum()))
		}
		counts[i] = n - below
		below = n
	}
	if s.min == s.max {
		clear(counts)
		counts[bins/2] = s.finite()
	}
	return counts, s.min, s.max
}
