package nn_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestCrossEntropyOfPositions compares logits [2 3 2 2] with PyTorch 2.15: targets that are numbers of classes and
// probabilities, with all options. The values are the losses times 1, 2 and so on, and the gradients of the sum of that
// by logits and targets, times cosines of their indices.
func TestCrossEntropyOfPositions(t *testing.T) {
	for _, dev := range devices(t) {
		index := dev.Arange(tensor.F64, 24)
		logits := index.Mul(0.7).Sin().Mul(2).Reshape(2, 3, 2, 2)
		ids := dev.Arange(tensor.I64, 8).Mul(7).Mod(3).Reshape(2, 2, 2)
		soft := index.Mod(5).Add(1).Reshape(2, 3, 2, 2)
		soft = soft.Div(soft.SumKeepDim(1))
		cosines := index.Cos().Reshape(2, 3, 2, 2)
		all := nn.CrossEntropyOptions{Weights: dev.New([]float64{0.5, 2, 1.25}), LabelSmoothing: 0.1}
		ignoring := all
		ignoring.IgnoreIndex = new(1)
		for name, c := range map[string]struct {
			target *tensor.Tensor
			o      nn.CrossEntropyOptions
			want   [3][]float64 // by reduction
		}{
			"ids": {ids, nn.CrossEntropyOptions{}, [3][]float64{{1.5506774947258202, 0.11865756186529877},
				{12.405419957806561, 0.9492604949223902}, {51.99033004862124, 6.93159090331748}}},
			"ids, all": {ids, ignoring, [3][]float64{{1.1511996472742938, 0.03128360344645594},
				{4.604798589097175, 0.12513441378582377}, {19.12333888966252, 1.7764828277890292}}},
			"soft": {soft, nn.CrossEntropyOptions{}, [3][]float64{
				{1.6234057751534663, 0.04131245964495274, -0.11822586115192579},
				{12.98724620122773, 0.3304996771596219, -0.9458068892154063},
				{58.228775974407256, 0.9067018175701413, -22.779715442456663}}},
			"soft, all": {soft, all, [3][]float64{{2.3656657769409666, 0.059252588036622825, 0.14447831231630576},
				{18.925326215527733, 0.4740207042929826, 1.155826498530446},
				{81.89177554614673, 1.1688081919963254, -15.387589923099618}}},
		} {
			for reduction, want := range c.want {
				o := c.o
				o.Reduction = nn.Reduction(reduction)
				v, target := tensor.NewVar(logits), c.target
				if len(want) == 3 {
					target = tensor.NewVar(target)
				}
				y := nn.CrossEntropyWith(v, target, o)
				if o.Reduction == nn.ReduceNone && !slices.Equal(y.Dims(), []int{2, 2, 2}) {
					t.Errorf("%s: the losses are %v", name, y.Dims())
				}
				loss := y.FlattenAll().Mul(dev.Arange(tensor.F64, 1, float64(y.ElemCount()+1))).Sum()
				grads := loss.Backward()
				got := []float64{loss.ToScalar(), grads.Get(v).Mul(cosines).Sum().ToScalar()}
				if len(want) == 3 {
					got = append(got, grads.Get(target).Mul(cosines).Sum().ToScalar())
				}
				for i, w := range want {
					if math.Abs(got[i]-w) > 1e-12*(1+math.Abs(w)) {
						t.Errorf("%s, reduction %d: got %v, want %v", name, reduction, got, want)
						break
					}
				}
			}
		}
		x, y := logits.Get(0).I(":, 0, 0"), soft.Get(0).I(":, 0, 0")
		for _, c := range [][2]float64{{nn.CrossEntropy(x, dev.Full(tensor.I64, 2)).ToScalar(), 2.4372195975850137},
			{nn.CrossEntropy(x, y).ToScalar(), 1.3447114819823227}} {
			if math.Abs(c[0]-c[1]) > 1e-14 {
				t.Errorf("of a vector it is %v, want %v", c[0], c[1])
			}
		}
		_, err := tensor.Try(func() *tensor.Tensor { return nn.CrossEntropyWith(logits, soft, ignoring) })
		if !errors.Is(err, tensor.ErrShape) {
			t.Errorf("probabilities with IgnoreIndex: %v", err)
		}
	}
}
