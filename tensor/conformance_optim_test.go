package tensor_test

import (
	"encoding/json"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// checkOptimizer lets an optimizer take the steps of a case, which names a loss of its inputs.
func checkOptimizer(c conformanceCase, dev *tensor.Device) {
	a := arguments(c.Args)
	var in []*tensor.Tensor
	for _, d := range c.Inputs {
		in = append(in, d.build(dev))
	}
	var vars []*tensor.Tensor
	var loss func() *tensor.Tensor
	switch a["loss"] {
	case "(x-4.2)^2":
		x := tensor.NewVar(in[0])
		vars, loss = []*tensor.Tensor{x}, func() *tensor.Tensor { return x.Sub(4.2).Sqr() }
	case "sum((x@w.T+b-y)^2)":
		w := tensor.NewVar(dev.Zeros(in[0].DType(), 1, in[0].Dim(1)))
		b := tensor.NewVar(dev.Zeros(in[0].DType()))
		vars = []*tensor.Tensor{w, b}
		loss = func() *tensor.Tensor { return in[0].MatMul(w.T()).Add(b).Sub(in[1]).Sqr().Sum() }
	default:
		fail("unknown loss %v", a["loss"])
	}
	var o nn.Optimizer = nn.NewSGD(vars, a.num("lr"))
	if strings.HasPrefix(c.Op, "adamw") {
		o = nn.NewAdamW(vars, nn.AdamWConfig{LR: a.num("lr"), Beta1: a.num("beta1"), Beta2: a.num("beta2"),
			Eps: a.num("eps"), WeightDecay: a.num("weight_decay")})
	}
	for range a.int("steps") {
		nn.BackwardStep(o, loss())
	}
	var want []dataTensor
	need(json.Unmarshal(c.Expect, &want))
	for i, v := range vars {
		c.compare(v, want[i])
	}
}
