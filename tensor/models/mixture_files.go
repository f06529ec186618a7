package models

import (
	"cmp"
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/config"
	"github.com/gorocm/gorocm/tensor/nn"
)

// mixture takes the weights of a layer's experts.
func (n weights) mixture(c *LlamaConfig, p *nn.Params) *mixture {
	if n.GGUF {
		return n.ggufMixture(c, p)
	}
	x := &mixture{Mixture: *c.Mixture}
	part := func(p *nn.Params, hidden int) feedForward {
		f := feedForward{down: newMatrix(p, []int{c.Dim}, hidden, false, n.ExpertDown)}
		switch {
		case c.Ungated:
			f.gateUp = newMatrix(p, []int{hidden}, c.Dim, false, n.ExpertUp)
		case n.ExpertGateUp != "":
			f.gateUp = newMatrix(p, []int{2 * hidden}, c.Dim, false, n.ExpertGateUp)
		default:
			f.gateUp = newMatrix(p, []int{hidden, hidden}, c.Dim, false, n.ExpertGate, n.ExpertUp)
		}
		return f
	}
	x.router = newMatrix(p, []int{x.Experts}, c.Dim, x.Bias, n.Router)
	if x.Correction {
		name := cmp.Or(n.Correction, n.Router+".e_score_correction_bias")
		shape := []int{1, x.Experts}
		if !n.CorrectionRow {
			shape = shape[1:]
		}
		x.correction = p.Get(name, shape, nn.Const(0)).Detach().ToDType(tensor.F32).Reshape(x.Experts)
	}
	if n.Stacked == config.ByName {
		for i := range x.Experts {
			x.experts = append(x.experts, part(p.At(fmt.Sprintf(n.Experts, i)), x.Hidden))
		}
	} else {
		x.experts = n.stackedExperts(&x.Mixture, c.Dim, p.At(n.Experts))
	}
	if x.SharedHidden > 0 {
		shared := part(p.At(n.Shared), x.SharedHidden)
		if x.shared = &shared; !x.Ungated {
			x.gate = newMatrix(p, []int{1}, c.Dim, false, n.SharedGate)
		}
	}
	return x
}

// stackedExperts takes the experts of a layer that are one parameter for each product, or in MXFP4 two.
func (n weights) stackedExperts(x *Mixture, dim int, p *nn.Params) []feedForward {
	of := func(name string, outputs, inputs int, paired bool) (all []matrix) {
		if p.Has(name + "_blocks") {
			all = mxfp4(p, name, x.Experts, outputs, inputs, paired)
		} else if n.Stacked == config.InRows {
			w := p.Get(name+".weight", []int{x.Experts, outputs, inputs}, randomWeight).Detach()
			for e := range x.Experts {
				all = append(all, matrix{dense: w.Get(e).T()})
			}
		} else {
			w := unpaired(p.Get(name, []int{x.Experts, inputs, outputs}, randomWeight).Detach(), paired)
			for e := range x.Experts {
				all = append(all, matrix{dense: w.Get(e)})
			}
		}
		if x.Bias {
			b := unpaired(p.Get(name+"_bias", []int{x.Experts, outputs}, nil).Detach(), paired)
			for e := range all {
				all[e].bias = b.Get(e)
			}
		}
		return all
	}
	gateUp := of(cmp.Or(n.ExpertGateUp, "gate_up_proj"), 2*x.Hidden, dim, n.Stacked == config.InPairs)
	down := of(n.ExpertDown, dim, x.Hidden, false)
	experts := make([]feedForward, x.Experts)
	for e := range experts {
		experts[e] = feedForward{gateUp: gateUp[e], down: down[e]}
	}
	return experts
}

// unpaired puts the elements of rows that are first in their pairs before the others.
func unpaired(w *tensor.Tensor, paired bool) *tensor.Tensor {
	if !paired {
		return w
	}
	d := w.Dims()
	last := len(d) - 1
	return w.Reshape(append(d[:last:last], d[last]/2, 2)...).Transpose(last, last+1).Contiguous().Reshape(d...)
}
