package optim

import "math"

// NAdam is the rule of NAdam and of RAdam: with g + decay·w for g, or decayed w if it is Decoupled, w ← w −
// (g·ofG + m·ofMean)/(√(v·ofSquare) + eps) for the running means m and v of the gradients and their squares, its
// state. Steps counts this one, and Skipped those of them that changed nothing.
type NAdam struct {
	LR, Decay, Beta1, Beta2, Eps float64
	MomentumDecay                float64 // of NAdam
	Rectified                    bool    // RAdam
	Decoupled                    bool
	Steps, Skipped               int
}

func (NAdam) kernel() string { return "nadam" }

func (r NAdam) numbers() []float64 {
	n := max(r.Steps-r.Skipped, 1)
	decay := r.Decay
	if r.Decoupled {
		decay = 1 - r.LR*r.Decay
	}
	if r.Rectified {
		eps, ofMean, ofSquare := r.rectified(n)
		return []float64{0, decay, r.Beta1, r.Beta2, eps, ofMean, ofSquare}
	}
	ofG, ofMean := r.nesterov(n)
	return []float64{ofG, decay, r.Beta1, r.Beta2, r.Eps, ofMean, correction(r.Beta2, n)}
}

// nesterov returns what NAdam's step n multiplies the gradient and its mean by.
func (r NAdam) nesterov(n int) (ofG, ofMean float64) {
	share := func(n int) float64 { return r.Beta1 * (1 - 0.5*math.Pow(0.96, float64(n)*r.MomentumDecay)) }
	product := 1.0
	for k := 1; k <= n && product > 1e-30; k++ { // less changes nothing
		product *= share(k)
	}
	now, next := share(n), share(n+1)
	return r.LR * (1 - now) / (1 - product), r.LR * next / (1 - product*next)
}

// rectified returns the numbers of RAdam's step n. The first steps do not divide by the root of the squares, whose
// mean is of too few: the root of 0 plus 1 stands for it.
func (r NAdam) rectified(n int) (eps, ofMean, ofSquare float64) {
	power := math.Pow(r.Beta2, float64(n))
	most := 2/(1-r.Beta2) - 1
	length := most - 2*float64(n)*power/(1-power)
	ofMean = r.LR * correction(r.Beta1, n)
	if length <= 5 {
		return 1, ofMean, 0
	}
	share := math.Sqrt((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length))
	return r.Eps, ofMean * share * math.Sqrt(1-power), 1
}

func (r NAdam) settings() []uint64 {
	if r.Decoupled {
		return []uint64{0}
	}
	return []uint64{1}
}

func (r NAdam) update32(c *control, e *elements[float32]) { nadam(r, c, e) }
func (r NAdam) update64(c *control, e *elements[float64]) { nadam(r, c, e) }

func nadam[R float32 | float64](r NAdam, c *control, e *elements[R]) {
	n := c.numbers
	ofG, decay, eps, ofMean, ofSquare := R(n[0]), R(n[1]), R(n[4]), R(n[5]), R(n[6])
	beta1, rest1, beta2, rest2 := R(r.Beta1), R(1-r.Beta1), R(r.Beta2), R(1-r.Beta2)
	w, mean, square := e.w, e.state[0][:len(e.w)], e.state[1][:len(e.w)]
	for i, g := range e.g[:len(w)] {
		x := w[i]
		if r.Decoupled {
			x *= decay
		} else {
			g += R(x * decay)
		}
		mean[i] = R(mean[i]*beta1) + R(g*rest1)
		square[i] = R(square[i]*beta2) + R(R(g*g)*rest2)
		w[i] = x - (R(g*ofG)+R(mean[i]*ofMean))/(root(R(square[i]*ofSquare))+eps)
	}
}
