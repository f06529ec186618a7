package models

import (
	"cmp"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// TokenLogProb is a token and the natural logarithm of its probability. Top are the likeliest tokens in its place, the
// likeliest first, as many as were asked for.
type TokenLogProb struct {
	Token   int
	LogProb float64
	Top     []TokenLogProb
}

// logProbOf is that of a token, from the logits [vocab] among which it was chosen.
func logProbOf(logits *tensor.Tensor, id, top int) *TokenLogProb {
	x := tensor.ToVec1[float32](logits.ToDType(tensor.F32))
	maximum, sum := float64(slices.Max(x)), 0.0
	for _, v := range x {
		sum += math.Exp(float64(v) - maximum)
	}
	log := func(id int) float64 { return float64(x[id]) - maximum - math.Log(sum) }
	out := &TokenLogProb{Token: id, LogProb: log(id)}
	if top = min(top, len(x)); top == 0 {
		return out
	}
	best := make([]int, 0, top+1) // the likeliest first
	for id := range x {
		if len(best) == top && x[id] <= x[best[top-1]] {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, id, func(a, b int) int {
			return cmp.Or(cmp.Compare(x[b], x[a]), cmp.Compare(a, b))
		})
		best = slices.Insert(best, at, id)
		best = best[:min(len(best), top)]
	}
	for _, id := range best {
		out.Top = append(out.Top, TokenLogProb{Token: id, LogProb: log(id)})
	}
	return out
}
