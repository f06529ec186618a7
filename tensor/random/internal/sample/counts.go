package sample

import "math"

const (
	// MostCount is the largest mean of Poisson variates and the largest number of trials. Up to there counts are
	// exact.
	MostCount = 1 << 52

	few = 10 // means below it are inverted
)

// Poisson returns element i of a tensor of Poisson variates: by inversion for means below 10, otherwise by Hörmann's
// transformed rejection (The transformed rejection method for generating Poisson random variables, 1993: PTRS). Means
// that are negative, NaN or above MostCount give NaN.
func (s Stream) Poisson(i int, mean float64) float64 {
	if !(mean >= 0) || mean > MostCount {
		return math.NaN()
	}
	s = s.at(i)
	if mean < few {
		u, _ := s.uniforms(0)
		return fewEvents(mean, u)
	}
	h := s.hat(mean, math.Inf(1), poissonHat)
	for t := uint32(0); ; t++ {
		u, v := s.uniforms(t)
		u -= 0.5
		us := 0.5 - math.Abs(u)
		k := math.Floor(float64((2*h.a/us+h.b)*u) + mean + 0.43)
		if us >= 0.07 && v <= h.sure {
			return k
		}
		if k < 0 || us < 0.013 && v > us {
			continue
		}
		if log(v*h.scale/(h.a/float64(us*us)+h.b)) <= -deviance(k, mean)-tail(k) {
			return k
		}
	}
}

// fewEvents adds probabilities until they exceed u.
func fewEvents(mean, u float64) float64 {
	k, each := 0.0, exp(-mean)
	for sum := each; u > sum; {
		k++
		each = each * mean / k
		if sum+each == sum {
			break
		}
		sum += each
	}
	return k
}

// Binomial returns element i of a tensor of binomial variates, the number of successes of that probability in some
// trials: by inversion where fewer than 10 successes, or failures, are expected, otherwise by Hörmann's transformed
// rejection (The generation of binomial random variates, 1993: BTRS). Trials that are no whole number from 0 to
// MostCount, and probabilities outside of 0 to 1, give NaN.
func (s Stream) Binomial(i int, trials, chance float64) float64 {
	if !(trials >= 0) || trials > MostCount || trials != math.Floor(trials) || !(chance >= 0 && chance <= 1) {
		return math.NaN()
	}
	s = s.at(i)
	less := min(chance, 1-chance)
	k := 0.0
	switch {
	case trials*less >= few:
		k = s.manySuccesses(trials, less)
	case less > 0:
		u, _ := s.uniforms(0)
		k = fewSuccesses(trials, less, u)
	}
	if chance > 0.5 {
		return trials - k
	}
	return k
}

func fewSuccesses(trials, p, u float64) float64 {
	odds := p / (1 - p)
	k, each := 0.0, exp(trials*log1p(-p))
	for sum := each; u > sum && k < trials; {
		k++
		each = each * odds * (trials - k + 1) / k
		if sum+each == sum {
			break
		}
		sum += each
	}
	return k
}

func (s Stream) manySuccesses(trials, p float64) float64 {
	mean, failures := float64(trials*p), float64(trials*(1-p))
	h := s.hat(p, trials, binomialHat)
	for t := uint32(0); ; t++ {
		u, v := s.uniforms(t)
		u -= 0.5
		us := 0.5 - math.Abs(u)
		k := math.Floor(float64((2*h.a/us+h.b)*u) + mean + 0.5)
		if us >= 0.07 && v <= h.sure {
			return k
		}
		if k < 0 || k > trials {
			continue
		}
		at := deviance(k, mean) + deviance(trials-k, failures) + tail(k) + tail(trials-k)
		if log(v*h.scale/(h.a/float64(us*us)+h.b)) <= h.top-at {
			return k
		}
	}
}

// hat are the constants of a transformed rejection, which depend on the parameters only: the shape of the hat, its
// height, below which share a number is accepted at once, and the logarithm of the mode's probability.
type hat struct{ p, trials, a, b, scale, sure, top float64 }

// hat returns the constants for parameters: those of a batch if they are the same. Trials are infinite for Poisson's.
func (s Stream) hat(p, trials float64, of func(p, trials float64) hat) hat {
	if s.batch == nil {
		return of(p, trials)
	}
	if h := &s.batch.hat; h.p != p || h.trials != trials {
		*h = of(p, trials)
	}
	return s.batch.hat
}

func poissonHat(mean, trials float64) hat {
	b := 0.931 + float64(2.53*math.Sqrt(mean))
	a := -0.059 + float64(0.02483*b)
	return hat{p: mean, trials: trials, a: a, b: b, scale: 1.1239 + 1.1328/(b-3.4), sure: 0.9277 - 3.6224/(b-2)}
}

func binomialHat(p, trials float64) hat {
	q, mean := 1-p, float64(trials*p)
	deviation, failures := math.Sqrt(mean*q), float64(trials*q)
	b := 1.15 + float64(2.53*deviation)
	h := hat{p: p, trials: trials, b: b, a: -0.0873 + float64(0.0248*b) + float64(0.01*p)}
	h.sure, h.scale = 0.92-4.2/b, float64((2.83+5.1/b)*deviation)
	mode := math.Floor((trials + 1) * p)
	h.top = deviance(mode, mean) + deviance(trials-mode, failures) + tail(mode) + tail(trials-mode)
	return h
}

// deviance is x·log(x/m) + m - x, without the cancellation where x is near m (Loader, Fast and accurate computation
// of binomial probabilities, 2000). The logarithm of a Poisson probability is -deviance(x, mean) - tail(x).
func deviance(x, m float64) float64 {
	if x == 0 {
		return m
	}
	if !(math.Abs(x-m) < 0.1*(x+m)) {
		return float64(x*log(x/m)) + m - x
	}
	v := (x - m) / (x + m)
	square, sum, e := float64(v*v), float64((x-m)*v), 2*x*v
	for j := 3.0; j < 1000; j += 2 {
		e *= square
		next := sum + e/j
		if next == sum {
			break
		}
		sum = next
	}
	return sum
}

// smallTails are the values of tail below 16, from the definition.
var smallTails = [16]float64{0.0, 1.0, 1.3068528194400546, 1.4959226032237257, 1.6328763858683832,
	1.7403021806115442, 1.828694396641771, 1.9037903176782212, 1.9690705693065629, 2.0268062840554952,
	2.0785616431350586, 2.12545984509181, 2.168334698205882, 2.207822206123445, 2.244418568125061,
	2.2785183673077407}

// tail is log x! - (x·log x - x), by Stirling's series from 16 on.
func tail(x float64) float64 {
	if x < 16 {
		return smallTails[int(x)]
	}
	r := 1 / x
	s := float64(r * r)
	p := 0.0005952380952380953
	for _, c := range [...]float64{0.0007936507936507937, 0.002777777777777778, 0.08333333333333333} {
		p = c - float64(s*p)
	}
	return float64(0.5*log(6.283185307179586*x)) + float64(r*p)
}
