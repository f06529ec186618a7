package direct

import "math/cmplx"

// Solve replaces b by the solution of A·x = b, or of Aᴴ·x = b. scratch has as many elements.
func (f *Factors[T]) Solve(b, scratch []T, adjoint bool) {
	if adjoint {
		f.solveAdjoint(b, scratch)
		return
	}
	for row, x := range b {
		scratch[f.rowAt[row]] = x
	}
	l, u := &f.lower, &f.upper
	for k, x := range scratch {
		if x = scratch[k]; x == 0 {
			continue
		}
		for p := l.offsets[k]; p < l.offsets[k+1]; p++ {
			scratch[l.rows[p]] -= l.values[p] * x
		}
	}
	for k := f.n - 1; k >= 0; k-- {
		last := u.offsets[k+1] - 1
		scratch[k] /= u.values[last]
		x := scratch[k]
		if x == 0 {
			continue
		}
		for p := u.offsets[k]; p < last; p++ {
			scratch[u.rows[p]] -= u.values[p] * x
		}
	}
	for k, col := range f.order {
		b[col] = scratch[k]
	}
}

func (f *Factors[T]) solveAdjoint(b, scratch []T) {
	for k, col := range f.order {
		scratch[k] = b[col]
	}
	l, u := &f.lower, &f.upper
	for k := range f.n {
		last := u.offsets[k+1] - 1
		x := scratch[k]
		for p := u.offsets[k]; p < last; p++ {
			x -= conj(u.values[p]) * scratch[u.rows[p]]
		}
		scratch[k] = x / conj(u.values[last])
	}
	for k := f.n - 1; k >= 0; k-- {
		x := scratch[k]
		for p := l.offsets[k]; p < l.offsets[k+1]; p++ {
			x -= conj(l.values[p]) * scratch[l.rows[p]]
		}
		scratch[k] = x
	}
	for row := range b {
		b[row] = scratch[f.rowAt[row]]
	}
}

func conj[T Number](x T) T {
	if z, ok := any(x).(complex128); ok {
		return any(cmplx.Conj(z)).(T)
	}
	return x
}

// Residual subtracts A·x from r, or Aᴴ·x.
func (a Columns[T]) Residual(r, x []T, adjoint bool) {
	for col := range x {
		for i := a.Offsets[col]; i < a.Offsets[col+1]; i++ {
			if row := a.Rows[i]; adjoint {
				r[col] -= conj(a.Values[i]) * x[row]
			} else {
				r[row] -= a.Values[i] * x[col]
			}
		}
	}
}
