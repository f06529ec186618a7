package diffusion

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// readDDIM is DDIM (Song et al., 2020), without noise of its own.
func readDDIM(s *Scheduler, c *config) func(steps int) *course {
	c.only("prediction_type", "epsilon", "v_prediction", "sample")
	c.only("thresholding", false)
	s.spaced(c, "leading")
	one, clips := value(c, "set_alpha_to_one", true), value(c, "clip_sample", true)
	bound := value(c, "clip_sample_range", 1.0)
	return func(steps int) *course {
		d := &course{times: rounded(s.times(steps)), initial: 1}
		d.alpha = func(i int) float64 { return s.at(d.times[i]) }
		d.step = func(i int, said, x *tensor.Tensor, _ func() *tensor.Tensor) *tensor.Tensor {
			next := s.before(d.times[i], steps, one)
			p, n := s.split(d.alpha(i))
			if clips {
				return mix(math.Sqrt(next), of(p, x, said).Clamp(-bound, bound), math.Sqrt(1-next), of(n, x, said))
			}
			a, b := math.Sqrt(next), math.Sqrt(1-next)
			return mix(a*p[0]+b*n[0], x, a*p[1]+b*n[1], said)
		}
		return d
	}
}

// before is the product at the time that is a step less noisy than t: 1, or the first one, where there is none.
func (s *Scheduler) before(t float64, steps int, one bool) float64 {
	t -= float64(len(s.alphas) / steps)
	switch {
	case t >= 0:
		return s.at(t)
	case one:
		return 1
	}
	return s.alphas[0]
}

// readPNDM is PNDM (Liu et al., 2022) with linear multistep methods alone.
func readPNDM(s *Scheduler, c *config) func(steps int) *course {
	c.only("prediction_type", "epsilon", "v_prediction")
	if !value(c, "skip_prk_steps", false) {
		c.fail("skip_prk_steps is false, which is not supported: want true")
	}
	s.spaced(c, "leading")
	one := value(c, "set_alpha_to_one", false)
	return func(steps int) *course {
		d := &course{times: rounded(s.times(steps)), initial: 1}
		if len(d.times) > 1 { // the second one is asked twice
			d.times = append([]float64{d.times[0], d.times[1]}, d.times[1:]...)
		}
		d.alpha = func(i int) float64 { return s.at(d.times[i]) }
		m := &multistep{s: s, every: float64(len(s.alphas) / steps), one: one, steps: steps}
		d.step = func(i int, said, x *tensor.Tensor, _ func() *tensor.Tensor) *tensor.Tensor {
			return m.step(d.times[i], said, x)
		}
		return d
	}
}

// multistep is what PNDM remembers.
type multistep struct {
	s       *Scheduler
	every   float64
	one     bool
	steps   int
	calls   int
	said    []*tensor.Tensor // the last four, the last one first
	sampled *tensor.Tensor   // the first picture
}

// weights are the factors of the last outputs, by how many there are.
var weights = [][]float64{{1}, {3.0 / 2, -1.0 / 2}, {23.0 / 12, -16.0 / 12, 5.0 / 12},
	{55.0 / 24, -59.0 / 24, 37.0 / 24, -9.0 / 24}}

func (m *multistep) step(t float64, said, x *tensor.Tensor) *tensor.Tensor {
	defer func() { m.calls++ }()
	if m.calls == 1 { // the first step once more, with the mean of what is said at both ends
		return m.towards(t+m.every, said.Add(m.said[0]).Mul(0.5), m.sampled)
	}
	m.said = append([]*tensor.Tensor{said.Kept()}, m.said[:min(len(m.said), 3)]...)
	if m.calls == 0 {
		m.sampled = x
	}
	var sum *tensor.Tensor
	for i, w := range weights[len(m.said)-1] {
		if part := m.said[i].Mul(w); sum == nil {
			sum = part
		} else {
			sum = sum.Add(part)
		}
	}
	return m.towards(t, sum, x)
}

// towards is the picture a step after time t: formula 9 of the paper.
func (m *multistep) towards(t float64, said, x *tensor.Tensor) *tensor.Tensor {
	a, next := m.s.at(t), m.s.before(t, m.steps, m.one)
	_, n := m.s.split(a)
	factor := (next - a) / (a*math.Sqrt(1-next) + math.Sqrt(a*(1-a)*next))
	return mix(math.Sqrt(next/a), x, -factor, of(n, x, said))
}
