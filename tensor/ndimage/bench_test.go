package ndimage_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/ndimage"
)

// BenchmarkHost filters, transforms and measures an image of 1024 × 1024 in F64: bench/science.py times SciPy beside it.
func BenchmarkHost(b *testing.B) {
	x := noise(5, 1024, 1024)
	cells := ndimage.GaussianFilter(x, []float64{3}, ndimage.GaussianOptions{}).Gt(0).Copy()
	for _, c := range []struct {
		name string
		f    func() *tensor.Tensor
	}{
		{"gaussian", func() *tensor.Tensor { return ndimage.GaussianFilter(x, []float64{2}, ndimage.GaussianOptions{}) }},
		{"uniform", func() *tensor.Tensor { return ndimage.UniformFilter(x, []int{5}, ndimage.Border{}) }},
		{"sobel", func() *tensor.Tensor { return ndimage.Sobel(x, 0, ndimage.Border{}) }},
		{"median", func() *tensor.Tensor { return ndimage.MedianFilter(x, []int{3}, ndimage.Border{}) }},
		{"maximum", func() *tensor.Tensor { return ndimage.MaximumFilter(x, []int{7}, ndimage.Border{}) }},
		{"opening", func() *tensor.Tensor { return ndimage.BinaryOpening(cells, ndimage.Binary{}) }},
		{"label", func() *tensor.Tensor { labels, _ := ndimage.Label(cells, nil); return labels }},
		{"distance", func() *tensor.Tensor { d, _ := ndimage.DistanceTransform(cells, nil); return d }},
		{"zoom", func() *tensor.Tensor { return ndimage.Zoom(x, []float64{0.7}, ndimage.TransformOptions{}) }},
		{"rotate", func() *tensor.Tensor { return ndimage.Rotate(x, 30, ndimage.RotateOptions{Keep: true}) }},
		{"rotate linear", func() *tensor.Tensor {
			return ndimage.Rotate(x, 30, ndimage.RotateOptions{Keep: true, TransformOptions: ndimage.TransformOptions{Order: ndimage.Linear}})
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.f()
				tensor.CPU().Synchronize() // computes what is deferred
			}
		})
	}
}
