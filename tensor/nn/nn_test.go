package nn_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

func ExampleRmsNorm() {
	x := tensor.New([][]float32{{3, 3}, {-2, 2}})
	fmt.Println(nn.RmsNorm(x, tensor.Of(1, 10), 0).ToVec2())
	// Output: [[1 10] [-1 10]]
}

func ExampleRope() {
	x := tensor.Of(1, 2, 3, 4).Reshape(1, 1, 1, 4) // pairs (1, 3) and (2, 4)
	cos, sin := tensor.Of(0, 1).Reshape(1, 2), tensor.Of(1, 0).Reshape(1, 2)
	fmt.Println(nn.Rope(x, cos, sin).Float64s())
	// Output: [-3 2 1 4]
}

func TestSwiglu(t *testing.T) {
	x := tensor.Of(100, 0, 2, 3)
	if got := nn.Swiglu(x).Float64s(); got[0] != 200 || got[1] != 0 {
		t.Errorf("got %v, want [200 0]", got)
	}
	if _, err := tensor.Try(func() *tensor.Tensor {
		return nn.Swiglu(tensor.Ones(2, 5))
	}); !errors.Is(err, tensor.ErrShape) {
		t.Errorf("an odd size: got %v, want a shape error", err)
	}
}

func TestLosses(t *testing.T) {
	large := tensor.Of(1e4, -1e4, 0)
	// log(2)/3
	if got := nn.BinaryCrossEntropyWithLogits(large, tensor.Of(1, 0, 1)).ToScalar(); !(got > 0.23 && got < 0.24) {
		t.Errorf("large logits: %v", got)
	}
	if got := nn.BinaryCrossEntropyWithLogits(large, tensor.Of(0, 0, 1)).ToScalar(); !(got > 3333 && got < 3334) {
		t.Errorf("one logit of 10000 that is wrong: %v", got)
	}
	if got := nn.Mse(tensor.Of(1, 2), tensor.Of(3, 2)).ToScalar(); got != 2 {
		t.Errorf("mse: %v", got)
	}
}

// TestSlopesAtZero: a layer of zeros begins where losses and activations made of several parts have kinks in each.
func TestSlopesAtZero(t *testing.T) {
	for _, dev := range devices(t) {
		for _, c := range []struct {
			name string
			f    tensor.Func
			want float64 // as PyTorch has it
		}{
			{"softplus", nn.Softplus, 0.5},
			{"mish", nn.Mish, 0.6},
			{"leaky relu", func(x *tensor.Tensor) *tensor.Tensor { return nn.LeakyRelu(x, 0.25) }, 0.25},
			{"binary cross entropy of 1",
				func(x *tensor.Tensor) *tensor.Tensor { return nn.BinaryCrossEntropyWithLogits(x, x.OnesLike()) },
				-0.5},
			{"binary cross entropy of 0",
				func(x *tensor.Tensor) *tensor.Tensor { return nn.BinaryCrossEntropyWithLogits(x, x.ZerosLike()) },
				0.5},
		} {
			x := tensor.NewVar(dev.Zeros(tensor.F32, 1))
			if got := c.f(x).Sum().Backward().Get(x).Sum().ToScalar(); math.Abs(got-c.want) > 1e-6 {
				t.Errorf("%v, %s: the slope at 0 is %v, want %v", dev, c.name, got, c.want)
			}
		}
	}
}

func TestOneHotRange(t *testing.T) {
	for _, id := range []int64{-2, 3, 4, 1 << 40} {
		ids := tensor.New([]int64{0, id})
		if _, err := tensor.Try(func() *tensor.Tensor { return nn.OneHot(ids, 3, 1, 0, tensor.F32) }); !errors.Is(err,
			tensor.ErrIndex) {
			t.Errorf("id %d of 3: got %v, want an index error", id, err)
		}
	}
	if got := nn.OneHot(tensor.New([]int64{-1}), 2, 5, 7, tensor.U8).Float64s(); got[0] != 7 ||
		got[1] != 7 {
		t.Errorf("id -1: %v", got)
	}
}

func TestBatchNormLearns(t *testing.T) {
	b := nn.NewBatchNorm(2, tensor.F32, tensor.CPU())
	x := tensor.New([][]float32{{1, 10}, {3, 10}})
	if got := b.ForwardT(x, true).Float64s(); !(got[0] < -0.99 && got[2] > 0.99 && got[1] == 0) {
		t.Errorf("normalised to %v", got)
	}
	if got := b.RunningMean.Float64s(); !(got[0] > 0.19 && got[0] < 0.21 && got[1] == 1) {
		t.Errorf("the running mean is %v", got)
	}
	if got := b.RunningVar.Float64s(); !(got[0] > 1.09 && got[0] < 1.11) { // 0.9 + 0.1·2
		t.Errorf("the running variance is %v", got)
	}
}
