// Package interpolate has functions through points and near them, and on grids, on every device, under the names of
// scipy.interpolate.
//
//	s := interpolate.CubicSpline(x, y, interpolate.SplineOptions{}) // y [n …] at positions x [n]
//	s.At(q)                                                         // q of any shape
//	s.Derivative(1).At(q)
//	s.Integrate(0, 2)
//	g := interpolate.RegularGrid([]*tensor.Tensor{lat, lon}, height, interpolate.GridOptions{})
//	g.At(places)                                                    // places [… 2]
//
// Coefficients and evaluation are tensor operations on the device of the values, in the type of the values: F16, BF16
// and F8E4M3 are computed as F32 and rounded, integers in F64. Where positions are of F64 or integers, such as times,
// all is computed in F64; results have the type of the values. The systems of equations of splines, whose matrices
// have a few diagonals, are solved on the host in F64.
//
// # Gradients
//
// Interpolants have gradients with respect to the positions at which they are evaluated, and to the values that they
// interpolate, not to the positions of these. Mistakes panic with a *tensor.Error, as the methods of package tensor do.
//
// # Files
//
//	poly.go       piecewise polynomials: evaluation, derivatives, integrals, what is outside
//	cubic.go      CubicSpline
//	local.go      PCHIP, Akima, Makima, Interp1D
//	bspline.go    MakeInterpSpline, B-splines
//	smoothing.go  MakeSmoothingSpline
//	grid.go       RegularGrid
//	rbf.go        RBF
//	scattered.go  GridData, Linear2D, NearestND
//	clough.go     CloughTocher2D
//	band.go       systems of equations near the diagonal
package interpolate
