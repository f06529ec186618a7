package linalg

import (
	"math"
	"math/bits"
	"slices"
)

// The order in which the terms of a product are multiplied: steps of two indices, i < j, of the terms that are left.
// The product replaces term i, and term j is deleted.

// mostExact is the number of terms up to which all orders are compared.
const mostExact = 10

func (p *product) order() [][2]int {
	switch n := len(p.terms); {
	case n < 2:
		return nil
	case n == 2:
		return [][2]int{{0, 1}}
	case n <= mostExact:
		return p.bestOrder()
	}
	return p.greedyOrder()
}

// left returns the labels of the product of a set of terms that the result or other terms have, too.
func (p *product) left(set uint) []label {
	var labels []label
	for i, t := range p.terms {
		if set&(1<<i) == 0 {
			continue
		}
		for _, l := range t.labels {
			if slices.Contains(labels, l) {
				continue
			}
			keep := slices.Contains(p.out, l)
			for j, other := range p.terms {
				keep = keep || set&(1<<j) == 0 && slices.Contains(other.labels, l)
			}
			if keep {
				labels = append(labels, l)
			}
		}
	}
	return labels
}

// cost is the number of multiplications for the product of terms with these labels.
func (p *product) cost(a, b []label) float64 {
	cost := 1.0
	for _, l := range a {
		cost *= float64(p.size[l])
	}
	for _, l := range b {
		if !slices.Contains(a, l) {
			cost *= float64(p.size[l])
		}
	}
	return cost
}

// bestOrder has the fewest multiplications: for each set of terms, the best split into two sets.
func (p *product) bestOrder() [][2]int {
	n := len(p.terms)
	all := uint(1)<<n - 1
	labels, costs, splits := make([][]label, all+1), make([]float64, all+1), make([]uint, all+1)
	for set := uint(1); set <= all; set++ {
		if labels[set] = p.left(set); bits.OnesCount(set) == 1 {
			continue
		}
		costs[set] = math.Inf(1)
		for a := (set - 1) & set; a > set&^a; a = (a - 1) & set {
			b := set &^ a
			if c := costs[a] + costs[b] + p.cost(labels[a], labels[b]); c < costs[set] || splits[set] == 0 {
				costs[set], splits[set] = c, a
			}
		}
	}
	at := make([]int, n) // the index of the term that has each operand, among those that are left
	for i := range at {
		at[i] = i
	}
	var steps [][2]int
	var walk func(set uint)
	walk = func(set uint) {
		if bits.OnesCount(set) == 1 {
			return
		}
		a := splits[set]
		walk(a)
		walk(set &^ a)
		i, j := at[bits.TrailingZeros(a)], at[bits.TrailingZeros(set&^a)]
		steps = append(steps, merge(at, min(i, j), max(i, j)))
	}
	walk(all)
	return steps
}

// merge records that term j has become part of term i.
func merge(at []int, i, j int) [2]int {
	for k, x := range at {
		switch {
		case x == j:
			at[k] = i
		case x > j:
			at[k] = x - 1
		}
	}
	return [2]int{i, j}
}

// greedyOrder multiplies, each time, the pair whose product has the fewest elements beyond those of the two.
func (p *product) greedyOrder() [][2]int {
	sets := make([]uint, len(p.terms))
	for i := range sets {
		sets[i] = 1 << i
	}
	var steps [][2]int
	for len(sets) > 1 {
		var best [2]int
		least := math.Inf(1)
		for i := range sets {
			for j := i + 1; j < len(sets); j++ {
				size := func(set uint) float64 { return p.cost(p.left(set), nil) }
				if growth := size(sets[i]|sets[j]) - size(sets[i]) - size(sets[j]); growth < least || best[1] == 0 {
					least, best = growth, [2]int{i, j}
				}
			}
		}
		sets[best[0]] |= sets[best[1]]
		sets = slices.Delete(sets, best[1], best[1]+1)
		steps = append(steps, best)
	}
	return steps
}
