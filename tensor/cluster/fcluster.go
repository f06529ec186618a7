package cluster

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Criterion says where FCluster cuts a hierarchy.
type Criterion int

// The criteria of FCluster.
const (
	ByDistance Criterion = iota // points of a cluster are joined at a distance of t at most
	ByCount                     // there are t clusters at most, cut at the least distance that allows it
)

// FCluster returns the clusters of the points of a hierarchy z of Linkage, [n] of I64, from 1 on, as
// scipy.cluster.hierarchy.fcluster. Joins at the same distance are cut together. It panics with ErrShape for what
// Linkage does not return, with ErrIndex for clusters that are not there yet, and with ErrValue for less than one
// cluster.
//
//	cluster.FCluster(z, 0.7, cluster.ByDistance)
//	cluster.FCluster(z, 3, cluster.ByCount)
func FCluster(z *tensor.Tensor, t float64, by Criterion) *tensor.Tensor {
	const op = "fcluster"
	h := read(op, z)
	cut := t
	switch by {
	case ByDistance:
		if math.IsNaN(t) {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{z}, "", "the distance is not a number")
		}
	case ByCount:
		if !(t >= 1) {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{z}, "", "want 1 cluster or more, not %g", t)
		}
		if t >= float64(h.n) {
			return z.Device().FromSlice(ownClusters(h.n), h.n)
		}
		// with joins up to row i there are n-1-i clusters, if the next one is at a greater distance
		heights := slices.Clone(h.highest)
		slices.Sort(heights)
		cut = heights[h.n-int(t)-1]
	default:
		extend.Fail(op, tensor.ErrValue, nil, "", "there is no criterion %d", int(by))
	}
	labels, last := make([]int64, h.n), int64(0)
	var number func(node int, inside bool)
	number = func(node int, inside bool) {
		if node < h.n {
			if !inside {
				last++
			}
			labels[node] = last
			return
		}
		if !inside && h.highest[node-h.n] <= cut {
			inside = true
			last++
		}
		a, b := h.left[node-h.n], h.right[node-h.n]
		for _, child := range []int{a, b} { // SciPy numbers clusters first, then points
			if child >= h.n {
				number(child, inside)
			}
		}
		for _, child := range []int{a, b} {
			if child < h.n {
				number(child, inside)
			}
		}
	}
	number(2*h.n-2, false)
	return z.Device().FromSlice(labels, h.n)
}

// ownClusters are n clusters of one point each, which SciPy numbers as the points, not in the order of the hierarchy.
func ownClusters(n int) []int64 {
	labels := make([]int64, n)
	for i := range labels {
		labels[i] = int64(i) + 1
	}
	return labels
}

// Leaves returns the points of a hierarchy z of Linkage in the order of a dendrogram, [n] of I64, as
// scipy.cluster.hierarchy.leaves_list. It panics as FCluster.
func Leaves(z *tensor.Tensor) *tensor.Tensor {
	h := read("leaves", z)
	leaves := h.under(2*h.n-2, make([]int64, 0, h.n))
	return z.Device().FromSlice(leaves, h.n)
}

// Cophenet returns the distance at which each two points of a hierarchy z of Linkage are joined, in the order of
// spatial.PDist, n·(n-1)/2 numbers in F64, as scipy.cluster.hierarchy.cophenet. It panics as FCluster.
func Cophenet(z *tensor.Tensor) *tensor.Tensor {
	const op = "cophenet"
	h := read(op, z)
	extend.Room(op, tensor.F64, h.n, h.n)
	d := condensed{h.n, make([]float64, h.n*(h.n-1)/2)}
	for i, distance := range h.distance {
		a, b := h.under(h.left[i], nil), h.under(h.right[i], nil)
		for _, x := range a {
			for _, y := range b {
				*d.at(int(x), int(y)) = distance
			}
		}
	}
	return z.Device().FromSlice(d.list, len(d.list))
}

// hierarchy is a result of Linkage.
type hierarchy struct {
	n           int
	left, right []int
	distance    []float64
	highest     []float64 // of the distances of a row and those below it
}

func read(op string, z *tensor.Tensor) hierarchy {
	extend.SameDevice(op, z)
	if z.Rank() != 2 || z.Dim(1) != 4 || z.Dim(0) == 0 {
		extend.ShapeNoting(op, []*tensor.Tensor{z}, "cluster.Linkage(x, cluster.Average) returns it",
			"want a hierarchy [n-1 4], not %v", z.Dims())
	}
	h := hierarchy{n: z.Dim(0) + 1}
	used := make([]bool, 2*h.n-1)
	for i, row := range z.ToVec2() {
		for _, v := range row[:2] {
			if v != math.Trunc(v) || v < 0 || v >= float64(h.n+i) || used[int(v)] {
				extend.Fail(op, tensor.ErrIndex, []*tensor.Tensor{z}, "", "row %d joins cluster %g: want one of 0 to %d that "+
					"no row before has joined", i, v, h.n+i-1)
			}
			used[int(v)] = true
		}
		h.left, h.right = append(h.left, int(row[0])), append(h.right, int(row[1]))
		h.distance = append(h.distance, row[2])
		high := row[2]
		for _, v := range row[:2] {
			if int(v) >= h.n {
				high = max(high, h.highest[int(v)-h.n])
			}
		}
		h.highest = append(h.highest, high)
	}
	return h
}

// under appends the points of a cluster.
func (h hierarchy) under(node int, to []int64) []int64 {
	if node < h.n {
		return append(to, int64(node))
	}
	return h.under(h.right[node-h.n], h.under(h.left[node-h.n], to))
}
