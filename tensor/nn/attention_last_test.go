package nn_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestAttendLast: keys after the last one are as good as not there, whatever lies in their memory.
func TestAttendLast(t *testing.T) {
	const groups, keys, size = 2, 150, 8
	for _, spec := range []string{"cpu", "rocm", "cuda"} {
		dev, err := tensor.NewDevice(spec)
		if err != nil {
			continue
		}
		k, v := tensor.Randn(0, 1, []int{1, groups, keys, size}, tensor.F32, dev),
			tensor.Randn(0, 1, []int{1, groups, keys, size}, tensor.F32, dev)
		for _, queries := range []int{1, 3, 20} { // few rows and many have kernels of their own
			q := tensor.Randn(0, 1, []int{1, 2 * groups, queries, size}, tensor.F32, dev)
			for _, last := range []int{queries - 1, 70, keys - 1} {
				for name, a := range map[string]nn.Attend{"all": {}, "causal": {Causal: true},
					"window": {Causal: true, Window: 5}} {
					t.Run(fmt.Sprintf("%s/%d after %d/%s", spec, queries, last, name), func(t *testing.T) {
						want := nn.Attention(q, k.Narrow(2, 0, last+1), v.Narrow(2, 0, last+1), a).Float64s()
						x, y := k.Copy(), v.Copy()
						if n := keys - 1 - last; n > 0 && !dev.IsCPU() {
							x.Narrow(2, last+1, n).ConstSet(math.NaN())
							y.Narrow(2, last+1, n).ConstSet(math.Inf(1))
						}
						a.Last = tensor.FromSlice([]uint32{uint32(last)}, []int{1}, dev)
						for i, got := range nn.Attention(q, x, y, a).Float64s() {
							if !(math.Abs(got-want[i]) < 1e-5) {
								t.Fatalf("element %d is %v, want %v", i, got, want[i])
							}
						}
					})
				}
			}
		}
		if _, err := tensor.Try(func() *tensor.Tensor {
			return nn.Attention(k, k, v, nn.Attend{Last: tensor.Zeros([]int{2}, tensor.U32, dev)})
		}); !errors.Is(err, tensor.ErrShape) {
			t.Errorf("%s: two last keys: %v", spec, err)
		}
	}
}
