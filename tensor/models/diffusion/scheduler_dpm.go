package diffusion

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// dpm is DPM-Solver++ (Lu et al., 2022), a multistep method: it remembers the pictures without noise of the last times.
type dpm struct {
	s                      *Scheduler
	order                  int
	heun, stochastic       bool
	lowerLast, eulerLast   bool
	zero                   bool
	clipped                float64 // the least logarithm of the part of the picture by that of the noise
	respacing              respacing
	whole                  bool // times of respaced levels are rounded
	levels                 []float64
	pictures               []*tensor.Tensor // the last one first
	calls                  int
	sigmas, alphas, lambda []float64
}

func readDPM(s *Scheduler, c *config) func(steps int) *course {
	c.only("prediction_type", "epsilon", "v_prediction", "sample")
	c.only("thresholding", false)
	c.only("algorithm_type", "dpmsolver++", "sde-dpmsolver++")
	c.only("solver_type", "midpoint", "heun", "logrho", "bh1", "bh2") // the last three stand for the first
	for _, key := range []string{"use_lu_lambdas", "use_flow_sigmas", "use_dynamic_shifting"} {
		c.only(key, false)
	}
	c.only("variance_type", nil)
	s.spaced(c, "linspace")
	d := dpm{s: s, order: c.between("solver_order", 2, 1, 3), heun: value(c, "solver_type", "") == "heun",
		stochastic: value(c, "algorithm_type", "") == "sde-dpmsolver++", lowerLast: value(c, "lower_order_final", true),
		eulerLast: value(c, "euler_at_final", false), zero: lastLevel(c), respacing: readRespacing(c),
		clipped: float(c, "lambda_min_clipped", math.Inf(-1)),
		whole:   value(c, "beta_schedule", "") != "squaredcos_cap_v2"}
	return func(steps int) *course {
		m := d
		return m.plan(steps)
	}
}

// plan sets the times and their levels.
func (m *dpm) plan(steps int) *course {
	all := m.s.levels()
	c := &course{times: m.times(steps, all), initial: 1}
	if m.respacing.karras || m.respacing.exponential {
		m.levels = m.respacing.levels(all[len(all)-1], all[0], steps)
		c.times = nil
		for _, level := range m.levels {
			t := timeOf(all, level)
			if m.respacing.karras && m.whole {
				t = math.RoundToEven(t)
			}
			c.times = append(c.times, math.Floor(t))
		}
	} else {
		for _, t := range c.times {
			m.levels = append(m.levels, between(all, t))
		}
	}
	last := 0.0
	if !m.zero {
		last = all[0]
		if m.respacing.karras || m.respacing.exponential {
			last = m.levels[len(m.levels)-1]
		}
	}
	for _, level := range append(slices.Clone(m.levels), last) {
		a := 1 / math.Hypot(float64(float32(level)), 1)
		m.alphas, m.sigmas = append(m.alphas, a), append(m.sigmas, level*a)
		m.lambda = append(m.lambda, -math.Log(level)) // of a by the level times a
	}
	c.alpha = func(i int) float64 { return m.alphas[i] * m.alphas[i] }
	c.step = m.step
	return c
}

// times are those of steps, which are spaced as if there were one more.
func (m *dpm) times(steps int, all []float64) (t []float64) {
	n := 0 // times that are not too noisy
	for _, level := range all {
		if -math.Log(level) >= m.clipped {
			n++
		}
	}
	switch m.s.spacing {
	case "linspace":
		t = rounded(falling(float64(n-1), steps+1))[:steps]
	case "leading":
		for i := range steps {
			t = append(t, float64((steps-i)*(n/(steps+1))+m.s.offset))
		}
	default:
		every := float64(len(all)) / float64(steps)
		for i := range int(math.Ceil(float64(n) / every)) {
			t = append(t, math.RoundToEven(float64(n)-float64(i)*every)-1)
		}
	}
	return t
}

func (m *dpm) step(i int, said, x *tensor.Tensor, noise func() *tensor.Tensor) *tensor.Tensor {
	defer func() { m.calls++ }()
	p, _ := m.s.split(m.alphas[i] * m.alphas[i])
	m.pictures = append([]*tensor.Tensor{of(p, x, said).Kept()}, m.pictures[:min(len(m.pictures), m.order-1)]...)
	n := len(m.levels)
	few := m.lowerLast && n < 15
	order := min(m.order, m.calls+1)
	switch {
	case i == n-1 && (m.eulerLast || few || m.zero):
		order = 1
	case i == n-2 && few:
		order = min(order, 2)
	}
	h := m.lambda[i+1] - m.lambda[i]
	weights := m.weights(i, order, h)
	y := x.Mul(m.sigmas[i+1] / m.sigmas[i])
	if m.stochastic {
		y = mix(m.sigmas[i+1]/m.sigmas[i]*math.Exp(-h), x, m.sigmas[i+1]*math.Sqrt(-math.Expm1(-2*h)), noise())
	}
	for k, w := range weights {
		y = y.Add(m.pictures[k].Mul(m.alphas[i+1] * w))
	}
	return y
}

// weights are the factors of the last pictures: those of their differences, divided, by the integrals of the paper.
func (m *dpm) weights(i, order int, h float64) []float64 {
	e := math.Expm1(-h) // of -h, or with noise of -2h
	zeroth, first, second := -e, e/h+1, (e+h)/(h*h)-0.5
	if m.stochastic {
		e = math.Expm1(-2 * h)
		zeroth, first, second = -e, -e/(-2*h)+1, (-e-2*h)/(4*h*h)-0.5
	}
	if order == 1 {
		return []float64{zeroth}
	}
	r0 := (m.lambda[i] - m.lambda[i-1]) / h
	if order == 2 {
		by := zeroth / 2
		if m.heun {
			by = first
		}
		return []float64{zeroth + by/r0, -by / r0}
	}
	r1 := (m.lambda[i-1] - m.lambda[i-2]) / h
	if !m.stochastic {
		second = -second
	}
	// the differences a = (p0-p1)/r0 and b = (p1-p2)/r1 make D1 = a + r0/(r0+r1)·(a-b) and D2 = (a-b)/(r0+r1)
	a, b := first*(1+r0/(r0+r1))+second/(r0+r1), -first*r0/(r0+r1)-second/(r0+r1)
	return []float64{zeroth + a/r0, -a/r0 + b/r1, -b / r1}
}
