// %get gonum.org/v1/gonum/stat@v0.17.0

package main

import (
	"fmt"
	"sort"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func main() {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	y := []float64{2.1, 3.9, 6.2, 7.8, 10.1, 12.2, 13.8, 16.1}
	w := []float64{1, 1, 1, 1, 2, 2, 2, 2}
	mean, std := stat.MeanStdDev(x, nil)
	fmt.Printf("%.4f %.4f %.4f\n", mean, std, stat.Variance(x, w))
	fmt.Printf("%.6f %.6f\n", stat.Correlation(x, y, nil), stat.Covariance(x, y, nil))
	alpha, beta := stat.LinearRegression(x, y, nil, false)
	fmt.Printf("%.4f %.4f %.6f\n", alpha, beta, stat.RSquared(x, y, nil, alpha, beta))
	fmt.Println(stat.Quantile(0.5, stat.Empirical, x, nil), stat.Quantile(0.3, stat.LinInterp, x, nil))
	m, n := stat.Mode([]float64{1, 2, 2, 3}, nil)
	fmt.Println(m, n)
	fmt.Printf("%.4f %.4f %.4f\n", stat.Skew(y, nil), stat.ExKurtosis(y, nil), stat.Entropy([]float64{0.5, 0.25, 0.25}))
	fmt.Println(stat.Histogram(nil, []float64{0, 3, 6, 9}, x, nil))
	d := stat.KolmogorovSmirnov(x, nil, y, nil)
	fmt.Printf("%.4f\n", d)

	a := mat.NewDense(3, 3, []float64{4, 1, 2, 1, 3, 0, 2, 0, 5})
	var cov mat.SymDense
	stat.CovarianceMatrix(&cov, a, nil)
	fmt.Printf("%.3f\n", mat.Formatted(&cov))
	var inv mat.Dense
	err := inv.Inverse(a)
	fmt.Println(err)
	var prod mat.Dense
	prod.Mul(a, &inv)
	fmt.Println(mat.EqualApprox(&prod, mat.NewDiagDense(3, []float64{1, 1, 1}), 1e-12), mat.Det(a) > 42.99)
	var eig mat.EigenSym
	sym := mat.NewSymDense(2, []float64{2, 1, 1, 2})
	fmt.Println(eig.Factorize(sym, true))
	values := eig.Values(nil)
	sort.Float64s(values)
	fmt.Printf("%.6f\n", values)
	var pc stat.PC
	fmt.Println(pc.PrincipalComponents(mat.NewDense(4, 2, []float64{1, 2, 2, 4.1, 3, 5.9, 4, 8.2}), nil))
	fmt.Printf("%.4f\n", pc.VarsTo(nil))
	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		stat.Mean(x, w[:2])
	}()
}

// Output:
// 4.5000 2.4495 5.2424
// 0.999419 11.985714
// 0.0357 1.9976 0.998839
// 4 2.4
// 2 2
// 0.0084 -1.2101 1.0397
// [2 3 3]
// 0.5000
// ⎡ 2.333  -1.167   0.833⎤
// ⎢-1.167   2.333  -3.667⎥
// ⎣ 0.833  -3.667   6.333⎦
// <nil>
// true true
// true
// [1.000000 3.000000]
// true
// [8.6140 0.0027]
// recovered: stat: slice length mismatch
