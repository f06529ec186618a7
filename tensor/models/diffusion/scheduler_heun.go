package diffusion

import "github.com/gorocm/gorocm/tensor"

// readHeun is the method of Heun (Karras et al., 2022): a step of Euler's method, then another one from where that has
// led, of whose directions it takes the mean. The UNet is asked twice for each step but the last.
func readHeun(s *Scheduler, c *config) func(steps int) *course {
	c.only("prediction_type", "epsilon", "v_prediction", "sample")
	c.only("clip_sample", false)
	s.spaced(c, "linspace")
	r := readRespacing(c)
	return func(steps int) *course {
		d := s.eulerTimes(steps)
		if r.karras || r.exponential {
			all := s.levels()
			d.levels = r.levels(d.levels[0], d.levels[steps-1], steps)
			for i, level := range d.levels {
				d.times[i] = float64(float32(timeOf(all, level)))
			}
		}
		times, levels := d.times[:1:1], d.levels[:1:1]
		for i := 1; i < steps; i++ {
			times, levels = append(times, d.times[i], d.times[i]), append(levels, d.levels[i], d.levels[i])
		}
		d.times, d.twice = times, true
		d.finish(s, append(levels, 0))
		var before, direction *tensor.Tensor // of Euler's step
		d.step = func(i int, said, x *tensor.Tensor, _ func() *tensor.Tensor) *tensor.Tensor {
			if i%2 == 0 {
				before, direction = x.Kept(), s.direction(x, said, d.levels[i]).Kept()
				return x.Add(direction.Mul(d.levels[i+1] - d.levels[i]))
			}
			mean := mix(0.5, direction, 0.5, s.direction(x, said, d.levels[i]))
			return before.Add(mean.Mul(d.levels[i] - d.levels[i-1]))
		}
		return d
	}
}
