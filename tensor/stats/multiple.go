package stats

import (
	"cmp"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/domain"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Probabilities of several tests, corrected: what is at most 0.05 is significant among all of them.

// Bonferroni returns the probabilities p [n] of n tests times n, 1 at most: the chance of one error is bounded.
func Bonferroni(p *tensor.Tensor) *tensor.Tensor {
	return corrected("bonferroni", p, func(sorted []float64) {
		for i := range sorted {
			sorted[i] = min(sorted[i]*float64(len(sorted)), 1)
		}
	})
}

// Holm returns Bonferroni's with Holm's steps: the smallest probability of p [n] times n, the next one times n-1 and so
// on, none below one before. They bound the chance of one error, too, and are at most Bonferroni's.
func Holm(p *tensor.Tensor) *tensor.Tensor {
	return corrected("holm", p, func(sorted []float64) {
		most := 0.0
		for i, v := range sorted {
			most = max(most, min(v*float64(len(sorted)-i), 1))
			sorted[i] = most
		}
	})
}

// BenjaminiHochberg returns probabilities p [n] that bound the part of errors among those that are significant, as
// scipy.stats.false_discovery_control does: the i-th smallest one times n/i, none above one after.
func BenjaminiHochberg(p *tensor.Tensor) *tensor.Tensor {
	return corrected("benjamini-hochberg", p, func(sorted []float64) {
		least := 1.0
		for i, v := range slices.Backward(sorted) {
			least = min(least, v*float64(len(sorted))/float64(i+1))
			sorted[i] = least
		}
	})
}

// BenjaminiYekutieli is BenjaminiHochberg for tests that depend on one another.
func BenjaminiYekutieli(p *tensor.Tensor) *tensor.Tensor {
	sum := 0.0
	for i := range p.ElemCount() {
		sum += 1 / float64(i+1)
	}
	return BenjaminiHochberg(p).Mul(sum).Minimum(1)
}

// corrected changes sorted probabilities, on the host.
func corrected(op string, p *tensor.Tensor, change func(sorted []float64)) *tensor.Tensor {
	v := vector(op, p, 0)
	domain.Probability("a probability").Elements(op, v)
	list := v.Float64s()
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(list[i], list[j]) })
	sorted := make([]float64, len(list))
	for k, i := range order {
		sorted[k] = list[i]
	}
	change(sorted)
	for k, i := range order {
		list[i] = sorted[k]
	}
	_, dt := extend.Precise(p)
	return tensor.CPU().FromSlice(list, len(list)).ToDevice(p.Device()).ToDType(dt)
}
