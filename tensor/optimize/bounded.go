package optimize

import "math"

// pair is a step and the difference of the gradients at its ends.
type pair struct{ s, y []float64 }

// bounded is L-BFGS for the parameters that are not at a bound, with steps that are projected on the bounds (Bertsekas'
// method of two metrics).
func (s *search) bounded() error {
	if s.Bounds == nil {
		s.Bounds = make([][2]float64, len(s.x))
		for i := range s.Bounds {
			s.Bounds[i] = [2]float64{math.Inf(-1), math.Inf(1)}
		}
	}
	if err := s.first(true); err != nil {
		return err
	}
	var last []pair
	for {
		if s.slope() <= s.GTol {
			s.message = "the gradient, as far as bounds leave it, is within Options.GTol"
			return nil
		}
		x, f, g, cut, ok := s.projectedStep(s.direction(last))
		if !ok && len(last) > 0 {
			last = nil
			x, f, g, cut, ok = s.projectedStep(s.direction(nil))
		}
		switch {
		case math.IsInf(f, -1):
			return failed(ErrUnbounded, "the function is -Inf at %.4g: give tighter bounds", x)
		case !ok:
			return s.stuck(nil)
		}
		small := !cut && s.f-f <= s.FTol*max(math.Abs(s.f), math.Abs(f), 1)
		step, change := plus(x, -1, s.x), plus(g, -1, s.g)
		if dot(step, change) > epsilon*dot(change, change) {
			last = append(last, pair{step, change})
			last = last[max(0, len(last)-10):]
		}
		s.x, s.f, s.g = x, f, g
		if stop, err := s.next(); stop || err != nil {
			return err
		}
		if small {
			s.message = "the function decreases by less than Options.FTol"
			return nil
		}
	}
}

// direction is that of the next step: the Newton direction by the last steps, of parameters that no bound holds.
func (s *search) direction(last []pair) []float64 {
	held := make([]bool, len(s.x))
	free := func(v []float64) []float64 {
		v = append([]float64{}, v...)
		for i := range v {
			if held[i] {
				v[i] = 0
			}
		}
		return v
	}
	for i, b := range s.Bounds {
		held[i] = s.x[i] <= b[0] && s.g[i] > 0 || s.x[i] >= b[1] && s.g[i] < 0
	}
	d := free(s.g)
	var used []pair
	for _, p := range last {
		if p = (pair{free(p.s), free(p.y)}); dot(p.s, p.y) > epsilon*dot(p.y, p.y) {
			used = append(used, p)
		}
	}
	weights := make([]float64, len(used))
	for i := len(used) - 1; i >= 0; i-- {
		p := used[i]
		weights[i] = dot(p.s, d) / dot(p.s, p.y)
		d = plus(d, -weights[i], p.y)
	}
	scale := 1 / max(1, norm(d))
	if n := len(used); n > 0 {
		scale = dot(used[n-1].s, used[n-1].y) / dot(used[n-1].y, used[n-1].y)
	}
	for i := range d {
		d[i] *= scale
	}
	for i, p := range used {
		d = plus(d, weights[i]-dot(p.y, d)/dot(p.s, p.y), p.s)
	}
	for i := range d {
		d[i] = -d[i]
	}
	if dot(d, s.g) >= 0 { // rounding
		return plus(make([]float64, len(d)), -1, free(s.g))
	}
	return d
}

// projectedStep looks along the path x + t·d within the bounds for a point where f is less by enough, and reports
// whether there is one. A step that is too short for the curvature of f is doubled while f decreases. cut says that f
// is not finite further on: the step is short for that reason.
func (s *search) projectedStep(d []float64) (x []float64, f float64, g []float64, cut, ok bool) {
	at := func(t float64) (x []float64, slope float64) {
		x = plus(s.x, t, d)
		clip(x, s.Bounds)
		return x, dot(s.g, plus(x, -1, s.x))
	}
	for t := 1.0; t > 1e-20; t /= 2 {
		var slope float64
		if x, slope = at(t); slope >= 0 {
			return x, s.f, s.g, cut, false
		}
		f, g = s.gradient(x)
		cut = cut || math.IsNaN(f) || math.IsInf(f, 1) || !finite(most(g))
		if f <= s.f+1e-4*slope && !math.IsInf(f, -1) && finite(most(g)) {
			for range 30 {
				if t < 1 || dot(g, d) >= 0.9*dot(s.g, d) {
					return x, f, g, cut, true
				}
				longer, slope := at(2 * t)
				further, gradient := s.gradient(longer)
				if !(further < f && further <= s.f+1e-4*slope) || !finite(most(gradient)) {
					return x, f, g, cut, true
				}
				t, x, f, g = 2*t, longer, further, gradient
			}
			return x, f, g, cut, true
		}
		if math.IsInf(f, -1) {
			return x, f, g, cut, true
		}
	}
	return x, f, g, cut, false
}
