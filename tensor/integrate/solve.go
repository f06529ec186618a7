package integrate

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/optimize"
)

// step is what a method has computed: a state, the derivative there, the estimated error relative to the tolerance, and
// the solution in between.
type step struct {
	y, slope *tensor.Tensor
	err      float64
	at       func(theta float64) *tensor.Tensor
}

// stepper is a method. It tries steps from a state, of which the accepted ones follow one another.
type stepper interface {
	// try takes a step. It returns false, and another size to try, if the step does not work for another reason than
	// its error.
	try(t, h float64, y, slope *tensor.Tensor) (s step, size float64, ok bool)
	// next is the factor of the size after an accepted step, or after one that was rejected for its error.
	next(s step, h float64, accepted, again bool) float64
	// order is that of the error estimate.
	order() float64
}

func (p *problem) stepper() stepper {
	switch p.o.Method {
	case Radau:
		return newRadau(p)
	case DOP853:
		return newDOP853(p)
	}
	return &explicit{p, tableaus[p.o.Method]}
}

// run is a solution in progress.
type run struct {
	*problem
	s      Solution
	ys     []*tensor.Tensor
	evals  []float64 // of TEval, those that are still to come
	events []float64 // values of the events at the last step
	found  [][]*tensor.Tensor
}

// add takes a state of the solution.
func (r *run) add(t float64, y *tensor.Tensor) { r.s.T, r.ys = append(r.s.T, t), append(r.ys, y) }

// end makes the solution of what was found.
func (r *run) end(err error) (Solution, error) {
	s := &r.s
	if len(r.ys) > 0 {
		s.Y = tensor.Stack(r.ys, 0)
	}
	for _, ys := range r.found {
		var y *tensor.Tensor
		if len(ys) > 0 {
			y = tensor.Stack(ys, 0)
		}
		s.YEvents = append(s.YEvents, y)
	}
	s.Calls, s.Jacobians, s.Inverses = r.calls, r.jacobians, r.inverses
	if err != nil {
		s.Message = err.Error()
	}
	return *s, err
}

func (p *problem) solve(t0, t1 float64, y0 *tensor.Tensor, o IVPOptions) (Solution, error) {
	p.check(t0, t1, y0, o)
	r := &run{problem: p, evals: p.o.TEval}
	method := p.stepper()
	t, y := t0, y0
	slope := p.slope(t, y)
	if v := p.norm(slope, y.Detach().OnesLike()) + p.norm(y, y.Detach().OnesLike()); !finite(v) {
		return r.end(failed(ErrNotFinite, "the first state, or the derivative there, is not finite"))
	}
	if r.evals == nil {
		r.add(t, y)
	} else if len(r.evals) > 0 && r.evals[0] == t0 {
		r.add(t, y)
		r.evals = r.evals[1:]
	}
	r.s.TEvents, r.found = make([][]float64, len(p.o.Events)), make([][]*tensor.Tensor, len(p.o.Events))
	for _, e := range p.o.Events {
		r.events = append(r.events, e.F(t, y))
	}
	direction := math.Copysign(1, t1-t0)
	size := min(p.o.FirstStep, p.o.MaxStep, math.Abs(t1-t0))
	if size == 0 {
		size = p.firstStep(t0, t1, y, slope, method.order())
	}
	for t != t1 {
		if r.s.Steps >= p.o.MaxSteps {
			return r.end(failed(ErrNotConverged, "%d steps reached t = %.10g: set IVPOptions.MaxSteps; if the problem is "+
				"stiff, integrate.Radau takes fewer", r.s.Steps, t))
		}
		size = min(size, p.o.MaxStep)
		s, h, err := r.advance(method, t, t1, &size, direction, y, slope)
		if err != nil {
			return r.end(err)
		}
		r.s.Steps++
		next := t + h
		if math.Abs(t1-next) <= 1e-14*math.Abs(h) || h == t1-t {
			next = t1
		}
		part := interpolant{t, next - t, s.at}
		stopped, err := r.pass(part, next, s.y)
		if err != nil || stopped {
			return r.end(err)
		}
		t, y, slope = next, s.y, s.slope
	}
	r.s.Message = "the solution reached the end"
	return r.end(nil)
}

// advance takes a step of a size whose error is within the tolerance, and sets the next size.
func (r *run) advance(method stepper, t, t1 float64, size *float64, direction float64, y, slope *tensor.Tensor,
) (s step, h float64, err error) {
	again := false
	for {
		least := 10 * math.Abs(math.Nextafter(t, direction*math.Inf(1))-t)
		if !(*size >= least) {
			if again {
				return s, h, failed(ErrStepSize, "the step at t = %.10g became as small as the distance of adjacent float64: the "+
					"solution may have a singularity there, or the tolerances are too tight", t)
			}
			*size = least
		}
		h = direction * *size
		if direction*(t+h-t1) > 0 {
			h = t1 - t
		}
		var ok bool
		var other float64
		if s, other, ok = method.try(t, h, y, slope); !ok {
			*size, again = other, true
			r.s.Rejected++
			continue
		}
		accepted := s.err <= 1
		*size = math.Abs(h) * method.next(s, h, accepted, again)
		if accepted {
			return s, h, nil
		}
		again = true
		r.s.Rejected++
	}
}

// pass takes what a step has of the solution: the times that are asked for, and events.
func (r *run) pass(part interpolant, t float64, y *tensor.Tensor) (stopped bool, err error) {
	end, at := t, y
	for i, e := range r.o.Events {
		before, now := r.events[i], e.F(t, y)
		if math.IsNaN(now) {
			return false, failed(ErrNotFinite, "event %d is NaN at t = %.10g", i, t)
		}
		r.events[i] = now
		rises, falls := before <= 0 && now >= 0 && before != now, before >= 0 && now <= 0 && before != now
		if before == 0 || !(rises && e.Direction >= 0 || falls && e.Direction <= 0) {
			continue // a zero at the end of a step belongs to that step
		}
		root, err := optimize.BrentQ(func(theta float64) float64 {
			switch theta {
			case 0:
				return before
			case 1:
				return now
			}
			return e.F(part.t+theta*part.h, part.at(theta))
		}, 0, 1, optimize.ScalarOptions{XTol: 4 * epsilon})
		if err != nil {
			return false, fmt.Errorf("event %d between t = %.10g and %.10g: %w", i, part.t, t, err)
		}
		when, there := part.t+root.X*part.h, part.at(root.X)
		r.s.TEvents[i], r.found[i] = append(r.s.TEvents[i], when), append(r.found[i], there)
		if e.Terminal && (!stopped || math.Abs(when-part.t) < math.Abs(end-part.t)) {
			end, at, stopped = when, there, true
			r.s.Message = fmt.Sprintf("event %d ended the solution", i)
		}
	}
	if stopped {
		r.forget(end, part.h)
	}
	if r.o.Dense {
		r.s.dense = append(r.s.dense, part.until(end))
	}
	if r.o.TEval == nil {
		r.add(end, at)
	}
	for len(r.evals) > 0 && (r.evals[0]-end)*part.h <= 0 {
		next := r.evals[0]
		y := at
		if next != end {
			y = part.at((next - part.t) / part.h)
		}
		r.add(next, y)
		r.evals = r.evals[1:]
	}
	return stopped, nil
}

// forget takes out events of the last step that come after the end of the solution.
func (r *run) forget(end, h float64) {
	for i, times := range r.s.TEvents {
		if n := len(times); n > 0 && (times[n-1]-end)*h > 0 {
			r.s.TEvents[i], r.found[i] = times[:n-1], r.found[i][:n-1]
		}
	}
}

// firstStep chooses the size of the first step, by the first two derivatives (Hairer, Nørsett, Wanner: Solving Ordinary
// Differential Equations I, II.4).
func (p *problem) firstStep(t0, t1 float64, y, slope *tensor.Tensor, order float64) float64 {
	length := math.Abs(t1 - t0)
	scale := p.scale(y, y)
	d0, d1 := p.norm(y, scale), p.norm(slope, scale)
	h := 1e-6
	if d0 >= 1e-5 && d1 >= 1e-5 {
		h = 0.01 * d0 / d1
	}
	h = min(h, length)
	signed := math.Copysign(h, t1-t0)
	ahead := p.slope(t0+signed, y.Detach().Add(slope.Detach().Mul(signed)))
	d2 := p.norm(ahead.Sub(slope), scale) / h
	second := max(1e-6, h*1e-3)
	if m := max(d1, d2); m > 1e-15 {
		second = math.Pow(0.01/m, 1/(order+1))
	}
	if size := min(100*h, second, length, p.o.MaxStep); finite(size) {
		return size
	}
	return h
}
