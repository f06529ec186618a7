package diffusion

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// unipc is UniPC (Zhao et al., 2023): what the UNet says of a picture also corrects that picture, before the next one
// is predicted. Times and levels are those of DPM-Solver++, and so is what it remembers.
type unipc struct {
	dpm
	bh1         bool  // the function B(h) of the paper is h, not exp(h)-1
	uncorrected []int // times whose pictures are not corrected after them

	last     *tensor.Tensor // the picture before, corrected
	lastUsed int            // the order of its prediction
}

func readUniPC(s *Scheduler, c *config) func(steps int) *course {
	c.only("prediction_type", "epsilon", "v_prediction", "sample")
	c.only("thresholding", false)
	c.only("predict_x0", true)
	c.only("solver_type", "bh1", "bh2", "midpoint", "heun", "logrho") // the last three stand for bh2
	for _, key := range []string{"use_flow_sigmas", "use_dynamic_shifting"} {
		c.only(key, false)
	}
	c.only("solver_p", nil)
	c.only("shift_terminal", nil)
	s.spaced(c, "linspace")
	u := unipc{dpm: dpm{s: s, order: c.between("solver_order", 2, 1, 3), lowerLast: value(c, "lower_order_final", true),
		zero: lastLevel(c), respacing: readRespacing(c), clipped: math.Inf(-1), whole: true},
		bh1: value(c, "solver_type", "") == "bh1", uncorrected: value(c, "disable_corrector", []int(nil))}
	u.respacing.least, u.respacing.most = value(c, "sigma_min", 0.0), value(c, "sigma_max", 0.0)
	return func(steps int) *course {
		m := u
		d := m.plan(steps)
		d.step = m.step
		return d
	}
}

func (m *unipc) step(i int, said, x *tensor.Tensor, _ func() *tensor.Tensor) *tensor.Tensor {
	p, _ := m.s.split(m.alphas[i] * m.alphas[i])
	picture := of(p, x, said)
	if m.last != nil && !slices.Contains(m.uncorrected, i-1) {
		x = m.towards(i-1, m.lastUsed, m.last, picture)
	}
	m.pictures = append([]*tensor.Tensor{picture.Kept()}, m.pictures[:min(len(m.pictures), m.order-1)]...)
	order := min(m.order, m.calls+1)
	if m.lowerLast {
		order = min(order, len(m.levels)-i)
	}
	if i == len(m.levels)-1 && m.zero { // the step to no noise at all is infinite
		order = 1
	}
	m.calls++
	m.last, m.lastUsed = x.Kept(), order
	return m.towards(i, order, x, nil)
}

// towards predicts the picture after that of time i, or corrects it by next, what was said of it without its noise.
func (m *unipc) towards(i, order int, x, next *tensor.Tensor) *tensor.Tensor {
	h := m.lambda[i+1] - m.lambda[i]
	e := math.Expm1(-h)
	by := e // B(h)
	if m.bh1 {
		by = -h
	}
	var steps []float64 // from time i to those before, and to the next one, by h
	for k := 1; k < order; k++ {
		steps = append(steps, (m.lambda[i-k]-m.lambda[i])/h)
	}
	steps = append(steps, 1)
	n := order - 1 // of those before
	factors := []float64{0.5}
	switch {
	case next == nil && order == 1:
		factors = nil
	case next == nil && order == 3:
		factors = uniFactors(steps[:n], -h, by)
	case next != nil && order > 1:
		factors = uniFactors(steps, -h, by)
	}
	sum := -e // the factor of the picture without noise of time i
	y := x.Mul(m.sigmas[i+1] / m.sigmas[i])
	for k, f := range factors {
		f *= -by / steps[k]
		sum -= f
		other := next
		if k < n {
			other = m.pictures[k+1]
		}
		y = y.Add(other.Mul(m.alphas[i+1] * f))
	}
	return y.Add(m.pictures[0].Mul(m.alphas[i+1] * sum))
}

// uniFactors solves the equations of the paper for the factors of differences at some steps.
func uniFactors(steps []float64, h, by float64) []float64 {
	n := len(steps)
	rows := make([][]float64, n) // with the right side last
	phi, factorial := math.Expm1(h)/h-1, 1.0
	for i := range n {
		for _, s := range steps {
			rows[i] = append(rows[i], math.Pow(s, float64(i)))
		}
		rows[i] = append(rows[i], phi*factorial/by)
		factorial *= float64(i + 2)
		phi = phi/h - 1/factorial
	}
	for i := range n { // Gauss and Jordan; steps differ, so that no pivot is 0
		for j := range n {
			if f := rows[j][i] / rows[i][i]; j != i {
				for k := range rows[j] {
					rows[j][k] -= f * rows[i][k]
				}
			}
		}
	}
	factors := make([]float64, n)
	for i := range n {
		factors[i] = rows[i][n] / rows[i][i]
	}
	return factors
}
