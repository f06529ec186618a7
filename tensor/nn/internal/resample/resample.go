// Package resample makes the elements of a dim from others: weighted sums of a few neighbours for each.
package resample

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// Tap is an element of the input and its weight in an element of the result.
type Tap struct {
	At     int
	Weight float64
}

// Taps are those of each element of a dim. Results depend on these elements only: NaN elsewhere does not matter, as it
// would in a product with a matrix of weights.
type Taps [][]Tap

// width is the largest number of taps of an element.
func (t Taps) width() int {
	k := 0
	for _, row := range t {
		k = max(k, len(row))
	}
	return k
}

// Select returns the taps of each element of a dim without their weights: [… elements taps …]. The last tap is
// repeated where an element has fewer.
func Select(x *tensor.Tensor, dim int, t Taps) *tensor.Tensor {
	k := t.width()
	ids := make([]int64, 0, len(t)*k)
	for _, row := range t {
		for i := range k {
			ids = append(ids, int64(row[min(i, len(row)-1)].At))
		}
	}
	shape := x.Dims()
	return x.IndexSelect(x.Device().New(ids), dim).
		Reshape(slices.Concat(shape[:dim], []int{len(t), k}, shape[dim+1:])...)
}

// Sum returns the sums of the taps of a dim, multiplied by their weights.
func Sum(x *tensor.Tensor, dim int, t Taps) *tensor.Tensor {
	k := t.width()
	weights := make([]float64, len(t)*k)
	for i, row := range t {
		for j, tap := range row {
			weights[i*k+j] = tap.Weight
		}
	}
	shape := []int{len(t), k}
	for range x.Rank() - 1 - dim {
		shape = append(shape, 1)
	}
	w := x.Device().FromSlice(weights, shape...).ToDType(x.DType())
	if k > 4 { // many taps are fewer elements than x has, or not many more
		return Select(x, dim, t).Mul(w).Sum(dim + 1)
	}
	var y *tensor.Tensor
	for j := range k {
		part := Select(x, dim, t.only(j)).Squeeze(dim + 1).Mul(w.Narrow(1, j, 1).Squeeze(1))
		if y != nil {
			part = y.Add(part)
		}
		y = part
	}
	return y
}

// only returns tap j of each element, or its last one.
func (t Taps) only(j int) Taps {
	one := make(Taps, len(t))
	for i, row := range t {
		k := min(j, len(row)-1)
		one[i] = row[k : k+1]
	}
	return one
}

// Nearest has single elements: that at the beginning of a pixel, or that in its middle.
func Nearest(n, o int, exact bool) Taps {
	t := make(Taps, o)
	for i := range t {
		at := i * n / o
		if exact {
			at = (2*i + 1) * n / (2 * o)
		}
		t[i] = []Tap{{at, 1}}
	}
	return t
}

// Area has the taps of the means of o parts, as equal as possible: from ⌊i·n/o⌋ to ⌈(i+1)·n/o⌉.
func Area(n, o int) Taps {
	t := make(Taps, o)
	for i := range t {
		from, to := i*n/o, ((i+1)*n+o-1)/o
		for at := from; at < to; at++ {
			t[i] = append(t[i], Tap{at, 1 / float64(to-from)})
		}
	}
	return t
}

// source is the position among n elements that element i of o comes from.
func source(i, n, o int, alignCorners bool) float64 {
	if !alignCorners {
		return (float64(i)+0.5)*float64(n)/float64(o) - 0.5
	}
	if o == 1 {
		return 0
	}
	return float64(i) * float64(n-1) / float64(o-1)
}

// Kernel has the taps of a filter, 2·support around the source of each element. Elements beyond the border are those
// at the border.
func Kernel(n, o int, alignCorners bool, support int, filter func(x float64) float64) Taps {
	t := make(Taps, o)
	for i := range t {
		at := source(i, n, o, alignCorners)
		if support == 1 {
			at = max(at, 0)
		}
		first := int(math.Floor(at))
		for j := first - support + 1; j <= first+support; j++ {
			if w := filter(at - float64(j)); w != 0 {
				t[i] = append(t[i], Tap{max(0, min(j, n-1)), w})
			}
		}
	}
	return t
}

// Antialias has the taps of a filter that is as much wider as the result has fewer elements, normalised: what Pillow
// and PyTorch compute with antialias.
func Antialias(n, o, support int, filter func(x float64) float64) Taps {
	scale := float64(n) / float64(o)
	wide := max(scale, 1)
	reach := float64(support) * wide
	t := make(Taps, o)
	for i := range t {
		centre, sum := scale*(float64(i)+0.5), 0.0
		for j := max(int(centre-reach+0.5), 0); j < min(int(centre+reach+0.5), n); j++ {
			w := filter((float64(j) - centre + 0.5) / wide)
			t[i], sum = append(t[i], Tap{j, w}), sum+w
		}
		for j := range t[i] {
			t[i][j].Weight /= sum
		}
	}
	return t
}

// Triangle is the filter of linear interpolation.
func Triangle(x float64) float64 { return max(1-math.Abs(x), 0) }

// Cubic returns the filter of cubic convolution: R. Keys, Cubic convolution interpolation for digital image processing,
// 1981, with the slope a at 1.
func Cubic(a float64) func(x float64) float64 {
	return func(x float64) float64 {
		x = math.Abs(x)
		switch {
		case x <= 1:
			return ((a+2)*x-(a+3))*x*x + 1
		case x < 2:
			return ((a*x-5*a)*x+8*a)*x - 4*a
		}
		return 0
	}
}
