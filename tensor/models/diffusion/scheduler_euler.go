package diffusion

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// levels are the standard deviations of the noise at each time of the training, in pictures that are not scaled down.
func (s *Scheduler) levels() []float64 {
	out := make([]float64, len(s.alphas))
	for i, a := range s.alphas {
		out[i] = float64(float32(math.Sqrt((1 - a) / a)))
	}
	return out
}

// between is the element of a list at a position that need not be whole.
func between(list []float64, at float64) float64 {
	if at <= 0 {
		return list[0]
	}
	i := int(at)
	if i >= len(list)-1 {
		return list[len(list)-1]
	}
	part := at - float64(i)
	return list[i]*(1-part) + list[i+1]*part
}

// timeOf is the time of a level, by their logarithms. Those of the training are of F32, as with diffusers: a level that
// is the last one but for rounding may have a time a little before it, which some methods round down.
func timeOf(levels []float64, level float64) float64 {
	n := len(levels)
	if n < 2 {
		return 0
	}
	low := min(max(sortedBelow(levels, level), 0), n-2)
	log := func(x float64) float64 { return float64(float32(math.Log(x))) }
	a, b := log(levels[low]), log(levels[low+1])
	w := min(max((a-math.Log(level))/(a-b), 0), 1)
	return float64(low) + w
}

// sortedBelow is the last position of a sorted list whose element is not above x, -1 for none.
func sortedBelow(list []float64, x float64) int {
	i, found := slices.BinarySearch(list, x)
	if found {
		return i
	}
	return i - 1
}

// respacing is how levels of noise are spaced otherwise than times.
type respacing struct {
	karras, exponential bool
	least, most         float64 // levels; 0 for the usual ones
}

func readRespacing(c *config) respacing {
	c.only("use_beta_sigmas", false, nil)
	r := respacing{karras: value(c, "use_karras_sigmas", false), exponential: value(c, "use_exponential_sigmas", false)}
	if r.karras && r.exponential {
		c.fail("use_karras_sigmas and use_exponential_sigmas are true: want one of them")
	}
	return r
}

// levels are n of them between two.
func (r *respacing) levels(first, last float64, n int) []float64 {
	if r.most != 0 {
		first = r.most
	}
	if r.least != 0 {
		last = r.least
	}
	if r.exponential {
		out := linspace(math.Log(first), math.Log(last), n)
		for i := range out {
			out[i] = math.Exp(out[i])
		}
		return out
	}
	const rho = 7 // of Karras et al., "Elucidating the design space of diffusion-based generative models"
	out := linspace(math.Pow(first, 1.0/rho), math.Pow(last, 1.0/rho), n)
	for i := range out {
		out[i] = math.Pow(out[i], rho)
	}
	return out
}

// lastLevel reads what the level of the end is.
func lastLevel(c *config) (zero bool) {
	c.only("final_sigmas_type", "zero", "sigma_min")
	return value(c, "final_sigmas_type", "zero") == "zero"
}

// readEuler is the method of Euler (Karras et al., 2022), without noise of its own.
func readEuler(s *Scheduler, c *config) func(steps int) *course {
	c.only("prediction_type", "epsilon", "v_prediction", "sample")
	c.only("interpolation_type", "linear", "log_linear")
	c.only("timestep_type", "discrete")
	s.spaced(c, "linspace")
	logarithmic := value(c, "interpolation_type", "linear") == "log_linear"
	r, zero := readRespacing(c), lastLevel(c)
	r.least, r.most = value(c, "sigma_min", 0.0), value(c, "sigma_max", 0.0)
	return func(steps int) *course {
		d := s.eulerTimes(steps)
		all := s.levels()
		switch {
		case r.karras || r.exponential:
			first, last := d.levels[0], d.levels[steps-1]
			if logarithmic {
				first, last = all[len(all)-1], all[0]
			}
			d.levels = r.levels(first, last, steps)
			for i, level := range d.levels {
				d.times[i] = float64(float32(timeOf(all, level)))
			}
		case logarithmic:
			d.levels = (&respacing{exponential: true}).levels(all[len(all)-1], all[0], steps+1)
		}
		last := 0.0
		if !zero {
			last = all[0]
		}
		d.finish(s, append(d.levels, last))
		d.step = func(i int, said, x *tensor.Tensor, _ func() *tensor.Tensor) *tensor.Tensor {
			return s.euler(x, said, d.levels[i], d.levels[i+1])
		}
		return d
	}
}

// eulerTimes are times and their levels.
func (s *Scheduler) eulerTimes(steps int) *course {
	d := &course{times: s.times(steps)}
	all := s.levels()
	for i := range d.times {
		d.times[i] = float64(float32(d.times[i]))
		d.levels = append(d.levels, between(all, d.times[i]))
	}
	return d
}

// finish sets the levels, and how noisy the first picture is.
func (c *course) finish(s *Scheduler, levels []float64) {
	c.levels = levels
	if c.initial = slices.Max(levels); s.spacing == "leading" {
		c.initial = math.Hypot(c.initial, 1)
	}
}

// euler goes from one level of noise to another.
func (s *Scheduler) euler(x, said *tensor.Tensor, from, to float64) *tensor.Tensor {
	return x.Add(s.direction(x, said, from).Mul(to - from))
}

// direction is how a picture changes with the level of its noise, at a level.
func (s *Scheduler) direction(x, said *tensor.Tensor, from float64) *tensor.Tensor {
	a := 1 / (from*from + 1)
	_, n := s.split(a)
	n[0] *= math.Sqrt(a)
	if s.prediction == "sample" { // of pictures that are not scaled down
		n = [2]float64{1 / from, -1 / from}
	}
	return of(n, x, said)
}

// readAncestral is the method of Euler with new noise in each step.
func readAncestral(s *Scheduler, c *config) func(steps int) *course {
	c.only("prediction_type", "epsilon", "v_prediction")
	s.spaced(c, "linspace")
	return func(steps int) *course {
		d := s.eulerTimes(steps)
		d.finish(s, append(d.levels, 0))
		d.step = func(i int, said, x *tensor.Tensor, noise func() *tensor.Tensor) *tensor.Tensor {
			from, to := d.levels[i], d.levels[i+1]
			up := math.Sqrt(to * to * (from*from - to*to) / (from * from))
			down := math.Sqrt(to*to - up*up)
			return mix(1, s.euler(x, said, from, down), up, noise())
		}
		return d
	}
}
