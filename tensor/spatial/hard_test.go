package spatial_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/spatial"
)

// hard are points that lead triangulations astray: on grids, on circles, on lines, and some of them twice.
func hard() map[string][][2]float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	sets := map[string][][2]float64{}
	add := func(name string, n int, f func(i int) [2]float64) {
		for i := range n {
			sets[name] = append(sets[name], f(i))
		}
	}
	add("random", 2000, func(int) [2]float64 { return [2]float64{rng.Float64(), rng.Float64()} })
	add("grid", 900, func(i int) [2]float64 { return [2]float64{float64(i % 30), float64(i / 30)} })
	add("tenths", 400, func(i int) [2]float64 { return [2]float64{0.1 * float64(i%20), 0.1*float64(i/20) + 7} })
	add("circle", 100, func(i int) [2]float64 {
		sin, cos := math.Sincos(float64(i) / 100 * 2 * math.Pi)
		return [2]float64{1e6 + cos, sin}
	})
	add("line and one", 50, func(i int) [2]float64 { return [2]float64{float64(i) / 3, float64(i) / 3} })
	sets["line and one"] = append(sets["line and one"], [2]float64{0, 1})
	add("twice", 300, func(i int) [2]float64 { return [2]float64{float64(rng.IntN(10)), float64(rng.IntN(10))} })
	add("near a line", 200, func(i int) [2]float64 { return [2]float64{rng.Float64(), 1e-17 * rng.Float64()} })
	add("tiny", 100, func(i int) [2]float64 { return [2]float64{1e-300 * rng.Float64(), 1e-300 * rng.Float64()} })
	add("huge", 100, func(i int) [2]float64 { return [2]float64{1e307 * rng.Float64(), -1e307 * rng.Float64()} })
	add("clusters", 300, func(i int) [2]float64 {
		return [2]float64{float64(i%3) + 1e-12*rng.Float64(), float64(i%2) + 1e-12*rng.Float64()}
	})
	return sets
}

func tensorOf(points [][2]float64) *tensor.Tensor {
	flat := []float64{}
	for _, p := range points {
		flat = append(flat, p[:]...)
	}
	return tensor.CPU().FromSlice(flat, len(points), 2)
}

// TestHard checks what makes a Delaunay triangulation: neighbours that know each other, circles without the corners
// of neighbours, the number of triangles that Euler's formula gives, and the hull as its border.
func TestHard(t *testing.T) {
	for name, points := range hard() {
		d := spatial.Delaunay(tensorOf(points))
		triangles, next := d.Triangles.ToVec2(), d.Neighbors.ToVec2()
		border := map[int]bool{}
		outside := 0
		for i, c := range triangles {
			a, b, z := points[int(c[0])], points[int(c[1])], points[int(c[2])]
			if spatial.Orient(a, b, z) <= 0 {
				t.Fatalf("%s: triangle %d is not counterclockwise", name, i)
			}
			for k, other := range next[i] {
				if other < 0 {
					outside++
					border[int(c[(k+1)%3])] = true
					continue
				}
				back := slices.Index(next[int(other)], float64(i))
				if back < 0 {
					t.Fatalf("%s: triangle %d does not know its neighbour %d", name, int(other), i)
				}
				facing := points[int(triangles[int(other)][back])]
				if spatial.InCircle(a, b, z, facing) > 0 {
					t.Fatalf("%s: the circle of triangle %d has a corner of %d inside", name, i, int(other))
				}
			}
		}
		distinct := map[[2]float64]bool{}
		for _, p := range points {
			distinct[p] = true
		}
		if len(d.Duplicates) != len(points)-len(distinct) {
			t.Errorf("%s: %d duplicates, want %d", name, len(d.Duplicates), len(points)-len(distinct))
		}
		if want := 2*len(distinct) - 2 - outside; len(triangles) != want {
			t.Errorf("%s: %d triangles, want %d", name, len(triangles), want)
		}
		hull := spatial.ConvexHull(tensorOf(points))
		for _, v := range hull.Vertices.ToVec1() {
			i := int(v)
			for _, pair := range d.Duplicates {
				if pair[0] == i {
					i = pair[1]
				}
			}
			if !border[i] {
				t.Errorf("%s: corner %d of the hull is not on the border", name, i)
			}
		}
		// each corner is found in a triangle that has it
		found := d.Find(tensorOf(points)).ToVec1()
		for i, id := range found {
			if id < 0 || !slices.ContainsFunc(triangles[int(id)], func(v float64) bool { return points[int(v)] == points[i] }) {
				t.Fatalf("%s: point %d is found in triangle %d", name, i, int(id))
			}
		}
	}
}

// TestBrute compares neighbours with those of all distances, on points many of which are at the same distance.
func TestBrute(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, d := range []int{1, 2, 5} {
		for _, n := range []int{0, 1, 7, 200} {
			flat, x := make([]float64, n*d), make([]float64, 9*d)
			for i := range flat {
				flat[i] = float64(rng.IntN(4))
			}
			for i := range x {
				x[i] = float64(rng.IntN(6)) - 1
			}
			tree := spatial.NewKDTree(tensor.CPU().FromSlice(flat, n, d))
			const k = 6
			distances, ids := tree.Query(tensor.CPU().FromSlice(x, 9, d), k)
			for q := range 9 {
				type pair struct {
					square float64
					id     int
				}
				all := []pair{}
				for i := range n {
					sum := 0.0
					for j := range d {
						sum += (flat[i*d+j] - x[q*d+j]) * (flat[i*d+j] - x[q*d+j])
					}
					all = append(all, pair{sum, i})
				}
				slices.SortStableFunc(all, func(a, b pair) int { return int(a.square - b.square) })
				for j := range k {
					want := pair{math.Inf(1), n}
					if j < n {
						want = all[j]
					}
					at := distances.Float64s()[q*k+j]
					if at*at != want.square && math.Abs(at-math.Sqrt(want.square)) > 1e-12 || int(ids.Float64s()[q*k+j]) != want.id {
						t.Fatalf("%d dims, %d points: neighbour %d is %d at %g, want %v", d, n, j, int(ids.Float64s()[q*k+j]), at, want)
					}
				}
			}
		}
	}
}

// TestGradients compares gradients of distances with differences.
func TestGradients(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		s := newSuite(t, dev, tensor.F64)
		for _, m := range []spatial.Metric{spatial.Euclidean, spatial.Cosine, spatial.Minkowski(3), spatial.Correlation} {
			a, b := tensor.NewVar(s.Input("a")), s.Input("b")
			weights := dev.Arange(tensor.F64, 24).Reshape(6, 4)
			of := func(x *tensor.Tensor) *tensor.Tensor { return spatial.CDist(x, b, m).Mul(weights).Sum() }
			got := of(a).Backward().Get(a).Float64s()
			values := a.Detach().Float64s()
			for i := range values {
				shifted := func(h float64) float64 {
					moved := slices.Clone(values)
					moved[i] += h
					return of(dev.FromSlice(moved, 6, 5)).ToScalar()
				}
				if i/5 == 2 { // the distance of a point from itself has a corner there
					continue
				}
				if want := (shifted(1e-6) - shifted(-1e-6)) / 2e-6; math.Abs(got[i]-want) > 1e-6*max(1, math.Abs(want)) {
					t.Errorf("%v: gradient %d is %g, want %g", m, i, got[i], want)
				}
			}
			for i := range 5 {
				if math.IsNaN(got[10+i]) {
					t.Errorf("%v: the gradient at a distance of 0 is not a number", m)
				}
			}
		}
	})
}

// TestErrors checks what is refused.
func TestErrors(t *testing.T) {
	x := tensor.Of(1, 2, 3, 4).Reshape(2, 2)
	line := tensor.Of(0, 0, 1, 1, 2, 2).Reshape(3, 2)
	tree := spatial.NewKDTree(x)
	for what, c := range map[string]struct {
		kind error
		f    func()
	}{
		"ranks":       {tensor.ErrShape, func() { spatial.CDist(x, tensor.Of(1, 2), spatial.Euclidean) }},
		"no metric":   {tensor.ErrValue, func() { spatial.CDist(x, x, spatial.Metric{}) }},
		"a power":     {tensor.ErrValue, func() { spatial.Minkowski(0) }},
		"variances":   {tensor.ErrShape, func() { spatial.CDist(x, x, spatial.SEuclidean(tensor.Of(1, 2, 3))) }},
		"complex":     {tensor.ErrDType, func() { spatial.NewKDTree(tensor.Complex(x, x)) }},
		"infinity":    {tensor.ErrValue, func() { spatial.NewKDTree(tensor.Of(1, math.Inf(1)).Reshape(1, 2)) }},
		"a position":  {tensor.ErrShape, func() { tree.Query(tensor.Of(1, 2, 3), 1) }},
		"NaN":         {tensor.ErrValue, func() { tree.Query(tensor.Of(1, math.NaN()), 1) }},
		"none":        {tensor.ErrValue, func() { tree.Query(x, 0) }},
		"P":           {tensor.ErrValue, func() { tree.Query(x, 1, spatial.Near{P: 0.5}) }},
		"a ball":      {tensor.ErrValue, func() { tree.QueryBall(x, -1) }},
		"a line":      {tensor.ErrValue, func() { spatial.Delaunay(line) }},
		"its hull":    {tensor.ErrValue, func() { spatial.ConvexHull(line) }},
		"two points":  {tensor.ErrValue, func() { spatial.Delaunay(x) }},
		"space":       {tensor.ErrShape, func() { spatial.Delaunay(tensor.CPU().Zeros(tensor.F64, 4, 3)) }},
		"a square":    {tensor.ErrShape, func() { spatial.SquareForm(tensor.Of(1, 2)) }},
		"no position": {tensor.ErrShape, func() { spatial.Delaunay(tensor.Of(0, 0, 1, 0, 0, 1).Reshape(3, 2)).Find(tensor.Of(1)) }},
	} {
		if err := tensor.Catch(func() error { c.f(); return nil }); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want the error %q", what, err, c.kind)
		}
	}
	far := spatial.Delaunay(tensor.Of(0, 0, 1e-30, 0, 0, 1e-30).Reshape(3, 2).ToDType(tensor.F64)).Find(tensor.Of(1e30, 2, math.Inf(1), 0).Reshape(2, 2))
	if got := far.ToVec1(); got[0] != -1 || got[1] != -1 {
		t.Errorf("positions far outside are in the triangles %v", got)
	}
}
