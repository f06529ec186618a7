package optimize

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// LinearProgram has the constraints of Linprog. What is nil is left out.
type LinearProgram struct {
	AUb [][]float64 // AUb·x ≤ BUb
	BUb []float64
	AEq [][]float64 // AEq·x = BEq
	BEq []float64
	// Bounds are the least and greatest value of each unknown, infinities for none. Without them all are 0 or more.
	Bounds  [][2]float64
	MaxIter int // the largest number of steps: 50 for each unknown and constraint, and at least 1000
}

// LinearResult is what Linprog found.
type LinearResult struct {
	X          []float64
	F          float64   // c·x
	Slack      []float64 // BUb - AUb·x
	Iterations int
}

// Linprog returns the point at which c·x is least among those that meet linear constraints, as scipy.optimize.linprog,
// by the simplex method with a dense tableau: for up to some thousand constraints. -c finds the greatest c·x. The error
// is ErrInfeasible where no point meets the constraints, ErrUnbounded where c·x has no least value, or ErrNotConverged.
// It panics with ErrShape for constraints of other sizes than c, and with ErrValue for NaN.
//
//	// the greatest 3x+2y with x+y ≤ 4, x+3y ≤ 6
//	r, err := optimize.Linprog([]float64{-3, -2}, optimize.LinearProgram{
//		AUb: [][]float64{{1, 1}, {1, 3}}, BUb: []float64{4, 6}}) // r.X is [4 0]
func Linprog(c []float64, p LinearProgram) (LinearResult, error) {
	p.check(c)
	n := len(c)
	if p.Bounds == nil {
		p.Bounds = make([][2]float64, n)
		for i := range p.Bounds {
			p.Bounds[i] = [2]float64{0, math.Inf(1)}
		}
	}
	s := standard(c, p)
	if p.MaxIter == 0 {
		p.MaxIter = max(1000, 50*(len(s.columns)+len(s.rows)))
	}
	y, steps, err := s.solve(p.MaxIter)
	r := LinearResult{Iterations: steps}
	if err != nil {
		return r, err
	}
	r.X = make([]float64, n)
	for i, b := range p.Bounds { // unknowns whose columns were left out
		if r.X[i] = b[0]; math.IsInf(b[0], -1) {
			r.X[i] = 0
			if !math.IsInf(b[1], 1) {
				r.X[i] = b[1]
			}
		}
	}
	for k, col := range s.columns {
		r.X[col.of] += col.sign * y[k]
	}
	clip(r.X, p.Bounds)
	r.F = dot(c, r.X)
	for i, row := range p.AUb {
		r.Slack = append(r.Slack, p.BUb[i]-dot(row, r.X))
	}
	return r, nil
}

func (p LinearProgram) check(c []float64) {
	const op = "linprog"
	if len(c) == 0 {
		extend.Shape(op, nil, "there are no unknowns: c is empty")
	}
	number := func(name string, list []float64) {
		for i, v := range list {
			if !finite(v) {
				extend.Fail(op, tensor.ErrValue, nil, "leave out what is no constraint", "%s[%d] is %v", name, i, v)
			}
		}
	}
	number("c", c)
	for name, of := range map[string]struct {
		a [][]float64
		b []float64
	}{"Ub": {p.AUb, p.BUb}, "Eq": {p.AEq, p.BEq}} {
		if len(of.a) != len(of.b) {
			extend.Shape(op, nil, "A%s has %d rows, B%s %d elements", name, len(of.a), name, len(of.b))
		}
		number("B"+name, of.b)
		for i, row := range of.a {
			if len(row) != len(c) {
				extend.Shape(op, nil, "row %d of A%s has %d elements for %d unknowns", i, name, len(row), len(c))
			}
			number("A"+name, row)
		}
	}
	if p.Bounds != nil {
		checkBounds(op, p.Bounds, len(c))
	}
	if p.MaxIter < 0 {
		extend.Fail(op, tensor.ErrValue, nil, "0 is the default", "MaxIter is %d", p.MaxIter)
	}
}

// column is an unknown of 0 or more: of an unknown of the program, the difference from its bound, with a sign.
type column struct {
	of   int
	sign float64
	cost float64
}

// standardForm has constraints rows·y + slack = right with y ≥ 0; equations have no slack.
type standardForm struct {
	columns []column
	rows    [][]float64
	right   []float64
	slack   []bool
}

// standard brings a program into that form. Unknowns without bounds are the difference of two of 0 or more.
func standard(c []float64, p LinearProgram) standardForm {
	var s standardForm
	shift := make([]float64, len(c))
	type limit struct {
		column int
		width  float64
	}
	var limits []limit
	for i, b := range p.Bounds {
		switch below, above := !math.IsInf(b[0], -1), !math.IsInf(b[1], 1); {
		case below:
			shift[i] = b[0]
			if above {
				limits = append(limits, limit{len(s.columns), b[1] - b[0]})
			}
			s.columns = append(s.columns, column{i, 1, c[i]})
		case above:
			shift[i] = b[1]
			s.columns = append(s.columns, column{i, -1, -c[i]})
		default:
			s.columns = append(s.columns, column{i, 1, c[i]}, column{i, -1, -c[i]})
		}
	}
	add := func(a [][]float64, b []float64, slack bool) {
		for i, row := range a {
			out := make([]float64, len(s.columns))
			for k, col := range s.columns {
				out[k] = col.sign * row[col.of]
			}
			s.rows, s.right = append(s.rows, out), append(s.right, b[i]-dot(row, shift))
			s.slack = append(s.slack, slack)
		}
	}
	add(p.AUb, p.BUb, true)
	add(p.AEq, p.BEq, false)
	for _, l := range limits {
		row := make([]float64, len(s.columns))
		row[l.column] = 1
		s.rows, s.right, s.slack = append(s.rows, row), append(s.right, l.width), append(s.slack, true)
	}
	return s
}
