package spatial

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

const leafSize = 16 // points of a leaf at most

// KDTree finds the points near a position: a tree of boxes, of which each is split at the median of the dim in which
// its points extend farthest (Bentley, Multidimensional binary search trees, 1975; Friedman, Bentley, Finkel, 1977). In
// many dims, from some 20 on, a query visits most points.
type KDTree struct {
	n, d   int
	points []float64 // in the order of ids
	ids    []int
	nodes  []node
	boxes  []float64 // of each node: its d lowest and d highest coordinates
	dev    *tensor.Device
	dt     tensor.DType
}

// node has the points from lo to hi-1. The children of one that is split are next to each other.
type node struct {
	lo, hi int
	child  int // 0 for a leaf
}

// NewKDTree returns the tree of points [n d], which it copies to the host. It panics with ErrShape for another shape,
// with ErrDType for complex numbers, and with ErrValue for coordinates that are not finite.
func NewKDTree(points *tensor.Tensor) *KDTree {
	const op = "kdtree"
	flat, n, d := coordinates(op, points)
	_, dt := extend.Precise(points)
	t := &KDTree{n: n, d: d, ids: make([]int, n), dev: points.Device(), dt: dt}
	for i := range t.ids {
		t.ids[i] = i
	}
	if n > 0 {
		t.points = flat
		t.nodes = append(t.nodes, node{0, n, 0})
		t.split(0)
		t.points = make([]float64, 0, n*d)
		for _, id := range t.ids {
			t.points = append(t.points, flat[id*d:(id+1)*d]...)
		}
	}
	return t
}

// coordinates returns those of points [n d], finite, on the host.
func coordinates(op string, points *tensor.Tensor) (flat []float64, n, d int) {
	extend.SameDevice(op, points)
	onlyReal(op, points)
	if points.Rank() != 2 || points.Dim(1) == 0 {
		extend.Shape(op, []*tensor.Tensor{points}, "want points [n d], not %v", points.Dims())
	}
	flat = points.Detach().Float64s()
	for i, v := range flat {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{points}, "", "point %d has the coordinate %g",
				i/points.Dim(1), v)
		}
	}
	return flat, points.Dim(0), points.Dim(1)
}

func (t *KDTree) String() string {
	return fmt.Sprintf("k-d tree of %d points in %d dims", t.n, t.d)
}

// split finds the box of a node, and makes children of it as long as it has more points than a leaf.
func (t *KDTree) split(i int) {
	for len(t.boxes) < 2*t.d*len(t.nodes) {
		t.boxes = append(t.boxes, 0)
	}
	n, box := t.nodes[i], t.boxes[2*t.d*i:2*t.d*(i+1)]
	wide, extent := 0, 0.0
	for k := range t.d {
		low, high := math.Inf(1), math.Inf(-1)
		for _, id := range t.ids[n.lo:n.hi] {
			v := t.points[id*t.d+k]
			low, high = min(low, v), max(high, v)
		}
		box[k], box[t.d+k] = low, high
		if high-low > extent {
			wide, extent = k, high-low
		}
	}
	if n.hi-n.lo <= leafSize || extent == 0 {
		return
	}
	middle := (n.lo + n.hi) / 2
	t.selectAt(n.lo, n.hi-1, middle, wide)
	child := len(t.nodes)
	t.nodes[i].child = child
	t.nodes = append(t.nodes, node{n.lo, middle, 0}, node{middle, n.hi, 0})
	t.split(child)
	t.split(child + 1)
}

// selectAt orders ids so that those before number at have coordinates k that are not greater than its own, and those
// after it none that are less: quickselect with the median of three, which splits equal numbers evenly.
func (t *KDTree) selectAt(lo, hi, at, k int) {
	value := func(i int) float64 { return t.points[t.ids[i]*t.d+k] }
	for lo < hi {
		a, b, c := value(lo), value((lo+hi)/2), value(hi)
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for value(i) < pivot {
				i++
			}
			for value(j) > pivot {
				j--
			}
			if i <= j {
				t.ids[i], t.ids[j] = t.ids[j], t.ids[i]
				i++
				j--
			}
		}
		switch {
		case at <= j:
			hi = j
		case at >= i:
			lo = i
		default:
			return
		}
	}
}
