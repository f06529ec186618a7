package kernels

import "math"

// Host references that take more than an expression.

func same(x int64) int64 { return x }

func absInt(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

func divInt(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func relu(x float64) float64 {
	if x < 0 {
		return 0
	}
	return x
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// geluTanh is x/2·(1 + tanh(u)) written as x/(1 + exp(-2u)), which does not cancel for negative x.
func geluTanh(x float64) float64 {
	u := math.Sqrt(2/math.Pi) * (x + 0.044715*x*x*x)
	return x / (1 + math.Exp(-2*u))
}

func elu(x, alpha float64) float64 {
	if x > 0 {
		return x
	}
	return alpha * math.Expm1(x)
}

// sumFloat adds with Neumaier's compensation, so that it can judge sums made in any order.
func sumFloat(row []float64) float64 {
	sum, lost := 0.0, 0.0
	for _, x := range row {
		t := sum + x
		if math.Abs(sum) >= math.Abs(x) {
			lost += (sum - t) + x
		} else {
			lost += (x - t) + sum
		}
		sum = t
	}
	if math.IsNaN(lost) || math.IsInf(lost, 0) { // of an infinity: the plain sum is right
		return sum
	}
	return sum + lost
}

func sumInt(row []int64) (sum int64) {
	for _, x := range row {
		sum += x
	}
	return sum
}

func maxFloat(row []float64) float64 { return row[int(argmaxFloat(row))] }
func minFloat(row []float64) float64 { return row[int(argminFloat(row))] }
func maxInt(row []int64) int64       { return row[argmaxInt(row)] }
func minInt(row []int64) int64       { return row[argminInt(row)] }

func argmaxFloat(row []float64) float64 {
	return float64(argBest(row, func(a, b float64) bool { return a > b || a != a && b == b }))
}

func argminFloat(row []float64) float64 {
	return float64(argBest(row, func(a, b float64) bool { return a < b || a != a && b == b }))
}

func argmaxInt(row []int64) int64 {
	return argBest(row, func(a, b int64) bool { return a > b })
}

func argminInt(row []int64) int64 {
	return argBest(row, func(a, b int64) bool { return a < b })
}

// argBest returns the first position whose element no other beats. The row is not empty.
func argBest[T any](row []T, beats func(a, b T) bool) int64 {
	best := 0
	for i := range row {
		if beats(row[i], row[best]) {
			best = i
		}
	}
	return int64(best)
}
