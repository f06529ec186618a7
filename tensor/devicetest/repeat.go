package devicetest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// repeat checks that what adds many numbers gives the same bits in every run; and those that add in the order of ids, the bits of the host.
func (k kit) repeat(t *testing.T) {
	for _, dt := range kernels.Floats {
		host, x := k.input(dt, []int{7, 3}, 120, 1, false)
		src, devSrc := k.input(dt, []int{4000, 3}, 121, 1, false)
		raw, _ := k.input(tensor.I64, []int{4000}, 122, 0, false)
		ids := tensor.New(mapped(ints(raw), func(v int64) int64 { return (v%7 + 7) % 7 }), tensor.CPU())
		devIDs := ids.ToDevice(k.dev)
		each := func(ids *tensor.Tensor) *tensor.Tensor { return ids.Unsqueeze(1).BroadcastAs([]int{4000, 3}) }
		_, devLine := k.input(dt, []int{30011}, 123, 1, false)
		for _, c := range []struct {
			name    string
			run     func() *tensor.Tensor
			ordered *tensor.Tensor // what the host gives, if the order of the sums is that of the ids
		}{
			{"index add", func() *tensor.Tensor { return x.IndexAdd(devIDs, devSrc, 0) }, host.IndexAdd(ids, src, 0)},
			{"scatter add", func() *tensor.Tensor { return x.ScatterAdd(each(devIDs), devSrc, 0) }, host.ScatterAdd(each(ids), src, 0)},
			{"scatter add of columns", func() *tensor.Tensor { return x.T().ScatterAdd(each(devIDs).T(), devSrc.T(), 1) }, host.T().ScatterAdd(each(ids).T(), src.T(), 1)},
			{"scatter", func() *tensor.Tensor { return x.Scatter(each(devIDs), devSrc, 0) }, host.Scatter(each(ids), src, 0)},
			{"sum", func() *tensor.Tensor { return devLine.Sum() }, nil},
			{"cumsum", func() *tensor.Tensor { return devLine.CumSum(0) }, nil},
			{"softmax", func() *tensor.Tensor { return devLine.Softmax(0) }, nil},
			{"product", func() *tensor.Tensor { return devLine.MatMul(devLine) }, nil},
		} {
			t.Run(fmt.Sprintf("%v/%s", dt, c.name), func(t *testing.T) {
				first := bitsOf(c.run())
				for range 3 {
					if !slices.Equal(bitsOf(c.run()), first) {
						t.Fatal("two runs differ")
					}
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
