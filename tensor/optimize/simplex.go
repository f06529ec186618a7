package optimize

import (
	"math"
	"slices"
)

// corner is a corner of the simplex of Nelder and Mead.
type corner struct {
	x []float64
	f float64
}

// simplex is the method of Nelder and Mead, with parameters for the number of dimensions (Gao and Han, 2012).
func (s *search) simplex() error {
	if err := s.first(false); err != nil {
		return err
	}
	n := float64(len(s.x))
	n = max(n, 2)
	expand, contract, shrink := 1+2/n, 0.75-1/(2*n), 1-1/n
	all, before := s.corners(), math.Inf(1)
	for {
		slices.SortStableFunc(all, func(a, b corner) int {
			if a.f < b.f {
				return -1
			} else if a.f > b.f {
				return 1
			}
			return 0
		})
		s.x, s.f = append(s.x[:0], all[0].x...), all[0].f
		if s.close(all) {
			if s.Bounds != nil && before-s.f > s.FTol { // bounds may have flattened it: a new one
				before, all = s.f, s.corners()
				continue
			}
			s.message = "the simplex is within Options.XTol and FTol"
			return nil
		}
		if math.IsInf(s.f, -1) {
			return failed(ErrUnbounded, "the function is -Inf at %.4g: give Options.Bounds", s.x)
		}
		if stop, err := s.next(); stop || err != nil {
			return err
		}
		last := len(all) - 1
		centre := make([]float64, len(s.x))
		for _, c := range all[:last] {
			centre = plus(centre, 1/float64(last), c.x)
		}
		away := plus(centre, -1, all[last].x)
		reflected := s.corner(plus(centre, 1, away))
		switch {
		case reflected.f < all[0].f:
			all[last] = reflected
			if further := s.corner(plus(centre, expand, away)); further.f < reflected.f {
				all[last] = further
			}
			continue
		case reflected.f < all[last-1].f:
			all[last] = reflected
			continue
		}
		if reflected.f < all[last].f {
			if c := s.corner(plus(centre, contract, away)); c.f <= reflected.f {
				all[last] = c
				continue
			}
		} else if c := s.corner(plus(centre, -contract, away)); c.f < all[last].f {
			all[last] = c
			continue
		}
		for i := range all[1:] {
			all[i+1] = s.corner(plus(all[0].x, shrink, plus(all[i+1].x, -1, all[0].x)))
		}
	}
}

// corners returns the first simplex: a step of a twentieth along each dim.
func (s *search) corners() []corner {
	all := []corner{{append([]float64{}, s.x...), s.f}}
	for i, v := range s.x {
		x := append([]float64{}, s.x...)
		if x[i] = v * 1.05; v == 0 {
			x[i] = 0.00025
		}
		if s.Bounds != nil && x[i] > s.Bounds[i][1] { // the other way
			x[i] = v - (x[i] - v)
		}
		all = append(all, s.corner(x))
	}
	return all
}

// corner evaluates the function at a point within the bounds. NaN is larger than all numbers.
func (s *search) corner(x []float64) corner {
	if s.Bounds != nil {
		clip(x, s.Bounds)
	}
	f := s.value(x)
	if math.IsNaN(f) {
		f = math.Inf(1)
	}
	return corner{x, f}
}

// close reports whether the simplex is small, and the function nearly the same at its corners.
func (s *search) close(all []corner) bool {
	var size, height float64
	for _, c := range all[1:] {
		size, height = max(size, most(plus(c.x, -1, all[0].x))), max(height, math.Abs(c.f-all[0].f))
	}
	return size <= s.XTol && height <= max(s.FTol, 8*epsilon*math.Abs(all[0].f))
}
