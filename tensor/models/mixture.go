package models

import (
	"cmp"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// feedForward are the products of a feed-forward part.
type feedForward struct {
	gateUp matrix // both halves of Swiglu; one matrix without a gate
	down   matrix
	xielu  *xielu // the activation, or nil
}

// of computes the part for rows.
func (f *feedForward) of(m *Llama, h *tensor.Tensor) *tensor.Tensor {
	y := f.gateUp.product(h)
	if s := m.Config.GateFactor; s != 0 {
		gate := y.Narrow(1, 0, y.Dim(1)/2)
		gate.CopySet(gate.Mul(s))
	}
	switch {
	case f.xielu != nil:
		y = f.xielu.of(y)
	case m.activate == nil:
		y = nn.Swiglu(y)
	case m.Config.Ungated:
		y = m.activate(y)
	default:
		n := y.Dim(1) / 2
		y = m.activate(y.Narrow(1, 0, n)).Mul(y.Narrow(1, n, n))
	}
	if y = f.down.product(y); m.Config.DownFactor != 0 {
		y = y.Mul(m.Config.DownFactor)
	}
	return y
}

// mixture is the experts of a layer.
type mixture struct {
	Mixture
	router     matrix
	correction *tensor.Tensor // [experts], or nil
	experts    []feedForward
	shared     *feedForward
	gate       matrix // of the shared one
}

// of sums what the experts of each of the rows h give, times their probabilities. Which rows an expert has is known on
// the host, so that only those are computed: it waits for a GPU.
func (x *mixture) of(m *Llama, h *tensor.Tensor) *tensor.Tensor {
	n, dev := h.Dim(0), h.Device()
	probabilities, ids := x.route(h)
	probabilities = probabilities.ToDType(h.DType()).Reshape(n*x.PerToken, 1)
	rows, places := make([][]uint32, x.Experts), make([][]uint32, x.Experts) // of each expert, and in probabilities
	for row, experts := range tensor.ToVec2[uint32](ids) {
		for k, expert := range experts {
			rows[expert] = append(rows[expert], uint32(row))
			places[expert] = append(places[expert], uint32(row*x.PerToken+k))
		}
	}
	y := h.ZerosLike()
	if x.shared != nil {
		if y = x.shared.of(m, h); !x.Ungated {
			y = y.Mul(x.gate.product(h).Sigmoid())
		}
	}
	for i := range x.experts {
		if len(rows[i]) == 0 {
			continue
		}
		at := dev.New(rows[i])
		reads, factor := h.IndexSelect(at, 0), probabilities.IndexSelect(dev.New(places[i]), 0)
		if x.Before {
			y = y.IndexAdd(at, x.expert(m, i, reads.Mul(factor)), 0)
		} else {
			y = y.IndexAdd(at, x.expert(m, i, reads).Mul(factor), 0)
		}
	}
	return y
}

// route returns the probabilities [n PerToken] of the experts of each row, and their numbers.
func (x *mixture) route(h *tensor.Tensor) (probabilities, ids *tensor.Tensor) {
	scores := x.router.product(h).ToDType(tensor.F32)
	choice := scores // whose order is that of the probabilities, without rounding
	if x.Sigmoid {
		scores = scores.Sigmoid()
	} else {
		scores = scores.Softmax(1)
	}
	if x.correction != nil {
		choice = scores.Add(x.correction)
	}
	if x.Groups > 1 {
		choice = x.ofBestGroups(choice)
	}
	_, ids = choice.TopK(x.PerToken, 1, true)
	probabilities = scores.Gather(ids, 1)
	if x.Normalize {
		probabilities = probabilities.Div(probabilities.Sum(1).Unsqueeze(1))
	}
	return probabilities.Mul(cmp.Or(x.Scale, 1)), ids
}

// ofBestGroups hides the experts of all groups but the best ones.
func (x *mixture) ofBestGroups(choice *tensor.Tensor) *tensor.Tensor {
	n, each, best := choice.Dim(0), x.Experts/x.Groups, 1
	if x.Correction {
		best = 2
	}
	grouped := choice.Reshape(n, x.Groups, each)
	top, _ := grouped.TopK(best, 2, true)
	_, chosen := top.Sum(2).TopK(x.TopGroups, 1, true)
	hidden := choice.Device().Full(tensor.F32, math.Inf(-1), n, x.Groups)
	hidden.ScatterSet(chosen, hidden.Narrow(1, 0, x.TopGroups).ZerosLike(), 1)
	return grouped.Add(hidden.Unsqueeze(2)).Reshape(n, x.Experts)
}

// expert is what an expert gives for rows.
func (x *mixture) expert(m *Llama, i int, h *tensor.Tensor) *tensor.Tensor {
	e := &x.experts[i]
	if x.Limit == 0 {
		return e.of(m, h)
	}
	y := e.gateUp.product(h)
	gate, up := y.Narrow(1, 0, x.Hidden).Minimum(x.Limit), y.Narrow(1, x.Hidden, x.Hidden).Clamp(-x.Limit, x.Limit)
	return e.down.product(gate.Mul(gate.Mul(x.Alpha).Sigmoid()).Mul(up.Add(1)))
}

// packed is the mixture with other matrices; the router and the gate of the shared expert, which are small, stay.
func (x *mixture) packed(pack func(matrix) matrix) *mixture {
	if x == nil {
		return nil
	}
	y := *x
	y.experts = nil
	for _, e := range x.experts {
		y.experts = append(y.experts, feedForward{gateUp: pack(e.gateUp), down: pack(e.down)})
	}
	if x.shared != nil {
		y.shared = &feedForward{gateUp: pack(x.shared.gateUp), down: pack(x.shared.down)}
	}
	return &y
}
