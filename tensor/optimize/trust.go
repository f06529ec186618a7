package optimize

import "math"

// trust takes Newton steps within a region in which the quadratic model is good. The model is minimized by conjugate
// gradients (Steihaug), which need products of the Hessian with vectors only.
func (s *search) trust() error {
	if err := s.first(true); err != nil {
		return err
	}
	radius := 1.0
	for {
		if most(s.g) <= s.GTol {
			s.message = "the gradient is within Options.GTol"
			return nil
		}
		step, predicted, edge := s.steihaug(radius)
		x := plus(s.x, 1, step)
		f, g := s.gradient(x)
		if math.IsInf(f, -1) {
			return failed(ErrUnbounded, "the function is -Inf at %.4g: give LBFGSB bounds", x)
		}
		ratio := (s.f - f) / predicted
		noise := 10 * epsilon * max(math.Abs(s.f), math.Abs(f))
		if finite(f) && predicted <= noise && math.Abs(s.f-f) <= noise && most(g) < most(s.g) {
			ratio = 1 // the function cannot tell any more, the gradient can
		}
		good := finite(f) && finite(most(g))
		switch {
		case !good || !(ratio >= 0.25):
			radius = min(radius, norm(step)) / 4
		case ratio > 0.75 && edge:
			radius *= 2
		}
		if good && ratio > 0.1 {
			s.x, s.f, s.g = x, f, g
		}
		if stop, err := s.next(); stop || err != nil {
			return err
		}
		if radius < 1e-15*max(1, norm(s.x)) {
			return s.stuck(nil)
		}
	}
}

// steihaug returns the step that minimizes the model of the function within a radius, by how much the model decreases,
// and whether the step ends at the edge.
func (s *search) steihaug(radius float64) (step []float64, decrease float64, edge bool) {
	size := norm(s.g)
	tol := size * min(0.5, math.Sqrt(size))
	step = make([]float64, len(s.x))
	bent := make([]float64, len(s.x)) // the Hessian times step
	r := append([]float64{}, s.g...)
	d := plus(step, -1, r)
	model := func() float64 { return -dot(s.g, step) - dot(step, bent)/2 }
	for range 2*len(s.x) + 10 {
		hd := s.product(s.x, d)
		curve := dot(d, hd)
		alpha := dot(r, r) / curve
		next := plus(step, alpha, d)
		if !(curve > 0) || norm(next) >= radius {
			// the point of the line that is at the edge
			a, b, c := dot(d, d), dot(step, d), dot(step, step)-radius*radius
			t := (-b + math.Sqrt(max(0, b*b-a*c))) / a
			step, bent = plus(step, t, d), plus(bent, t, hd)
			return step, model(), true
		}
		step, bent = next, plus(bent, alpha, hd)
		before := dot(r, r)
		r = plus(r, alpha, hd)
		if norm(r) <= tol {
			break
		}
		d = plus(plus(make([]float64, len(d)), -1, r), dot(r, r)/before, d)
	}
	return step, model(), false
}
