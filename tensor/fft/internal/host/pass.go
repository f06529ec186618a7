package host

import (
	"math"

	"github.com/gorocm/gorocm/tensor/fft/internal/plan"
)

// number are the types of the parts of complex numbers.
type number interface{ float32 | float64 }

// split is complex numbers with their real and imaginary parts apart.
type split[T number] struct{ re, im []T }

// swapped exchanges the parts: the transform of that, with its parts exchanged, is the inverse transform.
func (x split[T]) swapped() split[T] { return split[T]{x.im, x.re} }

// pass is one step of a Stockham transform (Cochran et al., "What is the fast Fourier transform?", 1967). It turns
// transforms of radix·m numbers into `radix` ones of m numbers, s of each side by side: with w = exp(-2πi/(radix·m))
//
//	y[s·(radix·p + k) + q] = w^(p·k) · Σ_j x[s·(p + m·j) + q] · exp(-2πi·j·k/radix)
//
// for p below m, k below radix, q below s. After the last pass the results are in order.
type pass[T number] struct {
	radix, m int
	w        []T // for each p the radix-1 powers w^(p·k), k from 1 on: real and imaginary parts
}

// newPasses are the passes of a transform of n numbers.
func newPasses[T number](n int) []pass[T] {
	list := []pass[T]{}
	for _, r := range plan.Radices(n) {
		s := pass[T]{radix: r, m: n / r}
		for p := range s.m {
			for k := 1; k < r; k++ {
				root := plan.Root(p*k, n)
				s.w = append(s.w, T(real(root)), T(imag(root)))
			}
		}
		list = append(list, s)
		n = s.m
	}
	return list
}

// run does the pass on groups of s numbers.
func (a *pass[T]) run(y, x split[T], s int) {
	if f := fast[T]().pass[a.radix]; f != nil {
		f(y.re, y.im, x.re, x.im, a.w, a.m, s)
		return
	}
	switch a.radix {
	case 2:
		a.radix2(y, x, s)
	case 4:
		a.radix4(y, x, s)
	case 8:
		a.radix8(y, x, s)
	default:
		a.odd(y, x, s)
	}
}

// times is the product of x and w.
func times[T number](xr, xi, wr, wi T) (T, T) { return xr*wr - xi*wi, xr*wi + xi*wr }

func (a *pass[T]) radix2(y, x split[T], s int) {
	for p := range a.m {
		wr, wi := a.w[2*p], a.w[2*p+1]
		for q := range s {
			i0, i1, o := s*p+q, s*(p+a.m)+q, 2*s*p+q
			ar, ai, br, bi := x.re[i0], x.im[i0], x.re[i1], x.im[i1]
			y.re[o], y.im[o] = ar+br, ai+bi
			y.re[o+s], y.im[o+s] = times(ar-br, ai-bi, wr, wi)
		}
	}
}

// four is a transform of four numbers in place.
func four[T number](zr, zi *[4]T) {
	ar, ai, br, bi := zr[0]+zr[2], zi[0]+zi[2], zr[0]-zr[2], zi[0]-zi[2]
	cr, ci, dr, di := zr[1]+zr[3], zi[1]+zi[3], zr[1]-zr[3], zi[1]-zi[3]
	zr[0], zi[0], zr[2], zi[2] = ar+cr, ai+ci, ar-cr, ai-ci
	zr[1], zi[1], zr[3], zi[3] = br+di, bi-dr, br-di, bi+dr
}

func (a *pass[T]) radix4(y, x split[T], s int) {
	for p := range a.m {
		w := (*[6]T)(a.w[6*p:])
		for q := range s {
			var zr, zi [4]T
			for j := range 4 {
				zr[j], zi[j] = x.re[s*(p+a.m*j)+q], x.im[s*(p+a.m*j)+q]
			}
			four(&zr, &zi)
			o := 4*s*p + q
			y.re[o], y.im[o] = zr[0], zi[0]
			for k := 1; k < 4; k++ {
				y.re[o+k*s], y.im[o+k*s] = times(zr[k], zi[k], w[2*k-2], w[2*k-1])
			}
		}
	}
}

// radix8 is a transform of the even ones and of the odd ones of eight numbers, and their sums and differences.
func (a *pass[T]) radix8(y, x split[T], s int) {
	const h = math.Sqrt2 / 2
	for p := range a.m {
		w := (*[14]T)(a.w[14*p:])
		for q := range s {
			var er, ei, or, oi [4]T
			for j := range 4 {
				i := s*(p+a.m*2*j) + q
				er[j], ei[j], or[j], oi[j] = x.re[i], x.im[i], x.re[i+s*a.m], x.im[i+s*a.m]
			}
			four(&er, &ei)
			four(&or, &oi)
			or[1], oi[1] = h*(or[1]+oi[1]), h*(oi[1]-or[1])
			or[2], oi[2] = oi[2], -or[2]
			or[3], oi[3] = h*(oi[3]-or[3]), -h*(or[3]+oi[3])
			o := 8*s*p + q
			y.re[o], y.im[o] = er[0]+or[0], ei[0]+oi[0]
			y.re[o+4*s], y.im[o+4*s] = times(er[0]-or[0], ei[0]-oi[0], w[6], w[7])
			for k := 1; k < 4; k++ {
				y.re[o+k*s], y.im[o+k*s] = times(er[k]+or[k], ei[k]+oi[k], w[2*k-2], w[2*k-1])
				y.re[o+(k+4)*s], y.im[o+(k+4)*s] = times(er[k]-or[k], ei[k]-oi[k], w[2*k+6], w[2*k+7])
			}
		}
	}
}

// oddRoots are the cosines and sines of 2π·j/r, for the odd radices.
var oddRoots = func() (roots [16][]complex128) {
	for _, r := range []int{3, 5, 7, 11, 13} {
		roots[r] = plan.Roots(r, r)
	}
	return roots
}()

// odd is a pass of an odd radix. Numbers j and radix - j have the same cosines, and the opposite sines.
func (a *pass[T]) odd(y, x split[T], s int) {
	r, half := a.radix, a.radix/2
	var cosines, sines [16]T
	for j, root := range oddRoots[r] {
		cosines[j], sines[j] = T(real(root)), T(imag(root))
	}
	for p := range a.m {
		w := a.w[2*(r-1)*p:]
		for q := range s {
			var ar, ai, dr, di [8]T // sums and differences of numbers j and r - j
			zr, zi := x.re[s*p+q], x.im[s*p+q]
			sumR, sumI := zr, zi
			for j := 1; j <= half; j++ {
				i, k := s*(p+a.m*j)+q, s*(p+a.m*(r-j))+q
				ar[j], ai[j], dr[j], di[j] = x.re[i]+x.re[k], x.im[i]+x.im[k], x.re[i]-x.re[k], x.im[i]-x.im[k]
				sumR, sumI = sumR+ar[j], sumI+ai[j]
			}
			o := r*s*p + q
			y.re[o], y.im[o] = sumR, sumI
			for k := 1; k <= half; k++ {
				ur, ui, vr, vi := zr, zi, T(0), T(0)
				for j := 1; j <= half; j++ {
					c, d := cosines[j*k%r], sines[j*k%r]
					ur, ui, vr, vi = ur+c*ar[j], ui+c*ai[j], vr-d*di[j], vi+d*dr[j]
				}
				y.re[o+k*s], y.im[o+k*s] = times(ur+vr, ui+vi, w[2*k-2], w[2*k-1])
				k := r - k
				y.re[o+k*s], y.im[o+k*s] = times(ur-vr, ui-vi, w[2*k-2], w[2*k-1])
			}
		}
	}
}
