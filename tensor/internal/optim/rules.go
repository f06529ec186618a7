package optim

import "math"

// Rule is how an optimizer changes an element by its gradient and its state.
type Rule interface {
	kernel() string
	// numbers are the arguments of the kernel behind factor and limit, at most kernels.LiveRuleCount.
	numbers() []float64
	// settings are the last arguments: those that are no numbers. Replays of a graph cannot change them.
	settings() []uint64
	update32(c *control, e *elements[float32])
	update64(c *control, e *elements[float64])
}

// later is a rule for variables that have taken so many steps less than the optimizer; only rules of counted steps
// differ.
func later(r Rule, by int) Rule {
	switch r := r.(type) {
	case AdamW:
		r.Steps -= by
		return r
	case Adagrad:
		r.Steps -= by
		return r
	case NAdam:
		r.Steps -= by
		return r
	case ASGD:
		r.Steps -= by
		return r
	}
	return r
}

// Counted returns the number of steps in a rule, and whether it has one.
func Counted(r Rule) (steps int, ok bool) {
	switch r := r.(type) {
	case AdamW:
		return r.Steps, true
	case Adagrad:
		return r.Steps, true
	case NAdam:
		return r.Steps, true
	case ASGD:
		return r.Steps, true
	}
	return 0, false
}

// elements are those of a variable, its gradient and its state; state that there is not is nil.
type elements[R float32 | float64] struct {
	w, g  []R
	state [3][]R
}

// AdamW is w ← w·decay − lr·m̂/(√v̂ + eps) for the running means m and v of the gradients and their squares, its state;
// m̂ and v̂ are corrected for their beginning with 0. If it has a third state, that is the largest v so far, which
// takes its place. Coupled is Adam: Decay is the share of w that is added to the gradient. Steps counts this one.
type AdamW struct {
	LR, Decay, Beta1, Beta2, Eps float64
	Coupled                      bool
	Steps                        int
}

func (r AdamW) kernel() string {
	if r.Coupled {
		return "adam"
	}
	return "adamw"
}

func (r AdamW) numbers() []float64 {
	ofMean, ofSquare := correction(r.Beta1, r.Steps), correction(r.Beta2, r.Steps)
	return []float64{r.LR, r.Decay, r.Beta1, r.Beta2, r.Eps, ofMean, ofSquare}
}

func (AdamW) settings() []uint64 { return nil }

func (r AdamW) update32(c *control, e *elements[float32]) { adamW(r, c, e) }
func (r AdamW) update64(c *control, e *elements[float64]) { adamW(r, c, e) }

func adamW[R float32 | float64](r AdamW, c *control, e *elements[R]) {
	lr, decay, eps := R(r.LR), R(r.Decay), R(r.Eps)
	beta1, rest1, beta2, rest2 := R(r.Beta1), R(1-r.Beta1), R(r.Beta2), R(1-r.Beta2)
	ofMean, ofSquare := R(correction(r.Beta1, r.Steps-c.skipped)), R(correction(r.Beta2, r.Steps-c.skipped))
	share := R(0)
	if r.Coupled {
		decay, share = 1, R(r.Decay)
	}
	w, g, mean, square := e.w, e.g[:len(e.w)], e.state[0][:len(e.w)], e.state[1][:len(e.w)]
	largest := e.state[2]
	for i := range w {
		x := g[i]
		if share != 0 {
			x += R(w[i] * share)
		}
		m := R(mean[i]*beta1) + R(x*rest1)
		s := R(square[i]*beta2) + R(R(x*x)*rest2)
		mean[i], square[i] = m, s
		if largest != nil {
			if !(largest[i] > s) {
				largest[i] = s
			}
			s = largest[i]
		}
		w[i] = R(w[i]*decay) - R(R(m*ofMean)/(root(R(s*ofSquare))+eps)*lr)
	}
}

// Lion is w ← w·decay − lr·sign(beta1·m + (1−beta1)·g), then m ← beta2·m + (1−beta2)·g, its state.
type Lion struct {
	LR, Decay, Beta1, Beta2 float64
}

func (Lion) kernel() string { return "lion" }

func (r Lion) numbers() []float64 { return []float64{r.LR, r.Decay, r.Beta1, r.Beta2} }

func (Lion) settings() []uint64 { return nil }

func (r Lion) update32(_ *control, e *elements[float32]) { lion(r, e) }
func (r Lion) update64(_ *control, e *elements[float64]) { lion(r, e) }

func lion[R float32 | float64](r Lion, e *elements[R]) {
	lr, decay := R(r.LR), R(r.Decay)
	beta1, rest1, beta2, rest2 := R(r.Beta1), R(1-r.Beta1), R(r.Beta2), R(1-r.Beta2)
	w, g, mean := e.w, e.g[:len(e.w)], e.state[0][:len(e.w)]
	for i := range w {
		along := R(mean[i]*beta1) + R(g[i]*rest1)
		mean[i] = R(mean[i]*beta2) + R(g[i]*rest2)
		switch {
		case along > 0:
			along = lr
		case along < 0:
			along = -lr
		}
		w[i] = R(w[i]*decay) - along
	}
}

// correction is 1/(1 - betaⁿ), by the multiplications of the kernel.
func correction(beta float64, n int) float64 {
	power := 1.0
	for ; n > 0; n /= 2 {
		if n&1 != 0 {
			power *= beta
		}
		beta *= beta
	}
	return 1 / (1 - power)
}

func root[R float32 | float64](x R) R { return R(math.Sqrt(float64(x))) }

// SGD is w ← w − lr·g, with g + decay·w for g. With momentum its state is the running sum b ← momentum·b + g, and the
// step is along b, with Nesterov along g + momentum·b.
type SGD struct {
	LR, Decay, Momentum float64
	Nesterov            bool
}

func (SGD) kernel() string { return "sgd" }

func (r SGD) numbers() []float64 { return []float64{r.LR, r.Decay, r.Momentum} }

func (r SGD) settings() []uint64 {
	if r.Nesterov && r.Momentum != 0 {
		return []uint64{1}
	}
	return []uint64{0}
}

func (r SGD) update32(_ *control, e *elements[float32]) { sgd(r, e) }
func (r SGD) update64(_ *control, e *elements[float64]) { sgd(r, e) }

func sgd[R float32 | float64](r SGD, e *elements[R]) {
	lr, decay, momentum := R(r.LR), R(r.Decay), R(r.Momentum)
	w, sums := e.w, e.state[0]
	for i, g := range e.g[:len(w)] {
		if decay != 0 {
			g += R(w[i] * decay)
		}
		along := g
		if sums != nil {
			along = R(sums[i]*momentum) + g
			sums[i] = along
			if r.Nesterov && momentum != 0 {
				along = g + R(along*momentum)
			}
		}
		w[i] -= R(along * lr)
	}
}

// RMSprop is w ← w − lr·g/(√v + eps), with g + decay·w for g, for the running mean v of the squares of gradients, its
// state. If it is centred, its second state is the running mean of the gradients, whose square is subtracted from v.
// With momentum, its third is the running sum of steps, along which it goes.
type RMSprop struct {
	LR, Decay, Alpha, Eps, Momentum float64
}

func (RMSprop) kernel() string { return "rmsprop" }

func (r RMSprop) numbers() []float64 { return []float64{r.LR, r.Decay, r.Alpha, r.Eps, r.Momentum} }

func (RMSprop) settings() []uint64 { return nil }

func (r RMSprop) update32(_ *control, e *elements[float32]) { rmsprop(r, e) }
func (r RMSprop) update64(_ *control, e *elements[float64]) { rmsprop(r, e) }

func rmsprop[R float32 | float64](r RMSprop, e *elements[R]) {
	lr, decay, alpha, rest := R(r.LR), R(r.Decay), R(r.Alpha), R(1-r.Alpha)
	eps, momentum := R(r.Eps), R(r.Momentum)
	w, square, means, sums := e.w, e.state[0][:len(e.w)], e.state[1], e.state[2]
	for i, g := range e.g[:len(w)] {
		if decay != 0 {
			g += R(w[i] * decay)
		}
		square[i] = R(square[i]*alpha) + R(R(g*g)*rest)
		spread := square[i]
		if means != nil {
			means[i] = R(means[i]*alpha) + R(g*rest)
			spread -= R(means[i] * means[i])
		}
		along := g / (root(spread) + eps)
		if sums != nil {
			sums[i] = R(sums[i]*momentum) + along
			along = sums[i]
		}
		w[i] -= R(along * lr)
	}
}

// Adagrad is w ← w − lr·g/(√s + eps), with g + decay·w for g, for the sum s of the squares of gradients, its state. In
// step n lr is divided by 1 + (n−1)·LRDecay. Steps counts this one.
type Adagrad struct {
	LR, Decay, LRDecay, Eps float64
	Steps                   int
}

func (Adagrad) kernel() string { return "adagrad" }

func (r Adagrad) numbers() []float64 {
	return []float64{r.LR, r.Decay, r.LRDecay, r.Eps, float64(r.Steps)}
}

func (Adagrad) settings() []uint64 { return nil }

func (r Adagrad) update32(c *control, e *elements[float32]) { adagrad(r, c, e) }
func (r Adagrad) update64(c *control, e *elements[float64]) { adagrad(r, c, e) }

func adagrad[R float32 | float64](r Adagrad, c *control, e *elements[R]) {
	lr := R(r.LR / (1 + float64(r.Steps-1-c.skipped)*r.LRDecay))
	decay, eps := R(r.Decay), R(r.Eps)
	w, sums := e.w, e.state[0][:len(e.w)]
	for i, g := range e.g[:len(w)] {
		if decay != 0 {
			g += R(w[i] * decay)
		}
		sums[i] += R(g * g)
		w[i] -= R(g / (root(sums[i]) + eps) * lr)
	}
}
