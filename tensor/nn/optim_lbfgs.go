package nn

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// LBFGSConfig holds the hyperparameters of LBFGS. Start from DefaultLBFGS.
type LBFGSConfig struct {
	LR              float64 // length of the first trial along a direction
	Iterations      int     // of a step, at most
	History         int     // how many of the last iterations the curvature comes from
	GradTolerance   float64 // a step ends when no element of the gradient is larger
	ChangeTolerance float64 // or when neither the loss nor a variable changes by more
}

// DefaultLBFGS returns the default hyperparameters: LR 1, 20 iterations, a history of 100, tolerances of 1e-7 and 1e-9.
func DefaultLBFGS() LBFGSConfig {
	return LBFGSConfig{LR: 1, Iterations: 20, History: 100, GradTolerance: 1e-7, ChangeTolerance: 1e-9}
}

// LBFGS is the quasi-Newton method with limited memory of Nocedal and Wright, "Numerical Optimization", algorithm 7.5,
// for losses without noise. Lengths along a direction satisfy the strong Wolfe conditions (algorithms 3.5 and 3.6), so
// that a loss does not grow, as with PyTorch's strong_wolfe. It is no Optimizer: a step computes the loss several
// times.
type LBFGS struct {
	Config LBFGSConfig

	vars  []*tensor.Tensor
	pairs []curvature // the last one at the end
}

// curvature is a change of the variables, and that of the gradient with it.
type curvature struct {
	s, y *tensor.Tensor
	rho  float64 // 1/(s·y)
}

// NewLBFGS returns the optimizer for variables. It panics with ErrGradient when a tensor is not a variable, or there
// twice, with ErrDType when one is complex or they have several types, with ErrDevice when they are on several devices,
// and with ErrShape when a number of the config is below 0, or there are no variables or iterations.
func NewLBFGS(vars []*tensor.Tensor, config LBFGSConfig) *LBFGS {
	const op = "lbfgs"
	checkVars(op, vars)
	checkReal(op, vars)
	if c := config; len(vars) == 0 || c.Iterations < 1 || c.History < 0 ||
		!(c.LR > 0 && c.GradTolerance >= 0 && c.ChangeTolerance >= 0) {
		extend.ShapeNoting(op, nil, "nn.DefaultLBFGS() has the usual ones",
			"%d variables, or a number makes no sense: %+v", len(vars), c)
	}
	extend.SameDevice(op, vars...)
	for _, v := range vars {
		if v.DType() != vars[0].DType() {
			extend.DType(op, []*tensor.Tensor{vars[0], v}, "want variables of one type, not %v and %v", vars[0].DType(),
				v.DType())
		}
	}
	return &LBFGS{Config: config, vars: vars}
}

// Step changes the variables until loss, which computes a scalar of them, is smallest, or for as many iterations as
// Config allows. It returns the loss before.
func (l *LBFGS) Step(loss func() *tensor.Tensor) float64 {
	c := l.Config
	value, g := l.evaluate(loss)
	before := value
	for range c.Iterations {
		if largest(g) <= c.GradTolerance {
			break
		}
		d := l.direction(g)
		slope := dot(g, d)
		if !(slope < -c.ChangeTolerance) {
			break // the direction leads nowhere
		}
		length := c.LR
		if len(l.pairs) == 0 {
			length *= min(1, 1/g.Abs().Sum().ToScalar())
		}
		x := flat(l.vars)
		to := wolfe(length, point{0, value, slope, g}, func(t float64) point {
			l.set(x.Add(d.Mul(t)))
			v, g := l.evaluate(loss)
			return point{t, v, dot(g, d), g}
		})
		s := d.Mul(to.t)
		if l.set(x.Add(s)); to.t == 0 {
			break
		}
		l.remember(s, to.g.Sub(g))
		changed := math.Abs(to.value - value)
		value, g = to.value, to.g
		if changed <= c.ChangeTolerance || largest(s) <= c.ChangeTolerance {
			break
		}
	}
	return before
}

// direction is minus the product of the gradient with the inverse of the Hessian that the history makes plausible.
func (l *LBFGS) direction(g *tensor.Tensor) *tensor.Tensor {
	q := g.Neg()
	along := make([]float64, len(l.pairs))
	for i, p := range slices.Backward(l.pairs) {
		along[i] = p.rho * dot(p.s, q)
		q = q.Sub(p.y.Mul(along[i]))
	}
	if n := len(l.pairs); n > 0 {
		last := l.pairs[n-1]
		q = q.Mul(1 / (last.rho * dot(last.y, last.y)))
	}
	for i, p := range l.pairs {
		q = q.Add(p.s.Mul(along[i] - p.rho*dot(p.y, q)))
	}
	return q
}

// remember adds a pair of positive curvature to the history.
func (l *LBFGS) remember(s, y *tensor.Tensor) {
	if sy := dot(s, y); sy > 1e-10 {
		l.pairs = append(l.pairs, curvature{s.Kept(), y.Kept(), 1 / sy})
		l.pairs = slices.Delete(l.pairs, 0, max(0, len(l.pairs)-l.Config.History))
	}
}

// evaluate returns the loss and its gradient as one vector; variables that it does not depend on have zeros there.
func (l *LBFGS) evaluate(loss func() *tensor.Tensor) (float64, *tensor.Tensor) {
	y := tensor.Scoped(loss)
	if y == nil || y.ElemCount() != 1 {
		extend.Shape("lbfgs", nil, "want a loss of one element")
	}
	grads := y.Backward()
	list := make([]*tensor.Tensor, len(l.vars))
	for i, v := range l.vars {
		if list[i] = grads.Get(v); list[i] == nil {
			list[i] = v.Detach().ZerosLike()
		}
	}
	return y.ToScalar(), flat(list)
}

// set writes a vector to the variables.
func (l *LBFGS) set(x *tensor.Tensor) {
	at := 0
	for _, v := range l.vars {
		n := v.ElemCount()
		v.Set(x.Narrow(0, at, n).Reshape(v.Dims()...).ToDType(v.DType()))
		at += n
	}
}

// flat returns the elements of tensors as one vector, F32 for small floats.
func flat(ts []*tensor.Tensor) *tensor.Tensor {
	list := make([]*tensor.Tensor, len(ts))
	for i, t := range ts {
		list[i] = extend.Wide(t.Detach()).FlattenAll()
	}
	return tensor.Cat(list, 0)
}

func dot(x, y *tensor.Tensor) float64 { return x.Mul(y).Sum().ToScalar() }

func largest(x *tensor.Tensor) float64 { return x.Abs().Max().ToScalar() }

// point is a place along a direction, with the loss there, its derivative along the direction, and its gradient.
type point struct {
	t, value, slope float64
	g               *tensor.Tensor
}

// wolfe returns a place along a direction at which the loss has fallen in proportion, and is nearly level: algorithms
// 3.5 and 3.6. Where there is none after 25 trials, it is the best one that was seen, or the start.
func wolfe(length float64, start point, at func(t float64) point) point {
	const fall, level, trials = 1e-4, 0.9, 25
	fell := func(p point) bool { return p.value <= start.value+fall*p.t*start.slope }
	isLevel := func(p point) bool { return math.Abs(p.slope) <= -level*start.slope }
	low, high := start, point{t: math.Inf(1)} // low is the best place so far; the loss has a minimum between them
	t := length
	for range trials {
		p := at(t)
		switch {
		case !fell(p) || p.value >= low.value && low.t > 0 || math.IsNaN(p.value):
			high = p
		case isLevel(p):
			return p
		default:
			if p.slope*(high.t-low.t) >= 0 {
				high = low
			}
			low = p
		}
		if t = between(low, high); t == low.t {
			break
		}
	}
	return low
}

// between is the next place to try: the minimum of the cubic through both, away from the ends, or further on where
// there is no end yet.
func between(low, high point) float64 {
	if math.IsInf(high.t, 1) {
		return 4 * max(low.t, 1e-12)
	}
	a, b := min(low.t, high.t), max(low.t, high.t)
	t := (a + b) / 2
	d := low.slope + high.slope - 3*(low.value-high.value)/(low.t-high.t)
	if root := d*d - low.slope*high.slope; root >= 0 {
		r := math.Copysign(math.Sqrt(root), high.t-low.t)
		cubic := high.t - (high.t-low.t)*(high.slope+r-d)/(high.slope-low.slope+2*r)
		if !math.IsNaN(cubic) {
			t = cubic
		}
	}
	margin := 0.1 * (b - a)
	return min(max(t, a+margin), b-margin)
}
