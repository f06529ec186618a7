package stats

import (
	"fmt"
	"math"
	"sort"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/special/scalar"
)

// PearsonR returns the correlation coefficient of Pearson of the pairs of x and y [n], and tests whether it is 0 in a
// normal population, as scipy.stats.pearsonr does. The interval is Fisher's.
func PearsonR(x, y *tensor.Tensor, alternative Alternative) Test {
	const op = "pearsonr"
	pairs(op, x, y)
	a, b := vector(op, x, 2), vector(op, y, 2)
	n := float64(a.Dim(0))
	t := Test{Name: "r", Statistic: correlation(a, b)}
	if n == 2 && t.Statistic == t.Statistic {
		t.P, t.Low, t.High = 1, -1, 1
		return t
	}
	t.P = correlationP(t.Statistic, n, alternative)
	z, by := math.Atanh(t.Statistic), 1/math.Sqrt(n-3)
	switch {
	case n == 3:
		t.Low, t.High = -1, 1
	case alternative == Less:
		t.Low, t.High = -1, math.Tanh(z-by*scalar.Ndtri(0.05))
	case alternative == Greater:
		t.Low, t.High = math.Tanh(z+by*scalar.Ndtri(0.05)), 1
	default:
		t.Low, t.High = math.Tanh(z+by*scalar.Ndtri(0.025)), math.Tanh(z-by*scalar.Ndtri(0.025))
	}
	return t
}

// correlation is the scalar product of vectors of length 1, by half of the square of their distance from one another,
// which has more digits near 1. It is NaN where all elements are equal.
func correlation(x, y *tensor.Tensor) float64 {
	dx, dy := unit(centred(x)), unit(centred(y))
	if dx.Mul(dy).Sum().ToScalar() < 0 {
		return max(dx.Add(dy).Sqr().Sum().ToScalar()/2-1, -1)
	}
	return 1 - dx.Sub(dy).Sqr().Sum().ToScalar()/2
}

func unit(d *tensor.Tensor) *tensor.Tensor { return d.Div(d.Norm()) }

// correlationP is the probability of an alternative for a correlation of n pairs, by Student's distribution.
func correlationP(r, n float64, alternative Alternative) float64 {
	return alternative.tailOf(r*math.Sqrt((n-2)/((1-r)*(1+r))), func(t float64) float64 { return studentAbove(t, n-2) })
}

// SpearmanR returns the rank correlation coefficient of Spearman of the pairs of x and y [n], and tests whether it is
// 0, as scipy.stats.spearmanr does, by Student's distribution.
func SpearmanR(x, y *tensor.Tensor, alternative Alternative) Test {
	const op = "spearmanr"
	pairs(op, x, y)
	r := correlation(RankData(vector(op, x, 3)), RankData(vector(op, y, 3)))
	return Test{Name: "ρ", Statistic: r, P: correlationP(r, float64(x.Dim(0)), alternative)}
}

// KendallTau returns the rank correlation coefficient τ-b of Kendall of the pairs of x and y [n], and tests whether it
// is 0, as scipy.stats.kendalltau does. P is exact for up to 33 pairs without ties, and for one discordant or
// concordant pair at most; otherwise it is that of a normal distribution.
func KendallTau(x, y *tensor.Tensor, alternative Alternative) Test {
	const op = "kendalltau"
	pairs(op, x, y)
	a, hasNaN := values(op, x, 2)
	b, otherNaN := values(op, y, 2)
	t := Test{Name: "τ", Statistic: math.NaN(), P: math.NaN()}
	if hasNaN || otherNaN {
		return t
	}
	n := len(a)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool {
		p, q := order[i], order[j]
		return a[p] < a[q] || a[p] == a[q] && b[p] < b[q]
	})
	second, both := make([]float64, n), 0.0
	for i, at := range order {
		second[i] = b[at]
	}
	for i := 0; i < n; {
		j := i
		for j < n && a[order[j]] == a[order[i]] && second[j] == second[i] {
			j++
		}
		both += float64(j-i) * float64(j-i-1) / 2
		i = j
	}
	tx, ty := tiesOf(a), tiesOf(b)
	discordant := inversions(second, make([]float64, n))
	size := float64(n)
	all := size * (size - 1) / 2
	less := all - tx.pairs - ty.pairs + both - 2*discordant // concordant less discordant pairs
	if tx.pairs == all || ty.pairs == all {
		return t
	}
	t.Statistic = max(min(less/math.Sqrt(all-tx.pairs)/math.Sqrt(all-ty.pairs), 1), -1)
	if least := min(discordant, all-discordant); tx.pairs == 0 && ty.pairs == 0 && (n <= 33 || least <= 1) {
		t.Exact = true
		t.P = alternative.doubled(orders(n, all-discordant), orders(n, discordant))
		return t
	}
	m := size * (size - 1)
	variance := (m*(2*size+5)-tx.third-ty.third)/18 + 2*tx.pairs*ty.pairs/m + tx.second*ty.second/(9*m*(size-2))
	t.P = alternative.tailOf(less/math.Sqrt(variance), normalAbove)
	return t
}

// ties are sums over numbers t of equal elements: of pairs, of t(t-1)(t-2), and of t(t-1)(2t+5).
type ties struct{ pairs, second, third float64 }

func tiesOf(list []float64) (sum ties) {
	counts := map[float64]float64{}
	for _, v := range list {
		counts[v]++
	}
	for _, t := range counts {
		sum.pairs += t * (t - 1) / 2
		sum.second += t * (t - 1) * (t - 2)
		sum.third += t * (t - 1) * (2*t + 5)
	}
	return sum
}

// inversions sorts a list, and counts the pairs whose order changes.
func inversions(list, room []float64) (n float64) {
	if len(list) < 2 {
		return 0
	}
	half := len(list) / 2
	n = inversions(list[:half], room[:half]) + inversions(list[half:], room[half:])
	i, j := 0, half
	for k := range room {
		if j == len(list) || i < half && list[i] <= list[j] {
			room[k], i = list[i], i+1
		} else {
			room[k], j, n = list[j], j+1, n+float64(half-i)
		}
	}
	copy(list, room)
	return n
}

// orders is the probability that a random order of n elements has so many inversions or fewer.
func orders(n int, inversions float64) (sum float64) {
	most := int(min(inversions, float64(n)*float64(n-1)/2-inversions-1)) // the smaller side
	if most < 0 {
		return 1
	}
	ways := make([]float64, most+1)
	ways[0] = 1
	for k := 2; k <= n; k++ { // each of k places of the next element adds 0 to k-1
		next, window := make([]float64, most+1), 0.0
		for i := range next {
			window += ways[i]
			if i >= k {
				window -= ways[i-k]
			}
			next[i] = window / float64(k)
		}
		ways = next
	}
	for _, p := range ways {
		sum += p
	}
	if float64(most) != inversions {
		return 1 - sum
	}
	return sum
}

// Line is a line through points by least squares.
type Line struct {
	Slope, Intercept            float64
	R                           float64 // the correlation coefficient
	P                           float64 // of the test whether the slope is 0, by Student's distribution with DF
	SlopeError, InterceptError  float64 // standard errors
	DF                          float64
	SlopeLow, SlopeHigh         float64 // confidence intervals of 95 %
	InterceptLow, InterceptHigh float64
}

// String is the line as a formula, with what is known of it.
func (l Line) String() string {
	return fmt.Sprintf("y = %.6g·x %+.6g, r = %.4g, p = %.4g, standard errors %.4g and %.4g", l.Slope, l.Intercept, l.R,
		l.P, l.SlopeError, l.InterceptError)
}

// LinRegress returns the line through points x and y [n], three or more, by least squares, as scipy.stats.linregress
// does. It is NaN where all x are equal, R and P also where all y are.
func LinRegress(x, y *tensor.Tensor) Line {
	const op = "linregress"
	pairs(op, x, y)
	a, b := vector(op, x, 3), vector(op, y, 3)
	n, mx, _ := moments(a)
	_, my, _ := moments(b)
	dx, dy := centred(a), centred(b)
	sxx, sxy := dx.Sqr().Sum().ToScalar(), dx.Mul(dy).Sum().ToScalar()
	l := Line{Slope: sxy / sxx, R: correlation(a, b), DF: n - 2}
	l.Intercept = my - l.Slope*mx
	rest := dy.Sub(dx.Mul(l.Slope)).Sqr().Sum().ToScalar()
	l.SlopeError = math.Sqrt(rest / l.DF / sxx)
	l.InterceptError = l.SlopeError * math.Sqrt(sxx/n+mx*mx)
	l.P = correlationP(l.R, n, TwoSided)
	l.SlopeLow, l.SlopeHigh = TwoSided.interval(l.Slope, l.SlopeError, l.DF)
	l.InterceptLow, l.InterceptHigh = TwoSided.interval(l.Intercept, l.InterceptError, l.DF)
	return l
}
