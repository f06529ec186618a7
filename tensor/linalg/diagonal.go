package linalg

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Diagonal returns a diagonal of matrices a [… m n] as vectors [… k]: offset 0 is the main one, 1 the one above it, -1
// the one below.
func Diagonal(a *tensor.Tensor, offset int) *tensor.Tensor {
	const op = "diagonal"
	extend.SameDevice(op, a)
	if a.Rank() < 2 {
		extend.ShapeNoting(op, []*tensor.Tensor{a}, "linalg.Diag(x) is a matrix with the vector x on its diagonal",
			"want matrices, not shape %v", a.Dims())
	}
	rows, cols := max(-offset, 0), max(offset, 0)
	k := min(a.Dim(-2)-rows, a.Dim(-1)-cols)
	if k <= 0 {
		return a.Device().Zeros(a.DType(), append(a.Dims()[:a.Rank()-2:a.Rank()-2], 0)...)
	}
	part := a.Narrow(-2, rows, k).Narrow(-1, cols, k)
	at := a.Device().Arange(tensor.I64, float64(k)).Reshape(k, 1)
	ids := at.BroadcastAs(append(a.Dims()[:a.Rank()-2:a.Rank()-2], k, 1)...)
	return part.Gather(ids, -1).Squeeze(-1)
}

// DiagEmbed returns matrices [… n n] with the vectors x [… k] on a diagonal, and zeros elsewhere. n is k plus the
// distance of the diagonal from the main one.
func DiagEmbed(x *tensor.Tensor, offset int) *tensor.Tensor {
	const op = "diag_embed"
	extend.SameDevice(op, x)
	if x.Rank() == 0 {
		extend.Shape(op, []*tensor.Tensor{x}, "want vectors, not a scalar")
	}
	k, distance := x.Dim(-1), max(offset, -offset)
	n := k + distance
	out := x.Device().Zeros(x.DType(), append(x.Dims()[:x.Rank()-1:x.Rank()-1], n, n)...)
	if x.ElemCount() == 0 {
		return out
	}
	// Row i of the result has element i - rows of x, at column i - rows + cols.
	rows, cols := max(-offset, 0), max(offset, 0)
	at := x.Device().Arange(tensor.I64, float64(cols), float64(cols+k)).Reshape(k, 1)
	ids := at.BroadcastAs(append(x.Dims()[:x.Rank()-1:x.Rank()-1], k, 1)...)
	block := out.Narrow(-2, rows, k).Contiguous().Scatter(ids, x.Unsqueeze(-1), -1)
	return block.Pad(-2, rows, cols, 0)
}

// Diag returns the matrix [n n] with the vector x on its diagonal, or the main diagonal of a matrix.
func Diag(x *tensor.Tensor) *tensor.Tensor {
	extend.SameDevice("diag", x)
	switch x.Rank() {
	case 1:
		return DiagEmbed(x, 0)
	case 2:
		return Diagonal(x, 0)
	}
	extend.ShapeNoting("diag", []*tensor.Tensor{x}, "linalg.Diagonal and linalg.DiagEmbed take batches",
		"want a vector or a matrix, not shape %v", x.Dims())
	return nil
}

// Trace returns the sums [… ] of the main diagonals of matrices a [… m n].
func Trace(a *tensor.Tensor) *tensor.Tensor { return Diagonal(a, 0).Sum(-1) }

// BlockDiag returns the matrix with the matrices ms, of one dtype, along its diagonal, and zeros elsewhere.
func BlockDiag(ms ...*tensor.Tensor) *tensor.Tensor {
	const op = "block_diag"
	if len(ms) == 0 {
		extend.Shape(op, nil, "there are no matrices")
	}
	extend.SameDevice(op, ms...)
	cols, at := 0, 0
	for _, m := range ms {
		if m.Rank() != 2 {
			extend.Shape(op, ms, "want matrices, not shape %v", m.Dims())
		}
		cols += m.Dim(1)
	}
	rows := make([]*tensor.Tensor, len(ms))
	for i, m := range ms {
		rows[i] = m.Pad(1, at, cols-at-m.Dim(1), 0)
		at += m.Dim(1)
	}
	return tensor.Cat(rows, 0)
}
