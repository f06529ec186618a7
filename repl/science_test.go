package repl

import (
	"context"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestInterruptSearches: searches, integrals and solutions end when their cell is interrupted: in the function that
// they call, which is in the cell, or by themselves.
func TestInterruptSearches(t *testing.T) {
	thorough.Slow(t)
	s := newSession(t)
	mustRun(t, s, `first := true
begun := func() { if first { first = false; fmt.Println("on") } }
kept := 7
costs := tensor.CPU().Rand(tensor.F64, 3000, 3000)`)
	for _, code := range []string{
		`optimize.MinimizeFunc(func(x []float64) float64 { begun(); return x[0] * x[0] / (1 + x[0]*x[0]) + rand.Float64() }, []float64{5}, optimize.Options{MaxIter: 1e9, Method: optimize.NelderMead, FTol: 1e-300})`,
		`optimize.Minimize(func(x *tensor.Tensor) *tensor.Tensor { begun(); for {}; return x.Sqr().Sum() }, tensor.Of(5), optimize.Options{})`,
		`integrate.Quad(func(x float64) float64 { begun(); return rand.Float64() }, 0, 1, integrate.QuadOptions{Limit: 1e9, AbsTol: 1e-300})`,
		`integrate.SolveIVPFunc(func(t float64, y []float64) []float64 { begun(); return []float64{-y[0]} }, 0, 1e12, []float64{1}, integrate.IVPOptions{MaxStep: 1e-3, MaxSteps: 1e9})`,
		`fmt.Println("on"); optimize.LinearSumAssignment(costs, false)`,
	} {
		mustRun(t, s, "first = true")
		r := s.Eval(context.Background(), Request{Code: code}, func(Event) { s.Interrupt() })
		if r.Err == nil || r.Err.Name != "Interrupted" {
			t.Errorf("%s: %+v", code, r.Err)
		}
		mustRun(t, s, "kept")
	}
}
