//go:build unix

// Package science times what scientists compute on the host, in F64: bench/science.py runs SciPy beside it.
package science

import (
	"math"
	"syscall"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/cluster"
	"github.com/gorocm/gorocm/tensor/integrate"
	"github.com/gorocm/gorocm/tensor/interpolate"
	"github.com/gorocm/gorocm/tensor/ndimage"
	"github.com/gorocm/gorocm/tensor/optimize"
	"github.com/gorocm/gorocm/tensor/random"
	"github.com/gorocm/gorocm/tensor/sparse"
	"github.com/gorocm/gorocm/tensor/spatial"
	"github.com/gorocm/gorocm/tensor/special"
	"github.com/gorocm/gorocm/tensor/stats"
	"github.com/gorocm/gorocm/tensor/stats/distributions"
)

const million = 1_000_000

type bench struct {
	name string
	f    func() any
}

func uniform(low, high float64, shape ...int) *tensor.Tensor {
	return random.New(1).Uniform(low, high, shape, tensor.F64, tensor.CPU())
}

func normal(shape ...int) *tensor.Tensor {
	return random.New(2).Normal(0, 1, shape, tensor.F64, tensor.CPU())
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// grid is the matrix of Poisson's equation on n × n points, plus the identity times shift.
func grid(n int, shift float64) *sparse.Matrix {
	rows, columns, values := []int64{}, []int64{}, []float64{}
	for i := range n * n {
		for _, j := range []int{i - n, i - 1, i, i + 1, i + n} {
			if j < 0 || j >= n*n || (j == i-1 || j == i+1) && j/n != i/n {
				continue
			}
			rows, columns, values = append(rows, int64(i)), append(columns, int64(j)), append(values, -1)
			if j == i {
				values[len(values)-1] = 4 + shift
			}
		}
	}
	d := tensor.CPU()
	return sparse.FromCOO(d.FromSlice(rows, len(rows)), d.FromSlice(columns, len(rows)), d.FromSlice(values, len(rows)), n*n, n*n)
}

func rosenbrock(x []float64) float64 {
	sum := 0.0
	for i := range len(x) - 1 {
		a, b := x[i+1]-x[i]*x[i], 1-x[i]
		sum += 100*a*a + b*b
	}
	return sum
}

func searches() []bench {
	x := tensor.CPU().Linspace(tensor.F64, 0, 4, 10_000)
	y := x.Mul(-1.3).Exp().Mul(2.5).Add(0.5).Add(normal(10_000).Mul(0.1))
	cost := uniform(0, 1, 400, 400)
	lorenz := func(t float64, y []float64) []float64 {
		return []float64{10 * (y[1] - y[0]), y[0]*(28-y[2]) - y[1], y[0]*y[1] - 8.0/3*y[2]}
	}
	samples := normal(million)
	return []bench{
		{"minimize", func() any {
			return must(optimize.MinimizeFunc(rosenbrock, []float64{1.3, 0.7, 0.8, 1.9, 1.2}, optimize.Options{}))
		}},
		{"curve_fit", func() any {
			return must(optimize.CurveFit(func(x, p *tensor.Tensor) *tensor.Tensor {
				return x.Mul(p.Get(1).Neg()).Exp().Mul(p.Get(0)).Add(p.Get(2))
			}, x, y, tensor.CPU().Ones(tensor.F64, 3), optimize.CurveOptions{}))
		}},
		{"assignment", func() any {
			rows, _, err := optimize.LinearSumAssignment(cost, false)
			return must(rows, err)
		}},
		{"quad", func() any {
			return must(integrate.Quad(func(x float64) float64 { return math.Sin(x) * math.Exp(-x/3) }, 0, 30, integrate.QuadOptions{}))
		}},
		{"solve_ivp", func() any {
			return must(integrate.SolveIVPFunc(lorenz, 0, 10, []float64{1, 1, 1}, integrate.IVPOptions{}))
		}},
		{"simpson", func() any { return integrate.Simpson(samples, 0.1, -1) }},
	}
}

func curves() []bench {
	x := tensor.CPU().Arange(tensor.F64, 10_000)
	y, at := x.Mul(0.01).Sin(), uniform(0, 9_999, million)
	axis := tensor.CPU().Arange(tensor.F64, 200)
	z, places := normal(200, 200), uniform(0, 199, million, 2)
	points, heights, to := uniform(0, 1, 10_000, 2), normal(10_000), uniform(0.1, 0.9, 100_000, 2)
	few, values := uniform(0, 1, 500, 2), normal(500)
	return []bench{
		{"cubic_spline", func() any { return interpolate.CubicSpline(x, y, interpolate.SplineOptions{}).At(at) }},
		{"regular_grid", func() any {
			return interpolate.RegularGrid([]*tensor.Tensor{axis, axis}, z, interpolate.GridOptions{}).At(places)
		}},
		{"griddata_linear", func() any { return interpolate.GridData(points, heights, to, interpolate.GridLinear) }},
		{"griddata_cubic", func() any { return interpolate.GridData(points, heights, to, interpolate.GridCubic) }},
		{"rbf", func() any { return interpolate.RBF(few, values, interpolate.RBFOptions{}).At(to.Narrow(0, 0, 10_000)) }},
	}
}

func samples() []bench {
	x, y, p, u := normal(million), uniform(-1, 1, million), uniform(0.1, 5, million), uniform(0.01, 0.99, million)
	return []bench{
		{"pearsonr", func() any { return stats.PearsonR(x, y, stats.TwoSided) }},
		{"spearmanr", func() any { return stats.SpearmanR(x, y, stats.TwoSided) }},
		{"ks_2samp", func() any { return stats.KS2Samp(x, y, stats.TwoSided) }},
		{"norm_cdf", func() any { return distributions.Normal(0, 1).CDF(x) }},
		{"norm_ppf", func() any { return distributions.Normal(0, 1).Quantile(u) }},
		{"gamma_cdf", func() any { return distributions.Gamma(2.5, 1).CDF(p) }},
		{"gamma_ppf", func() any { return distributions.Gamma(2.5, 1).Quantile(u) }},
		{"beta_cdf", func() any { return distributions.Beta(2, 3).CDF(u) }},
		{"gammaln", func() any { return p.Lgamma() }},
		{"j0", func() any { return special.J0(p) }},
		{"expi", func() any { return special.ExpI(p) }},
		{"erfinv", func() any { return y.Erfinv() }},
		{"erf", func() any { return x.Erf() }},
		{"digamma", func() any { return p.Digamma() }},
		{"i0", func() any { return p.I0() }},
	}
}

// rows are those of 8 numbers.
func rows() []bench {
	x, columns := normal(100_000, 8), normal(8, 100_000).T()
	return []bench{
		{"sum_rows", func() any { return x.Sum(-1) }},
		{"sum_strided_rows", func() any { return columns.Sum(-1) }},
		{"sum_columns", func() any { return x.Sum(0) }},
		{"mean_rows", func() any { return x.Mean(-1) }},
		{"max_rows", func() any { return x.Max(-1) }},
		{"std_rows", func() any { return x.Std(-1) }},
		{"subtract_means", func() any { return x.Sub(x.MeanKeepDim(-1)) }},
	}
}

func matrices() []bench {
	shifted, b := grid(200, 0.01), normal(200*200)
	return []bench{
		{"spsolve", func() any { return sparse.Solve(shifted, b) }},
		{"cg", func() any { x, _ := sparse.CG(shifted, b, 1e-8, 10_000); return x }},
	}
}

func points() []bench {
	a, b := normal(2000, 3), normal(2000, 3)
	many, plane := uniform(0, 1, 100_000, 3), uniform(0, 1, 100_000, 2)
	tree := spatial.NewKDTree(many)
	wide := normal(100_000, 8)
	some := normal(2000, 4)
	first := wide.Narrow(0, 0, 8)
	return []bench{
		{"cdist", func() any { return spatial.CDist(a, b, spatial.Euclidean) }},
		{"cdist_cityblock", func() any { return spatial.CDist(a, b, spatial.CityBlock) }},
		{"kdtree", func() any { return spatial.NewKDTree(many) }},
		{"kdtree_query", func() any { d, _ := tree.Query(many, 4); return d }},
		{"delaunay", func() any { return spatial.Delaunay(plane) }},
		{"convex_hull", func() any { return spatial.ConvexHull(plane) }},
		{"kmeans", func() any {
			return cluster.KMeans(wide, 8, cluster.KMeansOptions{Initial: first, MaxIterations: 20, Tolerance: -1})
		}},
		{"linkage_average", func() any { return cluster.Linkage(some, cluster.Average) }},
		{"linkage_single", func() any { return cluster.Linkage(some, cluster.Single) }},
	}
}

func images() []bench {
	x := normal(1024, 1024)
	cells := ndimage.GaussianFilter(x, []float64{3}, ndimage.GaussianOptions{}).Gt(0).Copy()
	keep := ndimage.RotateOptions{Keep: true}
	linear := ndimage.RotateOptions{Keep: true, TransformOptions: ndimage.TransformOptions{Order: ndimage.Linear}}
	return []bench{
		{"gaussian_filter", func() any { return ndimage.GaussianFilter(x, []float64{2}, ndimage.GaussianOptions{}) }},
		{"uniform_filter", func() any { return ndimage.UniformFilter(x, []int{5}, ndimage.Border{}) }},
		{"sobel", func() any { return ndimage.Sobel(x, 0, ndimage.Border{}) }},
		{"median_filter", func() any { return ndimage.MedianFilter(x, []int{3}, ndimage.Border{}) }},
		{"maximum_filter", func() any { return ndimage.MaximumFilter(x, []int{7}, ndimage.Border{}) }},
		{"binary_opening", func() any { return ndimage.BinaryOpening(cells, ndimage.Binary{}) }},
		{"label", func() any { labels, _ := ndimage.Label(cells, nil); return labels }},
		{"distance_transform", func() any { d, _ := ndimage.DistanceTransform(cells, nil); return d }},
		{"zoom", func() any { return ndimage.Zoom(x, []float64{0.7}, ndimage.TransformOptions{}) }},
		{"rotate", func() any { return ndimage.Rotate(x, 30, keep) }},
		{"rotate_linear", func() any { return ndimage.Rotate(x, 30, linear) }},
	}
}

// processorTime is that of all threads, in ns.
func processorTime() int64 {
	var u syscall.Rusage
	must(0, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return u.Utime.Nano() + u.Stime.Nano()
}

// BenchmarkHost computes with a million numbers, 100,000 points, or an image of 1024 × 1024, unless its code says more.
func BenchmarkHost(b *testing.B) {
	for _, group := range []func() []bench{searches, curves, samples, rows, matrices, points, images} {
		for _, c := range group() {
			b.Run(c.name, func(b *testing.B) {
				before := processorTime()
				for b.Loop() {
					c.f()
					tensor.CPU().Synchronize() // computes what is deferred
				}
				b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}
