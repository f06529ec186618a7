package gpu

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/fft/internal/plan"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Complex transforms dense complex numbers along dims, forward or inverse, times scale.
func Complex(
	b backend.Backend, in backend.Operand, dims []int, inverse bool, scale float64,
) (backend.Storage, error) {
	r, shape := newRunner(b, in.DType), in.Layout.Shape
	if s, ok, err := r.byLibrary(in, dims, inverse, scale); ok || err != nil {
		return s, err
	}
	out, err := r.Alloc(backend.Product(shape) * in.DType.Size())
	if err != nil {
		return nil, err
	}
	to := backend.Operand{Store: out, DType: in.DType, Layout: backend.Dense(shape)}
	for i, d := range dims {
		s := 1.0
		if i == len(dims)-1 {
			s = scale
		}
		if err := r.along(in, to, d, inverse, s); err != nil {
			return nil, err
		}
		in = to
	}
	return out, nil
}

// along transforms one dim of a dense operand.
func (r *runner) along(in, out backend.Operand, d int, inverse bool, scale float64) error {
	shape := in.Layout.Shape
	n, outer, inner := shape[d], backend.Product(shape[:d]), backend.Product(shape[d+1:])
	if plan.Smooth(n) {
		j := job{n: n, from: inner, to: inner, inverse: inverse, scale: scale}
		for _, d := range []dim{{outer, n * inner, n * inner}, {inner, 1, 1}} {
			if d.size > 1 {
				j.dims = append(j.dims, d)
			}
		}
		return r.run(memoryOf(in), memoryOf(out), j)
	}
	if inner == 1 {
		return r.chirp(memoryOf(in), memoryOf(out), n, outer, inverse, scale)
	}
	rows, err := r.Alloc(backend.Product(shape) * in.DType.Size())
	if err != nil {
		return err
	}
	defer rows.Release()
	last := backend.Operand{Store: rows, DType: in.DType, Layout: backend.Dense([]int{outer, inner, n})}
	swapped := last
	swapped.Layout = backend.Layout{Shape: []int{outer, n, inner}, Strides: []int{n * inner, 1, n}}
	in.Layout = offset(backend.Dense(swapped.Layout.Shape), in.Layout.Offset)
	if err := r.Copy(in, swapped); err != nil {
		return err
	}
	if err := r.chirp(memoryOf(last), memoryOf(last), n, outer*inner, inverse, scale); err != nil {
		return err
	}
	out.Layout = offset(backend.Dense(swapped.Layout.Shape), out.Layout.Offset)
	return r.Copy(swapped, out)
}

func offset(l backend.Layout, n int) backend.Layout {
	l.Offset = n
	return l
}

// complexOf is the type of numbers whose parts have a type.
func complexOf(dt kernels.DType) kernels.DType {
	if dt == kernels.F64 {
		return kernels.C128
	}
	return kernels.C64
}

// Forward transforms dense rows of n real numbers to the first n/2 + 1 numbers of their transforms, times scale, and
// then other dims, which are before the last one.
func Forward(b backend.Backend, in backend.Operand, dims []int, scale float64) (backend.Storage, error) {
	r, shape := newRunner(b, complexOf(in.DType)), in.Layout.Shape
	if in.Layout.Offset%2 != 0 { // libraries and kernels read pairs
		own, err := r.Alloc(in.Layout.ElemCount() * in.DType.Size())
		if err != nil {
			return nil, err
		}
		defer own.Release()
		moved := backend.Operand{Store: own, DType: in.DType, Layout: backend.Dense(shape)}
		if err := r.Copy(in, moved); err != nil {
			return nil, err
		}
		in = moved
	}
	if s, ok, err := r.realByLibrary(in, shape, rocm.FFTForward, dims, scale); ok || err != nil {
		return s, err
	}
	last := len(shape) - 1
	n, rows := shape[last], backend.Product(shape[:last])
	out, ok, err := r.realByLibrary(in, []int{rows, n}, rocm.FFTForward, nil, scale)
	if !ok && err == nil {
		out, err = r.forwardRows(in, rows, n, scale)
	}
	if err != nil {
		return nil, err
	}
	half := append(slices.Clone(shape[:last]), n/2+1)
	return out, r.inPlace(out, half, dims, false)
}

// inPlace transforms dims of dense complex numbers.
func (r *runner) inPlace(s backend.Storage, shape, dims []int, inverse bool) error {
	o := backend.Operand{Store: s, DType: r.dt, Layout: backend.Dense(shape)}
	for _, d := range dims {
		if err := r.along(o, o, d, inverse, 1); err != nil {
			return err
		}
	}
	return nil
}

// forwardRows is Forward with gorocm's kernels, for the last dim.
func (r *runner) forwardRows(in backend.Operand, rows, n int, scale float64) (backend.Storage, error) {
	h := n / 2
	out, err := r.Alloc(rows * (h + 1) * r.dt.Size())
	if err != nil {
		return nil, err
	}
	if n%2 != 0 {
		return out, r.oddForward(in, out, rows, n, scale)
	}
	// as h complex numbers
	pairs := backend.Operand{Store: in.Store, DType: r.dt,
		Layout: offset(backend.Dense([]int{rows, h}), in.Layout.Offset/2)}
	z, err := r.Alloc(rows * h * r.dt.Size())
	if err != nil {
		return nil, err
	}
	defer z.Release()
	whole := backend.Operand{Store: z, DType: r.dt, Layout: backend.Dense([]int{rows, h})}
	if err := r.along(pairs, whole, 1, false, scale); err != nil {
		return nil, err
	}
	return out, r.step("fft_real", memoryOf(whole), dense(out), rows, h, rows*(h+1))
}

// dense is the memory of a storage.
func dense(s backend.Storage) memory { return memory{s.(backend.DeviceMemory).DeviceBuffer(), 0} }

// step takes rows of h numbers apart, or puts them together, for n results.
func (r *runner) step(name string, x, y memory, rows, h, n int) error {
	low, high, shift, err := r.powers(2 * h)
	if err != nil {
		return err
	}
	args := r.add(rocm.NewArgs(), x).Buffer(low, 0).Buffer(high, 0)
	return r.launch(name, blocks(n), r.add(args, y).U64(uint64(rows)).U64(uint64(h)).U64(uint64(shift)))
}

// oddForward transforms rows of an odd length as complex numbers.
func (r *runner) oddForward(in backend.Operand, out backend.Storage, rows, n int, scale float64) error {
	wide, err := r.Alloc(rows * n * r.dt.Size())
	if err != nil {
		return err
	}
	defer wide.Release()
	whole := backend.Operand{Store: wide, DType: r.dt, Layout: backend.Dense([]int{rows, n})}
	if err := r.Fill(parts(wide, in.DType, rows, n, 1), 0); err != nil {
		return err
	}
	in.Layout = offset(backend.Dense([]int{rows, n}), in.Layout.Offset)
	if err := r.Copy(in, parts(wide, in.DType, rows, n, 0)); err != nil {
		return err
	}
	if err := r.along(whole, whole, 1, false, scale); err != nil {
		return err
	}
	first := whole
	first.Layout = backend.Layout{Shape: []int{rows, n/2 + 1}, Strides: []int{n, 1}}
	return r.Copy(first, backend.Operand{Store: out, DType: r.dt, Layout: backend.Dense(first.Layout.Shape)})
}

// parts are the real parts of dense rows of n numbers, or the imaginary ones: part 0 or 1.
func parts(s backend.Storage, dt kernels.DType, rows, n, part int) backend.Operand {
	return backend.Operand{Store: s, DType: dt,
		Layout: backend.Layout{Shape: []int{rows, n}, Strides: []int{2 * n, 2}, Offset: part}}
}

// Backward transforms dims before the last one by inverse transforms, and then computes dense rows of n real numbers,
// times scale, from the first n/2 + 1 numbers of their transforms.
func Backward(b backend.Backend, in backend.Operand, dims []int, n int, scale float64) (backend.Storage, error) {
	r, shape := newRunner(b, in.DType), slices.Clone(in.Layout.Shape)
	last := len(shape) - 1
	rows := backend.Product(shape[:last])
	shape[last] = n
	if s, ok, err := r.realByLibrary(in, shape, rocm.FFTBackward, dims, scale); ok || err != nil {
		return s, err
	}
	if len(dims) > 0 {
		own, err := Complex(b, in, dims, true, 1)
		if err != nil {
			return nil, err
		}
		defer own.Release()
		in.Store, in.Layout = own, backend.Dense(in.Layout.Shape)
	}
	if s, ok, err := r.realByLibrary(in, []int{rows, n}, rocm.FFTBackward, nil, scale); ok || err != nil {
		return s, err
	}
	return r.backwardRows(in, rows, n, scale)
}

// backwardRows is Backward with gorocm's kernels, for the last dim.
func (r *runner) backwardRows(in backend.Operand, rows, n int, scale float64) (backend.Storage, error) {
	real, h := r.dt.Real(), n/2
	out, err := r.Alloc(rows * n * real.Size())
	if err != nil {
		return nil, err
	}
	if n%2 == 0 { // as h complex numbers
		pairs := backend.Operand{Store: out, DType: r.dt, Layout: backend.Dense([]int{rows, h})}
		if err := r.step("fft_half", memoryOf(in), dense(out), rows, h, rows*h); err != nil {
			return nil, err
		}
		return out, r.along(pairs, pairs, 1, true, scale)
	}
	wide, err := r.Alloc(rows * n * r.dt.Size())
	if err != nil {
		return nil, err
	}
	defer wide.Release()
	whole := backend.Operand{Store: wide, DType: r.dt, Layout: backend.Dense([]int{rows, n})}
	args := r.add(r.add(rocm.NewArgs(), memoryOf(in)), dense(wide)).U64(uint64(rows)).U64(uint64(n))
	if err := r.launch("fft_whole", blocks(rows*n), args); err != nil {
		return nil, err
	}
	if err := r.along(whole, whole, 1, true, scale); err != nil {
		return nil, err
	}
	return out, r.Copy(parts(wide, real, rows, n, 0),
		backend.Operand{Store: out, DType: real, Layout: backend.Dense([]int{rows, n})})
}
