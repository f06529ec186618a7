package csr

import (
	"math"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// forLibrary is the number of products from which on the library of the GPU's maker multiplies: describing the operands
// to it takes as long as so many. Tests lower it.
var forLibrary = 1 << 20

// byLibrary writes the product with x, which has n columns, to out, with hipSPARSE or cuSPARSE. It reports false where
// they have not.
func byLibrary(op string, m Matrix, x *tensor.Tensor, out backend.Storage, n int) (bool, error) {
	const most = math.MaxInt32 // offsets of 32 bits
	g, ok := extend.Backend(x.Device()).(backend.GPU)
	count := m.Cols.ElemCount()
	if !ok || count*n < forLibrary || count > most || !rocm.HasSparse(g.Device()) {
		return false, nil
	}
	span := func(t *tensor.Tensor) rocm.Span {
		o := extend.Dense(op, t)
		return rocm.Span{Buffer: buffer(o.Store), Offset: o.Layout.Offset * o.DType.Size()}
	}
	return rocm.MultiplySparse(g.Device(), &rocm.SparseProduct{
		Elem: x.DType().String(), Rows: m.Rows, Cols: x.Dim(0), Count: count, N: n, Offsets: span(m.Short()),
		ColIDs: span(m.Cols), Values: span(m.Values), X: span(x), Out: rocm.Span{Buffer: buffer(out)},
	})
}
