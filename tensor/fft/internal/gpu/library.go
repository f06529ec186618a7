package gpu

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// mostDims is how many dims a library transforms at once.
const mostDims = 3

// place is where the elements of an operand begin.
func place(o backend.Operand) rocm.Place {
	return rocm.Place{Buffer: memoryOf(o).buffer, Offset: o.Layout.Offset * o.DType.Size()}
}

// libraryForm is transforms of dims of a dense tensor as a library sees them. ok is false unless they are its last
// dims, or its first ones. Dims are in ascending order.
func libraryForm(shape, dims []int) (f rocm.FFT, ok bool) {
	first, n := dims[0], len(dims)
	if n > mostDims || dims[n-1] != first+n-1 {
		return f, false
	}
	sizes := shape[first : first+n]
	outer, inner := backend.Product(shape[:first]), backend.Product(shape[first+n:])
	each := backend.Product(sizes)
	switch {
	case inner == 1:
		f = rocm.FFT{Sizes: sizes, Batch: outer, Stride: 1, InDist: each, OutDist: each}
	case outer == 1:
		f = rocm.FFT{Sizes: sizes, Batch: inner, Stride: inner, InDist: 1, OutDist: 1}
	default:
		return f, false
	}
	return f, true
}

// byLibrary transforms dims of a dense operand with the library of the GPU's maker, and multiplies by scale. ok is
// false where it has not.
func (r *runner) byLibrary(
	in backend.Operand, dims []int, inverse bool, scale float64,
) (s backend.Storage, ok bool, err error) {
	if !rocm.HasFFT(r.dev) {
		return nil, false, nil
	}
	f, ok := libraryForm(in.Layout.Shape, slices.Sorted(slices.Values(dims)))
	if !ok {
		return nil, false, nil
	}
	f.Elem, f.Inverse = r.dt.Real().String(), inverse
	return r.transformed(&f, in, r.dt, in.Layout.ElemCount(), scale)
}

// transformed runs the library to a new result of n elements, and multiplies it by scale.
func (r *runner) transformed(
	f *rocm.FFT, in backend.Operand, dt kernels.DType, n int, scale float64,
) (backend.Storage, bool, error) {
	out, err := r.Alloc(n * dt.Size())
	if err != nil {
		return nil, false, err
	}
	f.In, f.Out = place(in), rocm.Place{Buffer: dense(out).buffer}
	done, err := rocm.Transform(r.dev, f)
	if err != nil || !done {
		out.Release()
		return nil, false, err
	}
	if scale == 1 {
		return out, true, nil
	}
	parts := backend.Operand{Store: out, DType: dt.Real(),
		Layout: backend.Dense([]int{n * dt.Size() / dt.Real().Size()})}
	scaled, err := r.Affine(parts, backend.Scalar{Float: scale}, backend.Scalar{})
	if err == nil {
		err = scaled.Materialize() // complex numbers are not deferred
	}
	return scaled, err == nil, err
}

// realByLibrary transforms the last dim of a dense operand of real numbers, and other dims, or back from half of that
// transform. shape is that of the real numbers. ok is false unless the dims are the last ones.
func (r *runner) realByLibrary(
	in backend.Operand, shape []int, kind rocm.FFTKind, dims []int, scale float64,
) (s backend.Storage, ok bool, err error) {
	if !rocm.HasFFT(r.dev) {
		return nil, false, nil
	}
	last := len(shape) - 1
	f, ok := libraryForm(shape, slices.Sorted(slices.Values(append(slices.Clone(dims), last))))
	if !ok {
		return nil, false, nil
	}
	n := shape[last]
	reals := backend.Product(shape)
	halves := reals / n * (n/2 + 1)
	f.Elem, f.Kind = r.dt.Real().String(), kind
	if kind == rocm.FFTForward {
		f.OutDist = f.OutDist / n * (n/2 + 1)
		return r.transformed(&f, in, r.dt, halves, scale)
	}
	f.InDist = f.InDist / n * (n/2 + 1)
	own, err := r.Alloc(halves * r.dt.Size()) // the library overwrites it
	if err != nil {
		return nil, false, err
	}
	defer own.Release()
	copied := backend.Operand{Store: own, DType: r.dt, Layout: backend.Dense([]int{halves})}
	in.Layout = offset(copied.Layout, in.Layout.Offset)
	if err := r.Copy(in, copied); err != nil {
		return nil, false, err
	}
	return r.transformed(&f, copied, r.dt.Real(), reals, scale)
}
