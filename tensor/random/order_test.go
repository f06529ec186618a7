package random_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
)

// TestPermutation: all permutations of four have the same frequency, and each number occurs once.
func TestPermutation(t *testing.T) {
	g, counts := random.New(2), map[[4]uint32]float64{}
	const n = 4800
	for range n {
		p := tensor.ToVec1[uint32](g.Permutation(4, cpu))
		counts[[4]uint32(p)]++
		slices.Sort(p)
		if !slices.Equal(p, []uint32{0, 1, 2, 3}) {
			t.Fatalf("%v is no permutation", p)
		}
	}
	chi := 0.0
	for _, k := range counts {
		chi += (k - n/24) * (k - n/24) / (n / 24)
	}
	if len(counts) != 24 || chi > 23+5*math.Sqrt(46) {
		t.Errorf("%d permutations, chi-square is %v", len(counts), chi)
	}
}

func TestShuffleAndChoice(t *testing.T) {
	g := random.New(3)
	m := cpu.Arange(tensor.F32, 12).Reshape(3, 4)
	for dim := range 2 {
		y := g.Shuffle(m, dim)
		if y.Equal(m) {
			t.Errorf("dim %d is in order", dim)
		}
		if sorted, _ := y.Sort(dim, true); !sorted.Equal(m) {
			t.Errorf("dim %d: %v has other slices than %v", dim, y, m)
		}
	}
	x := cpu.Arange(tensor.I64, 50)
	once := tensor.ToVec1[int64](g.Choice(x, 50, false, nil))
	slices.Sort(once)
	if !slices.Equal(once, tensor.ToVec1[int64](x)) {
		t.Errorf("without replacement: %v", once)
	}
	if again := g.Choice(x, 200, true, nil); again.ElemCount() != 200 || again.Max().ToScalar() > 49 {
		t.Errorf("with replacement: %v", again)
	}
	weights := cpu.Zeros(tensor.F32, 50)
	weights.SetI(1, 7)
	if only := g.Choice(x, 3, true, weights); !slices.Equal(only.Float64s(), []float64{7, 7, 7}) {
		t.Errorf("one weight above 0: got %v", only)
	}
	if none := g.Choice(m, 0, false, nil); !slices.Equal(none.Dims(), []int{0, 4}) {
		t.Errorf("no rows: %v", none.Dims())
	}
}

// TestMultinomial compares frequencies with probabilities: of single draws, and of the second of two without
// replacement.
func TestMultinomial(t *testing.T) {
	const n = 20000
	weights := []float64{1, 0, 3, 2.5, 0, 3.5}
	rows := cpu.New(weights).BroadcastAs(n, len(weights))
	second := make([]float64, len(weights))
	for j, v := range weights {
		for i, w := range weights {
			if i != j && w > 0 {
				second[j] += w / 10 * v / (10 - w)
			}
		}
	}
	g := random.New(4)
	frequencies := func(ids *tensor.Tensor) []float64 {
		f := make([]float64, len(weights))
		for _, i := range tensor.ToVec1[uint32](ids.FlattenAll()) {
			f[i] += 1 / float64(ids.ElemCount())
		}
		return f
	}
	pairs := g.Multinomial(rows, 2, false)
	if same := pairs.Narrow(1, 0, 1).Eq(pairs.Narrow(1, 1, 1)).Sum().ToScalar(); same != 0 {
		t.Errorf("%v pairs have the same index twice", same)
	}
	for name, c := range map[string]struct {
		got  []float64
		want func(i int) float64
	}{
		"with replacement": {frequencies(g.Multinomial(rows.Get(0), n, true)), func(i int) float64 { return weights[i] / 10 }},
		"rows":             {frequencies(g.Multinomial(rows, 1, true)), func(i int) float64 { return weights[i] / 10 }},
		"first":            {frequencies(pairs.Narrow(1, 0, 1)), func(i int) float64 { return weights[i] / 10 }},
		"second":           {frequencies(pairs.Narrow(1, 1, 1)), func(i int) float64 { return second[i] }},
	} {
		for i, f := range c.got {
			if p := c.want(i); math.Abs(f-p) > 4*math.Sqrt(p*(1-p)/n) {
				t.Errorf("%s: the frequency of %d is %v, want %v", name, i, f, p)
			}
		}
	}
}

// TestSobol: the first 64 points in 1,111 dims, from scipy.stats.qmc.Sobol, and what makes the points even.
func TestSobol(t *testing.T) {
	s := random.NewSobol(random.MaxSobolDims)
	x := s.Draw(20, tensor.F64, cpu)
	x = tensor.Cat([]*tensor.Tensor{x, s.Draw(44, tensor.F64, cpu)}, 0)
	rows := x.ToVec2()
	for _, c := range []struct {
		point, dim int
		want       float64
	}{{0, 0, 0}, {1, 0, 0.5}, {5, 3, 0.375}, {13, 17, 0.6875}, {37, 500, 0.171875}, {63, 1110, 0.015625}} {
		if got := rows[c.point][c.dim]; got != c.want {
			t.Errorf("dim %d of point %d is %v, want %v", c.dim, c.point, got, c.want)
		}
	}
	for name, s := range map[string]*random.Sobol{
		"plain": random.NewSobol(40), "scrambled": random.NewSobol(40).Scramble(random.New(1))} {
		const n = 256 // in each dim, each of 256 equal intervals has one point
		cells := s.Draw(n, tensor.F32, cpu).Mul(n).Floor().T().ToVec2()
		for d, list := range cells {
			slices.Sort(list)
			for i, v := range list {
				if v != float64(i) {
					t.Fatalf("%s: dim %d has no point in interval %d", name, d, i)
				}
			}
		}
		// the mean of a smooth function, of which random points have an error of about 0.04
		y := s.Skip(1<<12-n).Draw(1<<12, tensor.F64, cpu).Narrow(1, 0, 5).Sub(0.5).Mul(2).Sqr().Sum(-1).Mean().ToScalar()
		if math.Abs(y-5.0/3) > 1e-3 {
			t.Errorf("%s: the mean is %v, want 5/3", name, y)
		}
	}
}
