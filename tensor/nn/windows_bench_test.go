package nn_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// BenchmarkWindows times what bench/windows.py times with SciPy, and the methods of tensors beside it.
func BenchmarkWindows(b *testing.B) {
	dev := tensor.CPU()
	image := dev.Rand(tensor.F32, 1, 16, 256, 256).Affine(2, -1)
	kernel := dev.Rand(tensor.F32, 16, 16, 3, 3).Affine(2, -1)
	volume := dev.Rand(tensor.F32, 1, 8, 32, 64, 64).Affine(2, -1)
	cube := dev.Rand(tensor.F32, 8, 8, 3, 3, 3).Affine(2, -1)
	up := dev.Rand(tensor.F32, 16, 1, 4, 4).Affine(2, -1)
	half := dev.New([][][]float32{{{0.5, 0, 0}, {0, 0.5, 0}}})
	grid := nn.AffineGrid(half, []int{256, 256}, false)
	side := nn.ConvOptions{Padding: []int{1}}
	two := nn.PoolOptions{Stride: []int{2}, Padding: []int{1}}
	apart := nn.PoolOptions{Stride: []int{2}, Padding: []int{2}, Dilation: []int{2}}
	var plain nn.InterpolateOptions
	for _, c := range []struct {
		name string
		f    func() *tensor.Tensor
	}{
		{"conv2d_method", func() *tensor.Tensor { return image.Conv2d(kernel, 1, 1, 1, 1) }},
		{"conv2d", func() *tensor.Tensor { return nn.Conv(image, kernel, nil, side) }},
		{"conv2d_sides", func() *tensor.Tensor {
			return nn.Conv(image, kernel, nil, nn.ConvOptions{Padding: []int{0, 1, 0, 1}})
		}},
		{"conv2d_strides", func() *tensor.Tensor {
			return nn.Conv(image, kernel, nil, nn.ConvOptions{Stride: []int{2, 1}, Padding: []int{1}})
		}},
		{"conv3d", func() *tensor.Tensor { return nn.Conv(volume, cube, nil, side) }},
		{"conv_transpose2d_groups", func() *tensor.Tensor {
			return nn.ConvTranspose(image, up, nil, nn.ConvOptions{Groups: 16, Stride: []int{2}, Padding: []int{1}})
		}},
		{"max_pool2d", func() *tensor.Tensor { return nn.MaxPool(image, []int{3, 3}, two) }},
		{"max_pool2d_indices", func() *tensor.Tensor { y, _ := nn.MaxPoolIndices(image, []int{3, 3}, two); return y }},
		{"max_pool2d_dilated", func() *tensor.Tensor { return nn.MaxPool(image, []int{3, 3}, apart) }},
		{"avg_pool2d", func() *tensor.Tensor { return nn.AvgPool(image, []int{3, 3}, two) }},
		{"avg_pool2d_excluded", func() *tensor.Tensor {
			return nn.AvgPool(image, []int{3, 3}, nn.PoolOptions{Stride: []int{2}, Padding: []int{1}, ExcludePadding: true})
		}},
		{"max_pool3d", func() *tensor.Tensor { return nn.MaxPool(volume, []int{2, 2, 2}, nn.PoolOptions{}) }},
		{"adaptive_avg_pool2d", func() *tensor.Tensor { return nn.AdaptiveAvgPool(image, 7, 7) }},
		{"bilinear_method", func() *tensor.Tensor { return image.UpsampleBilinear2d(512, 512, false) }},
		{"bilinear", func() *tensor.Tensor { return nn.Interpolate(image, []int{512, 512}, nn.ByLinear, plain) }},
		{"bicubic", func() *tensor.Tensor { return nn.Interpolate(image, []int{512, 512}, nn.ByCubic, plain) }},
		{"nearest", func() *tensor.Tensor { return nn.Interpolate(image, []int{512, 512}, nn.ByNearest, plain) }},
		{"nearest_method", func() *tensor.Tensor { return image.UpsampleNearest2d(512, 512) }},
		{"antialias", func() *tensor.Tensor {
			return nn.Interpolate(image, []int{64, 64}, nn.ByLinear, nn.InterpolateOptions{Antialias: true})
		}},
		{"grid_sample", func() *tensor.Tensor { return nn.GridSample(image, grid, nn.ByLinear, nn.GridOptions{}) }},
		{"unfold", func() *tensor.Tensor { return nn.Unfold(image, []int{3, 3}, side) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				y := c.f()
				y.Contiguous()
				y.Free()
			}
		})
	}
}
