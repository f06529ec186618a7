package spatial

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/team"
)

// Find returns the triangle of each position of x [… 2], or -1 outside of the hull, as [… ] of I64 on the device of x:
// Delaunay.find_simplex of SciPy. A position on an edge is in either triangle, and one outside by less than rounding
// errors of its coordinates is inside. It panics with ErrShape for other positions, and with ErrValue for NaN.
func (t *Triangulation) Find(x *tensor.Tensor) *tensor.Tensor {
	ids, shape := t.find("find", x)
	out := make([]int64, len(ids))
	for i, id := range ids {
		out[i] = int64(id)
	}
	return x.Device().FromSlice(out, shape...)
}

// Barycentric returns the triangle of each position of x [… 2], as Find, and the barycentric coordinates there: the
// weights of its corners, [… 3] in F64, whose sum is 1, and of which none is negative but by rounding. They are 0
// outside.
func (t *Triangulation) Barycentric(x *tensor.Tensor) (triangles, weights *tensor.Tensor) {
	ids, shape := t.find("barycentric", x)
	flat := x.Detach().Float64s()
	out, list := make([]int64, len(ids)), make([]float64, 3*len(ids))
	for i, id := range ids {
		out[i] = int64(id)
		if id >= 0 {
			w := t.mesh.weights(t.back[id], t.scaled(flat[2*i], flat[2*i+1]))
			copy(list[3*i:], w[:])
		}
	}
	return x.Device().FromSlice(out, shape...), x.Device().FromSlice(list, append(shape, 3)...)
}

// find returns the number of the triangle of each position, and their shape. The search begins at the nearest point.
func (t *Triangulation) find(op string, x *tensor.Tensor) (ids, shape []int) {
	tree, at := t.tree(), t.at()
	flat, shape := tree.positions(op, x)
	count := len(flat) / 2
	extend.Room(op, tensor.I64, count)
	ids = make([]int, count)
	team.Run(count, 500, func(lo, hi int) {
		s := search{t: tree, o: Near{P: 2}, k: 1}
		for i := lo; i < hi; i++ {
			s.x, s.bound, s.found = flat[2*i:2*i+2], maxFloat, s.found[:0]
			ids[i] = -1
			if s.nearest(0, s.toBox(0)); len(s.found) > 0 {
				ids[i] = t.ids[t.mesh.inside(at[s.found[0].id], t.scaled(s.x[0], s.x[1]))]
			}
		}
	})
	return ids, shape
}

const (
	maxFloat      = 0x1.fffffffffffffp1023
	edgeTolerance = 1e-13 // how far below 0 rounding takes weights of a position on an edge
)

// inside returns the triangle of p, or one with the ghost.
func (m *mesh) inside(from int, p point) int {
	for _, v := range p {
		if math.Abs(v) > 0x1p64 { // far beyond the points, whose coordinates are below 1
			return slices.IndexFunc(m.corners, func(c [3]int) bool { return slices.Contains(c[:], ghost) })
		}
	}
	t := m.walk(from, p)
	near := m.real(t)
	if near == t {
		return t
	}
	for _, w := range m.weights(near, p) {
		if !(w >= -edgeTolerance) {
			return t
		}
	}
	return near
}

// weights are those of the corners of a triangle at p.
func (m *mesh) weights(t int, p point) [3]float64 {
	c := m.corners[t]
	a, b, z := m.points[c[0]], m.points[c[1]], m.points[c[2]]
	ux, uy, vx, vy, px, py := b[0]-a[0], b[1]-a[1], z[0]-a[0], z[1]-a[1], p[0]-a[0], p[1]-a[1]
	det := ux*vy - uy*vx
	w1, w2 := (px*vy-py*vx)/det, (ux*py-uy*px)/det
	return [3]float64{1 - w1 - w2, w1, w2}
}
