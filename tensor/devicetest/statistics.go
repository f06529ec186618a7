package devicetest

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// A statistic is a composed reduction and its definition for a row of elements.
type statistic struct {
	method string
	args   []any
	ref    func(row []float64) float64
	out    func(dt tensor.DType) tensor.DType // nil for floats of the type of the elements, and F32 of integers
	nan    bool                               // the row may have NaN
	steps  float64                            // rounding errors of the wide type, relative to the largest element
}

func itself(dt tensor.DType) tensor.DType { return dt }

func asSum(dt tensor.DType) tensor.DType {
	switch {
	case dt.IsFloat() || dt == tensor.U64:
		return dt
	}
	return tensor.I64
}

// statistics has the rows of kernels.Statistics with all kinds of arguments.
var statistics = []statistic{
	{method: "CountNonzero", ref: func(row []float64) float64 { return float64(len(row) - countOf(row, isZero)) },
		out: func(tensor.DType) tensor.DType { return tensor.I64 }, nan: true},
	{method: "Var", ref: func(row []float64) float64 { return variance(row, 1) }, steps: 32},
	{method: "VarWith", args: []any{0}, ref: func(row []float64) float64 { return variance(row, 0) }, steps: 32},
	{method: "Std", ref: func(row []float64) float64 { return math.Sqrt(variance(row, 1)) }, steps: 32},
	{method: "StdWith", args: []any{2}, ref: func(row []float64) float64 { return math.Sqrt(variance(row, 2)) },
		steps: 32},
	{method: "Norm", ref: func(row []float64) float64 { return norm(row, 2) }, steps: 8},
	{method: "NormP", args: []any{1.0}, ref: func(row []float64) float64 { return norm(row, 1) }, steps: 8},
	{method: "NormP", args: []any{2.0}, ref: func(row []float64) float64 { return norm(row, 2) }, steps: 8},
	{method: "NormP", args: []any{3.0}, ref: func(row []float64) float64 { return norm(row, 3) }, steps: 32},
	{method: "NormP", args: []any{0.0}, ref: func(row []float64) float64 {
		return float64(len(row) - countOf(row, isZero))
	}},
	{method: "NormP", args: []any{math.Inf(1)}, ref: func(row []float64) float64 {
		return slices.Max(mapped(row, math.Abs))
	}},
	{method: "NormP", args: []any{math.Inf(-1)}, ref: func(row []float64) float64 {
		return slices.Min(mapped(row, math.Abs))
	}},
	{method: "LogSumExp", ref: func(row []float64) float64 {
		top := slices.Max(row)
		return top + math.Log(exactSum(mapped(row, func(v float64) float64 { return math.Exp(v - top) })))
	}, steps: 16},
	{method: "Ptp", ref: func(row []float64) float64 { return slices.Max(row) - slices.Min(row) }, out: itself, steps: 1},
	{method: "Median", ref: func(row []float64) float64 { return nanOr(row, median) }, out: itself, nan: true},
	{method: "Quantile", args: []any{0.25}, ref: func(row []float64) float64 {
		return nanOr(row, func(row []float64) float64 { return quantile(row, 0.25) })
	}, nan: true, steps: 4},
	{method: "Quantile", args: []any{1.0}, ref: func(row []float64) float64 {
		return nanOr(row, func(row []float64) float64 { return quantile(row, 1) })
	}, nan: true},
	{method: "Mode", ref: mode, out: itself},
	{method: "NanSum", ref: func(row []float64) float64 { return exactSum(numbers(row)) }, out: asSum, nan: true,
		steps: 32},
	{method: "NanMean", ref: func(row []float64) float64 { return exactSum(numbers(row)) / float64(len(numbers(row))) },
		nan: true, steps: 32},
	{method: "NanMax", ref: func(row []float64) float64 { return ofNumbers(row, slices.Max[[]float64]) }, out: itself,
		nan: true},
	{method: "NanMin", ref: func(row []float64) float64 { return ofNumbers(row, slices.Min[[]float64]) }, out: itself,
		nan: true},
	{method: "NanVar", ref: func(row []float64) float64 { return variance(numbers(row), 1) }, nan: true, steps: 32},
	{method: "NanStd", ref: func(row []float64) float64 { return math.Sqrt(variance(numbers(row), 1)) }, nan: true,
		steps: 32},
	{method: "NanMedian", ref: func(row []float64) float64 { return ofNumbers(row, median) }, out: itself, nan: true},
	{method: "NanQuantile", args: []any{0.3}, ref: func(row []float64) float64 {
		return ofNumbers(row, func(row []float64) float64 { return quantile(row, 0.3) })
	}, nan: true, steps: 8},
}

func isZero(x float64) bool { return x == 0 }

func countOf(row []float64, f func(float64) bool) (n int) {
	for _, x := range row {
		if f(x) {
			n++
		}
	}
	return n
}

func variance(row []float64, correction int) float64 {
	mean := exactSum(row) / float64(len(row))
	squares := exactSum(mapped(row, func(x float64) float64 { return (x - mean) * (x - mean) }))
	return squares / float64(max(len(row)-correction, 0))
}

func norm(row []float64, p float64) float64 {
	return math.Pow(exactSum(mapped(row, func(x float64) float64 { return math.Pow(math.Abs(x), p) })), 1/p)
}

func numbers(row []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(row), func(x float64) bool { return x != x })
}

// ofNumbers is f of the elements that are not NaN, or NaN.
func ofNumbers(row []float64, f func([]float64) float64) float64 {
	if row = numbers(row); len(row) == 0 {
		return math.NaN()
	}
	return f(row)
}

// nanOr is NaN for a row that has one.
func nanOr(row []float64, f func([]float64) float64) float64 {
	if len(numbers(row)) < len(row) {
		return math.NaN()
	}
	return f(row)
}

func median(row []float64) float64 { return slices.Sorted(slices.Values(row))[(len(row)-1)/2] }

func quantile(row []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(row))
	low, part := math.Modf(q * float64(len(row)-1))
	if part == 0 {
		return sorted[int(low)]
	}
	return sorted[int(low)] + part*(sorted[int(low)+1]-sorted[int(low)])
}

func mode(row []float64) float64 {
	best := row[0]
	for _, x := range row {
		of := func(v float64) int { return countOf(row, func(y float64) bool { return y == v }) }
		if n, most := of(x), of(best); n > most || n == most && x < best {
			best = x
		}
	}
	return best
}

// composedReductions compares composed reductions over all kinds of dims with their definitions.
func composedReductions(k kit, t T) {
	known := map[string]bool{}
	for n, s := range statistics {
		known[s.method] = true
		run(t, fmt.Sprint(s.method, s.args), func(t T) {
			for _, dt := range some(k, kernels.Numbers, len(kernels.Numbers)/2, n) {
				for _, dims := range [][]int{{}, {1}, {0, 2}, {-1}} {
					run(t, fmt.Sprint(dt, dims), func(t T) { checkStatistic(k, t, s, dt, dims) })
				}
			}
		})
	}
	infinite := k.dev.New([]float64{math.Inf(-1), math.Inf(-1), 1, math.Inf(1)})
	for q, want := range map[float64]float64{0.1: math.Inf(-1), 0.5: math.Inf(-1), 0.9: math.Inf(1)} {
		if got := infinite.Quantile(q).ToScalar(); got != want {
			t.Errorf("the %v-quantile with infinities is %v, want %v", q, got, want)
		}
	}
	for _, op := range kernels.Statistics {
		if !known[op.Method] {
			t.Errorf("%s is not tested", op.Method)
		}
	}
}

func checkStatistic(k kit, t T, s statistic, dt tensor.DType, dims []int) {
	host, dev := k.input(dt, []int{6, 7, 5}, 95, 2, false)
	if s.nan && dt.IsFloat() { // every third, and a whole row
		for _, x := range []*tensor.Tensor{host, dev} {
			x.FlattenAll().I("::3").ConstSet(math.NaN())
			x.I(2, 3).ConstSet(math.NaN())
			x.I(1).ConstSet(0.5)
		}
	}
	host, dev = host.Transpose(0, 1), dev.Transpose(0, 1)
	args := slices.Clone(s.args)
	var order []int
	shape, kept := []int{}, host.Dims()
	for d := range 3 {
		if len(dims) > 0 && !slices.Contains(dims, d) && !slices.Contains(dims, d-3) {
			order, shape = append(order, d), append(shape, host.Dim(d))
		} else {
			kept[d] = 1
		}
	}
	cols := host.ElemCount()
	for _, n := range shape {
		cols /= n
	}
	for d := range 3 {
		if !slices.Contains(order, d) {
			order = append(order, d)
		}
	}
	for _, d := range dims {
		args = append(args, d)
	}
	var want []float64
	for row := range slices.Chunk(host.Permute(order...).Float64s(), cols) {
		want = append(want, s.ref(row))
	}
	out := dt
	switch {
	case s.out != nil:
		out = s.out(dt)
	case !dt.IsFloat():
		out = tensor.F32
	}
	got := call(dev, s.method, args...)
	expect(t, got, shape, out)
	eps := ulp(tensor.F32, 1)
	if dt == tensor.F64 {
		eps = ulp(tensor.F64, 1)
	}
	closeTo(t, got, want, 1, func(i int) float64 { return s.steps * eps * (math.Abs(want[i]) + 4) },
		func(i int) string { return fmt.Sprint("result ", i) })
	keep := call(dev, s.method+"KeepDim", args...)
	expect(t, keep, kept, out)
	sameElements(t, keep.FlattenAll(), got.ToDevice(tensor.CPU()).FlattenAll())
}

// search compares SearchSorted, Bucketize and IsIn with their definitions.
func search(k kit, t T) {
	for i, dt := range kernels.Numbers {
		for _, n := range some(k, []int{1, 2, 17, 256, 1000}, 5, i) {
			run(t, fmt.Sprintf("%v/%d", dt, n), func(t T) {
				rows, _ := k.input(dt, []int{3, n}, 96, 3, true)
				rows, _ = rows.SortLastDim(true)
				values, dev := k.input(dt, []int{41, 3}, 97, 3, true)
				values, dev = values.T(), dev.T()
				for _, right := range []bool{false, true} {
					got := rows.ToDevice(k.dev).SearchSorted(dev, right)
					expect(t, got, []int{3, 41}, tensor.U32)
					sameInts(t, got, searched(rows, values, right), inRow(41))
					got = dev.Bucketize(rows.Get(1).ToDevice(k.dev), right)
					sameInts(t, got, searched(rows.Get(1), values, right), inRow(41))
				}
				isIn := dev.IsIn(rows.Get(1).ToDevice(k.dev))
				expect(t, isIn, []int{3, 41}, tensor.Bool)
				equal := values.Unsqueeze(-1).Eq(rows.Get(1)).Any(-1)
				sameInts(t, isIn, ints(equal), inRow(41))
			})
		}
	}
}

// searched is the definition of SearchSorted.
func searched(rows, values *tensor.Tensor, right bool) (want []int64) {
	n, each := rows.Dim(-1), values.ElemCount()
	if rows.Rank() > 1 {
		each = values.Dim(-1)
	}
	var before func(row, value int) bool // whether element `row` of rows comes before element `value` of values
	if rows.DType().IsInt() {
		x, v, top := ints(rows), ints(values), int64(0)
		if rows.DType() == tensor.U64 {
			top = math.MinInt64
		}
		before = func(i, j int) bool { return x[i]^top < v[j]^top || right && x[i] == v[j] }
	} else {
		x, v := rows.Float64s(), values.Float64s()
		before = func(i, j int) bool {
			a, b := x[i], v[j]
			return a < b || a == a && b != b || right && (a == b || a != a && b != b)
		}
	}
	for j := range values.ElemCount() {
		want = append(want, int64(sort.Search(n, func(i int) bool { return !before(j/each*n+i, j) })))
	}
	return want
}

// equalElements checks Unique by what its results mean, and Diff.
func equalElements(k kit, t T) {
	for _, dt := range kernels.Numbers {
		run(t, dt.String(), func(t T) {
			host, dev := k.input(dt, []int{13, 29}, 98, 1, false)
			values, inverse, counts := dev.Unique()
			expect(t, inverse, []int{13, 29}, tensor.U32)
			expect(t, counts, values.Dims(), tensor.I64)
			sameElements(t, values.IndexSelect(inverse.FlattenAll(), 0).Reshape(13, 29), host)
			list := values.Float64s()
			for i, v := range list {
				if i > 0 && !(list[i-1] < v) {
					t.Fatalf("value %d, %v, comes after %v", i, v, list[i-1])
				}
				if n := countOf(host.Float64s(), func(x float64) bool { return x == v }); ints(counts)[i] != int64(n) {
					t.Fatalf("%v occurs %d times, not %d", v, n, ints(counts)[i])
				}
			}
			d := dev.Diff(1, 0)
			sameElements(t, d, host.Narrow(0, 1, 12).Sub(host.Narrow(0, 0, 12)))
			sameElements(t, dev.Diff(2, 1), host.Diff(1, 1).Diff(1, 1))
		})
	}
}
