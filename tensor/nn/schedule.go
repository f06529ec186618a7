package nn

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/internal/keep"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Schedule gives the learning rate of a step, counted from 0. Any function is one.
type Schedule func(step int) float64

// kept is a schedule that checkpoints of sessions keep.
func kept(s Schedule, name string, args ...any) Schedule { return keep.Func(s, "nn."+name, args...) }

var _ = keep.Maker("nn.Warmup", Warmup) && keep.Maker("nn.CosineDecay", CosineDecay) &&
	keep.Maker("nn.StepDecay", StepDecay) && keep.Maker("nn.Constant", Constant) &&
	keep.Maker("nn.ExponentialDecay", ExponentialDecay) && keep.Maker("nn.LinearDecay", LinearDecay) &&
	keep.Maker("nn.PolynomialDecay", PolynomialDecay) && keep.Maker("nn.CosineRestarts", CosineRestarts) &&
	keep.Maker("nn.Sequence", Sequence) && keep.Maker("nn.OneCycle", OneCycle) &&
	keep.Maker("nn.MultiStepDecay", func(lr, factor float64, at []int) Schedule {
		return MultiStepDecay(lr, factor, at...)
	})

// Warmup begins with a share of lr that grows to lr in so many steps; then follows s, whose own steps are counted from
// there.
func Warmup(lr float64, steps int, s Schedule) Schedule {
	return kept(func(step int) float64 {
		if step < steps {
			return lr * float64(step+1) / float64(steps)
		}
		return s(step - steps)
	}, "Warmup", lr, steps, s)
}

// CosineDecay falls from lr to least in so many steps along half a cosine, and stays there.
func CosineDecay(lr, least float64, steps int) Schedule {
	return kept(func(step int) float64 {
		part := min(float64(step)/float64(max(steps, 1)), 1)
		return least + (lr-least)*(1+math.Cos(math.Pi*part))/2
	}, "CosineDecay", lr, least, steps)
}

// StepDecay multiplies lr by factor after every so many steps.
func StepDecay(lr, factor float64, every int) Schedule {
	return kept(func(step int) float64 {
		return lr * math.Pow(factor, float64(step/max(every, 1)))
	}, "StepDecay", lr, factor, every)
}

// Constant is lr in every step.
func Constant(lr float64) Schedule { return kept(func(int) float64 { return lr }, "Constant", lr) }

// MultiStepDecay multiplies lr by factor at each of these steps, as PyTorch's MultiStepLR does.
func MultiStepDecay(lr, factor float64, at ...int) Schedule {
	return kept(func(step int) float64 {
		rate := lr
		for _, n := range at {
			if step >= n {
				rate *= factor
			}
		}
		return rate
	}, "MultiStepDecay", lr, factor, at)
}

// ExponentialDecay multiplies lr by factor after every step.
func ExponentialDecay(lr, factor float64) Schedule {
	return kept(func(step int) float64 { return lr * math.Pow(factor, float64(step)) }, "ExponentialDecay", lr, factor)
}

// LinearDecay goes from one rate to another in so many steps along a line, and stays there. It may grow, too.
func LinearDecay(from, to float64, steps int) Schedule {
	return kept(func(step int) float64 {
		return from + (to-from)*min(float64(step)/float64(max(steps, 1)), 1)
	}, "LinearDecay", from, to, steps)
}

// PolynomialDecay falls from lr to least in so many steps, by the power of the part of them that is left, and stays
// there, as PyTorch's PolynomialLR does to 0.
func PolynomialDecay(lr, least float64, steps int, power float64) Schedule {
	return kept(func(step int) float64 {
		left := 1 - min(float64(step)/float64(max(steps, 1)), 1)
		return least + (lr-least)*math.Pow(left, power)
	}, "PolynomialDecay", lr, least, steps, power)
}

// CosineRestarts falls from lr to least along half a cosine, again and again: first in so many steps, then each time in
// factor times as many (Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", 2017). A factor
// below 1 stands for 1.
func CosineRestarts(lr, least float64, steps, factor int) Schedule {
	return kept(func(step int) float64 {
		length := max(steps, 1)
		for step >= length {
			step -= length
			length *= max(factor, 1)
		}
		return least + (lr-least)*(1+math.Cos(math.Pi*float64(step)/float64(length)))/2
	}, "CosineRestarts", lr, least, steps, factor)
}

// Sequence follows the first schedule up to a step, then the second one up to the next, and so on; each counts from its
// own beginning. It panics with ErrShape unless there is one schedule more than steps, which grow.
//
//	nn.Sequence([]int{100, 900}, nn.LinearDecay(0, 0.1, 100), nn.Constant(0.1), nn.CosineDecay(0.1, 0, 200))
func Sequence(at []int, schedules ...Schedule) Schedule {
	if len(schedules) != len(at)+1 || !slices.IsSorted(at) {
		extend.Shape("sequence", nil, "%d schedules that follow one another at the steps %v", len(schedules), at)
	}
	args := []any{at}
	for _, s := range schedules {
		args = append(args, s)
	}
	return kept(func(step int) float64 {
		i, begun := 0, 0
		for i < len(at) && step >= at[i] {
			begun = at[i]
			i++
		}
		return schedules[i](step - begun)
	}, "Sequence", args...)
}

// OneCycleOptions are the options of OneCycle, under PyTorch's names. Fields that are 0 have PyTorch's defaults.
type OneCycleOptions struct {
	Start      float64 // the fraction of the steps in which the rate grows; 0 is 0.3
	Div        float64 // the rate begins with the largest one divided by it; 0 is 25
	FinalDiv   float64 // and ends with that first one divided by this; 0 is 1e4
	ThreePhase bool    // the rate falls to the first one as fast as it grew, and only then to the last
	Linear     bool    // it changes along straight lines, not along half a cosine
}

// OneCycle is the policy of Smith and Topin ("Super-Convergence", 2018) for so many steps: the rate grows to most and
// then falls to much less than it began with, as that of PyTorch's OneCycleLR does. Later steps have the last rate.
func OneCycle(most float64, steps int, o OneCycleOptions) Schedule {
	or := func(x, usual float64) float64 {
		if x == 0 {
			return usual
		}
		return x
	}
	first, grown := most/or(o.Div, 25), or(o.Start, 0.3)*float64(steps)-1
	rates, ends := []float64{first, most, first / or(o.FinalDiv, 1e4)}, []float64{0, grown, float64(steps) - 1}
	if o.ThreePhase {
		rates, ends = []float64{first, most, first, rates[2]}, []float64{0, grown, 2 * grown, ends[2]}
	}
	return kept(func(step int) float64 {
		at, i := math.Min(float64(step), ends[len(ends)-1]), 1
		for i < len(ends)-1 && at > ends[i] {
			i++
		}
		part := 1.0
		if ends[i] > ends[i-1] {
			part = (at - ends[i-1]) / (ends[i] - ends[i-1])
		}
		if o.Linear {
			return rates[i-1] + (rates[i]-rates[i-1])*part
		}
		return rates[i] + (rates[i-1]-rates[i])/2*(1+math.Cos(math.Pi*part))
	}, "OneCycle", most, steps, o)
}

// PlateauConfig holds the hyperparameters of Plateau. Start from DefaultPlateau, which has the defaults of PyTorch.
type PlateauConfig struct {
	Factor    float64 // what the learning rate is multiplied by
	Patience  int     // how many steps without improvement are tolerated
	Threshold float64 // by which part of the best value an improvement exceeds it
	Absolute  bool    // Threshold is a difference, not a part
	Cooldown  int     // how many steps after a reduction do not count
	Least     float64 // the learning rate never falls below it
	Eps       float64 // a smaller change of the learning rate is not made
	Maximize  bool    // the metric is to grow, such as an accuracy
}

// DefaultPlateau returns the default hyperparameters: Factor 0.1, Patience 10, Threshold 1e-4, Eps 1e-8.
func DefaultPlateau() PlateauConfig {
	return PlateauConfig{Factor: 0.1, Patience: 10, Threshold: 1e-4, Eps: 1e-8}
}

// Plateau reduces the learning rate of an optimizer when a metric stops improving, as PyTorch's ReduceLROnPlateau does.
type Plateau struct {
	Config PlateauConfig

	of        Optimizer
	begun     bool
	best      float64
	bad, cool int // steps without improvement, and those that do not count yet
}

// NewPlateau returns the schedule of an optimizer.
func NewPlateau(o Optimizer, config PlateauConfig) *Plateau { return &Plateau{Config: config, of: o} }

// Step takes the value of the metric after an epoch, such as the loss of the validation data, and reports whether it
// has reduced the learning rate. NaN is no improvement.
func (p *Plateau) Step(metric float64) bool {
	c := p.Config
	if p.improves(metric) {
		p.begun, p.best, p.bad = true, metric, 0
	} else {
		p.bad++
	}
	if p.cool > 0 {
		p.cool--
		p.bad = 0
	}
	if p.bad <= c.Patience {
		return false
	}
	p.bad, p.cool = 0, c.Cooldown
	old := p.of.LearningRate()
	lr := max(old*c.Factor, c.Least)
	if old-lr <= c.Eps {
		return false
	}
	p.of.SetLearningRate(lr)
	return true
}

func (p *Plateau) improves(x float64) bool {
	c, best := p.Config, p.best
	switch {
	case !p.begun:
		return x == x
	case c.Maximize && c.Absolute:
		return x > best+c.Threshold
	case c.Maximize:
		return x > best*(1+c.Threshold)
	case c.Absolute:
		return x < best-c.Threshold
	}
	return x < best*(1-c.Threshold)
}

// PlateauState is what a Plateau has found out, but for the learning rate, which the optimizer has.
type PlateauState struct {
	Begun bool    `json:"begun"` // there is a best value
	Best  float64 `json:"best"`
	Bad   int     `json:"bad"`  // steps without improvement
	Cool  int     `json:"cool"` // steps that do not count yet
}

// State returns what the schedule has found out, for SetState of another one.
func (p *Plateau) State() PlateauState { return PlateauState{p.begun, p.best, p.bad, p.cool} }

// SetState goes on from what State has returned.
func (p *Plateau) SetState(s PlateauState) {
	p.begun, p.best, p.bad, p.cool = s.Begun, s.Best, s.Bad, s.Cool
}
