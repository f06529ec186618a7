package host

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/openblas"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

func (b Backend) Matmul(x, y backend.Operand, p kernels.MatMul) (backend.Storage, error) {
	defer timedProduct("matmul", x.DType, int(2*p.Batch*p.M*p.N*p.K), int(p.Batch*p.M*p.N)*x.DType.Size(), x, y)()
	vectors := p.M == 1 && p.N == 1
	switch {
	case vectors && x.DType == kernels.F32:
		return multiplyVectors[float32](x, y, p), nil
	case vectors && x.DType == kernels.F64:
		return multiplyVectors[float64](x, y, p), nil
	}
	switch x.DType {
	case kernels.F32:
		return multiplyBatch(x, y, p, blas32.Implementation().Sgemm), nil
	case kernels.F64:
		return multiplyBatch(x, y, p, blas64.Implementation().Dgemm), nil
	}
	if x.DType.IsInt() {
		return multiplyIntegers(x, y, p), nil
	}
	var err error
	if x, p.ARow, p.ACol, p.ABat, err = b.widenMatrices(x, p.M, p.K, p.Batch, p.ARow, p.ACol, p.ABat); err != nil {
		return nil, err
	}
	dt := y.DType
	if y, p.BRow, p.BCol, p.BBat, err = b.widenMatrices(y, p.K, p.N, p.Batch, p.BRow, p.BCol, p.BBat); err != nil {
		return nil, err
	}
	return b.Cast(backend.Operand{Store: multiplyBatch(x, y, p, blas32.Implementation().Sgemm), DType: kernels.F32,
		Layout: backend.Dense([]int{int(p.Batch * p.M * p.N)})}, dt)
}

// widenMatrices converts a batch of matrices of small floats to dense F32 ones. A broadcast matrix is converted once.
func (b Backend) widenMatrices(
	o backend.Operand, rows, cols, batch, row, col, bat int64,
) (backend.Operand, int64, int64, int64, error) {
	count := batch
	if bat == 0 {
		count = 1
	}
	l := backend.Layout{Shape: []int{int(count), int(rows), int(cols)}, Strides: []int{int(bat), int(row), int(col)},
		Offset: o.Layout.Offset}
	s, err := b.Cast(backend.Operand{Store: o.Store, DType: o.DType, Layout: l}, kernels.F32)
	if bat != 0 {
		bat = rows * cols
	}
	return backend.Operand{Store: s, DType: kernels.F32, Layout: backend.Dense(l.Shape)}, cols, 1, bat, err
}

// matrix is an operand in the form that BLAS takes.
type matrix[T float32 | float64] struct {
	data  []T
	bat   int64
	trans blas.Transpose
	ld    int
}

// blasMatrix returns the form of a strided matrix. BLAS takes dense rows or dense columns only; other matrices are
// copied.
func blasMatrix[T float32 | float64](o backend.Operand, rows, cols, batch, row, col, bat int64) matrix[T] {
	switch {
	case (col == 1 || cols == 1) && (row >= cols || rows == 1):
		return matrix[T]{elems[T](o), bat, blas.NoTrans, int(max(row, cols))}
	case (row == 1 || rows == 1) && (col >= rows || cols == 1):
		return matrix[T]{elems[T](o), bat, blas.Trans, int(max(col, rows))}
	}
	if bat == 0 {
		batch = 1
	}
	h, data := uninitElems[T](int(batch*rows*cols), sizeOf[T]())
	l := backend.Layout{Shape: []int{int(batch), int(rows), int(cols)}, Strides: []int{int(bat), int(row), int(col)},
		Offset: o.Layout.Offset}
	copyElems[T](backend.Operand{Store: o.Store, DType: o.DType, Layout: l},
		backend.Operand{Store: h, DType: o.DType, Layout: backend.Dense(l.Shape)})
	if bat != 0 {
		bat = rows * cols
	}
	return matrix[T]{data, bat, blas.NoTrans, int(cols)}
}

// gemm is BLAS's general matrix product.
type gemm[T float32 | float64] func(tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T,
	c []T, ldc int)

// multiplyBatch multiplies the matrices of a batch with the system's BLAS, or with mul where there is none. With wide
// vectors, tiles are faster than either (docs/performance.md), and with narrow ones for many products that the library
// would divide among its threads one by one; in F64 they are faster than mul.
func multiplyBatch[T float32 | float64](x, y backend.Operand, p kernels.MatMul, mul gemm[T]) backend.Storage {
	lib := openblas.Load()
	if x.DType == kernels.F32 && hasTiles() && (lib == nil || hasWideTiles() || manySmall(p)) {
		return multiplyTiles(x, y, p)
	}
	if x.DType == kernels.F64 && lib == nil && doublesTiled(p) {
		return multiplyDoubles(x, y, p)
	}
	if lib == nil || p.M*p.N*p.K < minForeign || max(p.M, p.N, p.K, p.CRow) > math.MaxInt32 {
		return multiplyInGo(x, y, p, mul)
	}
	h, out := uninitElems[T](int(p.Batch*p.CBat), sizeOf[T]())
	a := blasMatrix[T](x, p.M, p.K, p.Batch, p.ARow, p.ACol, p.ABat)
	b := blasMatrix[T](y, p.K, p.N, p.Batch, p.BRow, p.BCol, p.BBat)
	part := func(lo, hi int) {
		for i := int64(lo); i < int64(hi); i++ {
			one := openblas.Matrix[T]{Data: a.data[i*a.bat:], Stride: a.ld, Transposed: a.trans == blas.Trans}
			two := openblas.Matrix[T]{Data: b.data[i*b.bat:], Stride: b.ld, Transposed: b.trans == blas.Trans}
			openblas.Multiply(lib, int(p.M), int(p.N), int(p.K), one, two, out[i*p.CBat:(i+1)*p.CBat], int(p.CRow))
		}
	}
	if p.M*p.N*p.K < minThreaded {
		Parallel(int(p.Batch), int(p.M*p.N*p.K)/8, part)
	} else {
		part(0, int(p.Batch))
	}
	return h
}

// Products of fewer multiplications than minForeign are done before a call to C would have begun. From minThreaded on
// the library uses several cores for one product, which pays for all of them from minShared on.
const (
	minForeign  = 16 * 16 * 16
	minThreaded = 64 * 64 * 64
	minShared   = 256 * 256 * 256
)

// manySmall reports whether several products would each be divided among the threads of the library.
func manySmall(p kernels.MatMul) bool {
	n := p.M * p.N * p.K
	return p.Batch > 1 && n >= minThreaded && n < minShared
}

// multiplyInGo calls mul for every matrix of the batch. Gonum skips factors of A that are 0, which would lose 0·NaN
// and 0·Inf: products in which B has such elements use multiplyNaive.
func multiplyInGo[T float32 | float64](x, y backend.Operand, p kernels.MatMul, mul gemm[T]) backend.Storage {
	h, out := uninitElems[T](int(p.Batch*p.CBat), sizeOf[T]())
	a := blasMatrix[T](x, p.M, p.K, p.Batch, p.ARow, p.ACol, p.ABat)
	b := blasMatrix[T](y, p.K, p.N, p.Batch, p.BRow, p.BCol, p.BBat)
	xs, ys := elems[T](x), elems[T](y)
	Parallel(int(p.Batch), int(p.M*p.N*p.K), func(lo, hi int) {
		for i := int64(lo); i < int64(hi); i++ {
			c := out[i*p.CBat : (i+1)*p.CBat]
			if !finite(ys[i*p.BBat:], p.K, p.N, p.BRow, p.BCol) {
				multiplyNaive(xs[i*p.ABat:], ys[i*p.BBat:], c, p)
				continue
			}
			mul(a.trans, b.trans, int(p.M), int(p.N), int(p.K), 1, a.data[i*a.bat:], a.ld, b.data[i*b.bat:], b.ld, 0, c,
				int(p.CRow))
		}
	})
	return h
}

func finite[T float32 | float64](x []T, rows, cols, row, col int64) bool {
	for i := range rows {
		for j := range cols {
			if v := float64(x[i*row+j*col]); math.IsInf(v, 0) || v != v {
				return false
			}
		}
	}
	return true
}

// multiplyVectors multiplies rows by single columns. The sums carry their rounding errors along in F64, because
// nothing else bounds the error of a long one.
func multiplyVectors[T float32 | float64](x, y backend.Operand, p kernels.MatMul) backend.Storage {
	h, out := uninitElems[T](int(p.Batch*p.CBat), sizeOf[T]())
	xs, ys := elems[T](x), elems[T](y)
	part := func(z, lo, hi int64) (sum twofold) {
		var products [512]float64
		a, b := z*p.ABat, z*p.BBat
		for ; lo < hi; lo += int64(len(products)) {
			n := min(hi-lo, int64(len(products)))
			for k := range n {
				products[k] = float64(float64(xs[a+(lo+k)*p.ACol]) * float64(ys[b+(lo+k)*p.BRow]))
			}
			sum.merge(laneSums(products[:n]))
		}
		return sum
	}
	per := (p.K + sumBlock - 1) / sumBlock
	sums := make([]twofold, p.Batch*per)
	Parallel(len(sums), int(min(p.K, sumBlock)), func(lo, hi int) {
		for i := int64(lo); i < int64(hi); i++ {
			from := i % per * sumBlock
			sums[i] = part(i/per, from, min(from+sumBlock, p.K))
		}
	})
	for z := range p.Batch {
		sum := sums[z*per]
		for _, s := range sums[z*per+1 : (z+1)*per] {
			sum.merge(s)
		}
		out[z*p.CBat] = T(sum.value())
	}
	return h
}

// multiplyNaive is the definition: C = A B for one matrix with any strides, added in float64.
func multiplyNaive[T float32 | float64](a, b, c []T, p kernels.MatMul) {
	for i := range p.M {
		for j := range p.N {
			var sum float64
			for k := range p.K {
				sum += float64(a[i*p.ARow+k*p.ACol]) * float64(b[k*p.BRow+j*p.BCol])
			}
			c[i*p.CRow+j] = T(sum)
		}
	}
}

// BLASName says what multiplies large matrices, for people.
func BLASName() string {
	lib := openblas.Load()
	if hasTiles() && (lib == nil || hasWideTiles()) {
		return simd.Fast.Name
	}
	if lib != nil {
		return lib.Name
	}
	return "Gonum"
}
