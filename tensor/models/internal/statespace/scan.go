package statespace

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// together is how many positions are computed at once: a prompt is read in such parts, one after the other.
const together = 32

// inParts calls f for parts of n positions, and joins what it gives.
func inParts(n int, f func(first, n int) *tensor.Tensor) *tensor.Tensor {
	if n <= together {
		return f(0, n)
	}
	var all []*tensor.Tensor
	for first := 0; first < n; first += together {
		all = append(all, tensor.Scoped(func() *tensor.Tensor { return f(first, min(together, n-first)) }))
	}
	return tensor.Cat(all, 0)
}

// scan returns the states [n …] of which each is the one before it times its decay, and what is added; state is the
// first one's before. Pairs of neighbours are joined, then pairs of pairs: each of log2(n) passes reads all states, and
// no product of decays is more than 1, which quotients of sums would be (Hillis and Steele, "Data Parallel Algorithms",
// 1986).
func scan(decays, added, state *tensor.Tensor) *tensor.Tensor {
	n := added.Dim(0)
	first := added.Narrow(0, 0, 1).Add(decays.Narrow(0, 0, 1).Mul(state.Unsqueeze(0)))
	if n == 1 {
		return first
	}
	states := tensor.Cat([]*tensor.Tensor{first, added.Narrow(0, 1, n-1)}, 0)
	for step := 1; step < n; step *= 2 {
		rest := n - step
		later := states.Narrow(0, step, rest).Add(decays.Narrow(0, step, rest).Mul(states.Narrow(0, 0, rest)))
		states = tensor.Cat([]*tensor.Tensor{states.Narrow(0, 0, step), later}, 0)
		if 2*step < n {
			joined := decays.Narrow(0, step, rest).Mul(decays.Narrow(0, 0, rest))
			decays = tensor.Cat([]*tensor.Tensor{decays.Narrow(0, 0, step), joined}, 0)
		}
	}
	return states
}

// decaysBetween are exp(sums[i]-sums[j]) for positions i of sums [n heads] after j or at it, and 0 before: [heads n n].
func decaysBetween(sums *tensor.Tensor) *tensor.Tensor {
	n := sums.Dim(0)
	hidden := make([]bool, n*n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			hidden[i*n+j] = true
		}
	}
	byHead := sums.T()
	between := byHead.Unsqueeze(2).Sub(byHead.Unsqueeze(1))
	if n > 1 {
		between = sums.Device().FromSlice(hidden, n, n).WhereCond(math.Inf(-1), between)
	}
	return between.Exp()
}
