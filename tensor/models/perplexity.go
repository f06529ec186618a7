package models

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Perplexity returns e to the mean, over the tokens after the first, of minus the logarithm of the probability that the
// model gave it: 1 is perfect, the size of the vocabulary is chance. It compares quantizations of one model on one
// text. It panics with ErrShape for fewer than two tokens.
func (m *Llama) Perplexity(ids []int) float64 {
	if len(ids) < 2 {
		panic(&tensor.Error{Op: "perplexity", Kind: tensor.ErrShape, Message: "want at least two tokens"})
	}
	logits := m.Forward(ids[:len(ids)-1]).ToDType(tensor.F32)
	next := make([]uint32, len(ids)-1)
	for i, id := range ids[1:] {
		next[i] = uint32(id)
	}
	return math.Exp(nn.CrossEntropy(logits, m.Device().New(next)).ToScalar())
}
