package sample

import "math"

func logFactorial(x float64) float64 {
	if x == 0 {
		return tail(0)
	}
	return float64(x*log(x)) - x + tail(x)
}

// Hypergeometric returns element i of a tensor of hypergeometric variates: how many of some draws without replacement
// are good. Fewer than 10 draws, or elements that are not drawn, are drawn one after the other; others by Stadlober's
// ratio of uniforms (The ratio of uniforms approach for generating discrete random variates, 1990: HRUA*).
func (s Stream) Hypergeometric(i int, good, bad, draws float64) float64 {
	s = s.at(i)
	all := good + bad
	fewer := min(draws, all-draws)
	k := 0.0
	if fewer < few {
		k = s.oneByOne(good, all, int(fewer))
	} else {
		k = s.ratioOfUniforms(min(good, bad), max(good, bad), fewer)
		if good > bad {
			k = fewer - k
		}
	}
	if draws == fewer {
		return k
	}
	return good - k
}

func (s Stream) oneByOne(good, all float64, draws int) float64 {
	left, rest := all, good
	for t := range draws {
		u, v := s.uniforms(uint32(t / 2))
		if t%2 == 1 {
			u = v
		}
		if float64(u*left) < rest {
			rest--
		}
		left--
	}
	return good - rest
}

func (s Stream) ratioOfUniforms(less, more, draws float64) float64 {
	all := less + more
	p, q := less/all, more/all
	a := float64(draws*p) + 0.5
	c := math.Sqrt((all-draws)*draws*p*q/(all-1) + 0.5)
	h := float64(1.7155277699214135*c) + 0.8989161620588988
	m := math.Floor((draws + 1) * (less + 1) / (all + 2))
	logs := func(k float64) float64 {
		return logFactorial(k) + logFactorial(less-k) + logFactorial(draws-k) + logFactorial(more-draws+k)
	}
	g, end := logs(m), min(math.Floor(a+float64(16*c)), min(draws, less)+1)
	for t := uint32(0); ; t++ {
		u, v := s.uniforms(t)
		x := a + float64(h*(v-0.5))/u
		if !(x >= 0) || x >= end {
			continue
		}
		k := math.Floor(x)
		d := g - logs(k)
		switch {
		case float64(u*(4-u))-3 <= d:
			return k
		case float64(u*(u-d)) >= 1:
		case 2*log(u) <= d:
			return k
		}
	}
}

// MostConcentrated is the largest concentration of the von Mises distribution.
const MostConcentrated = 0x1p400

// VonMises returns element i of a tensor of sines of half the angles of the von Mises distribution around 0, by Best
// and Fisher's rejection (Efficient simulation of the von Mises distribution, 1979), with the formulas for 1 minus a
// cosine. Concentrations that are negative, NaN or above MostConcentrated give NaN.
func (s Stream) VonMises(i int, concentration float64) float64 {
	if !(concentration >= 0) || concentration > MostConcentrated {
		return math.NaN()
	}
	s = s.at(i)
	k2, two := 2*concentration, math.Sqrt(2)
	size := math.Sqrt(1 + float64(k2*k2))
	root := math.Sqrt(1 + size)
	rho := float64(k2*root) / float64((size+1)*(root+two))
	rest := (float64(root*(1+1/(size+k2))) + float64(two*(size+1))) / float64((size+1)*(root+two)) // 1 - rho
	square := float64(rest * rest)
	base := float64(float64((size+1)*(root+two)) / (4 * root) * square)
	for t := uint32(0); ; t += 2 {
		u, v := s.uniforms(t)
		a, b := 2*u-1, 2*v-1
		aa, bb := float64(a*a), float64(b*b)
		d := aa + bb
		if !(d <= 1) || d == 0 {
			continue
		}
		far, near := 2*aa/d, 2*bb/d // 1 + z and 1 - z for the cosine z of any angle
		oneMinus := float64(square / (square + float64(float64(2*rho)*far)) * near)
		c := base + float64(concentration*oneMinus)
		w, _ := s.uniforms(t + 1)
		if !(float64(c*(2-c)) > w) && !(log(c/w)+1 >= c) {
			continue
		}
		return math.Copysign(math.Sqrt(0.5*oneMinus), a*b)
	}
}
