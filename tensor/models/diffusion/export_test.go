package diffusion

import (
	"encoding/json"

	"github.com/gorocm/gorocm/tensor"
)

// SetNoise has a pipeline draw its noise from a function, whose number counts from 0 for each picture.
func SetNoise(p *Pipeline, noise func(k int, dims []int) *tensor.Tensor) { p.noise = noise }

// After has a function called after each layer of a Transformer, with the rows of the picture and of the text.
func After(m *Transformer, f func(layer int, rows, text *tensor.Tensor)) { m.after = f }

// Ids are the tokens of a text for the first text encoder.
func Ids(p *Pipeline, text string) []int { return p.texts[0].ids(text) }

// SchedulerOf is the scheduler of a kind with a config.
func SchedulerOf(kind string, keys map[string]json.RawMessage) (*Scheduler, error) {
	return newScheduler(kind, &config{name: "scheduler_config.json", keys: keys, read: map[string]bool{}})
}

// Track are the pictures of steps, beginning with that of step first: noise alone, or x with noise for first above 0.
func Track(s *Scheduler, steps, first int, x *tensor.Tensor, noise func(k int) *tensor.Tensor,
	said func(x *tensor.Tensor, t float64) *tensor.Tensor,
) (times []float64, track []*tensor.Tensor) {
	c, drawn := s.begin(steps), 1
	next := func() *tensor.Tensor { drawn++; return noise(drawn - 1) }
	if first > 0 {
		x = c.noised(x, noise(0), first)
	} else {
		x = noise(0).Mul(c.initial)
	}
	track = append(track, x)
	for i := first; i < len(c.times); i++ {
		x = tensor.Scoped(func() *tensor.Tensor { return c.step(i, said(c.input(x, i), c.times[i]), x, next) })
		track = append(track, x)
	}
	return c.times, track
}
