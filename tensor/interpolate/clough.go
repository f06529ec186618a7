package interpolate

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// CloughTocher2D returns the function through points [n 2] with values [n …] that is cubic in each third of
// Delaunay's triangles, has continuous derivatives, and is NaN outside of the triangles, as
// scipy.interpolate.CloughTocher2DInterpolator (Clough, Tocher, Finite element stiffness matrices for analysis of
// plates in bending, 1965; Alfeld, A trivariate Clough–Tocher scheme for tetrahedral data, 1984). The gradients at
// the points are those with the least curvature along the edges (Nielson, A method for interpolating scattered data
// based upon a minimum norm network, 1983), and across an edge the derivative towards the centre of the neighbour is
// linear (Farin, Triangular Bernstein–Bézier patches, 1986). It computes in F64 on the device of the values, and
// has gradients with respect to places only. It panics as Linear2D, and with ErrGradient for values that depend on a
// variable.
func CloughTocher2D(points, values *tensor.Tensor) *Scattered {
	s := newScattered("clough tocher", points, values)
	if extend.Tracked(values) {
		extend.Fail(s.op, tensor.ErrGradient, []*tensor.Tensor{values}, "values.Detach() has none",
			"there are no gradients with respect to the values")
	}
	corners := s.triangulate(points, values)
	s.split = 3
	n := points.Dim(0)
	y := values.ToDType(tensor.F64).Reshape(n, -1)
	width := y.Dim(1)
	z, at := y.Float64s(), points.Detach().Float64s()
	ids, next := whole(s.mesh.Triangles), whole(s.mesh.Neighbors)
	slopes, _ := leastCurvature(z, width, edgesOf(at, ids, next))
	parts := make([][3][2]float64, 0, 3*len(corners))
	coefs := make([]float64, 30*len(corners)*width)
	for t, c := range corners {
		middle := centroid(c)
		var beyond [3]*[2]float64 // the centres of the neighbours
		for k := range 3 {
			parts = append(parts, [3][2]float64{c[(k+1)%3], c[(k+2)%3], middle})
			if other := next[3*t+k]; other >= 0 {
				to := centroid(corners[other])
				beyond[k] = &to
			}
		}
		for w := range width {
			var f [3]float64
			var g [3][2]float64
			for k := range 3 {
				id := ids[3*t+k]
				f[k], g[k] = z[id*width+w], slopes[id*width+w]
			}
			for k, patch := range cloughTocher(c, f, g, beyond) {
				for i, v := range patch {
					coefs[((3*t+k)*10+i)*width+w] = v
				}
			}
		}
	}
	s.coefs = values.Device().FromSlice(coefs, len(parts), 10, width)
	s.pieces(parts, values.Device())
	return s
}

func whole(t *tensor.Tensor) []int {
	out := make([]int, t.ElemCount())
	for i, v := range t.Float64s() {
		out[i] = int(v)
	}
	return out
}

func centroid(c [3][2]float64) [2]float64 {
	return [2]float64{(c[0][0] + c[1][0] + c[2][0]) / 3, (c[0][1] + c[1][1] + c[2][1]) / 3}
}

// spoke is an edge of triangles as seen from one of its ends: the other end, the way to it, and 1/length³.
type spoke struct {
	to         int
	x, y, cube float64
}

// edgesOf returns the edges at each point. Those between two triangles go one way in either.
func edgesOf(at []float64, triangles, neighbours []int) [][]spoke {
	edges := make([][]spoke, len(at)/2)
	add := func(from, to int) {
		x, y := at[2*to]-at[2*from], at[2*to+1]-at[2*from+1]
		edges[from] = append(edges[from], spoke{to, x, y, 1 / math.Pow(math.Hypot(x, y), 3)})
	}
	for i, beyond := range neighbours {
		first := i - i%3
		a, b := triangles[first+(i+1)%3], triangles[first+(i+2)%3]
		add(a, b)
		if beyond < 0 {
			add(b, a)
		}
	}
	return edges
}

// leastCurvature returns the gradients at the points, of each of width values, for which the integral of the square of
// the second derivative along all edges is least, where along an edge the function is cubic. Those at one point follow
// from the others; Gauss and Seidel's iteration ends when they change by rounding only: by 1e-14, or, where narrow
// triangles round more than that, when the largest change no longer decreases. It also returns the number of sweeps.
func leastCurvature(z []float64, width int, edges [][]spoke) (g [][2]float64, sweeps int) {
	g = make([][2]float64, len(z))
	for w := range width {
		least, since := math.Inf(1), 0 // the least change so far, and the sweeps after it
		for range 10_000 {
			sweeps++
			change, size := 0.0, 0.0
			for i, others := range edges {
				if len(others) == 0 {
					continue
				}
				var xx, xy, yy, rx, ry float64
				for _, e := range others {
					j, x, y, by := e.to, e.x, e.y, e.cube
					// the derivative by the slope a at this end is 2·a + b - 3·Δ, for the slope b at the other
					rest := 3*(z[j*width+w]-z[i*width+w]) - (x*g[j*width+w][0] + y*g[j*width+w][1])
					xx, xy, yy = xx+2*x*x*by, xy+2*x*y*by, yy+2*y*y*by
					rx, ry = rx+x*rest*by, ry+y*rest*by
				}
				det := xx*yy - xy*xy
				to := [2]float64{(yy*rx - xy*ry) / det, (xx*ry - xy*rx) / det}
				for k, v := range to {
					change, size = max(change, math.Abs(v-g[i*width+w][k])), max(size, math.Abs(v))
				}
				g[i*width+w] = to
			}
			if since++; change < least {
				least, since = change, 0
			}
			if !(change > 1e-14*size) || since == 10 {
				break
			}
		}
	}
	return g, sweeps
}

// cloughTocher returns the coefficients of the three parts of a triangle with corners c, values f and gradients g, as
// cubic Bernstein polynomials: part k has the corners k+1, k+2 and the centre. beyond has the centres of the neighbours
// that face the corners, or nil.
func cloughTocher(c [3][2]float64, f [3]float64, g [3][2]float64, beyond [3]*[2]float64) (parts [3][10]float64) {
	middle := centroid(c)
	along := func(k int, to [2]float64) float64 { // a third of the slope at corner k, towards a position
		return (g[k][0]*(to[0]-c[k][0]) + g[k][1]*(to[1]-c[k][1])) / 3
	}
	var inner [3]float64 // the coefficient in the middle of each part
	for k := range 3 {
		a, b := (k+1)%3, (k+2)%3
		aab, abb := f[a]+along(a, c[b]), f[b]+along(b, c[a])
		aac, bbc := f[a]+along(a, middle), f[b]+along(b, middle)
		wa, wb, wc := -0.5, -0.5, 1.0 // the direction across the edge, in weights of a, b and the centre
		if beyond[k] != nil {
			wa, wb, wc = barycentric(c[a], c[b], middle, *beyond[k])
			wc-- // from the centre
		}
		from, to := wa*f[a]+wb*aab+wc*aac, wa*abb+wb*f[b]+wc*bbc
		inner[k] = ((from+to)/2 - wa*aab - wb*abb) / wc
	}
	var near [3]float64 // between a corner and the centre, next to the centre
	for k := range 3 {
		near[k] = (f[k] + along(k, middle) + inner[(k+1)%3] + inner[(k+2)%3]) / 3
	}
	top := (near[0] + near[1] + near[2]) / 3
	for k := range 3 {
		a, b := (k+1)%3, (k+2)%3
		parts[k] = [10]float64{f[a], f[b], top, f[a] + along(a, c[b]), f[b] + along(b, c[a]), f[a] + along(a, middle),
			near[a], f[b] + along(b, middle), near[b], inner[k]}
	}
	return parts
}

// barycentric are the weights of a, b and c at p.
func barycentric(a, b, c, p [2]float64) (u, v, w float64) {
	bx, by, cx, cy, px, py := b[0]-a[0], b[1]-a[1], c[0]-a[0], c[1]-a[1], p[0]-a[0], p[1]-a[1]
	det := bx*cy - by*cx
	v, w = (px*cy-py*cx)/det, (bx*py-by*px)/det
	return 1 - v - w, v, w
}

// bernstein returns the cubic polynomials of weights a, b and c in the order of coefficients of cloughTocher.
func bernstein(a, b, c *tensor.Tensor) []*tensor.Tensor {
	a2, b2, c2 := a.Sqr(), b.Sqr(), c.Sqr()
	return []*tensor.Tensor{a2.Mul(a), b2.Mul(b), c2.Mul(c), a2.Mul(b).Mul(3), b2.Mul(a).Mul(3), a2.Mul(c).Mul(3),
		c2.Mul(a).Mul(3), b2.Mul(c).Mul(3), c2.Mul(b).Mul(3), a.Mul(b).Mul(c).Mul(6)}
}
