package nn

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/windows"
)

// Unfold returns the windows of x [batch channels …] as columns [batch channels·taps windows], which is known as
// im2col: those that Conv with the same options multiplies by a kernel of the sizes window. Channels come before taps,
// and taps and windows are in row-major order. It panics with ErrShape for sizes that do not fit, and for Groups.
//
//	columns := nn.Unfold(x, []int{3, 3}, nn.ConvOptions{Padding: []int{1}}) // F.unfold(x, 3, padding=1)
func Unfold(x *tensor.Tensor, window []int, o ConvOptions) *tensor.Tensor {
	const op = "unfold"
	all := o.columns(op, x, window)
	windows.Fits(op, x, all)
	w, n := windows.Pad(x, all, o.mode()), len(all)
	for i, a := range all {
		w = windows.Of(w, 2+i, a)
	}
	number := count(w.Dims()[2 : 2+n])
	return extend.Own(w.Permute(slices.Concat([]int{0, 1}, windows.Dims(2+n, 2+2*n), windows.Dims(2, 2+n))...).
		Reshape(x.Dim(0), x.Dim(1)*count(window), number), x)
}

// Fold adds the columns [batch channels·taps windows] of Unfold where they were taken from: it returns [batch channels
// …] with the given sizes, in which elements of several windows are their sum. It is the transpose of Unfold with the
// same window and options, also called col2im. F16, BF16 and F8E4M3 are added in F32. It panics with ErrShape when
// these sizes do not have as many windows, for Groups, and for a Mode other than 0.
func Fold(columns *tensor.Tensor, sizes, window []int, o ConvOptions) *tensor.Tensor {
	const op = "fold"
	taps := count(window)
	if columns.Rank() != 3 || len(sizes) != len(window) || taps < 1 || columns.Dim(1)%taps != 0 || o.mode() != 0 {
		extend.Shape(op, []*tensor.Tensor{columns},
			"want columns [batch channels·%d windows] and sizes for a window %v, padded by zeros; not shape %v and sizes %v",
			taps, window, columns.Dims(), sizes)
	}
	b, c := columns.Dim(0), columns.Dim(1)/taps
	like := columns.Device().Zeros(columns.DType(), 1).BroadcastAs(slices.Concat([]int{b, c}, sizes)...)
	all := o.columns(op, like, window)
	windows.Fits(op, like, all)
	full, counts := make([]int, len(all)), make([]int, len(all))
	for i, a := range all {
		full[i], counts[i] = sizes[i]+a.Before+a.After, a.Count(sizes[i])
	}
	if columns.Dim(2) != count(counts) {
		extend.Shape(op, []*tensor.Tensor{columns}, "%d columns, and %v windows in sizes %v", columns.Dim(2), counts,
			sizes)
	}
	ids := []int64{0}
	for _, at := range positions(all, full, counts) {
		ids = sums(ids, at)
	}
	y := columns.Device().Zeros(columns.DType(), b, c, count(full)).
		IndexAdd(columns.Device().New(ids), columns.Reshape(b, c, len(ids)), 2)
	return windows.Crop(y.Reshape(slices.Concat([]int{b, c}, full)...), all, sizes)
}

// columns returns the axes of Unfold and Fold.
func (o ConvOptions) columns(op string, x *tensor.Tensor, window []int) []windows.Axis {
	if o.Groups > 1 || slices.Max(append([]int{0}, o.OutputPadding...)) > 0 {
		extend.Shape(op, []*tensor.Tensor{x}, "columns have no groups and no output padding: %+v", o)
	}
	return o.axes(op, x, window)
}

// positions returns what each tap, then each window, of each dim adds to the position of an element in row-major order
// of dims with the sizes full.
func positions(all []windows.Axis, full, counts []int) [][]int64 {
	var taps, steps [][]int64
	for i, a := range all {
		unit := int64(count(full[i+1:]))
		taps = append(taps, multiples(a.Size, unit*int64(a.Dilation)))
		steps = append(steps, multiples(counts[i], unit*int64(a.Stride)))
	}
	return append(taps, steps...)
}

// multiples returns 0, step, 2·step, …: n of them.
func multiples(n int, step int64) []int64 {
	extend.Room("unfold", tensor.I64, n)
	all := make([]int64, n)
	for i := range all {
		all[i] = int64(i) * step
	}
	return all
}

// sums returns those of each element of a with each of b, in row-major order.
func sums(a, b []int64) []int64 {
	extend.Room("unfold", tensor.I64, len(a), len(b))
	all := make([]int64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			all = append(all, x+y)
		}
	}
	return all
}
