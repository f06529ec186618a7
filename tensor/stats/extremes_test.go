package stats_test

import (
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/stats"
	"github.com/gorocm/gorocm/tensor/stats/distributions"
)

// extreme are the functions of extremes.txt, of one sample or two.
var extreme = map[string]func(x, y *tensor.Tensor) []float64{
	"skew":     func(x, _ *tensor.Tensor) []float64 { return stats.Skew(x).FlattenAll().Float64s() },
	"kurtosis": func(x, _ *tensor.Tensor) []float64 { return stats.Kurtosis(x).FlattenAll().Float64s() },
	"zscore0":  func(x, _ *tensor.Tensor) []float64 { return stats.ZScore(x, 0, 0).Float64s() },
	"zscore1":  func(x, _ *tensor.Tensor) []float64 { return stats.ZScore(x, 1, 0).Float64s() },
	"sem":      func(x, _ *tensor.Tensor) []float64 { return stats.SEM(x).FlattenAll().Float64s() },
	"iqr":      func(x, _ *tensor.Tensor) []float64 { return stats.IQR(x).FlattenAll().Float64s() },
	"moment3":  func(x, _ *tensor.Tensor) []float64 { return stats.Moment(x, 3).FlattenAll().Float64s() },
	"cov":      func(x, _ *tensor.Tensor) []float64 { return stats.Cov(x, 1).FlattenAll().Float64s() },
	"rankdata": func(x, _ *tensor.Tensor) []float64 { return stats.RankData(x).Float64s() },

	"shapiro":     func(x, _ *tensor.Tensor) []float64 { return numbers(stats.Shapiro(x)) },
	"normaltest":  func(x, _ *tensor.Tensor) []float64 { return numbers(stats.NormalTest(x)) },
	"jarque_bera": func(x, _ *tensor.Tensor) []float64 { return numbers(stats.JarqueBera(x)) },
	"ttest_1samp": func(x, _ *tensor.Tensor) []float64 { return numbers(stats.TTest1Samp(x, 1.5, 0)) },
	"wilcoxon":    func(x, _ *tensor.Tensor) []float64 { return numbers(stats.Wilcoxon(x, nil, 0)) },
	"chisquare":   func(x, _ *tensor.Tensor) []float64 { return numbers(stats.ChiSquare(x, nil)) },
	"ks_1samp": func(x, _ *tensor.Tensor) []float64 {
		return numbers(stats.KS1Samp(x, distributions.Normal(0, 1).CDF, 0))
	},

	"ttest_ind":    func(x, y *tensor.Tensor) []float64 { return numbers(stats.TTestInd(x, y, true, 0)) },
	"welch":        func(x, y *tensor.Tensor) []float64 { return numbers(stats.TTestInd(x, y, false, 0)) },
	"ttest_rel":    func(x, y *tensor.Tensor) []float64 { return numbers(stats.TTestRel(x, y, 0)) },
	"pearsonr":     func(x, y *tensor.Tensor) []float64 { return numbers(stats.PearsonR(x, y, 0)) },
	"spearmanr":    func(x, y *tensor.Tensor) []float64 { return numbers(stats.SpearmanR(x, y, 0)) },
	"kendalltau":   func(x, y *tensor.Tensor) []float64 { return numbers(stats.KendallTau(x, y, 0)) },
	"mannwhitneyu": func(x, y *tensor.Tensor) []float64 { return numbers(stats.MannWhitneyU(x, y, 0)) },
	"ks_2samp":     func(x, y *tensor.Tensor) []float64 { return numbers(stats.KS2Samp(x, y, 0)) },
	"kruskal":      func(x, y *tensor.Tensor) []float64 { return numbers(stats.Kruskal(x, y)) },
	"f_oneway":     func(x, y *tensor.Tensor) []float64 { return numbers(stats.FOneway(x, y)) },
	"linregress": func(x, y *tensor.Tensor) []float64 {
		l := stats.LinRegress(x, y)
		return []float64{l.Slope, l.R}
	},
}

// TestExtremes: samples that are equal, very short, not finite, far from 0, or of extreme scales give what SciPy gives,
// or an error of their shape.
func TestExtremes(t *testing.T) {
	thorough.Slow(t)
	text, err := os.ReadFile("testdata/extremes.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	samples, seen := map[string][]float64{}, map[string]bool{}
	extremesOn(t, tensor.CPU(), lines, samples, seen)
	for name := range extreme {
		if !seen[name] {
			t.Errorf("%s is not in extremes.txt", name)
		}
	}
	thorough.Slow(t)
	gpu, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Skip(err)
	}
	extremesOn(t, gpu, thorough.Sample(lines, 2, len(samples)), samples, seen)
	for _, dt := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16} {
		x := tensor.CPU().Full(dt, 3.7, 9)
		for _, v := range []*tensor.Tensor{stats.Skew(x), stats.Kurtosis(x), stats.ZScore(x, 0, 0).Get(3),
			stats.CorrCoef(tensor.Stack([]*tensor.Tensor{x, x}, 0)).Get(0).Get(1)} {
			if got := v.ToScalar(); got == got {
				t.Errorf("%v: %v of equal elements", dt, got)
			}
		}
	}
}

// extremesOn compares lines on a device.
func extremesOn(t *testing.T, dev *tensor.Device, lines []string, samples map[string][]float64, seen map[string]bool) {
	for _, line := range lines {
		f := strings.Split(line, "|")
		var numbers []float64
		for _, field := range strings.Fields(f[2]) {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, v)
		}
		if f[0] == "sample" {
			samples[f[1]] = numbers
			continue
		}
		seen[f[0]] = true
		names := strings.Fields(f[1])
		x, y := dev.New(samples[names[0]]), dev.New(samples[names[len(names)-1]])
		var got []float64
		err := tensor.Catch(func() error { got = extreme[f[0]](x, y); return nil })
		if errors.Is(err, tensor.ErrShape) && (x.Dim(0) < 8 || y.Dim(0) != x.Dim(0)) { // too short, or no pairs
			continue
		}
		tol := 1e-9
		if f[0] == "shapiro" {
			tol = 1e-8 // SciPy's weights
		}
		if err != nil || !agree(got, numbers, tol) {
			t.Errorf("%v: %s of %s: %v, %v; want %v", dev, f[0], f[1], got, err, numbers)
		}
	}
}

// agree reports whether values are those wanted, where one NaN stands for any number of them.
func agree(got, want []float64, tol float64) bool {
	for i, g := range got {
		w := math.NaN()
		if i < len(want) {
			w = want[i]
		}
		if g != w && !(g != g && w != w) && !(math.Abs(g-w) <= tol*math.Abs(w)+1e-300) {
			return false
		}
	}
	return len(got) >= len(want)
}
