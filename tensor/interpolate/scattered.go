package interpolate

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/spatial"
)

// Scattered is a function through scattered points: what Linear2D, CloughTocher2D and NearestND return.
type Scattered struct {
	op     string
	mesh   *spatial.Triangulation
	tree   *spatial.KDTree // instead of the mesh: the nearest point
	coefs  *tensor.Tensor  // of the pieces, [pieces coefficients values], or the values, [n values]
	corner *tensor.Tensor  // of each piece, [pieces 2]
	inward *tensor.Tensor  // maps a position less the corner to the weights of the other two, [pieces 2 2]
	split  int             // pieces of a triangle
	d      int
	shape  []int // of a value
	dt     tensor.DType
}

// GridData returns the values at places x [… d] of a function through scattered points [n d] with values [n …], as
// scipy.interpolate.griddata: that of Linear2D (GridLinear), CloughTocher2D (GridCubic) or NearestND (GridNearest). The
// first two are for a plane, and NaN outside of the points' hull.
//
//	interpolate.GridData(points, heights, places, interpolate.GridCubic) // [100 2], [100], [40 40 2]: [40 40]
func GridData(points, values, x *tensor.Tensor, method GridMethod) *tensor.Tensor {
	switch method {
	case GridLinear:
		return Linear2D(points, values).At(x)
	case GridCubic:
		return CloughTocher2D(points, values).At(x)
	case GridNearest:
		return NearestND(points, values).At(x)
	}
	extend.Fail("griddata", tensor.ErrValue, nil, "", "there is no method %d", int(method))
	return nil
}

// NearestND returns the function that is at each position the value of the nearest of points [n d], of values [n …],
// as scipy.interpolate.NearestNDInterpolator. Of points at the same distance the first one counts. It panics with
// ErrShape for other shapes, and with ErrValue for coordinates that are not finite. It has gradients with respect to
// the values.
func NearestND(points, values *tensor.Tensor) *Scattered {
	s := newScattered("nearest", points, values)
	s.tree, s.coefs = spatial.NewKDTree(points), values.Reshape(points.Dim(0), -1)
	s.dt = values.DType()
	return s
}

// Linear2D returns the function through points [n 2] with values [n …] that is linear in each of Delaunay's
// triangles, and NaN outside of them, as scipy.interpolate.LinearNDInterpolator. It computes in F64 on the device of
// the values and has gradients with respect to the values and to places. It panics with ErrShape for other shapes, and
// with ErrValue for points on a line, points at the same position, and coordinates that are not finite.
func Linear2D(points, values *tensor.Tensor) *Scattered {
	s := newScattered("linear 2d", points, values)
	corners := s.triangulate(points, values)
	s.coefs = values.ToDType(tensor.F64).Reshape(points.Dim(0), -1).
		IndexSelect(s.mesh.Triangles.FlattenAll().To(values.Device()), 0).Reshape(len(corners), 3, -1)
	s.pieces(corners, values.Device())
	return s
}

func newScattered(op string, points, values *tensor.Tensor) *Scattered {
	extend.SameDevice(op, points, values)
	both := []*tensor.Tensor{points, values}
	if points.Rank() != 2 || values.Rank() == 0 || points.Dim(0) != values.Dim(0) || values.ElemCount() == 0 ||
		points.Dim(1) == 0 {
		extend.Shape(op, both, "want points [n d] and values [n …], not %v and %v", points.Dims(), values.Dims())
	}
	if values.DType().IsComplex() {
		extend.Fail(op, tensor.ErrDType, both, "values.ViewAsReal() has the parts as a last dim",
			"want real numbers, not %v", values.DType())
	}
	_, dt := extend.Precise(values)
	return &Scattered{op: op, d: points.Dim(1), shape: values.Dims()[1:], dt: dt, split: 1}
}

// triangulate makes the mesh, and returns the positions of the corners of its triangles.
func (s *Scattered) triangulate(points, values *tensor.Tensor) [][3][2]float64 {
	if s.d != 2 {
		extend.ShapeNoting(s.op, []*tensor.Tensor{points, values},
			"interpolate.RBF and interpolate.NearestND are for any number of dims", "want points of a plane, [n 2], not %v",
			points.Dims())
	}
	s.mesh = spatial.Delaunay(points)
	if d := s.mesh.Duplicates; len(d) > 0 {
		extend.Fail(s.op, tensor.ErrValue, []*tensor.Tensor{points, values},
			"take the mean of values at the same position", "points %d and %d are at the same position", d[0][1],
			d[0][0])
	}
	at := points.Detach().Float64s()
	ids := s.mesh.Triangles.Float64s()
	corners := make([][3][2]float64, len(ids)/3)
	for i, id := range ids {
		corners[i/3][i%3] = [2]float64{at[2*int(id)], at[2*int(id)+1]}
	}
	return corners
}

// pieces sets the maps from positions to weights.
func (s *Scattered) pieces(corners [][3][2]float64, dev *tensor.Device) {
	first, maps := make([]float64, 0, 2*len(corners)), make([]float64, 0, 4*len(corners))
	for _, c := range corners {
		ux, uy, vx, vy := c[1][0]-c[0][0], c[1][1]-c[0][1], c[2][0]-c[0][0], c[2][1]-c[0][1]
		det := ux*vy - uy*vx
		first = append(first, c[0][:]...)
		maps = append(maps, vy/det, -vx/det, -uy/det, ux/det)
	}
	s.corner, s.inward = dev.FromSlice(first, len(corners), 2), dev.FromSlice(maps, len(corners), 2, 2)
}

// At returns the values at places x [… d], on the device of the values: the dims of x before the last one, then those
// of a value. It panics with ErrShape for places of another number of dims, and with ErrValue for NaN.
func (s *Scattered) At(x *tensor.Tensor) *tensor.Tensor {
	extend.SameDevice(s.op, s.coefs, x)
	if x.Rank() == 0 || x.Dim(-1) != s.d {
		extend.Shape(s.op, []*tensor.Tensor{x}, "want places [… %d], not %v", s.d, x.Dims())
	}
	shape := append(x.Dims()[:x.Rank()-1], s.shape...)
	count := x.ElemCount() / s.d
	if count == 0 {
		return x.Device().Zeros(s.dt, shape...)
	}
	flat := x.Reshape(count, s.d)
	if s.tree != nil {
		_, ids := s.tree.Query(flat, 1)
		return s.coefs.IndexSelect(ids.FlattenAll(), 0).Reshape(shape...)
	}
	triangles, weights := s.mesh.Barycentric(flat)
	outside := triangles.Lt(0)
	ids := triangles.Maximum(0)
	if s.split == 3 { // the part that faces the corner of the least weight
		ids = ids.Mul(3).Add(weights.ArgMin(1).ToDType(tensor.I64))
	}
	apart := flat.ToDType(tensor.F64).Sub(s.corner.IndexSelect(ids, 0)).Unsqueeze(1) // [count 1 2]
	v := apart.Mul(s.inward.IndexSelect(ids, 0)).Sum(2)                              // [count 2]
	v = outside.Unsqueeze(1).WhereCond(v.ZerosLike(), v)
	b, c := v.GetOnDim(1, 0), v.GetOnDim(1, 1)
	basis := []*tensor.Tensor{b.Add(c).Neg().Add(1), b, c}
	if s.split == 3 {
		basis = bernstein(basis[0], b, c)
	}
	y := tensor.Stack(basis, 1).Unsqueeze(2).Mul(s.coefs.IndexSelect(ids, 0)).Sum(1)
	y = outside.Unsqueeze(1).WhereCond(math.NaN(), y)
	return y.Reshape(shape...).ToDType(s.dt)
}
