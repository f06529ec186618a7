package cluster

import (
	"cmp"
	"math"
	"slices"
)

// condensed are the distances of n points from those after them.
type condensed struct {
	n    int
	list []float64
}

// at is where the distance of i from j is, in either order.
func (d condensed) at(i, j int) *float64 {
	if i > j {
		i, j = j, i
	}
	return &d.list[i*(2*d.n-i-1)/2+j-i-1]
}

// join joins the clusters of which a and b are points.
type join struct {
	a, b     int
	distance float64
}

// chain returns the joins of a method by chains of nearest neighbours (Murtagh, A survey of recent advances in
// hierarchical clustering algorithms, 1983): a chain goes from each cluster to its nearest one, until two are nearest
// to each other, which are joined. It changes the distances.
func chain(d condensed, method Method) []join {
	sizes := make([]float64, d.n) // 0 for a cluster that was joined to one with a higher number
	for i := range sizes {
		sizes[i] = 1
	}
	joins, path := make([]join, 0, d.n-1), []int{}
	for len(joins) < d.n-1 {
		if len(path) == 0 {
			path = append(path, slices.IndexFunc(sizes, func(s float64) bool { return s > 0 }))
		}
		var a, b int
		var least float64
		for {
			a, least = path[len(path)-1], math.Inf(1)
			if len(path) > 1 { // of equal ones the cluster before, so that the chain ends
				b = path[len(path)-2]
				least = *d.at(a, b)
			}
			for i, s := range sizes {
				if i != a && s > 0 && *d.at(a, i) < least {
					b, least = i, *d.at(a, i)
				}
			}
			if len(path) > 1 && b == path[len(path)-2] {
				break
			}
			path = append(path, b)
		}
		path = path[:len(path)-2]
		a, b = min(a, b), max(a, b)
		joins = append(joins, join{a, b, least})
		na, nb := sizes[a], sizes[b]
		sizes[a], sizes[b] = 0, na+nb
		for i, s := range sizes {
			if i != b && s > 0 {
				to := d.at(b, i)
				*to = method.join(*d.at(a, i), *to, least, na, nb, s)
			}
		}
	}
	return joins
}

// join is the distance of a third cluster of s points from two of na and nb that are joined, from its distances from
// them and theirs from each other (Lance, Williams, A general theory of classificatory sorting strategies, 1967).
func (m Method) join(toA, toB, apart, na, nb, s float64) float64 {
	switch m {
	case Complete:
		return max(toA, toB)
	case Average:
		return (na*toA + nb*toB) / (na + nb)
	case Weighted:
		return (toA + toB) / 2
	}
	return math.Sqrt(max(0, ((na+s)*toA*toA+(nb+s)*toB*toB-s*apart*apart)/(na+nb+s)))
}

// spanning returns the edges of the minimum spanning tree, which are the joins of Single (Prim, Shortest connection
// networks and some generalizations, 1957; Gower, Ross, 1969).
func spanning(d condensed) []join {
	near, done := make([]float64, d.n), make([]bool, d.n) // distances from the tree
	for i := range near {
		near[i] = math.Inf(1)
	}
	joins := make([]join, 0, d.n-1)
	for at := 0; len(joins) < d.n-1; {
		done[at] = true
		next := -1
		for i := range near {
			if done[i] {
				continue
			}
			near[i] = min(near[i], *d.at(at, i))
			if next < 0 || near[i] < near[next] {
				next = i
			}
		}
		joins = append(joins, join{at, next, near[next]})
		at = next
	}
	return joins
}

// rows returns those of Linkage: the joins in the order of distances, with the numbers of clusters.
func rows(joins []join, n int) []float64 {
	slices.SortStableFunc(joins, func(x, y join) int { return cmp.Compare(x.distance, y.distance) })
	parent, sizes := make([]int, 2*n-1), make([]float64, 2*n-1)
	for i := range parent {
		parent[i], sizes[i] = i, 1
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	out := make([]float64, 0, 4*(n-1))
	for i, j := range joins {
		a, b := root(j.a), root(j.b)
		a, b = min(a, b), max(a, b)
		parent[a], parent[b] = n+i, n+i
		sizes[n+i] = sizes[a] + sizes[b]
		out = append(out, float64(a), float64(b), j.distance, sizes[n+i])
	}
	return out
}
