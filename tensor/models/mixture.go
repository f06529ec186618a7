package models

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Mixture describes feed-forward parts of many experts, of which each token goes to a few: the ones to which a router
// gives the largest probabilities.
type Mixture struct {
	Experts, PerToken int
	Hidden            int    // width between the two products of an expert
	SharedHidden      int    // the same of one that all tokens go to, times a gate of its own; 0 is none
	Normalize         bool   // the probabilities of a token's experts are divided by their sum
	Dense             []bool // the layers that have an ordinary feed-forward part instead; nil is none
}

func (x *Mixture) check(c *LlamaConfig) error {
	for _, n := range []int{x.Experts, x.PerToken, x.Hidden, x.SharedHidden + 1} {
		if n < 1 || n > 1<<30 {
			return fmt.Errorf("models: a mixture of experts of these sizes is not possible: %+v", *x)
		}
	}
	switch {
	case x.PerToken > x.Experts:
		return fmt.Errorf("models: a token cannot go to %d of %d experts", x.PerToken, x.Experts)
	case x.Dense != nil && len(x.Dense) != c.Layers:
		return fmt.Errorf("models: Mixture.Dense lists %d layers of %d", len(x.Dense), c.Layers)
	case c.Ungated || c.FeedForwardBias:
		return fmt.Errorf("models: experts have a gate and no biases")
	}
	return nil
}

// mixes reports whether a layer has experts.
func (c *LlamaConfig) mixes(layer int) bool {
	return c.Mixture != nil && (c.Mixture.Dense == nil || !c.Mixture.Dense[layer])
}

// feedForward are the products of a feed-forward part.
type feedForward struct {
	gateUp matrix // both halves of Swiglu; one matrix without a gate
	down   matrix
}

// of computes the part for rows.
func (f *feedForward) of(m *Llama, h *tensor.Tensor) *tensor.Tensor {
	y := f.gateUp.product(h)
	switch {
	case m.activate == nil:
		y = nn.Swiglu(y)
	case m.Config.Ungated:
		y = m.activate(y)
	default:
		n := y.Dim(1) / 2
		y = m.activate(y.Narrow(1, 0, n)).Mul(y.Narrow(1, n, n))
	}
	return f.down.product(y)
}

// mixture is the experts of a layer.
type mixture struct {
	Mixture
	router  matrix
	experts []feedForward
	shared  *feedForward
	gate    matrix // of the shared one
}

// mixture takes the weights of a layer's experts.
func (n *llamaNames) mixture(c *LlamaConfig, p *nn.Params) *mixture {
	if n.ggufExperts {
		return n.ggufMixture(c, p)
	}
	x := &mixture{Mixture: *c.Mixture}
	part := func(p *nn.Params, hidden int) feedForward {
		return feedForward{gateUp: newMatrix(p, []int{hidden, hidden}, c.Dim, false, n.expertGate, n.expertUp),
			down: newMatrix(p, []int{c.Dim}, hidden, false, n.expertDown)}
	}
	x.router = newMatrix(p, []int{x.Experts}, c.Dim, false, n.router)
	for i := range x.Experts {
		x.experts = append(x.experts, part(p.At(fmt.Sprintf(n.experts, i)), x.Hidden))
	}
	if x.SharedHidden > 0 {
		shared := part(p.At(n.shared), x.SharedHidden)
		x.shared, x.gate = &shared, newMatrix(p, []int{1}, c.Dim, false, n.sharedGate)
	}
	return x
}

// of sums what the experts of each of the rows h give, times their probabilities. Which rows an expert has is known on
// the host, so that only those are computed: it waits for a GPU.
func (x *mixture) of(m *Llama, h *tensor.Tensor) *tensor.Tensor {
	n, dev := h.Dim(0), h.Device()
	probabilities, ids := x.router.product(h).ToDType(tensor.F32).Softmax(1).TopK(x.PerToken, 1, true)
	if x.Normalize {
		probabilities = probabilities.Div(probabilities.Sum(1).Unsqueeze(1))
	}
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
		y = x.shared.of(m, h).Mul(x.gate.product(h).Sigmoid())
	}
	for i := range x.experts {
		if len(rows[i]) == 0 {
			continue
		}
		at := dev.New(rows[i])
		gives := x.experts[i].of(m, h.IndexSelect(at, 0)).Mul(probabilities.IndexSelect(dev.New(places[i]), 0))
		y = y.IndexAdd(at, gives, 0)
	}
	return y
}

// packed is the mixture with other matrices; the router and the gate of the shared expert, which are small, stay.
func (x *mixture) packed(pack func(matrix) matrix) *mixture {
	if x == nil {
		return nil
	}
	y := *x
	y.experts = nil
	for _, e := range x.experts {
		y.experts = append(y.experts, feedForward{pack(e.gateUp), pack(e.down)})
	}
	if x.shared != nil {
		y.shared = &feedForward{pack(x.shared.gateUp), pack(x.shared.down)}
	}
	return &y
}
