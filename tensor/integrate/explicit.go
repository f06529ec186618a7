package integrate

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// butcher has the coefficients of an explicit Runge-Kutta method. The last stage is the derivative at the end of the
// step, with which the next one begins.
type butcher struct {
	a        [][]float64 // of the stages after the first one; the last row is that of the result
	c        []float64   // times of these stages
	errs     []float64   // of the error estimate
	errOrder float64
	dense    [][]float64 // the polynomial of each stage: its coefficients of theta, theta², …
}

var tableaus = map[Method]butcher{
	RK23: {
		a:    [][]float64{{1.0 / 2}, {0, 3.0 / 4}, {2.0 / 9, 1.0 / 3, 4.0 / 9}},
		c:    []float64{1.0 / 2, 3.0 / 4, 1},
		errs: []float64{5.0 / 72, -1.0 / 12, -1.0 / 9, 1.0 / 8}, errOrder: 2,
		dense: [][]float64{{1, -4.0 / 3, 5.0 / 9}, {0, 1, -2.0 / 3}, {0, 4.0 / 3, -8.0 / 9}, {0, -1, 1}},
	},
	RK45: {
		a: [][]float64{{1.0 / 5}, {3.0 / 40, 9.0 / 40}, {44.0 / 45, -56.0 / 15, 32.0 / 9},
			{19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
			{9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
			{35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
		c:        []float64{1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
		errs:     []float64{-71.0 / 57600, 0, 71.0 / 16695, -71.0 / 1920, 17253.0 / 339200, -22.0 / 525, 1.0 / 40},
		errOrder: 4,
		// Shampine's polynomial of order 4
		dense: [][]float64{
			{1, -8048581381.0 / 2820520608, 8663915743.0 / 2820520608, -12715105075.0 / 11282082432},
			{},
			{0, 131558114200.0 / 32700410799, -68118460800.0 / 10900136933, 87487479700.0 / 32700410799},
			{0, -1754552775.0 / 470086768, 14199869525.0 / 1410260304, -10690763975.0 / 1880347072},
			{0, 127303824393.0 / 49829197408, -318862633887.0 / 49829197408, 701980252875.0 / 199316789632},
			{0, -282668133.0 / 205662961, 2019193451.0 / 616988883, -1453857185.0 / 822651844},
			{0, 40617522.0 / 29380423, -110615467.0 / 29380423, 69997945.0 / 29380423}},
	},
}

// explicit is a Runge-Kutta method.
type explicit struct {
	*problem
	butcher
}

func (e *explicit) order() float64 { return e.errOrder }

// combined returns the sum of weights times stages, times h.
func combined(stages []*tensor.Tensor, weights []float64, h float64) *tensor.Tensor {
	if small(stages...) {
		return combinedSmall(stages, weights, h)
	}
	var sum *tensor.Tensor
	for i, w := range weights {
		if w == 0 {
			continue
		}
		if part := stages[i].Mul(w * h); sum == nil {
			sum = part
		} else {
			sum = sum.Add(part)
		}
	}
	if sum == nil {
		return stages[0].ZerosLike()
	}
	return sum
}

// stages computes those of a step, the first of which is known, and the state at its end.
func (e *explicit) stages(t, h float64, y, slope *tensor.Tensor) (k []*tensor.Tensor, end *tensor.Tensor) {
	k = []*tensor.Tensor{slope}
	for i, row := range e.a {
		end = y.Add(combined(k, row, h))
		k = append(k, e.slope(t+e.c[i]*h, end))
	}
	return k, end
}

func (e *explicit) try(t, h float64, y, slope *tensor.Tensor) (s step, size float64, ok bool) {
	k, end := e.stages(t, h, y, slope)
	s = step{y: end, slope: k[len(k)-1]}
	s.err = e.norm(combined(k, e.errs, h), e.scale(y, end))
	s.at = func(theta float64) *tensor.Tensor {
		weights := make([]float64, len(k))
		for i, row := range e.dense {
			weights[i] = polynomial(row, theta)
		}
		return y.Add(combined(k, weights, h))
	}
	return s, 0, true
}

// polynomial returns the sum of coefficients times theta, theta², and so on.
func polynomial(coefficients []float64, theta float64) float64 {
	var sum float64
	for i := len(coefficients) - 1; i >= 0; i-- {
		sum = (sum + coefficients[i]) * theta
	}
	return sum
}

func (e *explicit) next(s step, h float64, accepted, again bool) float64 {
	return factor(s.err, e.errOrder, accepted, again)
}

// factor is that of the size of the next step: 0.9 of what would meet the tolerance, and between a fifth and ten.
func factor(err, order float64, accepted, again bool) float64 {
	if math.IsNaN(err) {
		return 0.2
	}
	f := 10.0
	if err > 0 {
		f = 0.9 * math.Pow(err, -1/(order+1))
	}
	switch {
	case !accepted:
		return max(0.2, min(f, 0.9))
	case again:
		return min(f, 1)
	}
	return min(f, 10)
}
