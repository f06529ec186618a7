package spatial

import (
	"math"
	"math/big"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// point is a position in a plane.
type point [2]float64

// planePoints returns points [n 2] times 2^exp, so that their coordinates are below 1, and products of these neither
// overflow nor underflow.
func planePoints(op string, points *tensor.Tensor) (plane []point, exp int) {
	flat, n, d := coordinates(op, points)
	if d != 2 {
		extend.Shape(op, []*tensor.Tensor{points}, "want points of a plane, [n 2], not %v", points.Dims())
	}
	largest := 0.0
	for _, v := range flat {
		largest = max(largest, math.Abs(v))
	}
	_, exp = math.Frexp(largest)
	exp = -exp
	plane = make([]point, n)
	for i := range plane {
		plane[i] = scaledPoint(flat[2*i], flat[2*i+1], exp)
	}
	return plane, exp
}

func scaledPoint(x, y float64, exp int) point { return point{math.Ldexp(x, exp), math.Ldexp(y, exp)} }

// The rounding errors of orient and inCircle are at most these times what they would be with all terms positive
// (Shewchuk, Adaptive precision floating-point arithmetic and fast robust geometric predicates, 1997, table 3 and 4).
// tiny is above what underflows of coordinates of about 1 can add.
const (
	orientError = (3 + 16*0x1p-53) * 0x1p-53
	circleError = (10 + 96*0x1p-53) * 0x1p-53
	tiny        = 0x1p-960
)

// orient is positive where c is to the left of the line from a to b, negative to the right, and 0 on it. Its sign is
// exact, its value is about twice the area.
func orient(a, b, c point) float64 {
	left, right := float64((a[0]-c[0])*(b[1]-c[1])), float64((a[1]-c[1])*(b[0]-c[0]))
	det := left - right
	if bound := orientError * (math.Abs(left) + math.Abs(right)); math.Abs(det) > bound+tiny {
		return det
	}
	s := scaled(a, b, c)
	minor := new(big.Int).Mul(s.diff(0, 2, 0), s.diff(1, 2, 1))
	return float64(minor.Sub(minor, new(big.Int).Mul(s.diff(0, 2, 1), s.diff(1, 2, 0))).Sign())
}

// inCircle is positive where d is inside of the circle through a, b and c, which are counterclockwise, negative
// outside, and 0 on it. Its sign is exact.
func inCircle(a, b, c, d point) float64 {
	ax, ay, bx, by, cx, cy := a[0]-d[0], a[1]-d[1], b[0]-d[0], b[1]-d[1], c[0]-d[0], c[1]-d[1]
	a2, b2, c2 := float64(ax*ax)+float64(ay*ay), float64(bx*bx)+float64(by*by), float64(cx*cx)+float64(cy*cy)
	p, q, r, s, t, u := float64(bx*cy), float64(by*cx), float64(cx*ay), float64(cy*ax), float64(ax*by), float64(ay*bx)
	det := float64(a2*(p-q)) + float64(b2*(r-s)) + float64(c2*(t-u))
	all := a2*(math.Abs(p)+math.Abs(q)) + b2*(math.Abs(r)+math.Abs(s)) + c2*(math.Abs(t)+math.Abs(u))
	if math.Abs(det) > circleError*all+tiny {
		return det
	}
	z := scaled(a, b, c, d)
	sum := new(big.Int)
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		x, y := z.diff(i, 3, 0), z.diff(i, 3, 1)
		square := new(big.Int).Mul(x, x)
		square.Add(square, y.Mul(y, y))
		minor := new(big.Int).Mul(z.diff(j, 3, 0), z.diff(k, 3, 1))
		minor.Sub(minor, new(big.Int).Mul(z.diff(j, 3, 1), z.diff(k, 3, 0)))
		sum.Add(sum, square.Mul(square, minor))
	}
	return float64(sum.Sign())
}

// integers are coordinates times a power of two that makes integers of all of them.
type integers [][2]*big.Int

func scaled(points ...point) integers {
	low := math.MaxInt
	for _, p := range points {
		for _, v := range p {
			if _, e := math.Frexp(v); v != 0 {
				low = min(low, e-53)
			}
		}
	}
	out := make(integers, len(points))
	for i, p := range points {
		for k, v := range p {
			f, e := math.Frexp(v)
			z := big.NewInt(int64(f * 0x1p53))
			if v != 0 {
				z.Lsh(z, uint(e-53-low))
			}
			out[i][k] = z
		}
	}
	return out
}

// diff is coordinate k of point i less that of point j.
func (s integers) diff(i, j, k int) *big.Int { return new(big.Int).Sub(s[i][k], s[j][k]) }
