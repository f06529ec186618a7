package gpu

import (
	"errors"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Library is what a maker's library does: a rocm.Device, except in tests. Matrices are column-major, as in LAPACK.
type Library interface {
	Solver() rocm.LibraryInfo
	Factor(f *rocm.Factor) (bool, error)
	BLAS() rocm.LibraryInfo
	SolveTriangular(t *rocm.Triangular) (bool, error)
}

// manyMatrices is the number of matrices from which the kernels are faster than a library that factors one at a time,
// as far as they take them; largestShared is the longest side of matrices that fit the shared memory of a block.
const (
	manyMatrices  = 16
	largestShared = 64
)

// asksLibrary reports whether there is a library to ask before the kernels, which take the matrices or not.
func (s *Solver) asksLibrary(batch, side int, taken bool, info func() rocm.LibraryInfo) bool {
	wanted := side > largestShared && batch < manyMatrices || !taken
	return wanted && !s.dev.Capturing() && info().Problem == ""
}

// errRefused ends what a library does not take to its end.
var errRefused = errors.New("refused")

// refusal makes of errRefused that the library did nothing.
func refusal(err error) (bool, error) {
	if errors.Is(err, errRefused) {
		return false, nil
	}
	return err == nil, err
}

// eachFactor makes a step for each matrix of a batch but those to skip, if any. at completes it for matrix i.
func (s *Solver) eachFactor(batch int, skip []bool, step rocm.Factor, at func(f *rocm.Factor, i int)) error {
	for i := range batch {
		if skip != nil && skip[i] {
			continue
		}
		f := step
		at(&f, i)
		if done, err := s.Library.Factor(&f); err != nil {
			return err
		} else if !done {
			return errRefused
		}
	}
	return nil
}

// span is element i of memory that has elements of so many bytes.
func span(s backend.Storage, i, size int) rocm.Span {
	if s == nil {
		return rocm.Span{}
	}
	return rocm.Span{Buffer: buffer(s), Offset: i * size}
}

// columnMajor returns a copy of matrices [batch m n] as a library sees them: a storage [batch cols m], of which the
// first n rows of each are their columns.
func (s *Solver) columnMajor(a backend.Operand, batch, m, n, cols int) (backend.Storage, error) {
	x, err := s.b.Alloc(batch * cols * m * a.DType.Size())
	if err != nil {
		return nil, err
	}
	to := backend.Dense([]int{batch, cols, m}).Narrow(1, 0, n)
	from := backend.Dense([]int{batch, m, n}).Transpose(1, 2)
	from.Offset = a.Layout.Offset
	return x, s.b.Copy(backend.Operand{Store: a.Store, DType: a.DType, Layout: from},
		backend.Operand{Store: x, DType: a.DType, Layout: to})
}

// rowMajor copies the first rows and columns of column-major matrices, a storage [batch cols m], to dense rows
// [batch rows n].
func (s *Solver) rowMajor(x backend.Storage, dt kernels.DType, batch, m, cols, rows, n int) (backend.Storage, error) {
	out, err := s.b.Alloc(batch * rows * n * dt.Size())
	if err != nil {
		return nil, err
	}
	from := backend.Dense([]int{batch, cols, m}).Transpose(1, 2).Narrow(1, 0, rows).Narrow(2, 0, n)
	return out, s.b.Copy(backend.Operand{Store: x, DType: dt, Layout: from},
		backend.Operand{Store: out, DType: dt, Layout: backend.Dense([]int{batch, rows, n})})
}

// clone copies dense elements.
func (s *Solver) clone(a backend.Operand, n int) (backend.Storage, error) {
	x, err := s.b.Alloc(n * a.DType.Size())
	if err != nil {
		return nil, err
	}
	l := backend.Dense([]int{n})
	from := l
	from.Offset = a.Layout.Offset
	return x, s.b.Copy(backend.Operand{Store: a.Store, DType: a.DType, Layout: from},
		backend.Operand{Store: x, DType: a.DType, Layout: l})
}

// clearTriangle sets what is above, or below, the diagonals of matrices [batch m n] to 0.
func (s *Solver) clearTriangle(x backend.Storage, dt kernels.DType, batch, m, n int, above bool) error {
	elements := batch * m * n
	args := addStore(rocm.NewArgs(), x).U64(uint64(elements)).U32(uint32(m)).U32(uint32(n)).U32(flag(above))
	return s.launch.Launch("clear_triangle_"+dt.String(), [3]int{min((elements+255)/256, mostBlocks), 1, 1}, args)
}

// notFinite reports which of the matrices [batch m n] have infinities or NaN, in their lower triangles alone or not.
// What a library makes of those is not known: it may say that all is well, or take forever.
func (s *Solver) notFinite(a backend.Operand, batch, m, n int, lower bool) ([]bool, error) {
	const parts = 512 // of a matrix, at most
	flags, err := s.b.Alloc(batch * 4)
	if err != nil {
		return nil, err
	}
	o := backend.Operand{Store: flags, DType: kernels.I32, Layout: backend.Dense([]int{batch})}
	if err := s.b.Fill(o, 0); err != nil {
		return nil, err
	}
	args := addStore(add(rocm.NewArgs(), a), flags).U64(uint64(batch)).U32(uint32(m)).U32(uint32(n)).U32(flag(lower))
	grid := [3]int{min(batch, mostBlocks), min((m+groupsOfBlock-1)/groupsOfBlock, parts), 1}
	if err := s.launch.Launch("not_finite_"+a.DType.String(), grid, args); err != nil {
		return nil, err
	}
	data, found := make([]byte, batch*4), make([]bool, batch)
	err = s.b.Download(data, flags, 0)
	for i := range found {
		found[i] = data[4*i] != 0
	}
	return found, err
}

// fill sets the elements of the marked matrices, size in each, to a number: NaN for results, 1 for info.
func (s *Solver) fill(x backend.Storage, dt kernels.DType, size int, marked []bool, to float64) error {
	for i, set := range marked {
		if x == nil || !set {
			continue
		}
		o := backend.Operand{Store: x, DType: dt, Layout: backend.Dense([]int{size})}
		if o.Layout.Offset = i * size; dt.IsComplex() {
			o = o.Reals()
		}
		if err := s.b.Fill(o, backend.Scalar{Int: int64(to), Float: to}.Bits(o.DType)); err != nil {
			return err
		}
	}
	return nil
}
