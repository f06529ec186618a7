package stats

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// RankData returns the ranks of the elements of a vector, from 1 on, in F64: equal ones have the mean of theirs. NaN
// makes all of them NaN.
func RankData(x *tensor.Tensor) *tensor.Tensor {
	v := vector("rankdata", x, 0)
	if v.ElemCount() == 0 {
		return v
	}
	sorted, _ := v.SortLastDim(true)
	below := sorted.SearchSorted(v, false).ToDType(tensor.F64)
	upTo := sorted.SearchSorted(v, true).ToDType(tensor.F64)
	ranks := below.Add(upTo).Add(1).Mul(0.5)
	return v.IsNaN().Any().WhereCond(math.NaN(), ranks)
}

// tied is the sum of t³ - t over numbers t of equal ranks.
func tied(ranks []float64) (sum float64) {
	sorted := slices.Sorted(slices.Values(ranks))
	for i := 0; i < len(sorted); {
		j := i + 1
		for j < len(sorted) && sorted[j] == sorted[i] {
			j++
		}
		t := float64(j - i)
		sum += t*t*t - t
		i = j
	}
	return sum
}

// MannWhitneyU tests whether values of x [n] and of y [m] are equally large: the rank sum test of
// scipy.stats.mannwhitneyu. The statistic is the number of pairs in which x is larger, of equal ones half. P is exact
// where a sample has up to 8 elements and none are equal; otherwise it is that of a normal distribution, with
// corrections for ties and continuity.
func MannWhitneyU(x, y *tensor.Tensor, alternative Alternative) Test {
	const op = "mannwhitneyu"
	all := tensor.Cat([]*tensor.Tensor{vector(op, x, 1), vector(op, y, 1)}, 0)
	ranks := RankData(all).Float64s()
	nx := x.Dim(0)
	n, m := float64(nx), float64(y.Dim(0))
	sum := 0.0
	for _, r := range ranks[:nx] {
		sum += r
	}
	u := sum - n*(n+1)/2
	t := Test{Name: "U", Statistic: u}
	ties := tied(ranks)
	if u != u {
		t.P = u
		return t
	}
	if min(n, m) <= 8 && ties == 0 {
		ways := rankSums(nx, y.Dim(0))
		t.Exact, t.P = true, alternative.doubled(upTo(ways, u), upTo(ways, n*m-u))
		return t
	}
	deviation := math.Sqrt(n * m / 12 * (n + m + 1 - ties/((n+m)*(n+m-1))))
	above := func(u float64) float64 { return normalAbove((u - n*m/2 - 0.5) / deviation) }
	t.P = alternative.doubled(above(n*m-u), above(u))
	return t
}

// rankSums are the probabilities of each statistic of Mann and Whitney's test.
func rankSums(n, m int) []float64 {
	// choosing the ranks one after the other: the generating function is a Gaussian binomial coefficient
	if n > m {
		n, m = m, n
	}
	ways := make([]float64, n*m+1)
	ways[0] = 1
	for k := 1; k <= n; k++ { // times (1 - q^(m+k))/(1 - q^k)
		for i := len(ways) - 1; i >= m+k; i-- {
			ways[i] -= ways[i-m-k]
		}
		for i := k; i < len(ways); i++ {
			ways[i] += ways[i-k]
		}
		scale := float64(k) / float64(m+k) // the sum stays 1
		for i := range ways {
			ways[i] *= scale
		}
	}
	return ways
}

// upTo is the probability of statistics up to u.
func upTo(probabilities []float64, u float64) (sum float64) {
	for i := 0; i < len(probabilities) && float64(i) <= u; i++ {
		sum += probabilities[i]
	}
	return sum
}

// Wilcoxon tests whether the differences of pairs, the elements of x and y [n], are symmetric about 0: the signed rank
// test of scipy.stats.wilcoxon. y may be nil; then x are the differences. Those of 0 are left out; without others P is
// 1. The statistic is the sum of the ranks of positive differences, or the smaller one of both sums if the alternative
// is two-sided. P is exact for up to 50 pairs, also with ties; otherwise it is that of a normal distribution, with a
// correction for ties.
func Wilcoxon(x, y *tensor.Tensor, alternative Alternative) Test {
	const op = "wilcoxon"
	d := x
	if y != nil {
		pairs(op, x, y)
		d = vector(op, x, 1).Sub(vector(op, y, 1))
	}
	list, hasNaN := values(op, d, 1)
	t := Test{Name: "W", Statistic: math.NaN(), P: math.NaN()}
	list = slices.DeleteFunc(list, func(v float64) bool { return v == 0 })
	if hasNaN {
		return t
	} else if len(list) == 0 {
		t.Statistic, t.P = 0, 1
		return t
	}
	ranks := RankData(tensor.CPU().New(list).Abs()).Float64s()
	plus, minus := 0.0, 0.0
	for i, r := range ranks {
		if list[i] > 0 {
			plus += r
		} else {
			minus += r
		}
	}
	t.Statistic = plus
	if alternative == TwoSided {
		t.Statistic = min(plus, minus)
	}
	if n := float64(len(list)); x.Dim(0) > 50 {
		deviation := math.Sqrt((n*(n+1)*(2*n+1) - tied(ranks)/2) / 24)
		above := func(w float64) float64 { return normalAbove((w - n*(n+1)/4) / deviation) }
		t.P = alternative.doubled(above(minus), above(plus))
		return t
	}
	ways := signedSums(ranks)
	t.Exact, t.P = true, alternative.doubled(upTo(ways, 2*plus), upTo(ways, 2*minus))
	return t
}

// signedSums are the probabilities of twice the sums of ranks that each count or not.
func signedSums(ranks []float64) []float64 {
	total := 0.0
	for _, r := range ranks {
		total += 2 * r
	}
	ways := make([]float64, int(total)+1)
	ways[0] = 1
	for _, r := range ranks {
		step := int(2 * r)
		for i := len(ways) - 1; i >= 0; i-- {
			ways[i] /= 2
			if i >= step {
				ways[i] += ways[i-step] / 2
			}
		}
	}
	return ways
}

// Kruskal tests whether two samples or more are of one distribution, by their ranks: the test of Kruskal and Wallis in
// scipy.stats.kruskal, corrected for ties, with the chi-square distribution of large samples.
func Kruskal(samples ...*tensor.Tensor) Test {
	const op = "kruskal"
	groups(op, samples)
	var all []*tensor.Tensor
	for _, x := range samples {
		all = append(all, vector(op, x, 1))
	}
	ranks := RankData(tensor.Cat(all, 0)).Float64s()
	n, sum, at := float64(len(ranks)), 0.0, 0
	for _, x := range samples {
		of := 0.0
		for _, r := range ranks[at : at+x.Dim(0)] {
			of += r
		}
		sum += of * of / float64(x.Dim(0))
		at += x.Dim(0)
	}
	t := Test{Name: "H", DF: float64(len(samples) - 1)}
	t.Statistic = (12/(n*(n+1))*sum - 3*(n+1)) / (1 - tied(ranks)/(n*n*n-n))
	t.P = chiSquareAbove(t.Statistic, t.DF)
	return t
}
