package integrate

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// dop853 is the explicit method of order 8.
type dop853 struct{ explicit }

func newDOP853(p *problem) stepper {
	return &dop853{explicit{p, butcher{a: dop853A, c: dop853C, errOrder: 7}}}
}

func (d *dop853) try(t, h float64, y, slope *tensor.Tensor) (s step, size float64, ok bool) {
	k, end := d.stages(t, h, y, slope)
	s = step{y: end, slope: k[len(k)-1], err: d.estimate(k, h, d.scale(y, end))}
	var terms []*tensor.Tensor // of the polynomial, when it is first asked for
	s.at = func(theta float64) *tensor.Tensor {
		if terms == nil {
			terms = d.terms(k, t, h, y, end)
		}
		// y + θ·(a + (1-θ)·(b + θ·(c + …)))
		sum := terms[len(terms)-1]
		for i := len(terms) - 1; i >= 0; i-- {
			by := theta
			if i%2 == 1 {
				by = 1 - theta
			}
			if sum = sum.Mul(by); i > 0 {
				sum = sum.Add(terms[i-1])
			}
		}
		return y.Add(sum)
	}
	return s, 0, true
}

// estimate combines the errors of orders 5 and 3.
func (d *dop853) estimate(k []*tensor.Tensor, h float64, scale *tensor.Tensor) float64 {
	square := func(weights []float64) *tensor.Tensor {
		q := combined(k, weights, h).Detach().Div(scale).ToDType(tensor.F64).Sqr()
		if q.Rank() > 0 {
			q = q.Mean(-1)
		}
		return q
	}
	five, three := square(dop853Errors5), square(dop853Errors3)
	both := five.Add(three.Mul(0.01))
	return five.Div(both.Eq(0).WhereCond(1, both.Sqrt())).Max().ToScalar()
}

// terms are those of the polynomial within a step, which takes three more stages.
func (d *dop853) terms(k []*tensor.Tensor, t, h float64, y, end *tensor.Tensor) []*tensor.Tensor {
	first, last := k[0], k[len(k)-1]
	k = append([]*tensor.Tensor{}, k...)
	for i, row := range dop853Extra {
		k = append(k, d.slope(t+dop853ExtraC[i]*h, y.Add(combined(k, row, h))))
	}
	change := end.Sub(y)
	terms := []*tensor.Tensor{change, first.Mul(h).Sub(change), change.Mul(2).Sub(first.Add(last).Mul(h))}
	for _, row := range dop853Dense {
		terms = append(terms, combined(k, row, h))
	}
	return terms
}

func (d *dop853) next(s step, h float64, accepted, again bool) float64 {
	if math.IsNaN(s.err) {
		return 0.2
	}
	return factor(s.err, d.errOrder, accepted, again)
}
