package nn

import (
	"cmp"
	"math"
	"slices"
)

// cutUntypical keeps in order the candidates whose surprise is nearest to the mean one, which together have the
// probability Typical, and returns the sum of their probabilities.
func (s *Sampler) cutUntypical(sum float64) float64 {
	mean := 0.0 // the entropy
	surprise := func(i int) float64 { return -math.Log(s.p[i] / sum) }
	for _, i := range s.order {
		if s.p[i] > 0 {
			mean += s.p[i] / sum * surprise(i)
		}
	}
	s.order = slices.DeleteFunc(s.order, func(i int) bool { return s.p[i] == 0 })
	slices.SortFunc(s.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(math.Abs(surprise(a)-mean), math.Abs(surprise(b)-mean)), cmp.Compare(a, b))
	})
	limit, kept := s.config.Typical*sum, 0.0
	for n, i := range s.order {
		if kept += s.p[i]; kept >= limit {
			s.order = s.order[:n+1]
			break
		}
	}
	return kept
}

// cutSurprising keeps in order the candidates whose surprise is within the bound, at least the likeliest, and returns
// the sum of their probabilities.
func (s *Sampler) cutSurprising(sum float64) float64 {
	best := slices.MaxFunc(s.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.p[a], s.p[b]), cmp.Compare(b, a))
	})
	kept := 0.0
	s.order = slices.DeleteFunc(s.order, func(i int) bool {
		if i != best && -math.Log2(s.p[i]/sum) > s.bound {
			return true
		}
		kept += s.p[i]
		return false
	})
	return kept
}

// surprised moves the bound after a token with this surprise.
func (s *Sampler) surprised(bits float64) {
	rate := s.config.MirostatRate
	if rate == 0 {
		rate = 0.1
	}
	s.bound -= rate * (bits - s.config.Mirostat)
}

// onHost reports whether choosing a token takes what kernels do not do.
func (s *Sampler) onHost() bool {
	c := s.config
	return c.Temperature > 0 && (c.Mirostat > 0 || c.Typical > 0 && c.Typical < 1)
}
