package signal

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Limit is an interval of values. Its zero value has no ends.
type Limit struct {
	low, high       float64
	hasLow, hasHigh bool
}

// AtLeast is the values from low on.
func AtLeast(low float64) Limit { return Limit{low: low, hasLow: true} }

// AtMost is the values up to high.
func AtMost(high float64) Limit { return Limit{high: high, hasHigh: true} }

// Between is the values from low to high.
func Between(low, high float64) Limit { return Limit{low, high, true, true} }

func (l Limit) has(x float64) bool {
	return !(l.hasLow && !(x >= l.low)) && !(l.hasHigh && !(x <= l.high))
}

// Peaks says which peaks are wanted. Conditions apply in the order of the fields.
type Peaks struct {
	Height     Limit // of the element
	Distance   int   // elements from peak to peak at least: of two that are nearer, the lower one is left out
	Prominence Limit // its height above the higher of the lowest elements on both sides, up to the next higher ones
}

// PeakProperties are those of each peak that was found, in order, on the CPU.
type PeakProperties struct {
	Heights     *tensor.Tensor // F64
	Prominences *tensor.Tensor // F64
	LeftBases   *tensor.Tensor // I64: where the lowest element on the left is, that the prominence is measured from
	RightBases  *tensor.Tensor // I64: the same on the right
}

// FindPeaks returns the indices of the peaks of a signal x [n], ascending I64 on its device, and their properties, as
// scipy.signal.find_peaks: elements greater than both neighbours, and the middles, rounded down, of runs of equal
// elements between lower ones. It copies the signal to the host. It panics with ErrShape when x is not a vector.
func FindPeaks(x *tensor.Tensor, p Peaks) (ids *tensor.Tensor, found PeakProperties) {
	const op = "find peaks"
	extend.SameDevice(op, x)
	notComplex(op, x)
	if x.Rank() != 1 {
		extend.ShapeNoting(op, []*tensor.Tensor{x}, "x.Get(0) is the first of several signals",
			"want a vector, not shape %v", x.Dims())
	}
	v := x.Detach().Float64s()
	at := keep(maxima(v), func(i int) bool { return p.Height.has(v[i]) })
	at = apart(v, at, p.Distance)
	prominences, left, right := prominence(v, at)
	var kept []int
	for k := range at {
		if p.Prominence.has(prominences[k]) {
			kept = append(kept, k)
		}
	}
	places, low, high := make([]int64, len(kept)), make([]int64, len(kept)), make([]int64, len(kept))
	heights, values := make([]float64, len(kept)), make([]float64, len(kept))
	for i, k := range kept {
		places[i], low[i], high[i] = int64(at[k]), int64(left[k]), int64(right[k])
		heights[i], values[i] = v[at[k]], prominences[k]
	}
	host := tensor.CPU()
	return x.Device().FromSlice(places, len(kept)), PeakProperties{Heights: host.FromSlice(heights, len(kept)),
		Prominences: host.FromSlice(values, len(kept)), LeftBases: host.FromSlice(low, len(kept)),
		RightBases: host.FromSlice(high, len(kept))}
}

func keep(list []int, ok func(i int) bool) []int {
	return slices.DeleteFunc(list, func(i int) bool { return !ok(i) })
}

// maxima returns the middles of runs of equal elements that are between lower ones.
func maxima(v []float64) []int {
	var at []int
	for i := 1; i+1 < len(v); i++ {
		if !(v[i-1] < v[i]) {
			continue
		}
		end := i
		for end+1 < len(v) && v[end+1] == v[i] {
			end++
		}
		if end+1 < len(v) && v[end+1] < v[i] {
			at = append(at, (i+end)/2)
		}
		i = end
	}
	return at
}

// apart leaves out peaks nearer than a distance to a higher one that stays. Of equal ones, the last stays.
func apart(v []float64, at []int, distance int) []int {
	if distance < 2 {
		return at
	}
	order := make([]int, len(at)) // by height
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case v[at[a]] < v[at[b]]:
			return -1
		case v[at[a]] > v[at[b]]:
			return 1
		}
		return 0
	})
	out := make([]bool, len(at))
	for i := len(order) - 1; i >= 0; i-- {
		k := order[i]
		if out[k] {
			continue
		}
		for j := k - 1; j >= 0 && at[k]-at[j] < distance; j-- {
			out[j] = true
		}
		for j := k + 1; j < len(at) && at[j]-at[k] < distance; j++ {
			out[j] = true
		}
	}
	var kept []int
	for k, i := range at {
		if !out[k] {
			kept = append(kept, i)
		}
	}
	return kept
}

// prominence returns how far each peak stands out, and where the lowest elements on both sides are.
func prominence(v []float64, at []int) (values []float64, left, right []int) {
	left = bases(v, at)
	mirrored, back := slices.Clone(v), make([]int, len(at))
	slices.Reverse(mirrored)
	for k, i := range at {
		back[k] = len(v) - 1 - i
	}
	slices.Reverse(back)
	right = bases(mirrored, back)
	slices.Reverse(right)
	values = make([]float64, len(at))
	for k, i := range at {
		right[k] = len(v) - 1 - right[k]
		values[k] = v[i] - math.Max(v[left[k]], v[right[k]])
	}
	return values, left, right
}

// bases returns for each of some positions the last one of the lowest elements before it, back to a greater element.
// The elements that none since has exceeded are on a stack, each with the lowest since the one below it.
func bases(v []float64, at []int) []int {
	type entry struct{ value, low int }
	var stack []entry
	found := make([]int, 0, len(at))
	for i := range v {
		low := i
		for len(stack) > 0 && v[stack[len(stack)-1].value] <= v[i] {
			if below := stack[len(stack)-1].low; v[below] < v[low] {
				low = below
			}
			stack = stack[:len(stack)-1]
		}
		stack = append(stack, entry{i, low})
		if len(found) < len(at) && at[len(found)] == i {
			found = append(found, low)
		}
	}
	return found
}
