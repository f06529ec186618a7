package spatial

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/team"
)

// Near are options of queries.
type Near struct {
	// P is the power of Minkowski's distance, from 1 on: 2, which is Euclid's, where it is 0. math.Inf(1) is
	// Chebyshev's.
	P float64
	// Within bounds the distances of nearest neighbours: 0 is no bound.
	Within float64
}

// Query returns the distances of the k nearest points of each position of x [… d], nearest first, and their indices,
// as [… k] of the type of the points and of I64, on the device of x. Of points at the same distance those of lower
// indices come first. Where there are fewer than k points, or fewer within a bound, the distances of the rest are
// infinite, and their indices the number of points. It is scipy.spatial.KDTree.query. It panics with ErrShape for
// positions of another size, and with ErrValue for coordinates that are NaN and a k below 1.
//
//	distances, ids := spatial.NewKDTree(points).Query(x, 3)
//	distances, ids = tree.Query(x, 3, spatial.Near{P: 1, Within: 0.5})
func (t *KDTree) Query(x *tensor.Tensor, k int, options ...Near) (distances, ids *tensor.Tensor) {
	const op = "kdtree query"
	flat, shape := t.positions(op, x)
	o := near(op, options)
	if k < 1 {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "want 1 neighbour or more, not %d", k)
	}
	count := len(flat) / t.d
	extend.Room(op, tensor.F64, count, k)
	extend.Room(op, tensor.I64, count, k)
	bound := math.Inf(1)
	if o.Within > 0 {
		bound = o.raised(o.Within)
	}
	ds, is := make([]float64, count*k), make([]int64, count*k)
	team.Run(count, 200*(k+t.d), func(lo, hi int) {
		s := search{t: t, o: o, k: k}
		for q := lo; q < hi; q++ {
			s.x, s.bound, s.found = flat[q*t.d:(q+1)*t.d], bound, s.found[:0]
			if t.n > 0 {
				s.nearest(0, s.toBox(0))
			}
			for j := range k {
				ds[q*k+j], is[q*k+j] = math.Inf(1), int64(t.n)
				if j < len(s.found) {
					ds[q*k+j], is[q*k+j] = o.lowered(s.found[j].distance), int64(s.found[j].id)
				}
			}
		}
	})
	shape = append(shape, k)
	return x.Device().FromSlice(ds, shape...).ToDType(t.dt), x.Device().FromSlice(is, shape...)
}

// QueryBall returns the indices of the points within a distance of each position of x [… d], in increasing order: a
// list for each position, in the order of x. It is scipy.spatial.KDTree.query_ball_point. It panics as Query, and with
// ErrValue for a negative distance.
func (t *KDTree) QueryBall(x *tensor.Tensor, within float64, options ...Near) [][]int {
	const op = "kdtree query ball"
	flat, _ := t.positions(op, x)
	o := near(op, options)
	if !(within >= 0) {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "want a distance from 0 on, not %g", within)
	}
	out := make([][]int, len(flat)/t.d)
	team.Run(len(out), 400*t.d, func(lo, hi int) {
		s := search{t: t, o: o, bound: o.raised(within)}
		for q := lo; q < hi; q++ {
			s.x, s.ball = flat[q*t.d:(q+1)*t.d], nil
			if t.n > 0 {
				s.inBall(0)
			}
			slices.Sort(s.ball)
			out[q] = s.ball
		}
	})
	return out
}

// QueryPairs returns the pairs of points within a distance of one another, each as its lower and its higher index, in
// increasing order. It is scipy.spatial.KDTree.query_pairs. It panics with ErrValue for a negative distance.
func (t *KDTree) QueryPairs(within float64, options ...Near) [][2]int {
	if t.n == 0 {
		return nil
	}
	ordered := make([]float64, t.n*t.d)
	for i, id := range t.ids {
		copy(ordered[id*t.d:(id+1)*t.d], t.points[i*t.d:(i+1)*t.d])
	}
	pairs := [][2]int{}
	for i, others := range t.QueryBall(tensor.CPU().FromSlice(ordered, t.n, t.d), within, options...) {
		for _, j := range others {
			if j > i {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

func near(op string, options []Near) Near {
	o := Near{}
	if len(options) > 0 {
		o = options[0]
	}
	if o.P == 0 {
		o.P = 2
	}
	if !(o.P >= 1) || !(o.Within >= 0) {
		extend.Fail(op, tensor.ErrValue, nil, "", "want P from 1 on and Within from 0 on, not %g and %g", o.P, o.Within)
	}
	return o
}

// positions returns x [… d] on the host, and its other dims.
func (t *KDTree) positions(op string, x *tensor.Tensor) (flat []float64, shape []int) {
	extend.SameDevice(op, x)
	onlyReal(op, x)
	if x.Rank() == 0 || x.Dim(-1) != t.d {
		extend.Shape(op, []*tensor.Tensor{x}, "want positions [… %d], as the points, not %v", t.d, x.Dims())
	}
	flat = x.Detach().Float64s()
	for i, v := range flat {
		if math.IsNaN(v) {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "position %d has a coordinate that is not a number",
				i/t.d)
		}
	}
	return flat, x.Dims()[:x.Rank()-1]
}

// raised is a distance to the power P, as which distances are compared; infinite powers compare the distance itself.
func (o Near) raised(d float64) float64 {
	switch {
	case o.P == 2:
		return d * d
	case o.P == 1 || math.IsInf(o.P, 1):
		return d
	}
	return math.Pow(d, o.P)
}

// lowered is the distance of which d is the power.
func (o Near) lowered(d float64) float64 {
	switch {
	case o.P == 2:
		return math.Sqrt(d)
	case o.P == 1 || math.IsInf(o.P, 1):
		return d
	}
	return math.Pow(d, 1/o.P)
}

// add is a raised distance with the difference d of another coordinate.
func (o Near) add(sum, d float64) float64 {
	if math.IsInf(o.P, 1) {
		return max(sum, d)
	}
	return sum + o.raised(d)
}

type neighbour struct {
	distance float64
	id       int
}

// before orders neighbours.
func (a neighbour) before(b neighbour) bool {
	return a.distance < b.distance || a.distance == b.distance && a.id < b.id
}

// search is a query for one position. Distances are raised.
type search struct {
	t     *KDTree
	o     Near
	x     []float64
	k     int
	bound float64
	found []neighbour // nearest first
	ball  []int
}

// toBox is the distance to the nearest position of the box of a node.
func (s *search) toBox(i int) float64 {
	d := s.t.d
	low, high := s.t.boxes[2*d*i:2*d*i+d], s.t.boxes[2*d*i+d:2*d*(i+1)]
	sum := 0.0
	for k, v := range s.x {
		if out := max(low[k]-v, v-high[k]); out > 0 {
			sum = s.o.add(sum, out)
		}
	}
	return sum
}

// to is the distance to point i of the tree's order.
func (s *search) to(i int) float64 {
	point := s.t.points[i*len(s.x) : (i+1)*len(s.x)]
	sum := 0.0
	if s.o.P == 2 {
		for k, v := range s.x {
			d := point[k] - v
			sum += d * d
		}
		return sum
	}
	for k, v := range s.x {
		sum = s.o.add(sum, math.Abs(point[k]-v))
	}
	return sum
}

// nearest looks into a node at a distance, its nearer child first.
func (s *search) nearest(i int, distance float64) {
	if distance > s.bound {
		return
	}
	n := s.t.nodes[i]
	if n.child != 0 {
		a, b := n.child, n.child+1
		toA, toB := s.toBox(a), s.toBox(b)
		if toB < toA {
			a, b, toA, toB = b, a, toB, toA
		}
		s.nearest(a, toA)
		s.nearest(b, toB)
		return
	}
	for j := n.lo; j < n.hi; j++ {
		c := neighbour{s.to(j), s.t.ids[j]}
		if c.distance > s.bound || len(s.found) == s.k && !c.before(s.found[s.k-1]) {
			continue
		}
		at, _ := slices.BinarySearchFunc(s.found, c, func(a, b neighbour) int {
			if a.before(b) {
				return -1
			}
			return 1
		})
		if len(s.found) == s.k {
			s.found = s.found[:s.k-1]
		}
		s.found = slices.Insert(s.found, at, c)
		if len(s.found) == s.k {
			s.bound = min(s.bound, s.found[s.k-1].distance)
		}
	}
}

// inBall adds the points of a node within the bound.
func (s *search) inBall(i int) {
	if s.toBox(i) > s.bound {
		return
	}
	n := s.t.nodes[i]
	if n.child != 0 {
		s.inBall(n.child)
		s.inBall(n.child + 1)
		return
	}
	for j := n.lo; j < n.hi; j++ {
		if s.to(j) <= s.bound {
			s.ball = append(s.ball, s.t.ids[j])
		}
	}
}
