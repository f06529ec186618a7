package cluster

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/spatial"
)

// Method is the distance of two clusters.
type Method int

// The methods of Linkage. All but Ward are made of the distances of the points of one cluster from those of the other.
const (
	Single   Method = iota // their minimum
	Complete               // their maximum
	Average                // their mean
	Weighted               // the mean of the distances of a cluster from the two that the other one was joined of
	Ward                   // by how much joining them adds to the sum of squares of the distances from the means
)

func (m Method) String() string {
	if m < Single || m > Ward {
		return fmt.Sprintf("Method(%d)", int(m))
	}
	return [...]string{"Single", "Complete", "Average", "Weighted", "Ward"}[m]
}

// Linkage returns the hierarchy of clusters of points x [n d] by Euclid's distances, or of n points by their n·(n-1)/2
// distances, which spatial.PDist returns for any metric: each row of the result [n-1 4], in F64, joins the clusters of
// its first two numbers at the distance of the third into a cluster of as many points as the fourth says. Clusters 0 to
// n-1 are the points, cluster n+i is that of row i, and distances ascend: it is scipy.cluster.hierarchy.linkage. The
// distances are on the host, and so is the work, of the order of n² (Müllner, Modern hierarchical, agglomerative
// clustering algorithms, 2011). Ward takes distances as if they were Euclid's. It panics with ErrShape for other shapes
// and less than two points, and with ErrValue for distances that are not finite.
//
//	z := cluster.Linkage(x, cluster.Average)
//	z = cluster.Linkage(spatial.PDist(x, spatial.CityBlock), cluster.Average)
func Linkage(x *tensor.Tensor, method Method) *tensor.Tensor {
	const op = "linkage"
	extend.SameDevice(op, x)
	if method < Single || method > Ward {
		extend.Fail(op, tensor.ErrValue, nil, "", "there is no method %d", int(method))
	}
	distances := x
	if x.Rank() == 2 {
		distances = spatial.PDist(points(op, x).ToDType(tensor.F64), spatial.Euclidean)
	}
	pairs := distances.ElemCount()
	n := int(math.Round((1 + math.Sqrt(float64(1+8*pairs))) / 2))
	if distances.Rank() != 1 || pairs == 0 || n*(n-1)/2 != pairs || distances.DType().IsComplex() {
		extend.Shape(op, []*tensor.Tensor{x}, "want points [n d] or n·(n-1)/2 distances of two points or more, not %v of %v",
			x.Dims(), x.DType())
	}
	d := condensed{n, distances.Detach().Float64s()}
	for _, v := range d.list {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "there is a distance of %g", v)
		}
	}
	var joins []join
	if method == Single {
		joins = spanning(d)
	} else {
		joins = chain(d, method)
	}
	return x.Device().FromSlice(rows(joins, n), n-1, 4)
}
