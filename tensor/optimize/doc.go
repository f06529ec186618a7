// Package optimize minimizes functions, solves equations and fits curves on every device, under the names of
// scipy.optimize.
//
//	r, err := optimize.Minimize(f, x0, optimize.Options{})                    // r.X, r.F, r.GradNorm, r.Iterations
//	r, err := optimize.Root(f, x0, optimize.RootOptions{})                    // f(r.X) = 0
//	fit, err := optimize.CurveFit(model, x, y, p0, optimize.CurveOptions{})   // fit.X, fit.StdErr()
//	zero, err := optimize.BrentQ(math.Cos, 0, 3, optimize.ScalarOptions{})    // zero.X
//
// # Functions
//
// Functions of tensors are made of methods of tensors. Their gradients, Jacobians and products with Hessians are those
// of package autograd, so they are exact, and cost a few calls, whatever the number of parameters. Such functions are
// called with F64 tensors on the device of the first point, and may use large data that is there; the search itself is
// computed on the host, in F64. Functions with names that end in Func take functions of Go numbers, whose derivatives
// are given, or computed by central differences.
//
// # Errors
//
// A search that ends before it meets its tolerances returns its best point and an error that says why it ended, of
// a kind that errors.Is finds: ErrNotConverged, ErrNotFinite and their like. In a cell, r := optimize.Minimize(…)
// assigns the result, and the error stops the cell. Mistakes, such as shapes that do not fit, panic with a
// *tensor.Error, as the methods of package tensor do.
//
// # Files
//
//	minimize.go      Minimize, its options and results
//	objective.go     functions to minimize, with gradients by autograd or differences
//	smooth.go        BFGS, LBFGS and CG, which are gonum's
//	bounded.go       LBFGSB
//	simplex.go       NelderMead
//	trust.go         TrustNCG
//	scalar.go        MinimizeScalar
//	brentq.go        BrentQ
//	evolution.go     DifferentialEvolution
//	system.go        Root, and functions with Jacobians
//	leastsquares.go  LeastSquares
//	tall.go          the triangle of a Jacobian of many rows
//	loss.go          robust losses
//	curvefit.go      CurveFit
//	assignment.go    LinearSumAssignment
//	linprog.go       Linprog; tableau.go its simplex method, scaling.go the units of rows and columns
package optimize
