package optim

import "math"

// Adadelta is w ← w − lr·d for d = g·√(u + eps)/√(v + eps), with g + decay·w for g. Its state is the running means v of
// the squares of gradients and u of those of d.
type Adadelta struct {
	LR, Decay, Rho, Eps float64
}

func (Adadelta) kernel() string { return "adadelta" }

func (r Adadelta) numbers() []float64 { return []float64{r.LR, r.Decay, r.Rho, r.Eps} }

func (Adadelta) settings() []uint64 { return nil }

func (r Adadelta) update32(_ *control, e *elements[float32]) { adadelta(r, e) }
func (r Adadelta) update64(_ *control, e *elements[float64]) { adadelta(r, e) }

func adadelta[R float32 | float64](r Adadelta, e *elements[R]) {
	lr, decay, rho, rest, eps := R(r.LR), R(r.Decay), R(r.Rho), R(1-r.Rho), R(r.Eps)
	w, square, steps := e.w, e.state[0][:len(e.w)], e.state[1][:len(e.w)]
	for i, g := range e.g[:len(w)] {
		if decay != 0 {
			g += R(w[i] * decay)
		}
		square[i] = R(square[i]*rho) + R(R(g*g)*rest)
		along := R(root(steps[i]+eps) / root(square[i]+eps) * g)
		steps[i] = R(steps[i]*rho) + R(R(along*along)*rest)
		w[i] -= R(along * lr)
	}
}

// ASGD is w ← w·(1 − lambda·η) − η·g, with g + decay·w for g, for η = lr/(1 + lambda·lr·(n−1))^alpha in step n. Its
// state is w, and from step t0 + 2 on the mean of the w since then. Steps counts this one, and Skipped those of them
// that changed nothing.
type ASGD struct {
	LR, Decay, Lambda, Alpha, T0 float64
	Steps, Skipped               int
}

func (ASGD) kernel() string { return "asgd" }

func (r ASGD) numbers() []float64 {
	before := float64(max(r.Steps-r.Skipped, 1) - 1)
	lr := r.LR / math.Pow(1+r.Lambda*r.LR*before, r.Alpha)
	return []float64{lr, r.Decay, 1 - r.Lambda*lr, 1 / max(1, before-r.T0)}
}

func (ASGD) settings() []uint64 { return nil }

func (r ASGD) update32(c *control, e *elements[float32]) { asgd(r, c, e) }
func (r ASGD) update64(c *control, e *elements[float64]) { asgd(r, c, e) }

func asgd[R float32 | float64](r ASGD, c *control, e *elements[R]) {
	n := c.numbers
	lr, decay, keep, share := R(n[0]), R(n[1]), R(n[2]), R(n[3])
	w, mean := e.w, e.state[0][:len(e.w)]
	for i, g := range e.g[:len(w)] {
		if decay != 0 {
			g += R(w[i] * decay)
		}
		w[i] = R(w[i]*keep) - R(g*lr)
		if share == 1 {
			mean[i] = w[i]
		} else {
			mean[i] += R((w[i] - mean[i]) * share)
		}
	}
}

// Rprop is w ← w − size·sign(g). size, its second state, is multiplied by Up where g has the sign of the step before,
// and by Down where it has the other, between Least and Most. With the other sign w stays, and the first state, the g
// of the step before, becomes 0.
type Rprop struct {
	Down, Up, Least, Most float64
}

func (Rprop) kernel() string { return "rprop" }

func (r Rprop) numbers() []float64 { return []float64{r.Down, r.Up, r.Least, r.Most} }

func (Rprop) settings() []uint64 { return nil }

func (r Rprop) update32(_ *control, e *elements[float32]) { rprop(r, e) }
func (r Rprop) update64(_ *control, e *elements[float64]) { rprop(r, e) }

func rprop[R float32 | float64](r Rprop, e *elements[R]) {
	down, up, least, most := R(r.Down), R(r.Up), R(r.Least), R(r.Most)
	w, before, sizes := e.w, e.state[0][:len(e.w)], e.state[1][:len(e.w)]
	for i, g := range e.g[:len(w)] {
		turn, size := R(g*before[i]), sizes[i]
		switch {
		case turn > 0:
			size *= up
		case turn < 0:
			size, g = size*down, 0
		case turn != 0: // NaN
			size = turn
		}
		if size < least {
			size = least
		} else if size > most {
			size = most
		}
		sign := g
		if g > 0 {
			sign = 1
		} else if g < 0 {
			sign = -1
		}
		w[i] -= R(sign * size)
		before[i], sizes[i] = g, size
	}
}
