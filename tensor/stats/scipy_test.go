package stats_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/random"
	"github.com/gorocm/gorocm/tensor/stats"
	"github.com/gorocm/gorocm/tensor/stats/distributions"
)

// suite compares with recorded values of SciPy 1.17 and NumPy 2.4 on a device.
type suite struct {
	t    *testing.T
	dev  *tensor.Device
	want map[string][]float64
	left map[string]bool // what has not been compared
}

func newSuite(t *testing.T, dev *tensor.Device) *suite {
	t.Helper()
	text, err := os.ReadFile("testdata/scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string][]any
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	s := &suite{t: t, dev: dev, want: map[string][]float64{}, left: map[string]bool{}}
	for name, list := range cases {
		s.left[name] = true
		for _, v := range list {
			x, ok := v.(float64)
			if !ok {
				x, _ = strconv.ParseFloat(v.(string), 64)
			}
			s.want[name] = append(s.want[name], x)
		}
	}
	return s
}

func (s *suite) in(name string) *tensor.Tensor {
	delete(s.left, name)
	return s.dev.New(s.want[name])
}

func (s *suite) check(name string, got ...float64) { s.t.Helper(); s.within(name, 2e-11, got...) }

func (s *suite) within(name string, relative float64, got ...float64) {
	s.t.Helper()
	delete(s.left, name)
	want := s.want[name]
	if len(got) != len(want) || len(got) == 0 {
		s.t.Errorf("%s: got %v, want %v", name, got, want)
		return
	}
	for i, w := range want {
		if g := got[i]; !(g == w || math.Abs(g-w) <= relative*math.Abs(w)+1e-14) && !(g != g && w != w) {
			s.t.Errorf("%s: value %d is %v, want %v", name, i, g, w)
		}
	}
}

func numbers(t stats.Test) []float64 { return []float64{t.Statistic, t.P} }

func full(t stats.Test) []float64 { return []float64{t.Statistic, t.P, t.DF, t.Low, t.High} }

// TestSciPy runs all functions on the samples of the record.
func TestSciPy(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		s := newSuite(t, dev)
		for a, name := range []string{"two-sided", "less", "greater"} {
			s.alternative(name, stats.Alternative(a))
		}
		s.samples()
		s.tables()
		s.described()
		s.quantiles()
		for name := range s.left {
			t.Errorf("%s was not compared", name)
		}
	})
}

func (s *suite) alternative(name string, a stats.Alternative) {
	x, y, z, ties, other := s.in("x"), s.in("y"), s.in("z"), s.in("ties"), s.in("other")
	small, few, tiny, large, larger := s.in("small"), s.in("few"), s.in("tiny"), s.in("large"), s.in("larger")
	s.check("ttest_1samp "+name, full(stats.TTest1Samp(x, 0.3, a))...)
	s.check("ttest_ind "+name, full(stats.TTestInd(x, y, true, a))...)
	s.check("welch "+name, full(stats.TTestInd(x, y, false, a))...)
	s.check("ttest_rel "+name, full(stats.TTestRel(x, z, a))...)
	for of, c := range map[string][2]*tensor.Tensor{"": {x, y}, " small": {small, few}, " ties": {ties, other},
		" few": {few, larger.Narrow(0, 0, 150)}, " large": {large, larger}} {
		s.check("mannwhitneyu"+of+" "+name, numbers(stats.MannWhitneyU(c[0], c[1], a))...)
		s.check("ks_2samp"+of+" "+name, numbers(stats.KS2Samp(c[0], c[1], a))...)
	}
	for of, d := range map[string]*tensor.Tensor{" small": small, " tiny": tiny, " large": large.Sub(1.7)} {
		s.check("wilcoxon"+of+" "+name, numbers(stats.Wilcoxon(d, nil, a))...)
	}
	s.check("wilcoxon "+name, numbers(stats.Wilcoxon(x, z, a))...)
	normal := distributions.Normal(0, 1)
	for of, v := range map[string]*tensor.Tensor{"": x, " small": small, " large": large.Sub(2).Div(1.4),
		" far": small.Add(2), " near": s.in("near")} {
		s.within("ks_1samp"+of+" "+name, 2e-10, numbers(stats.KS1Samp(v, normal.CDF, a))...)
	}
	for _, t := range [][][]float64{{{8, 2}, {1, 5}}, {{30, 12}, {17, 44}}, {{0, 5}, {7, 2}}, {{200, 180}, {150, 190}}} {
		of := fmt.Sprintf("fisher [[%v, %v], [%v, %v]] %s", t[0][0], t[0][1], t[1][0], t[1][1], name)
		s.check(of, numbers(stats.FisherExact(s.dev.New(t), a))...)
	}
	r := stats.PearsonR(x, z, a)
	s.check("pearsonr "+name, r.Statistic, r.P, r.Low, r.High)
	s.check("spearmanr "+name, numbers(stats.SpearmanR(x, z, a))...)
	s.check("spearmanr ties "+name, numbers(stats.SpearmanR(ties, other, a))...)
	s.check("kendalltau "+name, numbers(stats.KendallTau(few, s.dev.New([]float64{2, 3, 1, 0, 6, 5, 4}), a))...)
	s.check("kendalltau ties "+name, numbers(stats.KendallTau(ties, other, a))...)
	s.check("kendalltau large "+name, numbers(stats.KendallTau(large.Narrow(0, 0, 350), larger, a))...)
}

func (s *suite) samples() {
	x, y, z, ties, other, large := s.in("x"), s.in("y"), s.in("z"), s.in("ties"), s.in("other"), s.in("large")
	grid := s.dev.Arange(tensor.F64, 3000).Add(0.5).Div(3000)
	d := distributions.Normal(0, 1)
	s.within("ks_1samp long", 1e-8, numbers(stats.KS1Samp(d.Quantile(grid).Mul(1.02), d.CDF, stats.TwoSided))...)
	f := stats.FOneway(x, y, z)
	s.check("f_oneway", f.Statistic, f.P, f.DF, f.DF2)
	k := stats.Kruskal(x, y, z)
	s.check("kruskal", k.Statistic, k.P, k.DF)
	k = stats.Kruskal(ties, other)
	s.check("kruskal ties", k.Statistic, k.P, k.DF)
	samples := map[string]*tensor.Tensor{"": x, " 3": s.dev.New([]float64{1, 2, 4.5}), " 5": s.in("small"),
		" 7": s.in("few"), " 11": x.Narrow(0, 0, 11), " 12": x.Narrow(0, 0, 12), " large": large, " ties": ties}
	for of, v := range samples {
		s.within("shapiro"+of, 1e-8, numbers(stats.Shapiro(v))...)
	}
	for _, of := range []string{"", " large", " ties"} {
		v := samples[of]
		s.check("normaltest"+of, numbers(stats.NormalTest(v))...)
		s.check("jarque_bera"+of, numbers(stats.JarqueBera(v))...)
		var z []float64
		for correction := range 2 {
			z = append(z, stats.ZScore(v, correction, 0).Float64s()...)
		}
		s.check("zscore"+of, z...)
		s.check("rankdata"+of, stats.RankData(v).Float64s()...)
		s.check("describe"+of, stats.Skew(v).ToScalar(), stats.Kurtosis(v).ToScalar(), stats.Moment(v, 5).ToScalar(),
			stats.SEM(v).ToScalar(), stats.IQR(v).ToScalar(), stats.PercentileOfScore(v, v.Get(3).ToScalar()),
			stats.PercentileOfScore(v, 1.2345))
	}
	l := stats.LinRegress(x, z)
	s.check("linregress", l.Slope, l.Intercept, l.R, l.P, l.SlopeError, l.InterceptError, l.SlopeLow, l.SlopeHigh,
		l.InterceptLow, l.InterceptHigh)
	p := s.in("p")
	s.check("bh", stats.BenjaminiHochberg(p).Float64s()...)
	s.check("by", stats.BenjaminiYekutieli(p).Float64s()...)
}

func (s *suite) tables() {
	counts := s.dev.New([]int64{16, 18, 16, 14, 12, 12})
	c := stats.ChiSquare(counts, nil)
	s.check("chisquare", c.Statistic, c.P, c.DF)
	c = stats.ChiSquare(counts, s.dev.New([]float64{16, 16, 16, 16, 16, 8}))
	s.check("chisquare expected", c.Statistic, c.P, c.DF)
	for of, c := range map[string]struct {
		table   [][]int64
		correct bool
	}{
		"": {[][]int64{{10, 10, 20}, {20, 20, 20}}, true}, " yates": {[][]int64{{12, 5}, {4, 9}}, true},
		" plain": {[][]int64{{12, 5}, {4, 9}}, false}, " row": {[][]int64{{3, 4, 5}}, true},
	} {
		t, expected := stats.Chi2Contingency(s.dev.New(c.table), c.correct)
		s.check("chi2_contingency"+of, append([]float64{t.Statistic, t.P, t.DF}, expected.FlattenAll().Float64s()...)...)
	}
}

func (s *suite) described() {
	p := s.dev.New([]float64{0.01, 0.04, 0.03, 0.5})
	for name, c := range map[string][2][]float64{
		"bonferroni": {stats.Bonferroni(p).Float64s(), {0.04, 0.16, 0.12, 1}},
		"holm":       {stats.Holm(p).Float64s(), {0.04, 0.09, 0.09, 0.5}},
	} {
		for i, w := range c[1] {
			if math.Abs(c[0][i]-w) > 1e-15 {
				s.t.Errorf("%s: got %v, want %v", name, c[0], c[1])
			}
		}
	}
}

func (s *suite) quantiles() {
	x, qs := s.in("x"), s.in("qs").Float64s()
	for rule, name := range []string{"linear", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
		"interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased", "lower", "higher",
		"midpoint", "nearest"} {
		for _, n := range []int{1, 2, 4, 8, 10, 23} {
			var got []float64
			for _, q := range qs {
				got = append(got, stats.Quantile(x.Narrow(0, 0, n), q, stats.Rule(rule)).ToScalar())
			}
			s.check(fmt.Sprintf("quantile %s %d", name, n), got...)
		}
	}
	m := s.dev.Arange(tensor.F32, 24).Reshape(2, 3, 4)
	if got := stats.Quantile(m, 0.5, stats.Hazen, 0, 2); !slices.Equal(got.Float64s(), []float64{7.5, 11.5, 15.5}) {
		s.t.Errorf("over two dims it is %v", got)
	}
	v := tensor.NewVar(s.dev.New([]float64{3, 1, 2}))
	if g := stats.Quantile(v, 0.5, stats.Weibull).Backward().Get(v).Float64s(); !slices.Equal(g, []float64{0, 0, 1}) {
		s.t.Errorf("the gradient of a median is %v", g)
	}
	inf := math.Inf(1)
	for _, c := range [][4]float64{{1, inf, 0.5, inf}, {-inf, inf, 0.5, math.NaN()}, {1, math.NaN(), 0, math.NaN()}} {
		if got := stats.Quantile(s.dev.New(c[:2]), c[2], stats.Linear).ToScalar(); got != c[3] && c[3] == c[3] {
			s.t.Errorf("%v: got %v", c, got)
		}
	}
}

// TestBootstrap: intervals of the mean of a normal sample are near Student's; those of BCa are those of SciPy with other
// random numbers, within what these differ.
func TestBootstrap(t *testing.T) {
	thorough.Slow(t)
	x := newSuite(t, tensor.CPU()).in("large")
	mean := func(rows *tensor.Tensor) *tensor.Tensor { return rows.Mean(1) }
	test := stats.TTest1Samp(x, 0, stats.TwoSided)
	for _, m := range []stats.Method{stats.BCa, stats.Percentile, stats.Basic} {
		i := stats.Bootstrap(x, mean, 9999, 0.95, m, random.New(1))
		width := test.High - test.Low
		if math.Abs(i.Low-test.Low) > 0.05*width || math.Abs(i.High-test.High) > 0.05*width ||
			math.Abs(i.StandardError*3.92-width) > 0.05*width {
			t.Errorf("method %d: %v, by Student %v to %v", m, i, test.Low, test.High)
		}
	}
	// eight runs of scipy.stats.bootstrap((large,), np.std) are 1.3220 ± 0.0021 to 1.5981 ± 0.0029
	std := func(rows *tensor.Tensor) *tensor.Tensor { return rows.StdWith(0, 1) }
	i := stats.Bootstrap(x, std, 9999, 0.95, stats.BCa, random.New(2))
	if math.Abs(i.Low-1.3220) > 0.009 || math.Abs(i.High-1.5981) > 0.012 {
		t.Errorf("the interval of a deviation is %v", i)
	}
}

// TestShown: results are lines that say what they are.
func TestShown(t *testing.T) {
	x, y := tensor.Of(1, 2, 4, 3), tensor.Of(2, 3, 7, 5)
	table := tensor.CPU().New([][]int64{{3, 1}, {1, 3}})
	for _, c := range []struct{ got, want string }{
		{stats.TTestRel(x, y, stats.TwoSided).String(), "t = -3.65563, p = 0.03535, df = 3, 95 % interval -3.27348 to -0.22652"},
		{stats.FOneway(x, y).String(), "F = 1.86076, p = 0.2215, df = 1 and 6"},
		{stats.FisherExact(table, stats.TwoSided).String(), "odds ratio = 9, p = 0.4857, exact"},
		{stats.LinRegress(x, y).String(), "y = 1.7·x +0, r = 0.9898, p = 0.01022, standard errors 0.1732 and 0.4743"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// TestMistakesOfTests: what cannot be tested is an error.
func TestMistakesOfTests(t *testing.T) {
	x, m := tensor.Of(1, 2, 4), tensor.Of(1, 2, 3, 4).Reshape(2, 2)
	many := tensor.CPU().Arange(tensor.F32, 5001)
	rows := func(rows *tensor.Tensor) *tensor.Tensor { return rows }
	for name, c := range map[string]struct {
		f    func()
		kind error
	}{
		"matrix":   {func() { stats.TTest1Samp(m, 0, stats.TwoSided) }, tensor.ErrShape},
		"one":      {func() { stats.TTest1Samp(tensor.Of(1), 0, stats.TwoSided) }, tensor.ErrShape},
		"pairs":    {func() { stats.PearsonR(x, tensor.Of(1, 2), stats.TwoSided) }, tensor.ErrShape},
		"group":    {func() { stats.Kruskal(x) }, tensor.ErrShape},
		"sums":     {func() { stats.ChiSquare(x, tensor.Of(1, 2, 3)) }, tensor.ErrValue},
		"empty":    {func() { stats.Chi2Contingency(tensor.Of(0, 0, 1, 2).Reshape(2, 2), true) }, tensor.ErrValue},
		"fraction": {func() { stats.FisherExact(tensor.Of(0.5, 0, 1, 2).Reshape(2, 2), stats.TwoSided) }, tensor.ErrValue},
		"many":     {func() { stats.Shapiro(many) }, tensor.ErrValue},
		"p":        {func() { stats.Holm(tensor.Of(0.5, 1.5)) }, tensor.ErrValue},
		"quantile": {func() { stats.Quantile(x, 1.5, stats.Linear) }, tensor.ErrValue},
		"rule":     {func() { stats.Quantile(x, 0.5, stats.Rule(99)) }, tensor.ErrValue},
		"level":    {func() { stats.Bootstrap(x, rows, 9, 1, stats.BCa, random.New(1)) }, tensor.ErrValue},
		"rows":     {func() { stats.Bootstrap(x, rows, 9, 0.9, stats.BCa, random.New(1)) }, tensor.ErrShape},
	} {
		_, err := tensor.Try(func() *tensor.Tensor { c.f(); return nil })
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want %v", name, err, c.kind)
		}
	}
	nan := tensor.Of(1, math.NaN(), 3)
	for name, p := range map[string]float64{"t": stats.TTest1Samp(nan, 0, stats.TwoSided).P,
		"u": stats.MannWhitneyU(x, nan, stats.TwoSided).P, "w": stats.Wilcoxon(nan, nil, stats.TwoSided).P,
		"ks": stats.KS2Samp(x, nan, stats.TwoSided).P, "tau": stats.KendallTau(x, nan, stats.TwoSided).P,
		"shapiro": stats.Shapiro(nan).P, "h": stats.Kruskal(x, nan).P, "r": stats.SpearmanR(x, nan, stats.TwoSided).P} {
		if p == p {
			t.Errorf("%s: NaN gives %v", name, p)
		}
	}
}
