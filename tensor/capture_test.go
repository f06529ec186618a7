package tensor_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/devicetest"
)

// TestCapture captures operations of every family as a graph, and replays them with other elements in the operand: the
// results are those of the same operations at once.
func TestCapture(t *testing.T) {
	devicetest.OnGPUs(t, func(t *testing.T, dev *tensor.Device, d *rocm.Device) {
		w := dev.Randn(tensor.F32, 8, 6)
		filter := dev.Randn(tensor.F32, 2, 1, 3, 3)
		ids := dev.FromSlice([]uint32{3, 0, 3}, 3)
		for name, f := range map[string]func(x *tensor.Tensor) *tensor.Tensor{
			"elementwise": func(x *tensor.Tensor) *tensor.Tensor {
				return x.Mul(2).Tanh().Add(x.T().Narrow(0, 0, 1).Sum()).Gelu()
			},
			"reduce":  func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(1).Add(x.Max(1)) },
			"softmax": func(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(-1) },
			"product": func(x *tensor.Tensor) *tensor.Tensor { return x.MatMul(w).T().Contiguous() },
			"index":   func(x *tensor.Tensor) *tensor.Tensor { return x.IndexSelect(ids, 0) },
			"sort":    func(x *tensor.Tensor) *tensor.Tensor { s, _ := x.Sort(-1, true); return s },
			"top k":   func(x *tensor.Tensor) *tensor.Tensor { s, _ := x.TopK(3, -1, true); return s },
			"fill":    func(x *tensor.Tensor) *tensor.Tensor { return x.MaskedFill(x.Lt(0), 0) },
			"cumsum":  func(x *tensor.Tensor) *tensor.Tensor { return x.CumSum(1) },
			"conv": func(x *tensor.Tensor) *tensor.Tensor {
				return x.Reshape(1, 1, 5, 8).Conv2d(filter, 1, 1, 1, 1)
			},
			"copy": func(x *tensor.Tensor) *tensor.Tensor { return tensor.Cat([]*tensor.Tensor{x, x}, 1) },
		} {
			t.Run(name, func(t *testing.T) {
				first := dev.Randn(tensor.F32, 5, 8)
				second := dev.Randn(tensor.F32, 5, 8)
				x := first.Copy()
				f(x) // loads the kernels
				var y *tensor.Tensor
				g, err := d.Capture(func() { y = f(x) })
				if err != nil {
					t.Fatal(err)
				}
				for _, operand := range []*tensor.Tensor{first, second, first} {
					x.SliceSet(operand, 0, 0)
					if err := g.Replay(); err != nil {
						t.Fatal(err)
					}
					if got, want := y.Float64s(), f(operand).Float64s(); !slices.Equal(got, want) {
						t.Errorf("got %s, want %s", fmt.Sprint(got), fmt.Sprint(want))
					}
				}
			})
		}
	})
}

// BenchmarkGraph times the replay of a thousand small additions, and the same one by one.
func BenchmarkGraph(b *testing.B) {
	onDevices(b, func(b *testing.B, random func(...int) *tensor.Tensor) {
		x := random(16)
		if x.Device().IsCPU() {
			b.Skip("the host has no graphs")
		}
		d, err := rocm.Open(x.Device().Location())
		if err != nil {
			b.Fatal(err)
		}
		const launches = 1000
		adds := func() {
			y := x
			for range launches {
				y = y.Add(x)
				computed(y) // or the chain would be a few fused kernels
			}
		}
		adds()
		g, err := d.Capture(adds)
		if err != nil {
			b.Fatal(err)
		}
		time := func(name string, each bool, f func()) {
			b.Run(name, func(b *testing.B) {
				before := d.Launches()
				for b.Loop() {
					f()
				}
				if err := d.Synchronize(); err != nil {
					b.Fatal(err)
				}
				if n := d.Launches() - before; each && n != launches*uint64(b.N) {
					b.Fatalf("%d launches in %d iterations of %d additions", n, b.N, launches)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/launches, "ns/launch")
			})
		}
		time("one by one", true, adds)
		time("replayed", false, func() {
			if err := g.Replay(); err != nil {
				b.Error(err)
			}
		})
	})
}
