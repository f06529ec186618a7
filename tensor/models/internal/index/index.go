// Package index finds the vectors nearest to others.
package index

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

// Index finds the vectors that are nearest to others by the cosine of the angle between them: texts of like meaning, by
// vectors of Encoder.Embed. It compares with every vector, on the device, in one product.
type Index struct {
	rows *tensor.Tensor // [vectors dim], of length 1; nil while empty
}

// Match is a vector that Search found: its number in the order in which vectors were added, and the cosine.
type Match struct {
	ID    int
	Score float64
}

// New returns an index of vectors [n dim], which may be nil for an empty one.
func New(vectors *tensor.Tensor) *Index {
	i := &Index{}
	if vectors != nil {
		i.Add(vectors)
	}
	return i
}

// Len returns how many vectors there are.
func (i *Index) Len() int {
	if i.rows == nil {
		return 0
	}
	return i.rows.Dim(0)
}

// Add adds vectors [n dim]. It panics with ErrShape for other shapes, and for vectors of another dim than those before.
func (i *Index) Add(vectors *tensor.Tensor) {
	if vectors.Rank() != 2 || i.rows != nil && vectors.Dim(1) != i.rows.Dim(1) {
		panic(&tensor.Error{Op: "index", Kind: tensor.ErrShape, Shapes: [][]int{vectors.Dims()},
			Message: fmt.Sprintf("want vectors [n dim], as wide as those that are there, not shape %v", vectors.Dims())})
	}
	rows := parts.Unit(vectors.Detach().ToDType(tensor.F32)).Contiguous()
	if i.rows != nil {
		rows = tensor.Cat([]*tensor.Tensor{i.rows, rows.ToDevice(i.rows.Device())}, 0)
	}
	i.rows = rows.Kept()
}

// Search returns the k vectors nearest to each query [queries dim], the nearest first; fewer when there are fewer. It
// panics with ErrShape for other shapes, and for k below 1.
func (i *Index) Search(queries *tensor.Tensor, k int) [][]Match {
	if queries.Rank() != 2 || k < 1 || i.rows != nil && queries.Dim(1) != i.rows.Dim(1) {
		panic(&tensor.Error{Op: "index", Kind: tensor.ErrShape, Shapes: [][]int{queries.Dims()},
			Message: fmt.Sprintf("want queries [n dim], as wide as the vectors, and k of at least 1, not shape %v and %d",
				queries.Dims(), k)})
	}
	out := make([][]Match, queries.Dim(0))
	if i.rows == nil || len(out) == 0 {
		return out
	}
	q := parts.Unit(queries.Detach().ToDevice(i.rows.Device()).ToDType(tensor.F32))
	scores, ids := q.MatMul(i.rows.T()).TopK(min(k, i.Len()), 1, true)
	values, at := scores.ToVec2(), ids.ToVec2()
	for n := range out {
		for m := range values[n] {
			out[n] = append(out[n], Match{int(at[n][m]), values[n][m]})
		}
	}
	return out
}
