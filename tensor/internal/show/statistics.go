package show

import (
	"math"
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// Statistics describe N elements of a tensor. Min, Mean and Max are those of the finite ones.
type Statistics struct {
	N, NaN, Inf    int
	Min, Mean, Max float64
	Counts         []int // of finite elements, in equal parts of Min … Max
}

// Finite returns how many elements are finite.
func (s *Statistics) Finite() int { return s.N - s.NaN - s.Inf }

// surveyRun is how many elements a core reads at a time.
const surveyRun = 1 << 16

// Survey describes all elements. It reads them on all cores. Runs have one length and their sums are added in order, so
// that the bits do not depend on the cores.
func Survey(dt kernels.DType, raw []byte) *Statistics {
	size := dt.Size()
	n := len(raw) / size
	runs := make([]*Statistics, (n+surveyRun-1)/surveyRun)
	host.Parallel(len(runs), surveyRun, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			runs[i] = surveyPart(dt, raw[i*surveyRun*size:min(n, (i+1)*surveyRun)*size])
		}
	})
	s := &Statistics{N: n, Min: math.Inf(1), Max: math.Inf(-1)}
	sum := 0.0
	for _, r := range runs {
		s.NaN, s.Inf = s.NaN+r.NaN, s.Inf+r.Inf
		s.Min, s.Max = min(s.Min, r.Min), max(s.Max, r.Max)
		sum += r.Mean // the sum of the run
	}
	s.Mean = sum / float64(s.Finite())
	return s
}

// inChunks calls f with the elements as float64, some at a time.
func inChunks(dt kernels.DType, raw []byte, f func([]float64)) {
	chunk := 4096 * dt.Size()
	for len(raw) > 0 {
		part := raw[:min(len(raw), chunk)]
		f(host.ToFloat64(dt, part))
		raw = raw[len(part):]
	}
}

// surveyPart returns the sum in place of the mean.
func surveyPart(dt kernels.DType, raw []byte) *Statistics {
	s := &Statistics{Min: math.Inf(1), Max: math.Inf(-1)}
	switch dt.Stored() {
	case kernels.F32:
		surveyFloats(s, host.View[float32](raw))
	case kernels.F64:
		surveyFloats(s, host.View[float64](raw))
	case kernels.U8:
		surveyInts(s, host.View[uint8](raw))
	case kernels.I16:
		surveyInts(s, host.View[int16](raw))
	case kernels.I8:
		surveyInts(s, host.View[int8](raw))
	case kernels.U16:
		surveyInts(s, host.View[uint16](raw))
	case kernels.U64:
		surveyInts(s, host.View[uint64](raw))
	case kernels.U32:
		surveyInts(s, host.View[uint32](raw))
	case kernels.I32:
		surveyInts(s, host.View[int32](raw))
	case kernels.I64:
		surveyInts(s, host.View[int64](raw))
	default:
		inChunks(dt, raw, func(v []float64) { surveyFloats(s, v) })
	}
	return s
}

// surveyFloats adds numbers to s. Short runs are summed on their own, so that the sums of long ones keep their
// digits.
func surveyFloats[T float32 | float64](s *Statistics, values []T) {
	low, high := T(math.Inf(1)), T(math.Inf(-1))
	for len(values) > 0 {
		run := values[:min(len(values), 256)]
		values = values[len(run):]
		var sum float64
		for _, v := range run {
			if v-v != 0 { // NaN or infinite
				if v != v {
					s.NaN++
				} else {
					s.Inf++
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
		s.Mean += sum
	}
	s.Min, s.Max = min(s.Min, float64(low)), max(s.Max, float64(high))
}

// surveyInts adds numbers to s.
func surveyInts[T uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64](s *Statistics, values []T) {
	if len(values) == 0 {
		return
	}
	low, high, sum := values[0], values[0], 0.0
	for _, v := range values {
		low, high = min(low, v), max(high, v)
		sum += float64(v)
	}
	s.Mean += sum
	s.Min, s.Max = min(s.Min, float64(low)), max(s.Max, float64(high))
}

// bins are the parts of a small histogram. Whole numbers have one each where they are few: otherwise some parts would
// have none, or two.
const bins = 24

// Fill sets Counts to the histogram of elements: all that s describes, or some.
func (s *Statistics) Fill(dt kernels.DType, raw []byte) {
	n := bins
	if span := s.Max - s.Min; !dt.IsFloat() && span < bins {
		n = int(span) + 1
	}
	s.Counts = s.Count(dt, raw, n)
}

// Count counts the finite elements of raw, which s may describe among others, in equal parts of Min … Max, on all
// cores. If all are equal, they are in the middle part.
func (s *Statistics) Count(dt kernels.DType, raw []byte, bins int) []int {
	out := make([]int, bins)
	low, high := s.Min, s.Max
	if !(low < high) {
		if low == high {
			out[bins/2] = Survey(dt, raw).Finite()
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
