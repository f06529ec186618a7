package simd

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Elements of every kind, as many as functions of whole numbers of elements take.
func oddDoubles(seed int) []float64 {
	list := []float64{0, math.Copysign(0, -1), 1, -1, 5e-324, -5e-324, 0x1p-1022, 0x1p-1030, math.MaxFloat64,
		-math.MaxFloat64, math.Inf(1), math.Inf(-1),
		math.NaN(), 0.1, -3.7, 709.8, -709.8, -745.2, 2.5, 0.49999999999999994, -0.5, 0x1p52 + 0.5, 1e5, -1e5, 1e9}
	x := make([]float64, 32*len(list))
	for i := range x {
		x[i] = list[(i*(seed+1)+i/len(list)*seed)%len(list)]
	}
	return x
}

func sameDouble(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
}

func TestDoubleArithmetic(t *testing.T) {
	eachElementwise(t, func(t *testing.T, fs Functions) {
		d := fs.Doubles
		x, y := oddDoubles(0), oddDoubles(1)
		out := make([]float64, len(x)+8)
		for uintptrOf(&out[0])%StreamAlign != 0 {
			out = out[1:]
		}
		out = out[:len(x)]
		for name, c := range map[string]struct {
			fast func(out, x, y []float64)
			want func(x, y float64) float64
		}{
			"add":     {d.Add, func(x, y float64) float64 { return x + y }},
			"sub":     {d.Sub, func(x, y float64) float64 { return x - y }},
			"mul":     {d.Mul, func(x, y float64) float64 { return x * y }},
			"div":     {d.Div, func(x, y float64) float64 { return x / y }},
			"maximum": {d.Maximum, func(x, y float64) float64 { return max(x, y) }},
			"minimum": {d.Minimum, func(x, y float64) float64 { return min(x, y) }},
			"sqrt": {func(out, x, _ []float64) { d.Sqrt(out, x) },
				func(x, _ float64) float64 { return math.Sqrt(x) }},
			"recip": {func(out, x, _ []float64) { d.Recip(out, x) }, func(x, _ float64) float64 { return 1 / x }},
			"abs":   {func(out, x, _ []float64) { d.Abs(out, x) }, func(x, _ float64) float64 { return math.Abs(x) }},
			"floor": {func(out, x, _ []float64) { d.Floor(out, x) },
				func(x, _ float64) float64 { return math.Floor(x) }},
			"ceil": {func(out, x, _ []float64) { d.Ceil(out, x) },
				func(x, _ float64) float64 { return math.Ceil(x) }},
		} {
			c.fast(out, x, y)
			for i, got := range out {
				if want := c.want(x[i], y[i]); !sameDouble(got, want) {
					t.Fatalf("%s(%v, %v) is %v, want %v", name, x[i], y[i], got, want)
				}
			}
		}
	})
}

// The references: series in numbers of 200 bits.

const bits = 200

func number(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }

// series adds terms, each of which step makes of the one before.
func series(term *big.Float, step func(term *big.Float, k int64)) *big.Float {
	sum := number(0)
	for k := int64(1); term.Sign() != 0 && (sum.Sign() == 0 || term.MantExp(nil) > sum.MantExp(nil)-bits); k++ {
		sum.Add(sum, term)
		step(term, k)
	}
	return sum
}

// exact e to the x: of x/2^k, squared k times.
func bigExp(x *big.Float) *big.Float {
	const halvings = 20
	small := new(big.Float).SetMantExp(x, -halvings)
	y := series(number(1), func(term *big.Float, k int64) {
		term.Quo(term.Mul(term, small), number(float64(k)))
	})
	for range halvings {
		y.Mul(y, y)
	}
	return y
}

// bigLog corrects the logarithm that package math gives, which is far off for subnormal numbers.
func bigLog(x float64) *big.Float {
	part, exponent := math.Frexp(x)
	y := number(math.Log(part) + float64(exponent)*math.Ln2)
	d := new(big.Float).Mul(number(x), bigExp(new(big.Float).Neg(y)))
	d.Sub(d, number(1)) // less than 2^-40
	square := new(big.Float).Mul(d, d)
	cube := new(big.Float).Mul(square, d)
	y.Add(y, d)
	y.Sub(y, square.Quo(square, number(2)))
	return y.Add(y, cube.Quo(cube, number(3)))
}

var bigHalfPi, _, _ = big.ParseFloat("1.57079632679489661923132169163975144209858469968755291048747229615390820314310449931401741267105853399107404326", 10, 300, big.ToNearestEven)

// bigSin is the sine of x and so many quarters of a turn.
func bigSin(x float64, quarters int64) *big.Float {
	n := int64(math.Round(x / (math.Pi / 2)))
	r := new(big.Float).SetPrec(300).Mul(bigHalfPi, number(float64(n)))
	r.Sub(number(x).SetPrec(300), r)
	n += quarters
	square := new(big.Float).SetPrec(bits).Mul(r, r)
	first, from := number(1).Mul(number(1), r), int64(1) // of the sine; the cosine begins with 1
	if n&1 != 0 {
		first, from = number(1), 0
	}
	y := series(first, func(term *big.Float, k int64) {
		term.Quo(term.Mul(term, square), number(float64((2*k-1+from)*(2*k+from))))
		term.Neg(term)
	})
	if n&2 != 0 {
		y.Neg(y)
	}
	return y
}

// units is how far got is from want, in units in the last place of want.
func units(got float64, want *big.Float) float64 {
	near, _ := want.Float64()
	unit := math.Nextafter(math.Abs(near), math.Inf(1)) - math.Abs(near)
	off, _ := new(big.Float).Sub(number(got), want).Float64()
	return math.Abs(off) / unit
}

func TestDoubleFunctions(t *testing.T) {
	each(t, func(t *testing.T, fs Functions) {
		d := fs.Doubles
		random := rand.New(rand.NewPCG(5, 6))
		fill := func(f func() float64) []float64 {
			x := make([]float64, 20*Whole)
			for i := range x {
				x[i] = f()
			}
			return x
		}
		turns := fill(func() float64 { return (random.Float64() - 0.5) * 2e5 })
		for i := range turns[:200] { // near the zeros
			turns[i] = math.Nextafter(float64(i*300)*math.Pi/2, float64(i%3)*1e9)
		}
		check := func(name string, limit float64, x []float64, f func(out, x []float64),
			want func(x float64) *big.Float) {
			out := make([]float64, len(x))
			f(out, x)
			for i, got := range out {
				if u := units(got, want(x[i])); !(u < limit) {
					t.Errorf("%s(%v) is %v, %.2f units in the last place off", name, x[i], got, u)
				}
			}
		}
		check("exp", 1, fill(func() float64 { return (random.Float64() - 0.5) * 1400 }), d.Exp,
			func(x float64) *big.Float { return bigExp(number(x)) })
		check("exp", 1, fill(func() float64 { return random.NormFloat64() }), d.Exp,
			func(x float64) *big.Float { return bigExp(number(x)) })
		check("log", 1, fill(func() float64 { return math.Exp((random.Float64() - 0.5) * 1400) }), d.Log, bigLog)
		check("log", 1, fill(func() float64 { return 0.5 + random.Float64() }), d.Log, bigLog)
		check("log", 1, fill(func() float64 { return random.Float64() * 0x1p-1022 }), d.Log, bigLog)
		tanh := func(x float64) *big.Float { // 1 - 2/(exp(2x) + 1), of 200 bits
			e := bigExp(number(2 * x))
			y := e.Quo(number(2), e.Add(e, number(1)))
			return y.Sub(number(1), y)
		}
		for _, span := range []float64{0x1p-20, 0.5, 3, 25} {
			check("tanh", 2, fill(func() float64 { return random.NormFloat64() * span }), d.Tanh, tanh)
		}
		within := func(f func(out, x []float64) bool) func(out, x []float64) {
			return func(out, x []float64) {
				if f(out, x) {
					t.Error("elements in range are said not to be")
				}
			}
		}
		check("sin", 2, turns, within(d.Sin), func(x float64) *big.Float { return bigSin(x, 0) })
		check("cos", 2, turns, within(d.Cos), func(x float64) *big.Float { return bigSin(x, 1) })

		x := oddDoubles(0)
		out := make([]float64, len(x))
		d.Exp(out, x)
		for i, got := range out {
			if want := math.Exp(x[i]); !sameDouble(got, want) && !(math.Abs(got-want) <= 1e-15*want+5e-324) {
				t.Errorf("exp(%v) is %v, want %v", x[i], got, want)
			}
		}
		d.Log(out, x)
		for i, got := range out {
			if want := math.Log(x[i]); math.Abs(x[i]) > 0x1p-1022 && !sameDouble(got, want) &&
				!(math.Abs(got-want) <= 1e-15*math.Abs(want)) {
				t.Errorf("log(%v) is %v, want %v", x[i], got, want)
			}
		}
		d.Tanh(out, x)
		for i, got := range out {
			if want := math.Tanh(x[i]); !sameDouble(got, want) && !(math.Abs(got-want) <= 1e-15*math.Abs(want)) {
				t.Errorf("tanh(%v) is %v, want %v", x[i], got, want)
			}
		}
		for name, f := range map[string]func(out, x []float64) bool{"sin": d.Sin, "cos": d.Cos} {
			if !f(out, x) {
				t.Errorf("%s does not say that elements are out of range", name)
			}
		}
		d.Sin(out, x)
		if !sameDouble(out[0], 0) || !sameDouble(out[1], math.Copysign(0, -1)) {
			t.Errorf("the sines of the zeros are %v and %v", out[0], out[1])
		}
		for n := 0; n <= 8*Whole; n += TwofoldLanes {
			var sums, lost, wantSums, wantLost [TwofoldLanes]float64
			for range 2 { // the second time it goes on with what is there
				x := mapped(waves(n), func(v float64) float64 { return v * 1.1 })
				d.Sum(&sums, &lost, x)
				twofold(&wantSums, &wantLost, x)
			}
			if sums != wantSums || lost != wantLost {
				t.Errorf("the sums of %d are %v and %v, want %v and %v", n, sums, lost, wantSums, wantLost)
			}
		}
		for n := 0; n <= 4*TwofoldLanes; n += TwofoldLanes {
			sums, lost := make([]float64, n+1), make([]float64, n+1)
			for range 3 {
				d.AddTwofold(sums, lost, mapped(waves(n), func(v float64) float64 { return v * 1.1 }))
			}
			for i := range n {
				var want, wantLost [TwofoldLanes]float64
				for range 3 {
					twofold(&want, &wantLost, []float64{float64(waves(n)[i]) * 1.1})
				}
				if sums[i] != want[0] || lost[i] != wantLost[0] {
					t.Errorf("sum %d of %d is %v and %v, want %v and %v", i, n, sums[i], lost[i], want[0], wantLost[0])
				}
			}
		}
	})
}

func TestDoubleExtremes(t *testing.T) {
	each(t, func(t *testing.T, fs Functions) {
		for n := Whole; n <= 4*Whole; n += Whole {
			for at := range n {
				for _, v := range []float64{50, -50, math.Inf(1), math.Inf(-1), math.NaN(),
					math.Float64frombits(0xfff8000000000001), 0} {
					x := mapped(waves(n), func(v float64) float64 { return v * 1.1 })
					x[at] = v
					top, low := x[0], x[0]
					for _, v := range x {
						top, low = max(top, v), min(low, v)
					}
					if got := fs.Doubles.Max(x); !sameDouble(got, top) {
						t.Fatalf("with %v at %d of %d the maximum is %v, want %v", v, at, n, got, top)
					}
					if got := fs.Doubles.Min(x); !sameDouble(got, low) {
						t.Fatalf("with %v at %d of %d the minimum is %v, want %v", v, at, n, got, low)
					}
				}
			}
		}
	})
}

// TestInRange checks that functions say which elements they are not for, in whole vectors and in tails.
func TestInRange(t *testing.T) {
	each(t, func(t *testing.T, fs Functions) {
		power := func(out, x []float32) bool { return fs.Power(out, x, 3, -1) }
		powers := func(out, x []float32) bool {
			p := make([]float32, len(x))
			for i := range p {
				p[i] = 3
			}
			return fs.Powers(out, x, p)
		}
		for _, n := range lengths[1:] {
			for name, c := range map[string]struct {
				f         func(out, x []float32) bool
				good, bad []float32
			}{
				"sin": {fs.Sin, []float32{0, -1e5, 0x1p-149},
					[]float32{1.1e5, float32(math.Inf(-1)), float32(math.NaN())}},
				"cos": {fs.Cos, []float32{0, -1e5, 0x1p-149},
					[]float32{1.1e5, float32(math.Inf(-1)), float32(math.NaN())}},
				"power": {power, []float32{1, -2, 0x1p-41},
					[]float32{0, 0x1p-149, 1e30, -1e-30, float32(math.Inf(-1)), float32(math.NaN())}},
				"powers": {powers, []float32{1, 2, 0x1p-41},
					[]float32{0, -2, 0x1p-149, 1e30, 1e-30, float32(math.Inf(1)), float32(math.NaN())}},
			} {
				x := make([]float32, n)
				for i := range x {
					x[i] = c.good[i%len(c.good)]
				}
				out, check := guarded(n)
				if c.f(out, x) {
					t.Fatalf("%s: elements of %d in range are said not to be", name, n)
				}
				for i, bad := range c.bad {
					x[n*i/len(c.bad)] = bad
					if !c.f(out, x) {
						t.Fatalf("%s: %v as one of %d is said to be in range", name, bad, n)
					}
					x[n*i/len(c.bad)] = c.good[0]
				}
				check(t)
			}
		}
	})
}

// twofold adds as Doubles.Sum does, by the two-sum that compares (Dekker's).
func twofold(sums, lost *[TwofoldLanes]float64, x []float64) {
	for i, v := range x {
		s := &sums[i%TwofoldLanes]
		big, small := *s, v
		if math.Abs(v) > math.Abs(*s) {
			big, small = v, *s
		}
		next := *s + v
		lost[i%TwofoldLanes] += small - (next - big)
		*s = next
	}
}
