package nn_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestAttendLast: keys after the last one are as good as not there, whatever lies in their memory.
func TestAttendLast(t *testing.T) {
	thorough.Slow(t)
	const groups, keys, size = 2, 150, 8
	for _, spec := range []string{"cpu", "rocm", "cuda"} {
		dev, err := tensor.NewDevice(spec)
		if err != nil {
			continue
		}
		k, v := dev.Randn(tensor.F32, 1, groups, keys, size),
			dev.Randn(tensor.F32, 1, groups, keys, size)
		for _, queries := range []int{1, 3, 20} { // few rows and many have kernels of their own
			q := dev.Randn(tensor.F32, 1, 2*groups, queries, size)
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
						a.Last = dev.FromSlice([]uint32{uint32(last)}, 1)
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
			return nn.Attention(k, k, v, nn.Attend{Last: dev.Zeros(tensor.U32, 2)})
		}); !errors.Is(err, tensor.ErrShape) {
			t.Errorf("%s: two last keys: %v", spec, err)
		}
	}
}

// TestAttendLastGradient: keys after the last one get no gradient, and change none.
func TestAttendLastGradient(t *testing.T) {
	thorough.Slow(t)
	const groups, keys, queries, size = 2, 150, 20, 8
	for _, dev := range devices(t) {
		k, v := tensor.NewVar(dev.Randn(tensor.F32, 1, groups, keys, size)),
			tensor.NewVar(dev.Randn(tensor.F32, 1, groups, keys, size))
		q := tensor.NewVar(dev.Randn(tensor.F32, 1, 2*groups, queries, size))
		for _, last := range []int{queries - 1, 70, keys - 1} {
			for name, a := range map[string]nn.Attend{"all": {}, "causal": {Causal: true},
				"window": {Causal: true, Window: 5}} {
				t.Run(fmt.Sprintf("%v/after %d/%s", dev, last, name), func(t *testing.T) {
					// the gradient of a sum is broadcast
					want := nn.Attention(q, k.Narrow(2, 0, last+1), v.Narrow(2, 0, last+1), a).Sum().Backward()
					a.Last = dev.FromSlice([]uint32{uint32(last)}, 1)
					got := nn.Attention(q, k, v, a).Sum().Backward()
					for _, x := range []*tensor.Tensor{q, k, v} {
						close(t, got.Get(x), want.Get(x))
					}
				})
			}
		}
	}
}
