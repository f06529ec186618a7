package spatial

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Hull is the smallest convex polygon around points.
type Hull struct {
	// Vertices has the indices of its corners, counterclockwise, [h] of I64. No three of them are on a line.
	Vertices  *tensor.Tensor
	Area      float64
	Perimeter float64
}

// ConvexHull returns the hull of points [n 2] of a plane by Andrew's algorithm (Another efficient algorithm for convex
// hulls in two dimensions, 1979), as scipy.spatial.ConvexHull, whose volume is Area and whose area is Perimeter in a
// plane. It panics with ErrShape for points of other dims, and with ErrValue for coordinates that are not finite and
// for points that are all on a line.
func ConvexHull(points *tensor.Tensor) Hull {
	const op = "convex hull"
	plane, exp := planePoints(op, points)
	ids := make([]int, len(plane))
	for i := range ids {
		ids[i] = i
	}
	slices.SortFunc(ids, func(a, b int) int { return cmp.Or(slices.Compare(plane[a][:], plane[b][:]), a-b) })
	half := func(ids []int) []int {
		hull := []int{}
		for _, i := range ids {
			for len(hull) > 1 && !(orient(plane[hull[len(hull)-2]], plane[hull[len(hull)-1]], plane[i]) > 0) {
				hull = hull[:len(hull)-1]
			}
			hull = append(hull, i)
		}
		return hull[:max(0, len(hull)-1)]
	}
	hull := half(ids)
	slices.Reverse(ids)
	hull = append(hull, half(ids)...)
	if len(hull) < 3 {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{points}, "",
			"want three points or more that are not on a line")
	}
	var twice, around float64
	vertices := make([]int64, len(hull))
	for i, id := range hull {
		vertices[i] = int64(id)
		a, b, o := plane[id], plane[hull[(i+1)%len(hull)]], plane[hull[0]]
		twice += (a[0]-o[0])*(b[1]-o[1]) - (a[1]-o[1])*(b[0]-o[0])
		around += math.Hypot(b[0]-a[0], b[1]-a[1])
	}
	return Hull{points.Device().FromSlice(vertices, len(hull)), math.Ldexp(twice/2, -2*exp), math.Ldexp(around, -exp)}
}

func (h Hull) String() string {
	return fmt.Sprintf("convex hull of %d corners, area %.6g, perimeter %.6g", h.Vertices.Dim(0), h.Area, h.Perimeter)
}
