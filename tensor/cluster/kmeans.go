package cluster

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/random"
)

// KMeansOptions are those of KMeans.
type KMeansOptions struct {
	// Initial are the first centroids [k d]. Without them they are points that k-means++ chooses.
	Initial *tensor.Tensor
	// Restarts is how often KMeans begins with other centroids, of which the best result counts: 10, or 1 with Initial.
	Restarts int
	// MaxIterations bounds the iterations of each: 300.
	MaxIterations int
	// Tolerance ends the iteration when the centroids move by less than it times the mean variance of the dims: the
	// squares of their moves are summed. 1e-4. A negative one goes on until no point changes its cluster.
	Tolerance float64
	// Generator chooses the first centroids: random.New(0).
	Generator *random.Generator
}

// KMeansResult is what KMeans found.
type KMeansResult struct {
	Centroids  *tensor.Tensor // [k d], in the type of the points
	Labels     *tensor.Tensor // the cluster of each point, from 0 on, [n] of I64
	Inertia    float64        // the sum of the squares of the distances of points from their centroids
	Iterations int
	// Converged reports whether the centroids came to rest within MaxIterations.
	Converged bool
}

func (r KMeansResult) String() string {
	end := "converged"
	if !r.Converged {
		end = "stopped"
	}
	return fmt.Sprintf("%d clusters of %d points, inertia %.6g: %s after %d iterations", r.Centroids.Dim(0),
		r.Labels.Dim(0), r.Inertia, end, r.Iterations)
}

// KMeans returns k clusters of points x [n d] with a small sum of squares of the distances from their means, by
// Lloyd's iteration (Least squares quantization in PCM, 1982), which finds a local minimum. It begins with the greedy
// k-means++ of Arthur and Vassilvitskii (k-means++: the advantages of careful seeding, 2007), as
// sklearn.cluster.KMeans. A cluster that loses its last point takes the one that is farthest from its centroid. The
// same generator gives the same result on one device. It panics with ErrShape for points of other dims and Initial of
// another shape, and with ErrValue for a k below 1 or above the number of points, and for points that are not finite.
//
//	r := cluster.KMeans(x, 3, cluster.KMeansOptions{})
func KMeans(x *tensor.Tensor, k int, o KMeansOptions) KMeansResult {
	const op = "kmeans"
	x = points(op, x)
	if n := x.Dim(0); k < 1 || k > n {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "want 1 to %d clusters of %d points, not %d", n, n, k)
	}
	if o.Initial != nil {
		extend.SameDevice(op, x, o.Initial)
		if o.Initial.Rank() != 2 || o.Initial.Dim(0) != k || o.Initial.Dim(1) != x.Dim(1) {
			extend.Shape(op, []*tensor.Tensor{x, o.Initial}, "want %d first centroids of %d numbers, not %v", k,
				x.Dim(1), o.Initial.Dims())
		}
		o.Restarts = 1
	}
	if o.Restarts == 0 {
		o.Restarts = 10
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 300
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-4
	}
	if o.Generator == nil {
		o.Generator = random.New(0)
	}
	if o.Restarts < 0 || o.MaxIterations < 0 || math.IsNaN(o.Tolerance) {
		extend.Fail(op, tensor.ErrValue, nil, "0 is the default", "Restarts is %d, MaxIterations %d, Tolerance %g",
			o.Restarts, o.MaxIterations, o.Tolerance)
	}
	y, dt := extend.Precise(x)
	mean := y.Mean(0)
	l := lloyd{x: y.Sub(mean), k: k, o: o} // centred, products lose fewer digits
	l.moves = o.Tolerance * l.x.Sqr().Mean().ToScalar()
	var best KMeansResult
	for i := range o.Restarts {
		first := o.Initial
		if first == nil {
			first = l.seeds()
		} else {
			first = first.Detach().ToDType(y.DType()).Sub(mean)
		}
		if r := l.run(first); i == 0 || r.Inertia < best.Inertia {
			best = r
		}
	}
	best.Centroids = best.Centroids.Add(mean).ToDType(dt)
	return best
}

// points returns x [n d] without its gradient.
func points(op string, x *tensor.Tensor) *tensor.Tensor {
	extend.SameDevice(op, x)
	if x.Rank() != 2 || x.ElemCount() == 0 {
		extend.ShapeNoting(op, []*tensor.Tensor{x}, "x.Unsqueeze(1) has the numbers of a vector as points",
			"want points [n d], not %v", x.Dims())
	}
	if x.DType().IsComplex() {
		extend.Fail(op, tensor.ErrDType, []*tensor.Tensor{x}, "x.ViewAsReal() has the parts as a last dim",
			"want real numbers, not %v", x.DType())
	}
	x = x.Detach()
	if x.DType().IsFloat() && x.IsFinite().All().ToScalar() == 0 {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "x.IsFinite().All(1) says which are",
			"there are points with coordinates that are not finite")
	}
	return x
}

// lloyd is a run of KMeans.
type lloyd struct {
	x     *tensor.Tensor // centred points
	k     int
	o     KMeansOptions
	moves float64 // the squares of the moves at which it ends
}

// run iterates from centroids.
func (l lloyd) run(c *tensor.Tensor) KMeansResult {
	r := KMeansResult{Centroids: c, Labels: nearest(l.x, c)}
	ones := l.x.Device().Ones(l.x.DType(), l.x.Dim(0), 1)
	for r.Iterations < l.o.MaxIterations && !r.Converged {
		r.Iterations++
		next := l.means(r, ones)
		moved := next.Sub(r.Centroids).Sqr().Sum().ToScalar()
		labels := nearest(l.x, next)
		r.Converged = moved <= l.moves || labels.Ne(r.Labels).Any().ToScalar() == 0
		r.Centroids, r.Labels = next, labels
	}
	apart := l.x.Sub(r.Centroids.IndexSelect(r.Labels, 0))
	r.Inertia = apart.ToDType(tensor.F64).Sqr().Sum().ToScalar()
	return r
}

// means returns those of the clusters. Empty ones take the points that are farthest from their centroids.
func (l lloyd) means(r KMeansResult, ones *tensor.Tensor) *tensor.Tensor {
	labels := r.Labels
	count := func() *tensor.Tensor { return ones.Device().Zeros(ones.DType(), l.k, 1).IndexAdd(labels, ones, 0) }
	counts := count()
	if empty := counts.Eq(0); empty.Any().ToScalar() != 0 {
		list, sizes := labels.Float64s(), counts.Float64s()
		far := l.x.Sub(r.Centroids.IndexSelect(labels, 0)).Sqr().Sum(1)
		order, next := far.ArgSort(0, false).Float64s(), 0
		for cluster, size := range sizes {
			for ; size == 0 && next < len(order); next++ {
				if i := int(order[next]); sizes[int(list[i])] > 1 { // one that is not alone
					sizes[int(list[i])]--
					list[i], size = float64(cluster), 1
				}
			}
		}
		labels = l.x.Device().FromSlice(list, len(list)).ToDType(tensor.I64)
		counts = count()
	}
	return l.x.Device().Zeros(l.x.DType(), l.k, l.x.Dim(1)).IndexAdd(labels, l.x, 0).Div(counts)
}

// nearest returns the index of the nearest row of c for each row of x, by |c|² - 2·x·c, in blocks.
func nearest(x, c *tensor.Tensor) *tensor.Tensor {
	squares, twice := c.Sqr().Sum(1), c.T().Mul(-2)
	parts := []*tensor.Tensor{}
	for _, some := range x.Split(max(1, 1<<22/c.Dim(0)), 0) {
		parts = append(parts, some.MatMul(twice).Add(squares).ArgMin(1))
	}
	return tensor.Cat(parts, 0).ToDType(tensor.I64)
}

// VQ returns the index of the nearest row of a codebook [k d] for each point of x [n d], and its distance, as [n] of
// I64 and [n]: scipy.cluster.vq.vq. It panics as KMeans.
func VQ(x, codebook *tensor.Tensor) (ids, distances *tensor.Tensor) {
	const op = "vq"
	x, codebook = points(op, x), points(op, codebook)
	extend.SameDevice(op, x, codebook)
	if x.Dim(1) != codebook.Dim(1) {
		extend.Shape(op, []*tensor.Tensor{x, codebook}, "points have %d numbers, the codebook %d", x.Dim(1),
			codebook.Dim(1))
	}
	y, dt := extend.Precise(x)
	c := codebook.ToDType(y.DType())
	mean := c.Mean(0)
	ids = nearest(y.Sub(mean), c.Sub(mean))
	return ids, y.Sub(c.IndexSelect(ids, 0)).Sqr().Sum(1).Sqrt().ToDType(dt)
}

// Whiten returns points x [n d] whose dims are divided by their standard deviations, as scipy.cluster.vq.whiten. Dims
// without deviation stay as they are. It panics as KMeans.
func Whiten(x *tensor.Tensor) *tensor.Tensor {
	y, dt := extend.Precise(points("whiten", x))
	deviation := y.StdWith(0, 0)
	return y.Div(deviation.Eq(0).WhereCond(1, deviation)).ToDType(dt)
}
