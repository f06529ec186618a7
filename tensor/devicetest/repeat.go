package devicetest

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// repeat checks that everything that adds many numbers gives the same bits in every run, in rows and in columns, short
// and long; and those that add in the order of ids, the bits of the host.
func (k kit) repeat(t T) {
	for i, dt := range kernels.Floats {
		host, x := k.input(dt, []int{7, 3}, 120, 1, false)
		src, devSrc := k.input(dt, []int{4000, 3}, 121, 1, false)
		raw, _ := k.input(tensor.I64, []int{4000}, 122, 0, false)
		ids := tensor.CPU().New(mapped(ints(raw), func(v int64) int64 { return (v%7 + 7) % 7 }))
		devIDs := ids.ToDevice(k.dev)
		wide := func(ids *tensor.Tensor) *tensor.Tensor { return ids.Unsqueeze(1).BroadcastAs(4000, 3) }
		_, devLine := k.input(dt, []int{30011}, 123, 1, false)
		_, long := k.input(dt, []int{2, 40013}, 124, 1, false)
		_, grid := k.input(dt, []int{9, 31, 67}, 125, 1, false)
		_, images := k.input(dt, []int{2, 6, 19, 23}, 126, 1, false)
		_, taps := k.input(dt, []int{6, 3, 3, 3}, 127, 1, false)
		_, each := k.input(dt, []int{6, 1, 3, 3}, 128, 1, false)
		_, up := k.input(dt, []int{6, 4, 3, 3}, 129, 1, false)
		_, scale := k.input(dt, []int{67}, 130, 1, false)
		type repetition struct {
			name    string
			run     func() *tensor.Tensor
			ordered *tensor.Tensor // what the host gives, if the order of the sums is that of the ids
		}
		for _, c := range some(k, []repetition{
			{"index add", func() *tensor.Tensor { return x.IndexAdd(devIDs, devSrc, 0) }, host.IndexAdd(ids, src, 0)},
			{"scatter add", func() *tensor.Tensor { return x.ScatterAdd(wide(devIDs), devSrc, 0) },
				host.ScatterAdd(wide(ids), src, 0)},
			{"scatter add of columns", func() *tensor.Tensor {
				return x.T().ScatterAdd(wide(devIDs).T(), devSrc.T(), 1)
			}, host.T().ScatterAdd(wide(ids).T(), src.T(), 1)},
			{"scatter", func() *tensor.Tensor { return x.Scatter(wide(devIDs), devSrc, 0) },
				host.Scatter(wide(ids), src, 0)},
			{"scatter add of few", func() *tensor.Tensor {
				return x.ScatterAdd(wide(devIDs).Narrow(0, 0, 50), devSrc.Narrow(0, 0, 50), 0)
			},
				host.ScatterAdd(wide(ids).Narrow(0, 0, 50), src.Narrow(0, 0, 50), 0)},
			{"sum", func() *tensor.Tensor { return devLine.Sum() }, nil},
			{"sum of long rows", func() *tensor.Tensor { return long.Sum(1) }, nil},
			{"sum of columns", func() *tensor.Tensor { return grid.Sum(0) }, nil},
			{"sum of two dims", func() *tensor.Tensor { return grid.Sum(0, 2) }, nil},
			{"mean", func() *tensor.Tensor { return long.Mean(1) }, nil},
			{"max", func() *tensor.Tensor { return long.Max(1) }, nil},
			{"argmin", func() *tensor.Tensor { return long.ArgMin(1) }, nil},
			{"var", func() *tensor.Tensor { return grid.Var(1) }, nil},
			{"norm", func() *tensor.Tensor { return grid.Norm() }, nil},
			{"log sum exp", func() *tensor.Tensor { return grid.LogSumExp(0) }, nil},
			{"cumsum", func() *tensor.Tensor { return devLine.CumSum(0) }, nil},
			{"cumsum of columns", func() *tensor.Tensor { return grid.CumSum(0) }, nil},
			{"softmax", func() *tensor.Tensor { return devLine.Softmax(0) }, nil},
			{"softmax of columns", func() *tensor.Tensor { return grid.Softmax(0) }, nil},
			{"log softmax", func() *tensor.Tensor { return grid.LogSoftmax(-1) }, nil},
			{"rms norm", func() *tensor.Tensor { return grid.RmsNorm(scale, 1e-5) }, nil},
			{"layer norm", func() *tensor.Tensor { return grid.LayerNorm(scale, scale, 1e-5) }, nil},
			{"product", func() *tensor.Tensor { return devLine.MatMul(devLine) }, nil},
			{"product of matrices", func() *tensor.Tensor { return grid.MatMul(grid.T()) }, nil},
			{"convolution", func() *tensor.Tensor { return images.Conv2d(taps, 1, 1, 1, 2) }, nil},
			{"depthwise convolution", func() *tensor.Tensor { return images.Conv2d(each, 1, 2, 1, 6) }, nil},
			{"transposed convolution", func() *tensor.Tensor { return images.ConvTranspose2d(up, 1, 1, 2, 1) }, nil},
			{"average pool", func() *tensor.Tensor { return images.AvgPool2d(3, 3) }, nil},
			{"sort", func() *tensor.Tensor { _, order := long.Sort(1, true); return order }, nil},
		}, len(kernels.Floats), i) {
			run(t, fmt.Sprintf("%v/%s", dt, c.name), func(t T) {
				first := bitsOf(c.run())
				if !slices.Equal(bitsOf(c.run()), first) {
					t.Fatal("two runs differ")
				}
				if c.ordered != nil && !slices.Equal(bitsOf(c.ordered), first) {
					t.Error("the host gives other bits")
				}
			})
		}
	}
}

// bitsOf returns the bits of float elements.
func bitsOf(t *tensor.Tensor) []uint64 { return mapped(t.Float64s(), math.Float64bits) }
