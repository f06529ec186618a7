package quant

import (
	"math"
	"slices"
)

// Scales and codes of blocks of 256 elements: of a few scales around the obvious one, the one with the least squared
// error. Scales that come with a minimum are not fitted any further: that would make all elements a little smaller,
// and bias products.

// tries is how many scales are tried on each side.
const tries = 8

// fitParts finds codes from 0 to top such that part p is near d·scales[p]·code - dmin·minima[p], with scales and
// minima from 0 to limit. d and dmin are rounded to half precision.
func fitParts(x []float32, size, top, limit int) (d, dmin float32, scales, minima, q []int) {
	parts := len(x) / size
	s, m := make([]float64, parts), make([]float64, parts)
	for p := range parts {
		s[p], m[p] = fitAffine(x[p*size:(p+1)*size], top)
	}
	d, scales = whole(s, limit)
	for p := range parts {
		if m[p] != 0 || d == 0 {
			continue
		}
		if float64(d)*float64(scales[p]) < s[p] && scales[p] < limit {
			scales[p]++ // a minimum makes up for too large a scale, but not for too small a one
		}
		m[p] = bestMinimum(x[p*size:(p+1)*size], float64(d)*float64(scales[p]), top)
	}
	dmin, minima = whole(m, limit)
	q = make([]int, len(x))
	for p := range parts {
		// The scale and the minimum are rounded by now: the codes are the best for them.
		step, low := float64(d)*float64(scales[p]), float64(dmin)*float64(minima[p])
		for i := p * size; i < (p+1)*size; i++ {
			if step > 0 {
				q[i] = nearest((float64(x[i])+low)/step, 0, top)
			}
		}
	}
	return d, dmin, scales, minima, q
}

// bestMinimum finds the best minimum, not below 0, for a scale.
func bestMinimum(x []float32, scale float64, top int) float64 {
	sum := 0.0
	if scale == 0 {
		return 0
	}
	for _, v := range x {
		sum += scale*float64(nearest(float64(v)/scale, 0, top)) - float64(v)
	}
	return max(0, sum/float64(len(x)))
}

// fitAffine finds scale and minimum, neither below 0, such that scale·code - minimum is near x for codes from 0 to top.
func fitAffine(x []float32, top int) (scale, minimum float64) {
	low32, high32 := span(x)
	low, high := min(float64(low32), 0), float64(high32)
	if high <= low {
		return 0, -low
	}
	best := math.Inf(1)
	for try := -tries; try <= tries; try++ {
		s, m := (high-low)/(float64(top)+reach(top)*float64(try)/tries), -low
		err := 0.0
		for _, v := range x {
			c := float64(nearest((float64(v)+m)/s, 0, top))
			e := s*c - m - float64(v)
			err += e * e
		}
		if err < best {
			best, scale, minimum = err, s, m
		}
	}
	return scale, minimum
}

// reach is how far from an end of the codes the extreme element may be: less than half a code, so that it gets that
// end.
func reach(top int) float64 { return min(0.45, 0.1*float64(top)) }

// throughZero finds the scale with which the codes from low to top that step gives to x are nearest to it.
func throughZero(x []float32, step float64, low, top int) float64 {
	var c2, cy float64
	for _, v := range x {
		c := float64(nearest(float64(v)/step, low, top))
		c2 += c * c
		cy += c * float64(v)
	}
	if c2 == 0 {
		return 0
	}
	return cy / c2
}

// whole finds d such that values, none of them below 0, are near d·n for whole n from 0 to limit.
func whole(values []float64, limit int) (d float32, n []int) {
	n = make([]int, len(values))
	top := slices.Max(values)
	best := math.Inf(1)
	for try := -tries; try <= 0; try++ { // the maximum gets limit
		step := asHalf(top / (float64(limit) + 0.45*float64(try)/tries))
		if step == 0 {
			continue
		}
		err := 0.0
		for _, v := range values {
			e := v - float64(step)*float64(nearest(v/float64(step), 0, limit))
			err += e * e
		}
		if err < best {
			best, d = err, step
		}
	}
	for i, v := range values {
		if d != 0 {
			n[i] = nearest(v/float64(d), 0, limit)
		}
	}
	return d, n
}

// nearest rounds to a whole number from low to high.
func nearest(x float64, low, high int) int {
	return int(max(float64(low), min(math.Round(x), float64(high))))
}

// asHalf rounds to half precision.
func asHalf(x float64) float32 {
	var raw [2]byte
	putHalf(raw[:], float32(x))
	return half(raw[:])
}

// fitSigned finds codes from -half to half-1 such that part p is near d·scales[p]·code, with scales from -limit to
// limit-1.
func fitSigned(x []float32, size, half, limit int) (d float32, scales, q []int) {
	parts := len(x) / size
	s := make([]float64, parts)
	var top float64 // the scale of the largest magnitude, with its sign
	for p := range parts {
		s[p] = fitThroughZero(x[p*size:(p+1)*size], half)
		if math.Abs(s[p]) > math.Abs(top) {
			top = s[p]
		}
	}
	scales, q = make([]int, parts), make([]int, len(x))
	d = asHalf(top / -float64(limit))
	if d == 0 {
		return 0, scales, q
	}
	for p := range parts {
		scales[p] = nearest(s[p]/float64(d), -limit, limit-1)
		step := float64(d) * float64(scales[p])
		for i := p * size; i < (p+1)*size && step != 0; i++ {
			q[i] = nearest(float64(x[i])/step, -half, half-1)
		}
	}
	return d, scales, q
}

// fitThroughZero finds a scale such that scale·code is near x for codes from -half to half-1. It may be negative.
func fitThroughZero(x []float32, half int) (scale float64) {
	top := float64(peak(x))
	best := math.Inf(1)
	for try := -tries; try <= tries && top != 0; try++ {
		for _, end := range []float64{-float64(half), float64(half - 1)} { // the peak gets one end of the codes
			s := throughZero(x, top/(end+0.1*float64(try)), -half, half-1)
			if s == 0 {
				continue
			}
			err := 0.0
			for _, v := range x {
				c := float64(nearest(float64(v)/s, -half, half-1))
				e := s*c - float64(v)
				err += e * e
			}
			if err < best {
				best, scale = err, s
			}
		}
	}
	return scale
}
