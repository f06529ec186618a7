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
			b, least = d.nearest(a, sizes, b, least)
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
		d.joined(a, b, sizes, method, least, na, nb)
	}
	return joins
}

// column returns where the distances of j from point 0 and from point i begin: each is n - i - 2 after the one before.
func (d condensed) column(j int) (at, step int) { return j - 1, d.n - 2 }

// nearest returns the cluster with a size, other than a, that is nearest to a, if it is nearer than b is by least.
func (d condensed) nearest(a int, sizes []float64, b int, least float64) (int, float64) {
	at, step := d.column(a)
	for i, s := range sizes[:a] {
		if v := d.list[at]; v < least && s > 0 {
			b, least = i, v
		}
		at, step = at+step, step-1
	}
	row := d.row(a)
	for i, s := range sizes[a+1:][:len(row)] {
		if v := row[i]; v < least && s > 0 {
			b, least = a+1+i, v
		}
	}
	return b, least
}

// row are the distances of i from the points after it.
func (d condensed) row(i int) []float64 { return d.list[i*(2*d.n-i-1)/2:][:d.n-i-1] }

// joined sets the distances of the clusters with a size from b to those from a and b, a < b, which are joined.
func (d condensed) joined(a, b int, sizes []float64, method Method, least, na, nb float64) {
	toA, stepA := d.column(a)
	toB, stepB := d.column(b)
	for i, s := range sizes[:b] {
		if s > 0 {
			d.list[toB] = method.join(d.list[toA], d.list[toB], least, na, nb, s)
		}
		switch {
		case i < a:
			toA, stepA = toA+stepA, stepA-1
		case i == a:
			toA = a * (2*d.n - a - 1) / 2 // the row of a
		default:
			toA++
		}
		toB, stepB = toB+stepB, stepB-1
	}
	rowB := d.row(b)
	rowA := d.row(a)[b-a:][:len(rowB)]
	for i, s := range sizes[b+1:][:len(rowB)] {
		if s > 0 {
			rowB[i] = method.join(rowA[i], rowB[i], least, na, nb, s)
		}
	}
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
	left, near := make([]int, d.n), make([]float64, d.n) // points that are not in the tree, and their distances from it
	for i := range left {
		left[i], near[i] = i, math.Inf(1)
	}
	joins := make([]join, 0, d.n-1)
	for at := 0; len(left) > 1; {
		next, kept, least := -1, 0, math.Inf(1)
		for k, i := range left {
			if i == at {
				continue
			}
			v := min(near[k], *d.at(at, i))
			left[kept], near[kept] = i, v
			kept++
			if v < least || next < 0 {
				next, least = i, v
			}
		}
		left, near = left[:kept], near[:kept]
		joins = append(joins, join{at, next, least})
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
