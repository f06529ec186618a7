// Package integrate has integrals of functions and of points, and solves ordinary differential equations, on every
// device, under the names of scipy.integrate.
//
//	q, err := integrate.Quad(math.Sqrt, 0, 2, integrate.QuadOptions{})          // q.Value, q.Error
//	area := integrate.Simpson(y, x, -1)                                         // of points
//	s, err := integrate.SolveIVP(f, 0, 10, y0, integrate.IVPOptions{})          // s.T, s.Y
//
// Quad and DblQuad take functions of Go numbers. Simpson, CumulativeTrapezoid and FixedQuad compute on the device of
// their tensors and have gradients. SolveIVP takes states on any device, one system or thousands at once, and has
// gradients with explicit methods; SolveIVPFunc takes functions of Go numbers.
//
// # Errors
//
// Results that do not meet their tolerances come with an error that says why, of a kind that errors.Is finds:
// ErrNotConverged, ErrNotFinite or ErrStepSize. In a cell, q := integrate.Quad(…) assigns the result, and the error
// stops the cell. Mistakes, such as shapes that do not fit, panic with a *tensor.Error, as the methods of package
// tensor do.
//
// # Files
//
//	quad.go          Quad, DblQuad
//	kronrod.go       its rule, the intervals, and the extrapolation of singularities
//	samples.go       Simpson, CumulativeTrapezoid, FixedQuad
//	ivp.go           SolveIVP, its options and solutions
//	solve.go         the loop over steps, their sizes, events
//	explicit.go      RK45 and RK23; dop853.go DOP853, dop853_table.go its coefficients
//	radau.go         Radau
package integrate
