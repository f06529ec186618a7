package linalg

import "github.com/gorocm/gorocm/tensor"

// Gradients of factors. They are made of operations of tensors, so that they have gradients. A gradient g of a result y
// is such that the loss changes by Re(tr(gᴴ·dy)), so that those of complex matrices are conjugate to derivatives.
// Sources: M. Giles, An extended collection of matrix derivative results for forward and reverse mode algorithmic
// differentiation (2008), and for phases of complex vectors M. Wan and S. Zhang, Automatic differentiation for complex
// valued SVD (2019).

// hermitianOfLower is the lower triangle of x with the real part of half its diagonal, plus the adjoint of that.
func hermitianOfLower(x *tensor.Tensor) *tensor.Tensor {
	below := x.Tril(-1)
	return below.Add(below.H()).Add(DiagEmbed(realOf(Diagonal(x, 0)), 0))
}

// realOf returns the real parts of x in the type of x.
func realOf(x *tensor.Tensor) *tensor.Tensor {
	if !x.DType().IsComplex() {
		return x
	}
	return x.Real().ToDType(x.DType())
}

// skew is x - x.H().
func skew(x *tensor.Tensor) *tensor.Tensor { return x.Sub(x.H()) }

// withoutDiagonal returns square matrices with zeros on the diagonal.
func withoutDiagonal(x *tensor.Tensor) *tensor.Tensor { return x.Tril(-1).Add(x.Triu(1)) }

// choleskyGradient: gA = L⁻ᴴ·Φ(Lᴴ·gL)·L⁻¹, where Φ makes a Hermitian matrix of the lower triangle.
func choleskyGradient(l, g *tensor.Tensor) *tensor.Tensor {
	phi := hermitianOfLower(l.H().MatMul(g)).Mul(0.5)
	left := solveWith("cholesky", l, phi, Lower, true)
	return solveWith("cholesky", l, left.H(), Lower, true).H()
}

// qrGradient has nil for the gradient of a factor that is not asked for.
func qrGradient(q, r, gq, gr *tensor.Tensor) *tensor.Tensor {
	m, n := q.Dim(-2), r.Dim(-1)
	if m >= n {
		return tallQRGradient(q, r, gq, gr)
	}
	// A = [X Y] = Q·[U V]: X = Q·U is square, and V = Qᴴ·Y.
	u, v := r.Narrow(-1, 0, m), r.Narrow(-1, m, n-m)
	var gu, gy *tensor.Tensor
	if gr == nil {
		gy = v.ZerosLike()
	} else {
		gu = gr.Narrow(-1, 0, m)
		gv := gr.Narrow(-1, m, n-m)
		gy = q.MatMul(gv)
		byV := q.MatMul(v).MatMul(gv.H())
		if gq == nil {
			gq = byV
		} else {
			gq = gq.Add(byV)
		}
	}
	return tensor.Cat([]*tensor.Tensor{tallQRGradient(q, u, gq, gu), gy}, -1)
}

// tallQRGradient: gA = (gQ + Q·Φ(R·gRᴴ - gQᴴ·Q))·R⁻ᴴ.
func tallQRGradient(q, r, gq, gr *tensor.Tensor) *tensor.Tensor {
	inner := r.ZerosLike()
	if gr != nil {
		inner = inner.Add(r.MatMul(gr.H()))
	}
	if gq != nil {
		inner = inner.Sub(gq.H().MatMul(q))
	}
	sum := q.MatMul(hermitianOfLower(inner))
	if gq != nil {
		sum = sum.Add(gq)
	}
	return solveWith("qr", r, sum.H(), Upper, false).H()
}

// luGradient: for square matrices gA = P·L⁻ᴴ·(tril(Lᴴ·gL, -1) + triu(gU·Uᴴ))·U⁻ᴴ. Of others, the part that is
// eliminated comes first, and the rest is a product with one of its factors.
func luGradient(p, l, u, gl, gu *tensor.Tensor) *tensor.Tensor {
	const op = "lu"
	if gl == nil {
		gl = l.ZerosLike()
	}
	if gu == nil {
		gu = u.ZerosLike()
	}
	m, k, n := l.Dim(-2), l.Dim(-1), u.Dim(-1)
	l1, u1, gl1, gu1 := l.Narrow(-2, 0, k), u.Narrow(-1, 0, k), gl.Narrow(-2, 0, k), gu.Narrow(-1, 0, k)
	switch {
	case m > k: // the rows below are L2 = A2·U⁻¹
		l2, gl2 := l.Narrow(-2, k, m-k), gl.Narrow(-2, k, m-k)
		g2 := solveWith(op, u1, gl2.H(), Upper, false).H() // gL2·U⁻ᴴ
		g1 := squareLUGradient(l1, u1, gl1, gu1.Sub(l2.H().MatMul(g2)))
		return p.MatMul(tensor.Cat([]*tensor.Tensor{g1, g2}, -2))
	case n > k: // the columns to the right are U2 = L⁻¹·A2
		u2, gu2 := u.Narrow(-1, k, n-k), gu.Narrow(-1, k, n-k)
		g2 := solveWith(op, l1, gu2, UnitLower, true) // L⁻ᴴ·gU2
		g1 := squareLUGradient(l1, u1, gl1.Sub(g2.MatMul(u2.H())), gu1)
		return p.MatMul(tensor.Cat([]*tensor.Tensor{g1, g2}, -1))
	}
	return p.MatMul(squareLUGradient(l1, u1, gl1, gu1))
}

func squareLUGradient(l, u, gl, gu *tensor.Tensor) *tensor.Tensor {
	inner := l.H().MatMul(gl).Tril(-1).Add(gu.MatMul(u.H()).Triu(0))
	left := solveWith("lu", l, inner, UnitLower, true)
	return solveWith("lu", u, left.H(), Upper, false).H()
}

// eighGradient: gA = V·(diag(gw) + (Vᴴ·gV)/E)·Vᴴ with E[i,j] = w[j] - w[i], as a Hermitian matrix. gw or gv is nil.
func eighGradient(w, v, gw, gv *tensor.Tensor) *tensor.Tensor {
	if gv == nil {
		return v.Mul(gw.Unsqueeze(-2)).MatMul(v.H())
	}
	e := w.Unsqueeze(-2).Sub(w.Unsqueeze(-1))
	inner := withoutDiagonal(v.H().MatMul(gv).Div(unitDiagonal(e)))
	return v.MatMul(inner.Add(inner.H())).MatMul(v.H()).Mul(0.5)
}

// unitDiagonal returns square matrices with ones on the diagonal.
func unitDiagonal(x *tensor.Tensor) *tensor.Tensor {
	return withoutDiagonal(x).Add(x.Device().Eye(x.DType(), x.Dim(-1)))
}

// eigGradient: gA = V⁻ᴴ·(diag(gw) + (Vᴴ·gV - Vᴴ·V·diag(Re(Vᴴ·gV)))/conj(E))·Vᴴ with E[i,j] = w[j] - w[i]. gw or gv is
// nil.
func eigGradient(w, v, gw, gv *tensor.Tensor) *tensor.Tensor {
	var inner *tensor.Tensor
	if gv == nil {
		inner = DiagEmbed(gw, 0)
	} else {
		x := v.H().MatMul(gv)
		along := v.H().MatMul(v.Mul(realOf(Diagonal(x, 0)).Unsqueeze(-2)))
		e := w.Unsqueeze(-2).Sub(w.Unsqueeze(-1)).Conj()
		inner = withoutDiagonal(x.Sub(along).Div(unitDiagonal(e)))
	}
	return Solve(v.H(), inner.MatMul(v.H()))
}

// svdGradient has nil for the gradients that are not asked for; one of gu, gs and gvh is. u [… m k], s [… k] and
// vh [… k n] are reduced.
func svdGradient(u, s, vh, gu, gs, gvh *tensor.Tensor) *tensor.Tensor {
	if gs != nil {
		return u.Mul(gs.Unsqueeze(-2)).MatMul(vh)
	}
	squares := s.Sqr()
	e := unitDiagonal(squares.Unsqueeze(-2).Sub(squares.Unsqueeze(-1)))
	if gu != nil {
		x := skew(u.H().MatMul(gu))
		inner := withoutDiagonal(x.Div(e)).Mul(s.Unsqueeze(-2)).Add(phase(x, s, 0.25))
		g := u.MatMul(inner)
		if m, k := u.Dim(-2), u.Dim(-1); m > k {
			beside := gu.Sub(u.MatMul(u.H().MatMul(gu)))
			g = g.Add(beside.Div(s.Unsqueeze(-2)))
		}
		return g.MatMul(vh)
	}
	gv := gvh.H()
	x := skew(vh.MatMul(gv))
	inner := withoutDiagonal(x.Div(e)).Mul(s.Unsqueeze(-1)).Add(phase(x, s, -0.25))
	g := inner.MatMul(vh)
	if k, n := vh.Dim(-2), vh.Dim(-1); n > k {
		beside := gvh.Sub(gvh.MatMul(vh.H()).MatMul(vh))
		g = g.Add(beside.Div(s.Unsqueeze(-1)))
	}
	return u.MatMul(g)
}

// phase is what the phases of complex vectors add: of the diagonal of x, divided by s.
func phase(x, s *tensor.Tensor, factor float64) *tensor.Tensor {
	return DiagEmbed(Diagonal(x, 0).Div(s).Mul(factor), 0)
}

// pinvGradient is the derivative of the pseudo-inverse y of a, of constant rank. Source: G. H. Golub and V. Pereyra,
// The differentiation of pseudo-inverses and nonlinear least squares problems whose variables separate (1973).
func pinvGradient(a, y, g *tensor.Tensor) *tensor.Tensor {
	gh, yh := g.H(), y.H()
	if a.Dim(-2) <= a.Dim(-1) {
		k := gh.MatMul(y)
		ky := k.MatMul(yh)
		return ky.Sub(y.MatMul(k).H()).Sub(a.MatMul(y).MatMul(ky)).Add(yh.MatMul(y).MatMul(gh.Sub(k.MatMul(a))))
	}
	k := y.MatMul(gh)
	yk := yh.MatMul(k)
	return yk.Sub(k.MatMul(y).H()).Add(gh.Sub(a.MatMul(k)).MatMul(y).MatMul(yh)).Sub(yk.MatMul(y).MatMul(a))
}
