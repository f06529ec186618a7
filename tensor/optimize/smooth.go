package optimize

import (
	"errors"
	"math"
	"sync"

	gonum "gonum.org/v1/gonum/optimize"
)

// smooth runs a method of gonum for smooth functions. Where its line search fails, it begins anew at the best point,
// with the gradient as the direction and a line search that comes back from where the function is infinite.
func (s *search) smooth() error {
	if err := s.first(true); err != nil {
		return err
	}
	for restarts := 0; ; restarts++ {
		s.halted = false
		if err := s.descend(s.gonum(restarts > 0)); !s.halted || restarts == 3 {
			return err
		}
	}
}

// descend runs a method from the best point. The method computes in a goroutine of its own; the function is called in
// this one, which may panic.
func (s *search) descend(method gonum.Method) error {
	operations, results := make(chan gonum.Task, 1), make(chan gonum.Task, 1)
	go method.Run(operations, results, []gonum.Task{{
		Op: gonum.FuncEvaluation | gonum.GradEvaluation,
		Location: &gonum.Location{X: append([]float64{}, s.x...), F: s.f,
			Gradient: append([]float64{}, s.g...)},
	}})
	end := sync.OnceFunc(func() { // the method waits for a result, and then for the end of results
		results <- gonum.Task{Op: gonum.PostIteration}
		close(results)
		for range operations {
		}
	})
	defer end()
	for tried := 0; ; {
		task := <-operations
		switch task.Op {
		case gonum.MajorIteration:
			tried = 0
			if done, err := s.major(task.Location); done || err != nil {
				return err
			}
		case gonum.MethodDone:
			end()
			return s.stuck(method)
		case gonum.NoOperation:
		default:
			s.evaluate(task)
			if math.IsInf(task.F, -1) {
				return failed(ErrUnbounded, "the function is -Inf at %.4g: give LBFGSB bounds", task.X)
			}
			if tried++; tried > 200 { // along one line
				return s.stuck(nil)
			}
		}
		results <- task
	}
}

// major takes the point of an iteration and reports whether it is the last one.
func (s *search) major(at *gonum.Location) (done bool, err error) {
	moved := s.accept(at)
	if most(s.g) <= s.GTol {
		s.message = "the gradient is within Options.GTol"
		return true, nil
	}
	if !moved {
		return false, nil
	}
	return s.next()
}

// gonum returns the method that does the search.
func (s *search) gonum(again bool) gonum.Method {
	never := math.NaN() // convergence is checked here
	switch s.Method {
	case LBFGS:
		return &gonum.LBFGS{GradStopThreshold: never}
	case CG:
		cg := &gonum.CG{GradStopThreshold: never}
		if again {
			cg.Linesearcher = &gonum.Bisection{CurvatureFactor: 0.1}
		}
		return cg
	}
	return &gonum.BFGS{GradStopThreshold: never}
}

// evaluate computes what a task asks for. A step to where the function is not a number is too long.
func (s *search) evaluate(task gonum.Task) {
	if task.Op&gonum.GradEvaluation == 0 {
		if task.F = s.value(task.X); math.IsNaN(task.F) {
			task.F = math.Inf(1)
		}
		return
	}
	f, g := s.gradient(task.X)
	if math.IsNaN(f) {
		f = math.Inf(1)
	}
	if task.Op&gonum.FuncEvaluation != 0 {
		task.F = f
	}
	task.Gradient = g
}

// accept keeps the point of an iteration, if it is another one, with a finite function.
func (s *search) accept(at *gonum.Location) (moved bool) {
	if !finite(at.F) || at.F > s.f || at.Gradient == nil || !finite(most(at.Gradient)) {
		return false
	}
	for i, v := range at.X {
		moved = moved || v != s.x[i]
	}
	copy(s.x, at.X)
	s.f, s.g = at.F, append(s.g[:0], at.Gradient...)
	return moved
}

// stuck says why a method, which has ended, found no better point.
func (s *search) stuck(method gonum.Method) error {
	s.halted = true
	if status, ok := method.(gonum.Statuser); ok {
		if _, err := status.Status(); err != nil && !errors.Is(err, gonum.ErrNoProgress) &&
			!errors.Is(err, gonum.ErrLinesearcherFailure) {
			return failed(ErrNotConverged, "the search stopped at f %.10g with gradient %.3g (%v): "+
				"try optimize.NelderMead, or another first point", s.f, most(s.g), err)
		}
	}
	return failed(ErrNotConverged, "no step decreases the function any more: f %.10g, gradient %.3g, "+
		"more than Options.GTol %.3g. The function is computed too inexactly for that, has a kink, or decreases without end",
		s.f, most(s.g), s.GTol)
}
