package host

// wider factors matrices of T as those of W, which has more digits.
type wider[T, W Number] struct {
	engine[W]
	widen  func([]T) []W
	narrow func([]W) []T
}

func (e wider[T, W]) lu(a []T, m, n int, pivots []int32) int {
	x := e.widen(a)
	info := e.engine.lu(x, m, n, pivots)
	copy(a, e.narrow(x))
	return info
}

func (e wider[T, W]) cholesky(a []T, n int) int {
	x := e.widen(a)
	info := e.engine.cholesky(x, n)
	copy(a, e.narrow(x))
	return info
}

func (e wider[T, W]) solve(t, b []T, n, k int, f Form) {
	x := e.widen(b)
	e.engine.solve(e.widen(t), x, n, k, f)
	copy(b, e.narrow(x))
}

func (e wider[T, W]) qr(a, q, r []T, m, n, cols int) {
	y, z := make([]W, len(q)), make([]W, len(r))
	e.engine.qr(e.widen(a), y, z, m, n, cols)
	copy(q, e.narrow(y))
	copy(r, e.narrow(z))
}

func (e wider[T, W]) svd(a, u, vh []T, s []float64, m, n, cols, rows int) int {
	y, z := e.widen(u), e.widen(vh)
	info := e.engine.svd(e.widen(a), y, z, s, m, n, cols, rows)
	copy(u, e.narrow(y))
	copy(vh, e.narrow(z))
	return info
}

func (e wider[T, W]) eigh(a []T, w []float64, n int, vectors bool) int {
	x := e.widen(a)
	info := e.engine.eigh(x, w, n, vectors)
	copy(a, e.narrow(x))
	return info
}

func (e wider[T, W]) eig(a []T, w, v []complex128, n int) int {
	return e.engine.eig(e.widen(a), w, v, n)
}

func (e wider[T, W]) schur(a, z []T, n int) int {
	x, y := e.widen(a), make([]W, len(z))
	info := e.engine.schur(x, y, n)
	copy(a, e.narrow(x))
	copy(z, e.narrow(y))
	return info
}

// converted, widened and narrowed keep nil.

func converted[To, From float32 | float64](a []From) []To {
	if a == nil {
		return nil
	}
	b := make([]To, len(a))
	for i, x := range a {
		b[i] = To(x)
	}
	return b
}

func widened(a []complex64) []complex128 {
	if a == nil {
		return nil
	}
	b := make([]complex128, len(a))
	for i, x := range a {
		b[i] = complex128(x)
	}
	return b
}

func narrowed(a []complex128) []complex64 {
	b := make([]complex64, len(a))
	for i, x := range a {
		b[i] = complex64(x)
	}
	return b
}
