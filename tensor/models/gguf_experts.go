package models

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// ggufMixture takes the weights of a layer's experts from a GGUF file: a tensor of all experts for each product, or in
// older files one for each expert.
func (n weights) ggufMixture(c *LlamaConfig, p *nn.Params) *mixture {
	x := &mixture{Mixture: *c.Mixture}
	x.router = newMatrix(p, []int{x.Experts}, c.Dim, x.Bias, "ffn_gate_inp")
	if x.Correction {
		shape := []int{1, x.Experts}
		if !n.CorrectionRow {
			shape = shape[1:]
		}
		x.correction = p.Get("exp_probs_b.bias", shape, nil).Detach().ToDType(tensor.F32).Reshape(x.Experts)
	}
	if c.Ungated {
		up := takeStacked(p, "ffn_up_exps", x.Experts, x.Hidden, c.Dim)
		down := takeStacked(p, "ffn_down_exps", x.Experts, c.Dim, x.Hidden)
		for i := range x.Experts {
			x.experts = append(x.experts, feedForward{gateUp: expertMatrix(p, i, up), down: expertMatrix(p, i, down)})
		}
	} else if p.Has("ffn_gate.0.weight") {
		for i := range x.Experts {
			number := fmt.Sprintf(".%d", i)
			x.experts = append(x.experts, feedForward{
				gateUp: newMatrix(p, []int{x.Hidden, x.Hidden}, c.Dim, false, "ffn_gate"+number, "ffn_up"+number),
				down:   newMatrix(p, []int{c.Dim}, x.Hidden, false, "ffn_down"+number)})
		}
	} else {
		gate := takeStacked(p, "ffn_gate_exps", x.Experts, x.Hidden, c.Dim)
		up := takeStacked(p, "ffn_up_exps", x.Experts, x.Hidden, c.Dim)
		down := takeStacked(p, "ffn_down_exps", x.Experts, c.Dim, x.Hidden)
		for i := range x.Experts {
			x.experts = append(x.experts, feedForward{gateUp: expertMatrix(p, i, gate, up),
				down: expertMatrix(p, i, down)})
		}
		if x.Bias {
			bias := func(name string, n int) *tensor.Tensor { return p.Get(name, []int{x.Experts, n}, nil).Detach() }
			gate, up := bias("ffn_gate_exps.bias", x.Hidden), bias("ffn_up_exps.bias", x.Hidden)
			gateUp, down := tensor.Cat([]*tensor.Tensor{gate, up}, 1), bias("ffn_down_exps.bias", c.Dim)
			for i := range x.experts {
				x.experts[i].gateUp.bias, x.experts[i].down.bias = gateUp.Get(i), down.Get(i)
			}
		}
	}
	if x.SharedHidden > 0 {
		x.shared = &feedForward{down: newMatrix(p, []int{c.Dim}, x.SharedHidden, false, "ffn_down_shexp")}
		if width := []int{x.SharedHidden, x.SharedHidden}; c.Ungated {
			x.shared.gateUp = newMatrix(p, width[:1], c.Dim, false, "ffn_up_shexp")
		} else {
			x.shared.gateUp = newMatrix(p, width, c.Dim, false, "ffn_gate_shexp", "ffn_up_shexp")
		}
	}
	if x.SharedHidden > 0 && !x.Ungated {
		shape := []int{1, c.Dim}
		if n.FlatGate {
			shape = shape[1:]
		}
		x.gate = matrix{dense: p.Get("ffn_gate_inp_shexp.weight", shape, nil).Detach().Reshape(c.Dim, 1)}
	}
	return x
}

// stackedMatrix is the weights of one product in all experts.
type stackedMatrix struct {
	dense  *tensor.Tensor // [experts outputs inputs]
	packed *quant.QTensor // the same, instead
}

func takeStacked(p *nn.Params, name string, experts, outputs, inputs int) (s stackedMatrix) {
	name += ".weight"
	if s.packed = p.GetPacked(name, experts, outputs, inputs); s.packed == nil {
		s.dense = p.Get(name, []int{experts, outputs, inputs}, randomWeight).Detach()
	}
	return s
}

// of is the matrix [outputs inputs] of an expert: a view.
func (s *stackedMatrix) of(expert int) stackedMatrix {
	if s.packed == nil {
		return stackedMatrix{dense: s.dense.Get(expert)}
	}
	dims, data := s.packed.Dims(), s.packed.Data()
	size := len(data) / dims[0]
	q, err := quant.NewOwned(s.packed.Type(), dims[1:], data[expert*size:][:size], s.packed)
	if err != nil {
		panic(err) // a part of blocks that fit
	}
	return stackedMatrix{packed: q}
}

// expertMatrix is an expert's rows of products that have the same inputs, one below the other. They stay packed where
// all are, and on GPUs where all are packed alike.
func expertMatrix(p *nn.Params, expert int, all ...stackedMatrix) matrix {
	var packed []*quant.QTensor
	var dense []*tensor.Tensor
	rows, alike := 0, true
	for i := range all {
		w := all[i].of(expert)
		if w.packed == nil {
			dense = append(dense, w.dense)
			continue
		}
		packed = append(packed, w.packed)
		rows, alike = rows+w.packed.Dims()[0], alike && w.packed.Type() == packed[0].Type()
	}
	switch {
	case len(dense) == 0 && p.Device().IsCPU():
		return matrix{stored: packed}
	case len(dense) == 0 && alike:
		return matrix{packed: joined(p, packed, rows, packed[0].Dims()[1])}
	}
	dense = nil
	for i := range all {
		w := all[i].of(expert)
		if w.packed != nil {
			w.dense = w.packed.DequantizeAs(p.DType(), p.Device())
		}
		dense = append(dense, w.dense)
	}
	return matrix{dense: stacked(dense).T()}
}
