// Package hostmath has what a row of a language model needs between its products, on slices of the host.
package hostmath

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// Normalize is rms_norm; y may be x.
func Normalize(y, x, alpha []float32, eps float64) {
	if squares := simd.Fast.Squares; squares != nil {
		simd.Fast.Normalize(y, x, alpha, 1/math.Sqrt(squares(x, 0)/float64(len(x))+eps))
		return
	}
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	factor := 1 / math.Sqrt(sum/float64(len(x))+eps)
	for i, v := range x {
		y[i] = float32(float64(v) * factor * float64(alpha[i]))
	}
}

// Swiglu sets y to silu(gate)·up.
func Swiglu(y, gate, up []float32) {
	if simd.Fast.Silu != nil {
		simd.Fast.Silu(y, gate)
		simd.Fast.Mul(y, y, up)
		return
	}
	for i, v := range gate {
		y[i] = float32(float64(v)/(1+math.Exp(-float64(v)))) * up[i]
	}
}

// Rotate rotates the pairs of a head.
func Rotate(x, cos, sin []float32, interleaved bool) {
	for n, c := range cos {
		i, j := n, n+len(cos)
		if interleaved {
			i, j = 2*n, 2*n+1
		}
		a, b := x[i], x[j]
		x[i], x[j] = float32(a*c)-float32(b*sin[n]), float32(a*sin[n])+float32(b*c)
	}
}

// AttendPart sets y to the attention of a query q to rows of keys and values, times the returned sum. That is of the
// exponentials of scores less the returned top.
func AttendPart(y, q, k, v, scores []float32) (top float32, sum float64) {
	size := len(q)
	top = float32(math.Inf(-1))
	for j := range scores {
		scores[j] = dot(q, k[j*size:(j+1)*size])
		top = max(top, scores[j])
	}
	if expSum := simd.Fast.ExpSum; expSum != nil {
		sum = expSum(scores, scores, top)
	} else {
		for j, s := range scores {
			scores[j] = float32(math.Exp(float64(s - top)))
			sum += float64(scores[j])
		}
	}
	clear(y)
	addScaled(y, v, scores)
	return top, sum
}

// JoinParts sets y to the attention to all keys, from what AttendPart gave for parts of them. It changes tops.
func JoinParts(y, parts, tops []float32, sums []float64) {
	top, sum := slices.Max(tops), 0.0
	for i, t := range tops {
		factor := math.Exp(float64(t - top))
		sum += factor * sums[i]
		tops[i] = float32(factor)
	}
	clear(y)
	addScaled(y, parts, tops)
	for i := range y {
		y[i] = float32(float64(y[i]) / sum)
	}
}

// addScaled adds rows, each times its factor, to y.
func addScaled(y, rows, factors []float32) {
	size, j := len(y), 0
	if add := simd.Fast.AddScaled; add != nil {
		for ; j+4 <= len(factors); j += 4 {
			add(y, rows[j*size:(j+4)*size], size, (*[4]float32)(factors[j:]))
		}
	}
	for ; j < len(factors); j++ {
		for i, v := range rows[j*size : (j+1)*size] {
			y[i] += factors[j] * v
		}
	}
}

func dot(x, y []float32) (sum float32) {
	if f := simd.Fast.Dot; f != nil {
		return f(x, y)
	}
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
