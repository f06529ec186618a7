package random_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
)

// TestSplit: split generators differ from one another and from their parent, repeat, and are not correlated.
func TestSplit(t *testing.T) {
	const n = 10000
	draw := func() (list []*tensor.Tensor) {
		g := random.New(1)
		for range 2 {
			for _, h := range g.Split(3) {
				list = append(list, h.Normal(0, 1, []int{n}, tensor.F64, cpu))
			}
		}
		return append(list, g.Normal(0, 1, []int{n}, tensor.F64, cpu))
	}
	list, again := draw(), draw()
	for i, x := range list {
		if !slices.Equal(x.Float64s(), again[i].Float64s()) {
			t.Errorf("generator %d does not repeat", i)
		}
		for j := range i {
			if r := x.Dot(list[j]).ToScalar() / n; math.Abs(r) > 4/math.Sqrt(n) {
				t.Errorf("the correlation of generators %d and %d is %v", i, j, r)
			}
		}
	}
}

// TestAdvance: numbers of a later call differ from those of an earlier one, of any kind.
func TestAdvance(t *testing.T) {
	g := random.New(1)
	seen := map[float64]bool{}
	for range 5 {
		for _, x := range []*tensor.Tensor{
			g.Uniform(0, 1, []int{7}, tensor.F64, cpu), g.Gamma(2, 1, []int{7}, tensor.F64, cpu),
			g.TruncatedNormal(0, 1, -1, 1, []int{7}, tensor.F64, cpu), g.Exponential(1, []int{7}, tensor.F64, cpu),
			g.Bits([]int{7}, tensor.U32, cpu), g.Beta(1, 2, []int{7}, tensor.F64, cpu),
		} {
			for _, v := range x.Float64s() {
				if seen[v] {
					t.Fatalf("%v occurs twice", v)
				}
				seen[v] = true
			}
		}
	}
}

// TestIntegers counts all integers of small ranges: chi-square is below its mean plus five deviations.
func TestIntegers(t *testing.T) {
	const n = 1 << 16
	for _, c := range []struct {
		lo, hi int64
		scale  int64 // of the range, for ranges of 64-bit words
	}{{0, 2, 1}, {-3, 4, 1}, {10, 110, 1}, {0, 3, 1 << 61}, {-1, 2, 1 << 60}, {0, 3, 1 << 30}} {
		x := tensor.ToVec1[int64](random.New(4).Integers(c.lo*c.scale, c.hi*c.scale, []int{n}, tensor.I64, cpu))
		cells := int(c.hi - c.lo)
		counts := make([]float64, cells)
		for _, v := range x {
			if v < c.lo*c.scale || v >= c.hi*c.scale {
				t.Fatalf("%d is not from %d to %d", v, c.lo*c.scale, c.hi*c.scale)
			}
			counts[int(math.Floor(float64(v)/float64(c.scale)))-int(c.lo)]++
		}
		chi, expected := 0.0, float64(n)/float64(cells)
		for _, k := range counts {
			chi += (k - expected) * (k - expected) / expected
		}
		if freedom := float64(cells - 1); chi > freedom+5*math.Sqrt(2*freedom) {
			t.Errorf("%+v: chi-square is %v", c, chi)
		}
	}
	all := random.New(1).Bits([]int{n}, tensor.I8, cpu)
	if low, high := all.Min().ToScalar(), all.Max().ToScalar(); low != -128 || high != 127 {
		t.Errorf("bits of I8 are from %v to %v", low, high)
	}
	if v := tensor.ToVec1[uint64](random.New(1).Integers(uint64(math.MaxUint64-1), uint64(math.MaxUint64), []int{2},
		tensor.U64, cpu)); v[0] != math.MaxUint64-1 || v[1] != v[0] {
		t.Errorf("one integer: got %v", v)
	}
}

// TestExtremes: parameters at the ends of their domains.
func TestExtremes(t *testing.T) {
	g, shape := random.New(1), []int{500}
	for name, c := range map[string]struct {
		x    *tensor.Tensor
		want float64
	}{
		"bernoulli 0":            {g.Bernoulli(0, shape, tensor.F32, cpu), 0},
		"bernoulli 1":            {g.Bernoulli(1, shape, tensor.F32, cpu), 1},
		"poisson 0":              {g.Poisson(0, shape, tensor.I64, cpu), 0},
		"binomial of no trials":  {g.Binomial(0, 0.5, shape, tensor.I64, cpu), 0},
		"binomial 0":             {g.Binomial(1000, 0, shape, tensor.I64, cpu), 0},
		"binomial 1":             {g.Binomial(1000, 1, shape, tensor.I64, cpu), 1000},
		"a limit":                {g.Poisson(1e9, shape, tensor.U8, cpu), 255},
		"gamma near 0":           {g.Gamma(1e-300, 1, shape, tensor.F64, cpu), 0},
		"normal without std":     {g.Normal(3, 0, shape, tensor.F64, cpu), 3},
		"a far tail":             {g.TruncatedNormal(0, 1, 1e9, math.Inf(1), shape, tensor.F64, cpu), 1e9},
		"beta with a tiny share": {g.Beta(1e-300, 1, shape, tensor.F64, cpu), 0},
	} {
		if low, high := c.x.Min().ToScalar(), c.x.Max().ToScalar(); low != c.want || high != c.want {
			t.Errorf("%s: from %v to %v, want %v", name, low, high, c.want)
		}
	}
	// with tiny parameters one part of a vector has all
	x := g.Dirichlet(tensor.Of(1e-5, 1e-5, 1e-5), shape, tensor.F64)
	if x.IsNaN().Any().ToDType(tensor.U8).ToScalar() != 0 || x.Max(-1).Min().ToScalar() < 1-1e-9 {
		t.Errorf("dirichlet of tiny parameters: %v", x)
	}
	if n := g.Poisson(tensor.Of(), []int{0}, tensor.F32, cpu).ElemCount(); n != 0 {
		t.Errorf("%d variates of shape [0]", n)
	}
}

func TestMistakes(t *testing.T) {
	g, s := random.New(1), []int{2}
	nan := math.NaN()
	for name, c := range map[string]struct {
		run  func()
		kind error
	}{
		"floats as integers":        {func() { g.Normal(0, 1, s, tensor.I64, cpu) }, tensor.ErrDType},
		"integers as floats":        {func() { g.Integers(0, 1, s, tensor.F32, cpu) }, tensor.ErrDType},
		"integers beyond a type":    {func() { g.Integers(0, 257, s, tensor.U8, cpu) }, tensor.ErrDType},
		"integers below a type":     {func() { g.Integers(-1, 2, s, tensor.U8, cpu) }, tensor.ErrDType},
		"unsigned beyond signed":    {func() { g.Integers(0, uint64(1<<63+1), s, tensor.I64, cpu) }, tensor.ErrDType},
		"no integer":                {func() { g.Integers(3, 3, s, tensor.I64, cpu) }, tensor.ErrValue},
		"bounds upside down":        {func() { g.Integers(3, -3, s, tensor.I64, cpu) }, tensor.ErrValue},
		"a fraction as bound":       {func() { g.Integers(0, 2.5, s, tensor.I64, cpu) }, tensor.ErrDType},
		"bits of floats":            {func() { g.Bits(s, tensor.F32, cpu) }, tensor.ErrDType},
		"a probability of 1.5":      {func() { g.Bernoulli(1.5, s, tensor.F32, cpu) }, tensor.ErrValue},
		"a probability of NaN":      {func() { g.Bernoulli(tensor.Of(0.5, nan), s, tensor.F32, cpu) }, tensor.ErrValue},
		"bounds that cross":         {func() { g.Uniform(1, 0, s, tensor.F32, cpu) }, tensor.ErrValue},
		"bounds that cross once":    {func() { g.Uniform(tensor.Of(0, 2), 1, s, tensor.F32, cpu) }, tensor.ErrValue},
		"a negative deviation":      {func() { g.Normal(0, -1, s, tensor.F32, cpu) }, tensor.ErrValue},
		"a negative mean":           {func() { g.Poisson(tensor.Of(1, -1), s, tensor.F32, cpu) }, tensor.ErrValue},
		"a mean of NaN":             {func() { g.Poisson(nan, s, tensor.F32, cpu) }, tensor.ErrValue},
		"a mean beyond exactness":   {func() { g.Poisson(1e17, s, tensor.F32, cpu) }, tensor.ErrValue},
		"half a trial":              {func() { g.Binomial(tensor.Of(1, 1.5), 0.5, s, tensor.F32, cpu) }, tensor.ErrValue},
		"a scale of 0":              {func() { g.Exponential(0, s, tensor.F32, cpu) }, tensor.ErrValue},
		"an infinite shape":         {func() { g.Gamma(math.Inf(1), 1, s, tensor.F32, cpu) }, tensor.ErrValue},
		"an empty interval":         {func() { g.TruncatedNormal(0, 1, 2, 2, s, tensor.F32, cpu) }, tensor.ErrValue},
		"text":                      {func() { g.Normal("0", 1, s, tensor.F32, cpu) }, tensor.ErrDType},
		"a shape that does not fit": {func() { g.Poisson(tensor.Of(1, 2, 3), s, tensor.F32, cpu) }, tensor.ErrShape},
		"a negative size":           {func() { g.Normal(0, 1, []int{-1}, tensor.F32, cpu) }, tensor.ErrShape},
		"no device":                 {func() { g.Normal(0, 1, s, tensor.F32, nil) }, tensor.ErrDevice},
		"too many of a few":         {func() { g.Choice(tensor.Of(1, 2), 3, false, nil) }, tensor.ErrValue},
		"no weight above 0":         {func() { g.Multinomial(tensor.Of(0, 0), 1, true) }, tensor.ErrValue},
		"a negative weight":         {func() { g.Multinomial(tensor.Of(0, -1), 1, true) }, tensor.ErrValue},
		"too few weights above 0":   {func() { g.Multinomial(tensor.Of(0, 1), 2, false) }, tensor.ErrValue},
		"weights of other slices":   {func() { g.Choice(tensor.Of(1, 2), 1, true, tensor.Of(1)) }, tensor.ErrShape},
		"sobol of no dims":          {func() { random.NewSobol(0) }, tensor.ErrValue},
		"sobol of too many dims":    {func() { random.NewSobol(random.MaxSobolDims + 1) }, tensor.ErrValue},
		"too many points":           {func() { random.NewSobol(1).Skip(1<<32).Draw(1, tensor.F32, cpu) }, tensor.ErrValue},
	} {
		err := tensor.Catch(func() error { c.run(); return nil })
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want an error of kind %v", name, err, c.kind)
		}
	}
}

// TestState: a generator goes on where another was.
func TestState(t *testing.T) {
	dev := tensor.CPU()
	for name, g := range map[string]*random.Generator{"own": random.New(3), "of a device": random.Default(dev)} {
		draw := func() []float64 {
			return append(g.Normal(0, 1, []int{7}, tensor.F32, dev).ToVec1(), g.Permutation(9, dev).ToVec1()...)
		}
		draw()
		seed, counter := g.State()
		want := draw()
		draw()
		if g.SetState(seed, counter); !slices.Equal(draw(), want) {
			t.Errorf("a generator %s draws other numbers", name)
		}
	}
}
