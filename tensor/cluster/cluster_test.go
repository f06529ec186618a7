package cluster_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/cluster"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/random"
	"github.com/gorocm/gorocm/tensor/spatial"
)

// TestSciPy compares all functions with SciPy's.
func TestSciPy(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		s := testutil.NewSuite(t, dev, tensor.F64, 0, 1e-10)
		x := s.Input("x")
		first := x.Narrow(0, 0, 4)
		r := cluster.KMeans(x, 4, cluster.KMeansOptions{Initial: first, Tolerance: -1})
		s.Check("centroids", r.Centroids)
		s.Check("labels", r.Labels)
		s.Check("whiten", cluster.Whiten(x))
		ids, distances := cluster.VQ(x, first)
		s.Check("vq ids", ids)
		s.Check("vq distances", distances)
		for name, method := range map[string]cluster.Method{"single": cluster.Single, "complete": cluster.Complete,
			"average": cluster.Average, "weighted": cluster.Weighted, "ward": cluster.Ward} {
			z := cluster.Linkage(x, method)
			s.Check(name, z)
			s.Check(name+" leaves", cluster.Leaves(z))
			s.Check(name+" cophenet", cluster.Cophenet(z))
			for _, k := range []int{1, 2, 3, 7, 40} {
				s.Check(fmt.Sprintf("%s into %d", name, k), cluster.FCluster(z, float64(k), cluster.ByCount))
			}
			for _, d := range []float64{0.5, 1, 2, 4} {
				s.Check(fmt.Sprintf("%s at %g", name, d), cluster.FCluster(z, d, cluster.ByDistance))
			}
		}
		s.Check("cityblock", cluster.Linkage(spatial.PDist(x, spatial.CityBlock), cluster.Average))
		s.All()
	})
}

// TestKMeans finds clusters that are far apart, in all types, whatever the seed.
func TestKMeans(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		const k, each = 5, 30
		rng := rand.New(rand.NewPCG(1, 1))
		values := []float64{}
		for i := range k * each {
			values = append(values, float64(100*(i%k))+rng.Float64(), float64(40*(i%k%2))+rng.Float64())
		}
		for _, dt := range []tensor.DType{tensor.F64, tensor.F32, tensor.BF16, tensor.I64} {
			x := dev.FromSlice(values, k*each, 2).ToDType(dt)
			for seed := range uint64(3) {
				r := cluster.KMeans(x, k, cluster.KMeansOptions{Generator: random.New(seed), Restarts: 2})
				labels := r.Labels.Float64s()
				distinct := map[float64]bool{}
				for i, l := range labels {
					distinct[l] = true
					if l != labels[i%k] {
						t.Fatalf("%v: points %d and %d are in clusters %g and %g", dt, i, i%k, l, labels[i%k])
					}
				}
				if len(distinct) != k || !r.Converged {
					t.Errorf("%v: %v, with %d labels", dt, r, len(distinct))
				}
				want := x.ToDType(tensor.F64).Sub(r.Centroids.ToDType(tensor.F64).IndexSelect(r.Labels, 0)).Sqr().Sum().ToScalar()
				if dt == tensor.F64 && math.Abs(want-r.Inertia) > 1e-9*want {
					t.Errorf("inertia %g, want %g", r.Inertia, want)
				}
			}
		}
	})
}

// TestEmpty: a cluster without points takes one, and the sum of squares never grows.
func TestEmpty(t *testing.T) {
	x := tensor.Of(0, 1, 2, 10, 11, 12, 50).Unsqueeze(1)
	far := tensor.Of(5, 1000, 2000).Unsqueeze(1)
	r := cluster.KMeans(x, 3, cluster.KMeansOptions{Initial: far})
	if r.Inertia > 4.001 {
		t.Errorf("%v", r)
	}
	same := tensor.CPU().Ones(tensor.F32, 4, 2)
	if r := cluster.KMeans(same, 3, cluster.KMeansOptions{}); r.Inertia != 0 {
		t.Errorf("of equal points: %v", r)
	}
	if r := cluster.KMeans(x, 7, cluster.KMeansOptions{}); r.Inertia > 1e-9 {
		t.Errorf("of a cluster for each point: %v", r)
	}
	if got := cluster.FCluster(cluster.Linkage(x, cluster.Ward), 7, cluster.ByCount).Max().ToScalar(); got != 7 {
		t.Errorf("%g clusters of 7 points, want 7", got)
	}
}

// TestBruteLinkage compares with a linkage that looks at all pairs of clusters each time.
func TestBruteLinkage(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	const n = 25
	x := make([]float64, 2*n)
	for i := range x {
		x[i] = rng.Float64()
	}
	for name, of := range map[cluster.Method]func(list []float64) float64{
		cluster.Single: slices.Min[[]float64], cluster.Complete: slices.Max[[]float64],
		cluster.Average: func(list []float64) float64 {
			sum := 0.0
			for _, v := range list {
				sum += v
			}
			return sum / float64(len(list))
		},
	} {
		got := cluster.Linkage(tensor.CPU().FromSlice(x, n, 2), name).ToVec2()
		groups := [][]int{}
		for i := range n {
			groups = append(groups, []int{i})
		}
		for step := range n - 1 {
			least, a, b := math.Inf(1), 0, 0
			for i := range groups {
				for j := range i {
					all := []float64{}
					for _, p := range groups[i] {
						for _, q := range groups[j] {
							all = append(all, math.Hypot(x[2*p]-x[2*q], x[2*p+1]-x[2*q+1]))
						}
					}
					if d := of(all); d < least {
						least, a, b = d, i, j
					}
				}
			}
			if math.Abs(got[step][2]-least) > 1e-12 || int(got[step][3]) != len(groups[a])+len(groups[b]) {
				t.Fatalf("%v: row %d is %v, want the distance %g", name, step, got[step], least)
			}
			groups[b] = append(groups[b], groups[a]...)
			groups = slices.Delete(groups, a, a+1)
		}
	}
}

// TestErrors checks what is refused.
func TestErrors(t *testing.T) {
	x := tensor.Of(0, 1, 5, 6).Reshape(4, 1)
	for what, c := range map[string]struct {
		kind error
		f    func()
	}{
		"no clusters":   {tensor.ErrValue, func() { cluster.KMeans(x, 0, cluster.KMeansOptions{}) }},
		"five of four":  {tensor.ErrValue, func() { cluster.KMeans(x, 5, cluster.KMeansOptions{}) }},
		"a vector":      {tensor.ErrShape, func() { cluster.KMeans(tensor.Of(1, 2), 1, cluster.KMeansOptions{}) }},
		"NaN":           {tensor.ErrValue, func() { cluster.KMeans(x.Div(x), 1, cluster.KMeansOptions{}) }},
		"initial":       {tensor.ErrShape, func() { cluster.KMeans(x, 2, cluster.KMeansOptions{Initial: x}) }},
		"restarts":      {tensor.ErrValue, func() { cluster.KMeans(x, 2, cluster.KMeansOptions{Restarts: -1}) }},
		"a codebook":    {tensor.ErrShape, func() { cluster.VQ(x, tensor.Of(1, 2).Reshape(1, 2)) }},
		"one point":     {tensor.ErrShape, func() { cluster.Linkage(x.Narrow(0, 0, 1), cluster.Ward) }},
		"two distances": {tensor.ErrShape, func() { cluster.Linkage(tensor.Of(1, 2), cluster.Ward) }},
		"a method":      {tensor.ErrValue, func() { cluster.Linkage(x, 9) }},
		"no hierarchy":  {tensor.ErrShape, func() { cluster.FCluster(x, 1, cluster.ByCount) }},
		"an order":      {tensor.ErrIndex, func() { cluster.Leaves(tensor.Of(0, 2, 1, 2).Reshape(1, 4)) }},
		"no cluster":    {tensor.ErrValue, func() { cluster.FCluster(cluster.Linkage(x, cluster.Ward), 0, cluster.ByCount) }},
	} {
		if err := tensor.Catch(func() error { c.f(); return nil }); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want the error %q", what, err, c.kind)
		}
	}
}

func ExampleKMeans() {
	x := tensor.Of(0, 0, 0, 1, 9, 9, 9, 8).Reshape(4, 2)
	r := cluster.KMeans(x, 2, cluster.KMeansOptions{})
	centroids := r.Centroids.ToVec2()
	slices.SortFunc(centroids, slices.Compare)
	fmt.Println(centroids, r.Inertia)
	// Output: [[0 0.5] [9 8.5]] 1
}

func ExampleLinkage() {
	z := cluster.Linkage(tensor.Of(0, 1, 5, 7).Unsqueeze(1), cluster.Single)
	fmt.Println(z.ToVec2())
	fmt.Println(cluster.FCluster(z, 2, cluster.ByCount).ToVec1())
	// Output:
	// [[0 1 1 2] [2 3 2 2] [4 5 4 4]]
	// [1 1 2 2]
}

// TestOwnClusters: clusters of one point each are numbered as the points, by distance in the order of the hierarchy, as
// scipy.cluster.hierarchy.fcluster numbers them (1.17).
func TestOwnClusters(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		t    float64
		by   cluster.Criterion
		want []float64
	}{
		{[]float64{0, 5, 0.5}, 3, cluster.ByCount, []float64{1, 2, 3}},
		{[]float64{0, 5, 0.5}, 10, cluster.ByCount, []float64{1, 2, 3}},
		{[]float64{0, 5, 0.5}, 2.5, cluster.ByCount, []float64{1, 2, 1}},
		{[]float64{0, 5, 0.5}, 0.1, cluster.ByDistance, []float64{1, 3, 2}},
		{[]float64{0, 5, 0, 5, 1.5}, 5, cluster.ByCount, []float64{1, 2, 3, 4, 5}},
		{[]float64{0, 5, 0, 5, 1.5}, 4, cluster.ByCount, []float64{2, 1, 2, 1, 3}},
	} {
		z := cluster.Linkage(tensor.CPU().FromSlice(c.x, len(c.x), 1), cluster.Single)
		if got := cluster.FCluster(z, c.t, c.by).ToVec1(); !slices.Equal(got, c.want) {
			t.Errorf("%v, %g: %v, want %v", c.x, c.t, got, c.want)
		}
	}
}
