package spatial

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// Cells are those of a Voronoi diagram: the cell of a point has what is nearer to it than to every other point.
type Cells struct {
	// Vertices are the corners of cells, [m 2] in F64: the centres of the circles of Delaunay's triangles, in their
	// order. Four points and more on a circle have as many vertices at its centre as they have triangles.
	Vertices *tensor.Tensor
	// RidgePoints are the pairs of points whose cells have a common edge, [r 2] of I64, and RidgeVertices the ends of
	// that edge, [r 2] of I64. An edge that goes to infinity has -1 as its first end.
	RidgePoints, RidgeVertices *tensor.Tensor
	// Regions has the vertices of the cell of each point, counterclockwise, and -1 in the place of those at infinity.
	// It is empty for a point at the position of another.
	Regions [][]int
}

// Voronoi returns the cells of points [n 2], as scipy.spatial.Voronoi, of Delaunay's triangulation. It panics as
// Delaunay.
func Voronoi(points *tensor.Tensor) Cells {
	t := Delaunay(points)
	m, dev := t.mesh, points.Device()
	centres := make([]float64, 0, 2*len(t.back))
	c := Cells{Regions: make([][]int, points.Dim(0))}
	pairs, ends := []int64{}, []int64{}
	for number, i := range t.back {
		corners := m.corners[i]
		x, y := centre(m.points[corners[0]], m.points[corners[1]], m.points[corners[2]])
		centres = append(centres, math.Ldexp(x, -t.exp), math.Ldexp(y, -t.exp))
		for k := range 3 {
			a, b := corners[(k+1)%3], corners[(k+2)%3]
			other := t.ids[m.next[i][k]]
			if other < number { // also at infinity; otherwise it has the edge
				pairs, ends = append(pairs, int64(a), int64(b)), append(ends, int64(other), int64(number))
			}
		}
	}
	for p, first := range t.at() {
		c.Regions[p] = []int{}
		for i := first; ; {
			at := slices.Index(m.corners[i][:], p)
			if at < 0 { // another point has this position
				break
			}
			number := t.ids[i]
			if last := len(c.Regions[p]) - 1; number >= 0 || last < 0 || c.Regions[p][last] >= 0 {
				c.Regions[p] = append(c.Regions[p], number)
			}
			if i = m.next[i][(at+1)%3]; i == first {
				break
			}
		}
	}
	c.Vertices = dev.FromSlice(centres, len(t.back), 2)
	c.RidgePoints = dev.FromSlice(pairs, len(pairs)/2, 2)
	c.RidgeVertices = dev.FromSlice(ends, len(ends)/2, 2)
	return c
}

// centre is that of the circle through three points.
func centre(a, b, c point) (x, y float64) {
	bx, by, cx, cy := b[0]-a[0], b[1]-a[1], c[0]-a[0], c[1]-a[1]
	d := 2 * (bx*cy - by*cx)
	b2, c2 := bx*bx+by*by, cx*cx+cy*cy
	return a[0] + (cy*b2-by*c2)/d, a[1] + (bx*c2-cx*b2)/d
}
