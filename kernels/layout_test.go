package kernels_test

import (
	"fmt"

	"github.com/gorocm/gorocm/kernels"
)

// view is a way in which an operand lies in memory: out element i is element at[i] of a buffer of size elements.
type view struct {
	name    string
	dims    []int64
	strides []int64 // of one operand; operands of one launch take different views of the same dims
	offset  int64   // in elements
	dense   bool
}

func (v view) count() int {
	n := 1
	for _, d := range v.dims {
		n *= int(d)
	}
	return n
}

// size is the number of elements of a buffer that has all of the view.
func (v view) size() int {
	last := v.offset
	for i, d := range v.dims {
		if d == 0 {
			return int(v.offset)
		}
		last += (d - 1) * max(v.strides[i], 0)
	}
	return int(last) + 1
}

// at lists the positions of the elements in row-major order.
func (v view) at() []int {
	at := []int{}
	n := v.count()
	for i := range n {
		rest, p := int64(i), v.offset
		for d := len(v.dims) - 1; d >= 0; d-- {
			p += rest % v.dims[d] * v.strides[d]
			rest /= v.dims[d]
		}
		at = append(at, int(p))
	}
	return at
}

func (v view) flags(index32 bool) (f uint32) {
	if v.dense {
		f |= kernels.FlagContiguous
	}
	if index32 {
		f |= kernels.FlagIndex32
	}
	return f
}

func fill8(src []int64, empty int64) (dst [kernels.MaxDims]int64) {
	for i := range dst {
		dst[i] = empty
	}
	copy(dst[:], src)
	return dst
}

func layout1(v view, index32 bool) *kernels.Layout1 {
	return &kernels.Layout1{Rank: int32(len(v.dims)), Flags: v.flags(index32), Dims: fill8(v.dims, 1),
		A: fill8(v.strides, 0)}
}

func layout2(a, b view, index32 bool) *kernels.Layout2 {
	l := layout1(a, index32)
	if !b.dense {
		l.Flags &^= kernels.FlagContiguous
	}
	return &kernels.Layout2{Rank: l.Rank, Flags: l.Flags, Dims: l.Dims, A: l.A, B: fill8(b.strides, 0)}
}

func layout3(a, b, c view, index32 bool) *kernels.Layout3 {
	l := layout2(a, b, index32)
	if !c.dense {
		l.Flags &^= kernels.FlagContiguous
	}
	return &kernels.Layout3{Rank: l.Rank, Flags: l.Flags, Dims: l.Dims, A: l.A, B: l.B, C: fill8(c.strides, 0)}
}

func dense(dims ...int64) view {
	v := view{name: fmt.Sprintf("dense%v", dims), dims: dims, strides: make([]int64, len(dims)), dense: true}
	n := int64(1)
	for i := len(dims) - 1; i >= 0; i-- {
		v.strides[i] = n
		n *= dims[i]
	}
	return v
}

// views of 5·7·11 elements in pairs: what a, and a second operand b, may look like.
var views = []struct{ a, b view }{
	{dense(1027), dense(1027)},
	{dense(), dense()},
	{dense(0), dense(0)},
	{dense(1), dense(1)},
	{
		view{name: "odd offset", dims: []int64{385}, strides: []int64{1}, offset: 1, dense: true},
		view{name: "odd offset", dims: []int64{385}, strides: []int64{1}, offset: 3, dense: true},
	},
	{
		view{name: "transposed", dims: []int64{5, 7, 11}, strides: []int64{1, 55, 5}},
		dense(5, 7, 11),
	},
	{
		view{name: "every third", dims: []int64{35, 11}, strides: []int64{36, 3}, offset: 2},
		view{name: "row", dims: []int64{35, 11}, strides: []int64{0, 1}},
	},
	{ // in packs along the rows
		view{name: "rows apart", dims: []int64{9, 40}, strides: []int64{64, 1}, offset: 16},
		view{name: "row of 40", dims: []int64{9, 40}, strides: []int64{0, 1}},
	},
	{
		view{name: "column of 9", dims: []int64{9, 40}, strides: []int64{1, 0}, offset: 1},
		view{name: "rows back", dims: []int64{9, 40}, strides: []int64{-48, 1}, offset: 384},
	},
	{
		view{name: "scalar", dims: []int64{1027}, strides: []int64{0}},
		dense(1027),
	},
	{
		view{name: "rows too close", dims: []int64{9, 40}, strides: []int64{41, 1}},
		dense(9, 40),
	},
	{
		view{name: "column", dims: []int64{35, 11}, strides: []int64{1, 0}},
		view{name: "one value", dims: []int64{35, 11}, strides: []int64{0, 0}, offset: 4},
	},
	{
		view{name: "backwards", dims: []int64{385}, strides: []int64{-1}, offset: 384},
		dense(385),
	},
	{
		view{name: "eight dims", dims: []int64{2, 3, 1, 2, 2, 1, 3, 2}, strides: []int64{72, 1, 9, 3, 6, 5, 24, 12}},
		dense(2, 3, 1, 2, 2, 1, 3, 2),
	},
	{
		view{name: "transposed", dims: []int64{45, 70}, strides: []int64{1, 45}},
		dense(45, 70),
	},
	{
		view{name: "first dim last", dims: []int64{33, 3, 2, 40}, strides: []int64{1, 33, 99, 198}},
		dense(33, 3, 2, 40),
	},
}
