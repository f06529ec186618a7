package ndimage

import (
	"cmp"
	"runtime"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/quickselect"
	"github.com/gorocm/gorocm/tensor/internal/team"
)

// rankedOnHost is ranked for images that are direct.
func rankedOnHost(x *tensor.Tensor, w window, rank int) *tensor.Tensor {
	dims := x.Dims()
	wide, before := w.extended(x)
	wide = wide.Contiguous()
	strides, origin := stridesOf(wide.Dims()), 0
	for d, n := range before {
		origin += n * strides[d]
	}
	flat := make([]int, len(w.offsets))
	for i, o := range w.offsets {
		for d, v := range o {
			flat[i] += v * strides[d]
		}
	}
	r := ranking{dims, strides, flat, origin, rank}
	if x.DType() == tensor.F32 {
		return rankedBy[float32](r, x, wide)
	}
	return rankedBy[float64](r, x, wide)
}

func rankedBy[T float32 | float64](r ranking, x, wide *tensor.Tensor) *tensor.Tensor {
	const op = "rank filter"
	out, to := extend.OnHost[T](op, x.DType(), r.dims...)
	rankLines(r, extend.Elements[T](op, wide), to)
	runtime.KeepAlive(wide)
	return out
}

// ranking is where the elements of windows are in an extended image.
type ranking struct {
	dims, strides, offsets []int
	origin, rank           int
}

func rankLines[T cmp.Ordered](r ranking, from, to []T) {
	last := len(r.dims) - 1
	n := r.dims[last]
	team.Run(len(to)/n, n*len(r.offsets)*4, func(lo, hi int) {
		values, sorter := make([]T, len(r.offsets)), newSorter[T](r.offsets, r.rank)
		for line := lo; line < hi; line++ {
			at, rest := r.origin, line
			for d := last - 1; d >= 0; d-- {
				at += rest % r.dims[d] * r.strides[d]
				rest /= r.dims[d]
			}
			if sorter.line(to[line*n:(line+1)*n], from, at) {
				continue
			}
			for i := range n {
				to[line*n+i] = rankOf(values, from, r.offsets, at+i, r.rank)
			}
		}
	})
}

// rankOf returns the element of a rank of a window, or a NaN of it.
func rankOf[T cmp.Ordered](values, from []T, offsets []int, at, rank int) T {
	for i, o := range offsets {
		v := from[at+o]
		if v != v {
			return v
		}
		values[i] = v
	}
	return quickselect.Nth(values, rank)
}
