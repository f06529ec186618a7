package distributions

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/domain"
	"github.com/gorocm/gorocm/tensor/random"
)

type array = *tensor.Tensor

// family is a kind of distributions. Its functions take the parameters and values as tensors of one float type on one
// device, which are broadcast.
type family struct {
	name       string
	parameters []domain.Domain
	ranks      []int // of the parameters of one distribution; nil for numbers
	event      int   // the rank of a value
	discrete   bool
	precise    bool // it computes in F64

	// support returns where values are possible: whether they are, and some that are, near by in place of the others.
	// nil is all numbers.
	support func(p []array, x array) (inside, near array)

	logProb        func(p []array, x array) array
	lower, upper   func(p []array, x array) array             // the probabilities of values up to x, and above x
	quantile       func(p []array, q array, upper bool) array // of probabilities q from 0 to 1
	mean, variance func(p []array) array
	entropy        func(p []array) array // nil for sums over counts
	divergence     func(p, q []array) array
	sample         func(g *random.Generator, p []any, to target) array
}

// target is what a sample is to be.
type target struct {
	shape  []int
	dtype  tensor.DType
	device *tensor.Device
}

// above is the support of numbers above low, or from it on.
func above(low float64, with bool) func(p []array, x array) (inside, near array) {
	return func(_ []array, x array) (inside, near array) {
		if with {
			inside = x.Ge(low)
		} else {
			inside = x.Gt(low)
		}
		return inside, inside.WhereCond(x, low+1)
	}
}

// whole is the support of whole numbers from low on, up to the high that a function gives, unless it is nil.
func whole(low float64, high func(p []array) array) func(p []array, x array) (inside, near array) {
	return func(p []array, x array) (inside, near array) {
		inside = x.Ge(low).And(x.Eq(x.Floor())).And(x.IsFinite())
		if high != nil {
			inside = inside.And(x.Le(high(p)))
		}
		return inside, inside.WhereCond(x, low)
	}
}
