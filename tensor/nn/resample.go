package nn

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// tap is an element of the input and its weight in an element of the result.
type tap struct {
	at     int
	weight float64
}

// taps are those of each element of a dim. Results depend on these elements only: NaN elsewhere does not matter, as it
// would in a product with a matrix of weights.
type taps [][]tap

func newTaps(n int) taps { return make(taps, n) }

// width is the largest number of taps of an element.
func (t taps) width() int {
	k := 0
	for _, row := range t {
		k = max(k, len(row))
	}
	return k
}

// selected returns the taps of each element of a dim without their weights: [… elements taps …]. The last tap is
// repeated where an element has fewer.
func selected(x *tensor.Tensor, dim int, t taps) *tensor.Tensor {
	k := t.width()
	ids := make([]int64, 0, len(t)*k)
	for _, row := range t {
		for i := range k {
			ids = append(ids, int64(row[min(i, len(row)-1)].at))
		}
	}
	shape := x.Dims()
	return x.IndexSelect(x.Device().New(ids), dim).Reshape(join(shape[:dim], []int{len(t), k}, shape[dim+1:])...)
}

// resampled returns the sums of the taps of a dim, multiplied by their weights.
func resampled(x *tensor.Tensor, dim int, t taps) *tensor.Tensor {
	k := t.width()
	weights := make([]float64, len(t)*k)
	for i, row := range t {
		for j, tap := range row {
			weights[i*k+j] = tap.weight
		}
	}
	shape := []int{len(t), k}
	for range x.Rank() - 1 - dim {
		shape = append(shape, 1)
	}
	w := x.Device().FromSlice(weights, shape...).ToDType(x.DType())
	if k > 4 { // many taps are fewer elements than x has, or not many more
		return selected(x, dim, t).Mul(w).Sum(dim + 1)
	}
	var y *tensor.Tensor
	for j := range k {
		part := selected(x, dim, t.only(j)).Squeeze(dim + 1).Mul(w.Narrow(1, j, 1).Squeeze(1))
		if y != nil {
			part = y.Add(part)
		}
		y = part
	}
	return y
}

// only returns tap j of each element, or its last one.
func (t taps) only(j int) taps {
	one := newTaps(len(t))
	for i, row := range t {
		k := min(j, len(row)-1)
		one[i] = row[k : k+1]
	}
	return one
}

// nearestTaps are single elements: that at the beginning of a pixel, or that in its middle.
func nearestTaps(n, o int, exact bool) taps {
	t := newTaps(o)
	for i := range t {
		at := i * n / o
		if exact {
			at = (2*i + 1) * n / (2 * o)
		}
		t[i] = []tap{{at, 1}}
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

// kernelTaps are those of a filter with 2·support taps around the source of each element. Elements beyond the border
// are those at the border.
func kernelTaps(n, o int, alignCorners bool, support int, filter func(x float64) float64) taps {
	t := newTaps(o)
	for i := range t {
		at := source(i, n, o, alignCorners)
		if support == 1 {
			at = max(at, 0)
		}
		first := int(math.Floor(at))
		for j := first - support + 1; j <= first+support; j++ {
			if w := filter(at - float64(j)); w != 0 {
				t[i] = append(t[i], tap{max(0, min(j, n-1)), w})
			}
		}
	}
	return t
}

// antialiasTaps are those of a filter that is as much wider as the result has fewer elements, normalised: what Pillow
// and PyTorch compute with antialias.
func antialiasTaps(n, o, support int, filter func(x float64) float64) taps {
	scale := float64(n) / float64(o)
	wide := max(scale, 1)
	reach := float64(support) * wide
	t := newTaps(o)
	for i := range t {
		centre, sum := scale*(float64(i)+0.5), 0.0
		for j := max(int(centre-reach+0.5), 0); j < min(int(centre+reach+0.5), n); j++ {
			w := filter((float64(j) - centre + 0.5) / wide)
			t[i], sum = append(t[i], tap{j, w}), sum+w
		}
		for j := range t[i] {
			t[i][j].weight /= sum
		}
	}
	return t
}

// triangle is the filter of linear interpolation.
func triangle(x float64) float64 { return max(1-math.Abs(x), 0) }

// cubic returns the filter of cubic convolution: R. Keys, Cubic convolution interpolation for digital image processing,
// 1981, with the slope a at 1.
func cubic(a float64) func(x float64) float64 {
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
