package nn_test

import (
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Optimizers are shown on a line each, without their state.
func TestOptimizersShown(t *testing.T) {
	v := func(shape ...int) *tensor.Tensor { return tensor.NewVar(tensor.Zeros(shape...)) }
	one := []*tensor.Tensor{v(2)}
	two := []*tensor.Tensor{v(2, 3), v(4)}
	sgd := nn.NewSGD(one, 0.5)
	sgd.Momentum, sgd.Nesterov, sgd.Gradients.ClipNorm = 0.9, true, 1
	plain := nn.NewAdam(two, nn.DefaultAdam())
	for _, c := range []struct {
		value any
		want  string
	}{
		{nn.NewSGD(one, 0.5), "nn.SGD: LR 0.5; 1 variable of 2 elements"},
		{sgd, "nn.SGD: LR 0.5, Momentum 0.9, Nesterov, ClipNorm 1; 1 variable of 2 elements"},
		{nn.NewAdamW(two, nn.DefaultAdamW()), "nn.AdamW: LR 0.001, Beta1 0.9, Beta2 0.999, Eps 1e-08, WeightDecay 0.01; 2 variables of 10 elements"},
		{nn.NewGroups(nn.NewSGD(one, 0.5), plain), "nn.Groups: 2\n  nn.SGD: LR 0.5; 1 variable of 2 elements\n  " + plain.String()},
		{nn.NewTrainer(nn.NewSGD(one, 0.5), nil), "nn.Trainer: steps of nn.SGD: LR 0.5; 1 variable of 2 elements"},
		{nn.NewScaler(nn.NewSGD(one, 0.5), nn.DefaultScaler()), "nn.Scaler: scale 65536, of nn.SGD: LR 0.5, Scale 65536, SkipNotFinite; 1 variable of 2 elements"},
		{nn.NewEMA(two, 0.9), "nn.EMA: Decay 0.9; 2 variables of 10 elements; 0 updates"},
		{nn.NewLoRA(nn.DefaultLoRA("q", "v"), tensor.F32, tensor.CPU()),
			"nn.LoRA: Rank 8, Alpha 8, Targets [q v], Training; 0 variables of 0 elements in 0 layers"},
	} {
		if got := fmt.Sprint(c.value); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
