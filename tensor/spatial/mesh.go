package spatial

import (
	"cmp"
	"math/bits"
	"slices"
)

// ghost is the vertex at infinity: each edge of the hull has a triangle with it, so that all triangles have three
// neighbours.
const ghost = -1

// mesh is a Delaunay triangulation while points are added (Bowyer, 1981; Watson, 1981): a new point replaces the
// triangles whose circles contain it by those of it and of the border of what they covered.
type mesh struct {
	points   []point
	corners  [][3]int // counterclockwise
	next     [][3]int // the triangle across the edge that faces a corner
	free     []int    // deleted triangles, whose places new ones take
	last     int      // a triangle from which the next search starts
	starts   []int    // for a vertex + 1, the new triangle whose edge of the border begins there
	cavity   []int
	border   []edge
	inCavity []int // for each triangle, the point for which it was found in conflict
}

// edge is one of the border of a cavity, from a to b with the cavity on the left, and the triangle on the other side.
type edge struct{ a, b, beyond int }

// newMesh returns the triangle of three points that are counterclockwise.
func newMesh(points []point, a, b, c int) *mesh {
	m := &mesh{points: points, starts: make([]int, len(points)+1)}
	m.corners = [][3]int{{a, b, c}, {b, a, ghost}, {c, b, ghost}, {a, c, ghost}}
	m.next = [][3]int{{2, 3, 1}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}}
	m.inCavity = []int{-1, -1, -1, -1}
	return m
}

// real returns a triangle without the ghost: t or a neighbour.
func (m *mesh) real(t int) int {
	for i, v := range m.corners[t] {
		if v == ghost {
			return m.next[t][i]
		}
	}
	return t
}

// walk returns the triangle that has p inside or on its border, or one with the ghost for p outside of the hull. It
// crosses edges that have p on their other side, which ends in a Delaunay triangulation (Edelsbrunner, An acyclicity
// theorem for cell complexes in d dimensions, 1990).
func (m *mesh) walk(from int, p point) int {
	t := m.real(from)
	for {
		crossed := false
		for i := range 3 {
			a, b := m.corners[t][(i+1)%3], m.corners[t][(i+2)%3]
			if orient(m.points[a], m.points[b], p) < 0 {
				t, crossed = m.next[t][i], true
				break
			}
		}
		if !crossed || slices.Contains(m.corners[t][:], ghost) {
			return t
		}
	}
}

// conflicts reports whether p is inside of the circle of a triangle: with the ghost, a half-plane and the edge itself.
func (m *mesh) conflicts(t int, p point) bool {
	c := m.corners[t]
	for i, v := range c {
		if v != ghost {
			continue
		}
		a, b := m.points[c[(i+1)%3]], m.points[c[(i+2)%3]]
		side := orient(a, b, p)
		return side > 0 || side == 0 && between(a, b, p)
	}
	return inCircle(m.points[c[0]], m.points[c[1]], m.points[c[2]], p) > 0
}

// between reports whether p, which is on the line of a and b, is between them.
func between(a, b, p point) bool {
	for k := range 2 {
		if p[k] < min(a[k], b[k]) || p[k] > max(a[k], b[k]) {
			return false
		}
	}
	return p != a && p != b
}

// add adds a point and returns -1, unless there is one at its position, which it returns.
func (m *mesh) add(id int) (duplicate int) {
	p := m.points[id]
	first := m.walk(m.last, p)
	for _, v := range m.corners[first] {
		if v != ghost && m.points[v] == p {
			return v
		}
	}
	m.cavity, m.border = append(m.cavity[:0], first), m.border[:0]
	m.inCavity[first] = id
	for i := 0; i < len(m.cavity); i++ {
		t := m.cavity[i]
		for k, beyond := range m.next[t] {
			if m.inCavity[beyond] == id {
				continue
			}
			if m.conflicts(beyond, p) {
				m.inCavity[beyond] = id
				m.cavity = append(m.cavity, beyond)
				continue
			}
			m.border = append(m.border, edge{m.corners[t][(k+1)%3], m.corners[t][(k+2)%3], beyond})
		}
	}
	m.free = append(m.free, m.cavity...)
	for _, t := range m.cavity {
		m.inCavity[t] = -1
	}
	for i, e := range m.border {
		t := m.allocate()
		m.corners[t] = [3]int{e.a, e.b, id}
		m.next[t][2] = e.beyond
		m.starts[e.a+1] = t
		for k, v := range m.corners[e.beyond] { // the corner that faces the edge is neither of its ends
			if v != e.a && v != e.b {
				m.next[e.beyond][k] = t
			}
		}
		m.border[i].beyond = t
	}
	for _, e := range m.border {
		after := m.starts[e.b+1]
		m.next[e.beyond][0], m.next[after][1] = after, e.beyond
	}
	m.last = m.border[0].beyond
	return -1
}

func (m *mesh) allocate() int {
	if n := len(m.free); n > 0 {
		t := m.free[n-1]
		m.free = m.free[:n-1]
		return t
	}
	m.corners, m.next, m.inCavity = append(m.corners, [3]int{}), append(m.next, [3]int{}), append(m.inCavity, -1)
	return len(m.corners) - 1
}

// insertionOrder returns the numbers of points in rounds, each of about twice the points of the one before, and along
// Hilbert's curve in a round (Amenta, Choi, Rote, Incremental constructions con BRIO, 2003): the next point is near,
// and no order of the points is a bad one. The same points have the same order.
func insertionOrder(points []point) []int {
	low, high := points[0], points[0]
	for _, p := range points {
		for k := range 2 {
			low[k], high[k] = min(low[k], p[k]), max(high[k], p[k])
		}
	}
	keys, ids := make([]uint64, len(points)), make([]int, len(points))
	for i, p := range points {
		var grid [2]uint32
		for k := range 2 {
			if extent := high[k] - low[k]; extent > 0 {
				grid[k] = uint32((p[k] - low[k]) / extent * 0xffff)
			}
		}
		mixed := (uint64(i) + 1) * 0x9e3779b97f4a7c15
		round := bits.TrailingZeros64((mixed ^ mixed>>29) * 0xbf58476d1ce4e5b9 >> 20)
		keys[i] = uint64(64-round)<<32 | uint64(hilbert(grid[0], grid[1]))
		ids[i] = i
	}
	slices.SortFunc(ids, func(a, b int) int { return cmp.Or(cmp.Compare(keys[a], keys[b]), a-b) })
	return ids
}

// hilbert returns the position of a cell of a grid of 2¹⁶ × 2¹⁶ on Hilbert's curve.
func hilbert(x, y uint32) uint32 {
	var at uint32
	for s := uint32(1 << 15); s > 0; s /= 2 {
		right, up := uint32(0), uint32(0)
		if x&s != 0 {
			right = 1
		}
		if y&s != 0 {
			up = 1
		}
		at += s * s * (3*right ^ up)
		if up == 0 {
			if right == 1 {
				x, y = 0xffff-x, 0xffff-y
			}
			x, y = y, x
		}
	}
	return at
}
