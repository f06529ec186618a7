package main

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// windowRows are functions of nn with windows: of volumes, with padding, and to other sizes and positions.
func windowRows() []row {
	of := func(f func(x *tensor.Tensor) *tensor.Tensor) func(o operands) job {
		return func(o operands) job {
			x := o.randn(8, 64, 112, 112)
			return one(0, 0, func() *tensor.Tensor { return f(x) })
		}
	}
	halved := nn.PoolOptions{Stride: []int{2}, Padding: []int{1}}
	both := func(f func(x *tensor.Tensor) *tensor.Tensor) func(o operands) job {
		return func(o operands) job {
			x, g := tensor.NewVar(o.randn(8, 64, 112, 112)), o.randn(8, 64, 56, 56)
			return job{run: func() []*tensor.Tensor { return []*tensor.Tensor{f(x).BackwardWith(g).Get(x)} }}
		}
	}
	twice := []int{224, 224}
	return []row{
		{"conv3d", halves, func(o operands) job {
			x, w := o.randn(4, 32, 16, 56, 56), o.randn(32, 32, 3, 3, 3)
			return one(0, 2*x.ElemCount()*32*27, func() *tensor.Tensor {
				return nn.Conv(x, w, nil, nn.ConvOptions{Padding: []int{1}})
			})
		}},
		{"max_pool2d_padded", halves, of(func(x *tensor.Tensor) *tensor.Tensor {
			return nn.MaxPool(x, []int{3, 3}, halved)
		})},
		{"avg_pool2d_padded", halves, of(func(x *tensor.Tensor) *tensor.Tensor {
			return nn.AvgPool(x, []int{3, 3}, halved)
		})},
		{"max_pool2d_both", halves, both(func(x *tensor.Tensor) *tensor.Tensor {
			return nn.MaxPool(x, []int{3, 3}, halved)
		})},
		{"avg_pool2d_both", halves, both(func(x *tensor.Tensor) *tensor.Tensor {
			return nn.AvgPool(x, []int{3, 3}, halved)
		})},
		{"adaptive_avg_pool2d", halves, of(func(x *tensor.Tensor) *tensor.Tensor {
			return nn.AdaptiveAvgPool(x, 7, 7)
		})},
		{"upsample_bicubic", f32, of(func(x *tensor.Tensor) *tensor.Tensor {
			return nn.Interpolate(x, twice, nn.ByCubic, nn.InterpolateOptions{})
		})},
		{"grid_sample", f32, func(o operands) job {
			x, theta := o.randn(8, 64, 112, 112), o.randn(8, 2, 3)
			at := nn.AffineGrid(theta, twice, false)
			return one(0, 0, func() *tensor.Tensor { return nn.GridSample(x, at, nn.ByLinear, nn.GridOptions{}) })
		}},
	}
}
