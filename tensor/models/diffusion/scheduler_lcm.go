package diffusion

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// readLCM is the scheduler of latent consistency models (Luo et al., 2023), which need few steps: each makes a picture
// without noise, to which new noise is added.
func readLCM(s *Scheduler, c *config) func(steps int) *course {
	c.only("prediction_type", "epsilon", "v_prediction", "sample")
	c.only("thresholding", false)
	s.spaced(c, "leading") // which changes nothing
	trained := c.between("num_train_timesteps", 1000, 1, 1<<20)
	origin := c.between("original_inference_steps", 50, 1, trained)
	scaling := value(c, "timestep_scaling", 10.0)
	clips, bound := value(c, "clip_sample", false), value(c, "clip_sample_range", 1.0)
	s.most = origin
	return func(steps int) *course {
		d := &course{initial: 1}
		for i := range steps {
			at := int(float64(i) * float64(origin) / float64(steps))
			d.times = append(d.times, float64((origin-at)*(trained/origin)-1))
		}
		d.alpha = func(i int) float64 { return s.at(d.times[i]) }
		d.step = func(i int, said, x *tensor.Tensor, noise func() *tensor.Tensor) *tensor.Tensor {
			p, _ := s.split(d.alpha(i))
			picture := of(p, x, said)
			if clips {
				picture = picture.Clamp(-bound, bound)
			}
			const data = 0.5
			t := d.times[i] * scaling
			y := mix(t/math.Hypot(t, data), picture, data*data/(t*t+data*data), x)
			if i == len(d.times)-1 {
				return y
			}
			a := d.alpha(i + 1)
			return mix(math.Sqrt(a), y, math.Sqrt(1-a), noise())
		}
		return d
	}
}
