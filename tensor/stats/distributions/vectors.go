package distributions

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/domain"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/linalg"
	"github.com/gorocm/gorocm/tensor/random"
)

// Distributions of categories and of vectors. Probabilities are normalized when a distribution is made.

var weights = domain.FromZero("the weight")

// normalized returns weights divided by their sums, which are to be above 0.
func normalized(op string, w array) array {
	weights.Elements(op, w)
	if w.Rank() == 0 || w.Dim(-1) == 0 {
		extend.Shape(op, []array{w}, "want at least one weight, not shape %v", w.Dims())
	}
	if !w.DType().IsFloat() {
		w = w.ToDType(tensor.DefaultDType())
	}
	sum := w.SumKeepDim(-1)
	domain.Positive("the sum of the weights").Elements(op, sum)
	return w.Div(sum)
}

// showing has a distribution printed with the tensor that its last parameter was made of.
func (d *Distribution) showing(made array) *Distribution {
	d.shown = slices.Clone(d.given)
	d.shown[len(d.shown)-1] = made
	return d
}

var categorical = &family{
	name: "Categorical", parameters: []domain.Domain{weights}, ranks: []int{1}, discrete: true,
	support: func(p []array, x array) (inside, near array) {
		inside = x.Ge(0).And(x.Lt(p[0].Dim(-1))).And(x.Eq(x.Floor()))
		return inside, inside.WhereCond(x, 0.0)
	},
	logProb: func(p []array, x array) array { return picked(p[0].Log(), x) },
	lower: func(p []array, x array) array {
		k := x.Floor().Clamp(0, p[0].Dim(-1)-1)
		y := x.Ge(p[0].Dim(-1)-1).WhereCond(1, picked(p[0].CumSum(-1), k))
		return x.IsNaN().WhereCond(x, x.Lt(0).WhereCond(y.ZerosLike(), y))
	},
	mean: func(p []array) array { return p[0].Mul(places(p[0])).Sum(-1) },
	variance: func(p []array) array {
		mean := p[0].Mul(places(p[0])).SumKeepDim(-1)
		return p[0].Mul(places(p[0]).Sub(mean).Sqr()).Sum(-1)
	},
	entropy: func(p []array) array { return entr(p[0]).Sum(-1) },
	sample: func(g *random.Generator, p []any, to target) array {
		w := p[0].(array).Detach()
		n := w.Dim(-1)
		w = w.BroadcastAs(append(slices.Clone(to.shape), n)...)
		return g.Multinomial(w.Reshape(-1, n), 1, true).Reshape(to.shape...).ToDType(tensor.I64)
	},
}

func places(p array) array { return p.Device().Arange(p.DType(), float64(p.Dim(-1))) }

// picked returns the elements of the last dim of t at whole numbers, broadcast to one another.
func picked(t, ids array) array {
	shape := ids.Add(t.Narrow(-1, 0, 1).Squeeze(t.Rank() - 1).Detach().ZerosLike()).Dims()
	n := t.Dim(-1)
	all := t.BroadcastAs(append(slices.Clone(shape), n)...)
	return all.Gather(ids.ToDType(tensor.I64).BroadcastAs(shape...).Unsqueeze(len(shape)), len(shape)).
		Squeeze(len(shape))
}

// Categorical returns the distribution of the indices of weights [… n], numbers from 0 on with a sum above 0, with
// probabilities proportional to them. Indices are from 0 to n-1.
func Categorical(w *tensor.Tensor) *Distribution {
	return newDistribution(categorical, normalized("categorical", w)).showing(w)
}

// CategoricalLogits returns Categorical of weights e^logits.
func CategoricalLogits(logits *tensor.Tensor) *Distribution {
	if logits.Rank() == 0 || !logits.DType().IsFloat() {
		extend.Shape("categorical", []array{logits}, "want logits [… n], floats")
	}
	domain.Domain{Name: "the logits", Low: math.Inf(-1), High: math.MaxFloat64}.Elements("categorical", logits)
	return newDistribution(categorical, logits.Softmax(-1))
}

var multinomial = &family{
	name: "Multinomial", ranks: []int{0, 1}, event: 1, discrete: true, precise: true,
	parameters: []domain.Domain{{Name: "the number of trials", High: 1 << 24, Whole: true}, weights},
	support: func(p []array, x array) (inside, near array) {
		inside = x.Ge(0).And(x.Eq(x.Floor())).All(-1).And(x.Sum(-1).Eq(p[0]))
		return inside, inside.Unsqueeze(inside.Rank()).WhereCond(x, 0.0)
	},
	logProb: func(p []array, x array) array {
		return p[0].Add(1).Lgamma().Sub(x.Add(1).Lgamma().Sum(-1)).Add(times(x, p[1].Log()).Sum(-1))
	},
	mean:     func(p []array) array { return p[0].Unsqueeze(p[0].Rank()).Mul(p[1]) },
	variance: func(p []array) array { return p[0].Unsqueeze(p[0].Rank()).Mul(p[1]).Mul(p[1].Affine(-1, 1)) },
	sample: func(g *random.Generator, p []any, to target) array {
		w := p[1].(array).Detach()
		n := w.Dim(-1)
		left := to.device.Zeros(tensor.F64, to.shape...)
		if t, ok := p[0].(array); ok {
			left = left.Add(t.ToDType(tensor.F64))
		} else {
			left = left.Add(p[0])
		}
		rest := w.ToDType(tensor.F64).Flip(-1).CumSum(-1).Flip(-1) // the probability of this one and those after it
		var counts []array
		for i := range n {
			chance := w.ToDType(tensor.F64).Narrow(-1, i, 1).Div(rest.Narrow(-1, i, 1)).Squeeze(w.Rank() - 1)
			k := left
			if i < n-1 {
				chance = chance.IsNaN().WhereCond(0.0, chance.Minimum(1))
				k = g.Binomial(left, chance, to.shape, tensor.F64, to.device)
			}
			counts = append(counts, k)
			left = left.Sub(k)
		}
		return tensor.Stack(counts, len(to.shape)).ToDType(tensor.I64)
	},
}

// Multinomial returns the distribution of how often each index of weights [… n] is drawn in so many trials, a whole
// number or a tensor of these: vectors [n] with that sum.
func Multinomial(trials any, w *tensor.Tensor) *Distribution {
	return newDistribution(multinomial, trials, normalized("multinomial", w)).showing(w)
}

var dirichlet = &family{
	name: "Dirichlet", parameters: []domain.Domain{domain.Positive("alpha")}, ranks: []int{1}, event: 1, precise: true,
	support: func(_ []array, x array) (inside, near array) {
		inside = x.Ge(0).All(-1).And(x.Sum(-1).Sub(1).Abs().Le(1e-5))
		return inside, inside.Unsqueeze(inside.Rank()).WhereCond(x, 1/float64(x.Dim(-1)))
	},
	logProb: func(p []array, x array) array {
		a := p[0].Sub(1)
		return times(a, x.Log()).Sum(-1).Sub(logMultiBeta(p[0]))
	},
	mean: func(p []array) array { return p[0].Div(p[0].SumKeepDim(-1)) },
	variance: func(p []array) array {
		sum := p[0].SumKeepDim(-1)
		m := p[0].Div(sum)
		return m.Mul(m.Affine(-1, 1)).Div(sum.Add(1))
	},
	entropy: func(p []array) array {
		sum := p[0].Sum(-1)
		return logMultiBeta(p[0]).Add(sum.Sub(p[0].Dim(-1)).Mul(sum.Digamma())).
			Sub(p[0].Sub(1).Mul(p[0].Digamma()).Sum(-1))
	},
	sample: func(g *random.Generator, p []any, to target) array {
		return g.Dirichlet(p[0].(array), to.shape, to.dtype)
	},
}

// logMultiBeta is the logarithm of Dirichlet's normalization.
func logMultiBeta(a array) array { return a.Lgamma().Sum(-1).Sub(a.Sum(-1).Lgamma()) }

// Dirichlet returns the Dirichlet distribution with the parameters alpha [… n] above 0: of vectors of numbers from 0 on
// with the sum 1.
func Dirichlet(alpha *tensor.Tensor) *Distribution { return newDistribution(dirichlet, alpha) }

// multivariateNormal has the Cholesky factor of the covariance as its second parameter.
var multivariateNormal = &family{
	name: "MultivariateNormal", ranks: []int{1, 2}, event: 1,
	parameters: []domain.Domain{domain.Finite("the mean"), domain.Finite("the covariance")},
	logProb: func(p []array, x array) array {
		d := x.Sub(p[0])
		n := d.Dim(-1)
		shape := append(d.Dims(), 1)
		l := p[1].BroadcastAs(append(slices.Clone(shape[:len(shape)-2]), n, n)...)
		z := linalg.SolveTriangular(l, d.Reshape(shape...), linalg.Lower).Squeeze(len(shape) - 1)
		return z.Sqr().Sum(-1).Mul(-0.5).Sub(logRoot(p[1])).Sub(0.5 * float64(n) * math.Log(2*math.Pi))
	},
	mean:     func(p []array) array { return p[0].Add(p[1].Narrow(-1, 0, 1).Squeeze(p[1].Rank() - 1).Mul(0)) },
	variance: func(p []array) array { return p[1].Sqr().Sum(-1).Add(p[0].Mul(0)) },
	entropy: func(p []array) array {
		n := float64(p[0].Dim(-1))
		return logRoot(p[1]).Add(0.5 * n * math.Log(2*math.Pi*math.E)).Add(p[0].Mul(0).Sum(-1))
	},
	sample: func(g *random.Generator, p []any, to target) array {
		m, l := p[0].(array), p[1].(array)
		n := m.Dim(-1)
		z := g.Normal(0, 1, append(slices.Clone(to.shape), n, 1), l.DType(), to.device)
		l = l.BroadcastAs(append(slices.Clone(to.shape), n, n)...)
		return l.MatMul(z).Squeeze(len(to.shape) + 1).Add(m).ToDType(to.dtype)
	},
}

// logRoot is half of the logarithm of the determinant, from a Cholesky factor.
func logRoot(l array) array { return linalg.Diagonal(l, 0).Log().Sum(-1) }

// MultivariateNormal returns the normal distribution of vectors with a mean [… n] and a positive definite covariance
// [… n n], F32 or F64. It panics with ErrValue when a covariance is not positive definite.
func MultivariateNormal(mean, covariance *tensor.Tensor) *Distribution {
	const op = "multivariatenormal"
	extend.SameDevice(op, mean, covariance)
	if mean.Rank() < 1 || covariance.Rank() < 2 || covariance.Dim(-1) != mean.Dim(-1) ||
		covariance.Dim(-2) != mean.Dim(-1) {
		extend.Shape(op, []array{mean, covariance}, "want means [… n] and covariances [… n n], not %v and %v",
			mean.Dims(), covariance.Dims())
	}
	return newDistribution(multivariateNormal, mean, linalg.Cholesky(covariance)).showing(covariance)
}
