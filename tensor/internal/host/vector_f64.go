package host

import (
	"math"
	"sync"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
	"github.com/gorocm/gorocm/tensor/internal/special/vector"
)

// Loops of package simd for multiples of simd.Whole elements, extended to any number.

// exactly runs f on a multiple of simd.Whole elements, and plain, which gives the same bits, on the rest.
func exactly[R, T any](f, plain func(out []R, x []T)) func(out []R, x []T) {
	if f == nil {
		return plain
	}
	return func(out []R, x []T) {
		n := len(out) &^ (simd.Whole - 1)
		f(out[:n], x[:n])
		plain(out[n:], x[n:])
	}
}

// exactly2 is exactly for functions of two operands.
func exactly2[R, T any](f, plain func(out []R, x, y []T)) func(out []R, x, y []T) {
	if f == nil {
		return plain
	}
	return func(out []R, x, y []T) {
		n := len(out) &^ (simd.Whole - 1)
		f(out[:n], x[:n], y[:n])
		plain(out[n:], x[n:len(out)], y[n:len(out)])
	}
}

// overlapping runs f once more on the last simd.Whole elements, so that an element has the same result at every
// position. out is not x.
func overlapping(f func(out, x []float64)) func(out, x []float64) {
	if f == nil {
		return nil
	}
	return func(out, x []float64) {
		n := len(out)
		if n < simd.Whole {
			var few, done [simd.Whole]float64
			copy(few[:], x[:n])
			f(done[:], few[:])
			copy(out, done[:])
			return
		}
		f(out[:n&^(simd.Whole-1)], x)
		if n%simd.Whole > 0 {
			f(out[n-simd.Whole:], x[n-simd.Whole:n])
		}
	}
}

// inRange returns f with plain as its fallback when f reports that an element is out of its range. It is for sine and
// cosine.
func inRange[T float32 | float64](f func(out, x []T) bool, plain func(x T) T) func(out, x []T) {
	if f == nil {
		return nil
	}
	return func(out, x []T) {
		if !f(out, x) {
			return
		}
		for i, v := range x[:len(out)] {
			if !(math.Abs(float64(v)) <= simd.TurnLimit) {
				out[i] = plain(v)
			}
		}
	}
}

// doubleUnary returns the vector loop of an op on float64 for a result of n elements, or nil.
func doubleUnary(name string, n int) func(out, x []float64) {
	f, stream := simd.Fast.Doubles, simd.Stream.Doubles
	switch name {
	case "sqrt":
		return streaming(n, overlapping(f.Sqrt), overlapping(stream.Sqrt))
	case "recip":
		return streaming(n, overlapping(f.Recip), overlapping(stream.Recip))
	case "abs":
		return streaming(n, overlapping(f.Abs), overlapping(stream.Abs))
	case "floor":
		return streaming(n, overlapping(f.Floor), overlapping(stream.Floor))
	case "ceil":
		return streaming(n, overlapping(f.Ceil), overlapping(stream.Ceil))
	case "exp":
		return overlapping(f.Exp)
	case "log":
		return overlapping(f.Log)
	case "tanh":
		return overlapping(f.Tanh)
	case "sigmoid":
		return logistics(false, sigmoidRef)
	case "silu":
		return logistics(true, siluRef)
	case "log1p":
		return logarithms1p()
	case "softplus":
		return softpluses()
	case "sin":
		return inRangeDoubles(f.Sin, sinRef)
	case "cos":
		return inRangeDoubles(f.Cos, cosRef)
	}
	return vector.Function(name)
}

// inParts calls f for parts of the elements, with two buffers of the same length.
func inParts(out, x []float64, f func(out, x, a, b []float64)) {
	const part = 256
	var a, b [part]float64
	for len(out) > 0 {
		n := min(part, len(out))
		f(out[:n], x[:n], a[:n], b[:n])
		out, x = out[n:], x[n:]
	}
}

// expNegAbs returns exp(-|x|), which cannot overflow, by the vector loop of exp, or nil. The function sets negated to
// -|x|.
func expNegAbs() func(powers, negated, x []float64) {
	exp := overlapping(simd.Fast.Doubles.Exp)
	if exp == nil {
		return nil
	}
	return func(powers, negated, x []float64) {
		for i, v := range x {
			negated[i] = -math.Abs(v)
		}
		exp(powers, negated)
	}
}

// logistics returns sigmoid or silu by the vector loop of exp, or nil. plain is for elements where exp would lose
// digits.
func logistics(silu bool, plain func(x float64) float64) func(out, x []float64) {
	exp := expNegAbs()
	if exp == nil {
		return nil
	}
	return func(out, x []float64) {
		inParts(out, x, func(out, x, powers, negated []float64) {
			exp(powers, negated, x)
			for i, v := range x {
				e := powers[i]
				top := 1.0
				if silu {
					top = v
				}
				switch {
				case v >= 0:
					out[i] = top / (1 + e)
				case v > -700:
					out[i] = top * e / (1 + e)
				default:
					out[i] = plain(v)
				}
			}
		})
	}
}

// logarithms1p returns log1p by the vector loop of log, or nil: the logarithm of u = 1 + x, corrected by the rounding
// error of u.
func logarithms1p() func(out, x []float64) {
	log := overlapping(simd.Fast.Doubles.Log)
	if log == nil {
		return nil
	}
	return func(out, x []float64) {
		inParts(out, x, func(out, x, sums, logs []float64) {
			for i, v := range x {
				sums[i] = 1 + v
			}
			log(logs, sums)
			for i, v := range x {
				switch u := sums[i]; {
				case u == 1:
					out[i] = v
				case v > -0.5 && v < 0x1p53:
					out[i] = logs[i] + (v-(u-1))/u
				default:
					out[i] = math.Log1p(v)
				}
			}
		})
	}
}

// softpluses returns softplus by the vector loops of exp and log, or nil.
func softpluses() func(out, x []float64) {
	exp, log1p := expNegAbs(), logarithms1p()
	if exp == nil || log1p == nil {
		return nil
	}
	return func(out, x []float64) {
		inParts(out, x, func(out, x, powers, logs []float64) {
			exp(powers, logs, x)
			log1p(logs, powers)
			for i, v := range x {
				if v > -expLimit {
					out[i] = max(v, 0) + logs[i]
				} else {
					out[i] = softplusRef(v)
				}
			}
		})
	}
}

// inRangeDoubles is inRange for float64, whose functions handle any number of elements.
func inRangeDoubles(f func(out, x []float64) bool, plain func(x float64) float64) func(out, x []float64) {
	if f == nil {
		return nil
	}
	return inRange(func(out, x []float64) bool {
		odd := false
		overlapping(func(out, x []float64) { odd = f(out, x) || odd })(out, x)
		return odd
	}, plain)
}

// doubleBinary is doubleUnary for ops of two operands.
func doubleBinary(name string, n int) func(out, x, y []float64) {
	f, plain := doubleBinaryOf(&simd.Fast.Doubles, name)
	if f == nil {
		return nil
	}
	stream, _ := doubleBinaryOf(&simd.Stream.Doubles, name)
	return streaming2(n, exactly2(f, plain), exactly2(stream, plain))
}

func doubleBinaryOf(f *simd.Doubles, name string) (fast, plain func(out, x, y []float64)) {
	switch name {
	case "add":
		return f.Add, addRow[float64]
	case "sub":
		return f.Sub, subRow[float64]
	case "mul":
		return f.Mul, mulRow[float64]
	case "div":
		return f.Div, divRow[float64]
	case "maximum":
		return f.Maximum, maxRow[float64]
	case "minimum":
		return f.Minimum, minRow[float64]
	}
	return nil, nil
}

// doubleSoftmax is softmaxRow for float64 by vector loops, or nil.
func doubleSoftmax() func(y, x []float64, log bool) {
	f := simd.Fast.Doubles
	exp := overlapping(f.Exp)
	if exp == nil {
		return nil
	}
	greatest := foldRow[float64](backend.ReduceOps["max"])
	return func(y, x []float64, log bool) {
		top := greatest(x)
		b := softmaxScratch.Get().(*softmaxBuffers)
		defer softmaxScratch.Put(b)
		if len(b.distances) < len(x) {
			b.distances = make([]float64, len(x))
		}
		distances := b.distances[:len(x)]
		b.withNumber(f.Sub, subRow[float64], distances, x, top)
		exp(y, distances)
		total := twofoldSum(y)
		if log {
			logDistances(y, x, top, math.Log(total))
			return
		}
		b.withNumber(f.Div, divRow[float64], y, y, total)
	}
}

// softmaxBuffers belong to one goroutine.
type softmaxBuffers struct {
	number    [chunk]float64
	distances []float64
}

var softmaxScratch = sync.Pool{New: func() any { return new(softmaxBuffers) }}

// withNumber sets out to fast of x and a number, or to plain of them where a vector is not whole.
func (b *softmaxBuffers) withNumber(fast, plain func(out, x, y []float64), out, x []float64, number float64) {
	fillAll(b.number[:min(chunk, len(x))], number)
	for len(x) > 0 {
		n := min(chunk, len(x))
		whole := n &^ (simd.Whole - 1)
		fast(out[:whole], x[:whole], b.number[:whole])
		plain(out[whole:n], x[whole:n], b.number[whole:n])
		out, x = out[n:], x[n:]
	}
}
