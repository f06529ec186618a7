package diffusion

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// flowKind is the scheduler of flow matching, by which a picture goes straight from noise to what it is without it
// (Lipman et al., "Flow Matching for Generative Modeling", 2023). The others are for UNets.
const flowKind = "FlowMatchEulerDiscreteScheduler"

// flow is what flow matching has: levels of noise go from 1 to 0.
type flow struct {
	times   int     // of the training
	shift   float64 // above 1: steps are longer where there is little noise
	dynamic bool    // the shift depends on how many patches a picture has
	linear  bool    // with dynamic: it is not an exponent

	// with dynamic, the shifts of pictures of so many patches, between which it changes evenly
	leastShift, mostShift     float64
	leastPatches, mostPatches int
}

func readFlow(c *config) *flow {
	f := &flow{times: c.between("num_train_timesteps", 1000, 2, 1<<20), shift: value(c, "shift", 1.0),
		dynamic: value(c, "use_dynamic_shifting", false), leastShift: value(c, "base_shift", 0.5),
		mostShift: value(c, "max_shift", 1.15), leastPatches: value(c, "base_image_seq_len", 256),
		mostPatches: value(c, "max_image_seq_len", 4096)}
	c.only("time_shift_type", "exponential", "linear")
	f.linear = value(c, "time_shift_type", "exponential") == "linear"
	for _, key := range []string{"invert_sigmas", "stochastic_sampling", "use_karras_sigmas", "use_exponential_sigmas",
		"use_beta_sigmas", "use_flow_sigmas"} {
		c.only(key, false)
	}
	c.only("shift_terminal", nil)
	if !(f.shift > 0) || f.leastPatches == f.mostPatches {
		c.fail("shift is %v, and base_image_seq_len and max_image_seq_len are %d and %d: want a shift above 0, and two "+
			"numbers", f.shift, f.leastPatches, f.mostPatches)
	}
	return f
}

// levels are those of steps, the noisiest first, and the last, 0. ends says that they go to 1/steps before shifts, as
// with FLUX, and not to the last level of the training.
func (f *flow) levels(steps, patches int, ends bool) []float64 {
	by := f.shift
	shifted := func(level float64) float64 { return by * level / (1 + (by-1)*level) }
	first, last := 1.0, 1/float64(f.times)
	if f.dynamic {
		slope := (f.mostShift - f.leastShift) / float64(f.mostPatches-f.leastPatches)
		if by = slope*float64(patches-f.leastPatches) + f.leastShift; !f.linear {
			by = math.Exp(by)
		}
	} else { // the training had them shifted
		first, last = shifted(first), shifted(last)
	}
	if ends {
		first, last = 1, 1/float64(steps)
	}
	out := linspace(first, last, steps)
	for i, level := range out {
		out[i] = float64(float32(shifted(level)))
	}
	return append(out, 0)
}

// beginFlow plans so many steps for a picture of so many patches. It panics as begin does.
func (s *Scheduler) beginFlow(steps, patches int, ends bool) *course {
	if s.flow == nil {
		fault("%s is for UNets: want %s", s.Kind, flowKind)
	}
	if steps < 1 || steps > s.flow.times {
		fault("%d steps: want 1 to %d", steps, s.flow.times)
	}
	levels := s.flow.levels(steps, patches, ends)
	c := &course{initial: 1, flow: levels}
	for _, level := range levels[:steps] {
		c.times = append(c.times, float64(float32(level*float64(s.flow.times))))
	}
	c.step = func(i int, said, x *tensor.Tensor, _ func() *tensor.Tensor) *tensor.Tensor {
		return mix(1, x, levels[i+1]-levels[i], said)
	}
	return c
}

// String says how levels are shifted.
func (f *flow) String() string {
	if f.dynamic {
		return fmt.Sprintf("shifted by the size, %v to %v", f.leastShift, f.mostShift)
	}
	return fmt.Sprintf("shifted by %v", f.shift)
}
