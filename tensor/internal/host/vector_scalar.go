package host

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Functions of float32 by short polynomials in float64, accurate to far less than half a unit in the last place of a
// float32 before the one rounding. Where a polynomial does not hold (NaN, infinities, the ends of the range) the
// reference is called.

const (
	expSteps = 32 // entries per doubling in expTable
	logSteps = 128
)

var (
	expTable [expSteps]uint64      // the bits of 2^(i/32), less what i adds to the exponent of expCore
	logTable [logSteps][2]float64  // 1/c and log(c) for a c in the middle of an interval of the mantissa
	expScale = expSteps / math.Ln2 // steps in a power of e
)

const (
	roundBias = 0x1.8p52 // adding and subtracting it rounds to an integer, which stays in the low bits of the sum
	logStart  = 0x3f330000
	expLimit  = 700.0 // expCore holds up to here
)

func init() {
	for i := range expTable {
		expTable[i] = math.Float64bits(math.Exp2(float64(i)/expSteps)) - uint64(i)<<(52-5)
	}
	for i := range logTable {
		low := math.Float32frombits(logStart + uint32(i)<<16)
		high := math.Float32frombits(logStart + uint32(i+1)<<16)
		c := (float64(low) + float64(high)) / 2
		if low == 1 || high == 1 {
			c = 1 // so that a logarithm near 1 is that of x - 1, exactly
		}
		logTable[i] = [2]float64{1 / c, math.Log(c)}
	}
}

// expCore is exp(x) for |x| ≤ expLimit, with a relative error below 1e-9.
func expCore(x float64) float64 {
	z := x*expScale + roundBias
	step := math.Float64bits(z)
	r := x - (z-roundBias)*(math.Ln2/expSteps)
	scale := math.Float64frombits(expTable[step%expSteps] + step<<(52-5))
	return scale * (1 + r*(1+r*(1./2+r*(1./6))))
}

// logCore is the logarithm of a positive, finite and normal x, with a relative error below 1e-9.
func logCore(x float32) float64 {
	u := math.Float32bits(x)
	t := u - logStart
	k := int32(t) >> 23
	entry := &logTable[t>>16%logSteps]
	r := float64(math.Float32frombits(u-t&0xff800000))*entry[0] - 1
	return (float64(k)*math.Ln2 + entry[1]) + r*(1+r*(-1./2+r*(1./3+r*(-1./4+r*(1./5)))))
}

func expm1Small(x float64) float64 { // |x| ≤ 1/8
	return x * (1 + x*(1./2+x*(1./6+x*(1./24+x*(1./120+x*(1./720+x*(1./5040)))))))
}

// log1pCore is log(1 + x) for x ≥ -½, with a relative error below 1e-9.
func log1pCore(x float64) float64 {
	if x > -1./64 && x < 1./64 {
		return x * (1 - x*(1./2-x*(1./3-x*(1./4-x*(1./5)))))
	}
	u := 1 + x
	near := float32(u)
	return logCore(near) + (u-float64(near))/u
}

func log1p32(x float32) float32 {
	if x >= -0.5 && x < 1e30 {
		return float32(log1pCore(float64(x)))
	}
	return float32(math.Log1p(float64(x)))
}

func expm132(x float32) float32 {
	v := float64(x)
	switch {
	case v >= -1./8 && v <= 1./8:
		return float32(expm1Small(v))
	case v > -expLimit && v < expLimit:
		return float32(expCore(v) - 1)
	}
	return float32(math.Expm1(v))
}

func softplus32(x float32) float32 {
	v := float64(x)
	if v > -expLimit && v < expLimit {
		return float32(max(v, 0) + log1pCore(expCore(-math.Abs(v))))
	}
	return float32(softplusRef(v))
}

func log32(x float32) float32 {
	if x >= 0x1p-126 && x <= math.MaxFloat32 {
		return float32(logCore(x))
	}
	return float32(math.Log(float64(x)))
}

func tanh32(x float32) float32 {
	v := float64(x)
	switch {
	case v > 0.1 && v < 20, v < -0.1 && v > -20:
		return float32(1 - 2/(expCore(2*v)+1))
	case v >= -0.1 && v <= 0.1:
		s := v * v
		return float32(v * (1 + s*(-1./3+s*(2./15+s*(-17./315+s*(62./2835))))))
	}
	return float32(math.Tanh(v))
}

func sigmoid32(x float32) float32 {
	if x > -expLimit && x < expLimit {
		return float32(1 / (1 + expCore(-float64(x))))
	}
	return float32(sigmoidRef(float64(x)))
}

func silu32(x float32) float32 {
	if x > -expLimit && x < expLimit {
		return float32(float64(x) / (1 + expCore(-float64(x))))
	}
	return float32(siluRef(float64(x)))
}

// gelu32 is x/(1 + exp(-v)) with v = x·(A + B·x²), as the reference is.
func gelu32(x float32) float32 {
	if x > -16 && x < 16 {
		v := float64(x)
		return float32(v / (1 + expCore(-v*(1.5957691216057308+0.07135481627260025*v*v))))
	}
	return float32(geluRef(float64(x)))
}

// quarter reduces x to r, at most π/4, and the number of quarter turns, for |x| ≤ 1e5. π/2 has two parts so that the
// product of the first and that number is exact.
func quarter(x float64) (r float64, n uint64) {
	z := x*(2/math.Pi) + roundBias
	k := z - roundBias
	const high, low = 0x1.921fb544p0, 0x1.0b4611a626331p-34
	return x - k*high - k*low, math.Float64bits(z)
}

// The polynomials of sine and cosine around 0.

func sinCore(r float64) float64 {
	s := r * r
	return r + r*s*(-1./6+s*(1./120+s*(-1./5040+s*(1./362880-s*(1./39916800)))))
}

func cosCore(r float64) float64 {
	s := r * r
	return 1 + s*(-1./2+s*(1./24+s*(-1./720+s*(1./40320+s*(-1./3628800+s*(1./479001600))))))
}

func rotateQuadrant(r float64, n uint64) float32 {
	v := sinCore(r)
	if n&1 != 0 {
		v = cosCore(r)
	}
	if n&2 != 0 {
		v = -v
	}
	return float32(v)
}

func sin32(x float32) float32 {
	if x > -1e5 && x < 1e5 && x != 0 {
		r, n := quarter(float64(x))
		return rotateQuadrant(r, n)
	}
	return float32(sinRef(float64(x)))
}

func cos32(x float32) float32 {
	if x > -1e5 && x < 1e5 {
		r, n := quarter(float64(x))
		return rotateQuadrant(r, n+1)
	}
	return float32(cosRef(float64(x)))
}

func tan32(x float32) float32 {
	if x > -1e5 && x < 1e5 && x != 0 {
		r, n := quarter(float64(x))
		s, c := sinCore(r), cosCore(r)
		if n&1 != 0 {
			return float32(-c / s)
		}
		return float32(s / c)
	}
	return float32(tanRef(float64(x)))
}

// sinc32 is sin(πx)/(πx), with x reduced before it is multiplied.
func sinc32(x float32) float32 {
	v := math.Abs(float64(x))
	if v > 0 && v < 1e5 {
		z := 2*v + roundBias
		k := z - roundBias
		r, n := (v-k/2)*math.Pi, math.Float64bits(z)
		s := sinCore(r)
		if n&1 != 0 {
			s = cosCore(r)
		}
		if n&2 != 0 && s != 0 {
			s = -s
		}
		return float32(s / (math.Pi * v))
	}
	return float32(sincRef(float64(x)))
}

// pow32 is exp(p·log(x)) where that is safe.
func pow32(x float32, p float64, ref func(x, p float64) float64) float32 {
	if x >= 0x1p-126 && x <= math.MaxFloat32 {
		if e := p * logCore(x); e > -110 && e < 90 {
			return float32(expCore(e))
		}
	}
	return float32(ref(float64(x), p))
}

func elu32(x float32, alpha float64) float32 {
	v := float64(x)
	switch {
	case v > 0:
		return x
	case v >= -1./8:
		return float32(alpha * expm1Small(v))
	case v > -expLimit:
		return float32(alpha * (expCore(v) - 1))
	}
	return float32(alpha * math.Expm1(v))
}

// logAddExpRow is log(exp(x) + exp(y)).
func logAddExpRow(out, x, y []float32) {
	for i := range out {
		a, b := float64(x[i]), float64(y[i])
		if d := math.Abs(a - b); d < expLimit { // and no NaN
			out[i] = float32(max(a, b) + log1pCore(expCore(-d)))
		} else {
			out[i] = float32(logAddExpRef(a, b))
		}
	}
}

// The references of the op table that the functions above fall back on.
var (
	sigmoidRef, siluRef, geluRef = unaryRef("sigmoid"), unaryRef("silu"), unaryRef("gelu")
	sinRef, cosRef, softplusRef  = unaryRef("sin"), unaryRef("cos"), unaryRef("softplus")
	tanRef, sincRef              = unaryRef("tan"), unaryRef("sinc")
	logAddExpRef                 = backend.BinaryOps["logaddexp"].Ref
)

func unaryRef(name string) func(float64) float64 {
	for _, op := range kernels.Unary {
		if op.Name == name {
			return op.Ref
		}
	}
	panic("no op " + name)
}
