package spatial

import (
	"fmt"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Triangulation has triangles between points of a plane, none of which has a point inside of its circle.
type Triangulation struct {
	Points *tensor.Tensor // [n 2]
	// Triangles has the indices of the corners of each triangle, counterclockwise, [m 3] of I64.
	Triangles *tensor.Tensor
	// Neighbors has for each corner the triangle across the edge that faces it, or -1 outside, [m 3] of I64.
	Neighbors *tensor.Tensor
	// Duplicates has the points that no triangle has, since another one has their position: pairs of their index and
	// of the other's.
	Duplicates [][2]int

	mesh *mesh
	exp  int   // coordinates are those of Points times 2^exp
	ids  []int // of triangles of the mesh: their number in Triangles, or -1
	back []int // triangles of the mesh by their number
	tree func() *KDTree
	at   func() []int // for each point, a triangle of the mesh
}

// Delaunay returns the triangulation of points [n 2], as scipy.spatial.Delaunay. It adds the points one by one, in a
// time that is proportional to n·log n. Of four points and more on one circle there are several triangulations, of
// which it returns one. It panics with ErrShape for points of other dims, and with ErrValue for coordinates that are
// not finite and for points that are all on a line.
//
//	t := spatial.Delaunay(points)
//	t.Triangles         // [m 3]
//	t.Find(x)           // the triangle of each position
func Delaunay(points *tensor.Tensor) *Triangulation {
	const op = "delaunay"
	plane, exp := planePoints(op, points)
	t := &Triangulation{Points: points, exp: exp}
	t.triangulate(plane)
	if t.mesh == nil {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{points}, "stats.Interp and package interpolate are for one dim",
			"want three points or more that are not on a line")
	}
	t.number(points.Device())
	t.tree = sync.OnceValue(func() *KDTree { return NewKDTree(points.Detach()) })
	t.at = sync.OnceValue(func() []int {
		at := make([]int, len(plane))
		for _, i := range t.back {
			for _, v := range t.mesh.corners[i] {
				at[v] = i
			}
		}
		for _, pair := range t.Duplicates {
			at[pair[0]] = at[pair[1]]
		}
		return at
	})
	return t
}

// scaled returns a position times 2^exp.
func (t *Triangulation) scaled(x, y float64) point { return scaledPoint(x, y, t.exp) }

// triangulate makes the mesh, or leaves it nil for points on a line.
func (t *Triangulation) triangulate(points []point) {
	if len(points) == 0 {
		return
	}
	order := insertionOrder(points)
	a, b, c := order[0], -1, -1
	for _, i := range order[1:] {
		if b < 0 && points[i] != points[a] {
			b = i
		} else if b >= 0 && orient(points[a], points[b], points[i]) != 0 {
			c = i
			break
		}
	}
	if c < 0 {
		return
	}
	if orient(points[a], points[b], points[c]) < 0 {
		b, c = c, b
	}
	t.mesh = newMesh(points, a, b, c)
	for _, i := range order {
		if i == a || i == b || i == c {
			continue
		}
		if same := t.mesh.add(i); same >= 0 {
			t.Duplicates = append(t.Duplicates, [2]int{i, same})
		}
	}
	slices.SortFunc(t.Duplicates, func(x, y [2]int) int { return x[0] - y[0] })
}

// number numbers the triangles without the ghost.
func (t *Triangulation) number(dev *tensor.Device) {
	m := t.mesh
	t.ids = make([]int, len(m.corners))
	unused := make([]bool, len(m.corners))
	for _, i := range m.free {
		unused[i] = true
	}
	for i, c := range m.corners {
		t.ids[i] = -1
		if !unused[i] && !slices.Contains(c[:], ghost) {
			t.ids[i] = len(t.back)
			t.back = append(t.back, i)
		}
	}
	corners, next := make([]int64, 0, 3*len(t.back)), make([]int64, 0, 3*len(t.back))
	for _, i := range t.back {
		for k := range 3 {
			corners, next = append(corners, int64(m.corners[i][k])), append(next, int64(t.ids[m.next[i][k]]))
		}
	}
	t.Triangles, t.Neighbors = dev.FromSlice(corners, len(t.back), 3), dev.FromSlice(next, len(t.back), 3)
}

func (t *Triangulation) String() string {
	return fmt.Sprintf("triangulation of %d points: %d triangles", t.Points.Dim(0), len(t.back))
}
