package optimize

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// EvolutionOptions are those of DifferentialEvolution. Zeros are the defaults.
type EvolutionOptions struct {
	// Seed determines the random numbers: the same seed gives the same result.
	Seed uint64
	// Population is the number of points: 15 for each parameter.
	Population int
	// Tol is the standard deviation of the function over the population, relative to its mean, at which the search has
	// converged: 0.01.
	Tol float64
	// MaxIter is the largest number of generations: 1000.
	MaxIter int
	// NoPolish leaves out the search by LBFGSB from the best point at the end.
	NoPolish bool
}

// DifferentialEvolution returns the point within bounds, the least and the greatest value of each of n parameters, at
// which a function with many local minima is least, as scipy.optimize.differential_evolution (best1bin). f is called
// with all points of a generation at once, F64 [points n] on the device, and returns a vector with the value for each,
// of which NaN is larger than all numbers. The search is global, but no proof: other seeds may find better points. The
// error is ErrNotConverged. It panics with ErrShape for a result of another shape, and for bounds that are not finite.
//
//	rastrigin := func(x *tensor.Tensor) *tensor.Tensor {
//		return x.Sqr().Sub(x.Mul(2 * math.Pi).Cos().Mul(10)).Sum(1).Add(20)
//	}
//	r, err := optimize.DifferentialEvolution(rastrigin, [][2]float64{{-5, 5}, {-5, 5}}, Device("rocm"),
//		optimize.EvolutionOptions{})
func DifferentialEvolution(
	f func(x *tensor.Tensor) *tensor.Tensor, bounds [][2]float64, dev *tensor.Device, o EvolutionOptions,
) (Result, error) {
	const op = "differential evolution"
	n := len(bounds)
	if n == 0 {
		extend.Shape(op, nil, "there are no parameters: bounds are empty")
	}
	checkBounds(op, bounds, n)
	for i, b := range bounds {
		if !finite(b[0]) || !finite(b[1]) {
			extend.Fail(op, tensor.ErrValue, nil, "", "want finite bounds: those of parameter %d are %v", i, b)
		}
	}
	if !(o.Tol >= 0) || o.MaxIter < 0 || o.Population < 0 || o.Population > 0 && o.Population < 5 {
		extend.Fail(op, tensor.ErrValue, nil, "0 is the default; a population has 5 points or more",
			"Tol is %g, MaxIter %d, Population %d", o.Tol, o.MaxIter, o.Population)
	}
	if o.Population == 0 {
		o.Population = max(5, 15*n)
	}
	if o.MaxIter == 0 {
		o.MaxIter = 1000
	}
	o.Tol = or(o.Tol, 0.01)
	e := &evolution{op: op, f: f, dev: dev, bounds: bounds, rng: rand.New(rand.NewPCG(o.Seed, 0))}
	return e.run(o)
}

// evolution is a run of the search; its points are within 0 and 1.
type evolution struct {
	op     string
	f      func(x *tensor.Tensor) *tensor.Tensor
	dev    *tensor.Device
	bounds [][2]float64
	rng    *rand.Rand
	points [][]float64
	values []float64
	best   int
	calls  int
}

func (e *evolution) run(o EvolutionOptions) (Result, error) {
	e.begin(o.Population)
	generation, message := 0, ""
	for message == "" && generation < o.MaxIter {
		generation++
		trials := e.trials()
		for i, v := range e.evaluate(trials) {
			if v <= e.values[i] {
				e.points[i], e.values[i] = trials[i], v
			}
		}
		e.choose()
		if mean, std := moments(e.values); std <= o.Tol*math.Abs(mean) {
			message = "the population is within EvolutionOptions.Tol"
		}
	}
	x := e.at(e.points[e.best])
	r := Result{X: e.dev.FromSlice(x, len(x)), F: e.values[e.best], GradNorm: math.NaN(), Iterations: generation,
		Calls: e.calls, Message: message}
	if !finite(r.F) {
		return r, failed(ErrNotFinite, "the best value of the function is %v", r.F)
	}
	if !o.NoPolish {
		e.polish(&r)
	}
	if message == "" {
		err := failed(ErrNotConverged, "the population still differs after %d generations, the best value is %.10g: "+
			"set EvolutionOptions.MaxIter, or a larger Tol", generation, r.F)
		r.Message = err.Error()
		return r, err
	}
	return r, nil
}

// begin draws a population that covers each parameter evenly (a Latin hypercube).
func (e *evolution) begin(size int) {
	e.points = make([][]float64, size)
	for i := range e.points {
		e.points[i] = make([]float64, len(e.bounds))
	}
	for d := range e.bounds {
		for i, cell := range e.rng.Perm(size) {
			e.points[i][d] = (float64(cell) + e.rng.Float64()) / float64(size)
		}
	}
	e.values = e.evaluate(e.points)
	e.choose()
}

// at brings a point to its bounds.
func (e *evolution) at(p []float64) []float64 {
	x := make([]float64, len(p))
	for d, b := range e.bounds {
		x[d] = min(max(b[0]+p[d]*(b[1]-b[0]), b[0]), b[1])
	}
	return x
}

func (e *evolution) evaluate(points [][]float64) []float64 {
	flat := make([]float64, 0, len(points)*len(e.bounds))
	for _, p := range points {
		flat = append(flat, e.at(p)...)
	}
	e.calls += len(points)
	y := e.f(e.dev.FromSlice(flat, len(points), len(e.bounds)))
	if y == nil || y.Rank() != 1 || y.Dim(0) != len(points) {
		var shape any = "no tensor"
		if y != nil {
			shape = y.Dims()
		}
		extend.ShapeNoting(e.op, nil, "x.I(tensor.All, 0) is the first parameter of all points; y.Sum(1) sums over parameters",
			"the function returned %v for %d points: want a vector with a value for each", shape, len(points))
	}
	values := y.Float64s()
	for i, v := range values {
		if math.IsNaN(v) {
			values[i] = math.Inf(1)
		}
	}
	return values
}

func (e *evolution) choose() {
	for i, v := range e.values {
		if v < e.values[e.best] {
			e.best = i
		}
	}
}

// trials returns a point for each of the population: some of its parameters, at least one, are those of the best point
// plus a multiple of the difference of two others.
func (e *evolution) trials() [][]float64 {
	scale := 0.5 + 0.5*e.rng.Float64()
	trials := make([][]float64, len(e.points))
	for i, p := range e.points {
		others := e.rng.Perm(len(e.points))[:3]
		a, b := others[0], others[1]
		if a == i {
			a = others[2]
		} else if b == i {
			b = others[2]
		}
		trial := append([]float64{}, p...)
		always := e.rng.IntN(len(trial))
		for d := range trial {
			if d == always || e.rng.Float64() < 0.7 {
				trial[d] = e.points[e.best][d] + scale*(e.points[a][d]-e.points[b][d])
			}
			if trial[d] < 0 || trial[d] > 1 {
				trial[d] = e.rng.Float64()
			}
		}
		trials[i] = trial
	}
	return trials
}

// polish goes on from the best point by LBFGSB, if the function has gradients there. What is worse is not taken.
func (e *evolution) polish(r *Result) {
	one := func(x *tensor.Tensor) *tensor.Tensor { return e.f(x.Unsqueeze(0)) }
	var better Result
	err := tensor.Catch(func() error {
		better, _ = Minimize(one, r.X, Options{Method: LBFGSB, Bounds: e.bounds}) // what stops short may be better, too
		return nil
	})
	if errors.Is(err, tensor.ErrGradient) {
		return
	} else if err != nil {
		panic(err)
	}
	r.Calls += better.Calls
	r.Gradients = better.Gradients
	if better.F < r.F {
		r.X, r.F, r.GradNorm = better.X, better.F, better.GradNorm
	}
}

func moments(values []float64) (mean, std float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		std += (v - mean) * (v - mean) / float64(len(values))
	}
	return mean, math.Sqrt(std)
}
