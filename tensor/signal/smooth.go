package signal

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/ndimage"
)

// Trend is a part of a signal that is subtracted.
type Trend int

// The trends of scipy.signal.detrend, and none.
const (
	Constant Trend = iota // the mean
	Linear                // the line of least squares
	NoTrend
)

// Detrend returns signals without their mean, or without their line of least squares, along a dim. x may be complex.
// It is scipy.signal.detrend.
func Detrend(x *tensor.Tensor, trend Trend, dim int) *tensor.Tensor {
	const op = "detrend"
	o := along(op, x, dim)
	return o.back(detrended(op, o.x, trend))
}

// detrended subtracts the trend along the last dim.
func detrended(op string, x *tensor.Tensor, trend Trend) *tensor.Tensor {
	n := x.Dim(-1)
	switch trend {
	case Constant:
		if n == 0 {
			return x
		}
		return x.Sub(x.MeanKeepDim(-1))
	case Linear:
		x = detrended(op, x, Constant)
		if n < 2 {
			return x
		}
		line, squares := make([]float64, n), 0.0 // through 0 in the middle, of length 1
		for i := range line {
			line[i] = float64(i) - float64(n-1)/2
			squares += line[i] * line[i]
		}
		for i := range line {
			line[i] /= math.Sqrt(squares)
		}
		t := vector(line, x)
		return x.Sub(x.Mul(t).SumKeepDim(-1).Mul(t))
	case NoTrend:
		return x
	}
	extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "there is no trend %d", trend)
	return nil
}

// MedFilt returns the medians of windows of size elements around each element along a dim, with zeros beyond the
// ends. The size is odd. It is scipy.signal.medfilt for one dim. It panics with ErrValue for another size, and with
// ErrDType for complex signals.
//
//	signal.MedFilt(tensor.Of(1, 9, 2, 3), 3, -1) // [1, 2, 3, 2] f32
func MedFilt(x *tensor.Tensor, size, dim int) *tensor.Tensor {
	const op = "medfilt"
	notComplex(op, x)
	if size < 1 || size%2 == 0 {
		extend.Fail(op, tensor.ErrValue, nil, "", "want an odd number of elements, not %d", size)
	}
	o := along(op, x, dim)
	sizes := slices.Repeat([]int{1}, o.rank)
	sizes[o.rank-1] = size
	return o.back(ndimage.MedianFilter(o.x, sizes, ndimage.Border{Mode: ndimage.Constant}))
}

// SavgolFilter returns signals smoothed along a dim by polynomials of an order, fitted to windows of size elements by
// least squares (Savitzky and Golay, 1964): the value in the middle of each window, and near the ends those of the
// polynomial of the first or the last window. With a derivative it returns that of the polynomials, for elements that
// are spacing apart. It is scipy.signal.savgol_filter. It panics with ErrValue unless the size is odd and greater
// than the order, and with ErrShape for signals shorter than size.
func SavgolFilter(x *tensor.Tensor, size, order, derivative int, spacing float64, dim int) *tensor.Tensor {
	const op = "savgol"
	if size < 1 || size%2 == 0 || order < 0 || order >= size || derivative < 0 || !(spacing > 0) {
		extend.Fail(op, tensor.ErrValue, nil, "", "want an odd size, an order from 0 to below it, a derivative and a positive "+
			"spacing, not %d, %d, %d and %g", size, order, derivative, spacing)
	}
	o := along(op, x, dim)
	n, half := o.n(), size/2
	if n < size {
		extend.Shape(op, []*tensor.Tensor{x}, "want signals of at least %d elements, not %d", size, n)
	}
	if o.x.ElemCount() == 0 {
		return o.back(o.x)
	}
	fit := newPolynomialFit(size, order)
	scale := math.Pow(spacing, -float64(derivative))
	weights := vector(fit.weights(derivative, 0, scale), o.x)
	parts := []*tensor.Tensor{convolved(o.x, weights.Flip(0), fft.Valid)}
	if half > 0 {
		parts = []*tensor.Tensor{
			fit.end(o.x.Narrow(-1, 0, size), -half, derivative, scale), parts[0],
			fit.end(o.x.Narrow(-1, n-size, size), 1, derivative, scale),
		}
	}
	return o.back(tensor.Cat(parts, -1))
}

// polynomialFit fits polynomials to an odd number of elements. Positions are fractions of half their number; the
// columns of q are an orthonormal basis of the polynomials' values at them, and their powers are q·r.
type polynomialFit struct {
	size, order int
	unit        float64     // the spacing of positions
	q, r        [][]float64 // by columns
}

func newPolynomialFit(size, order int) polynomialFit {
	f := polynomialFit{size: size, order: order, unit: 1 / math.Max(1, float64(size/2))}
	for k := range order + 1 {
		column, row := make([]float64, size), make([]float64, order+1)
		for i := range column {
			column[i] = math.Pow(float64(i-size/2)*f.unit, float64(k))
		}
		for range 2 { // Gram and Schmidt's process, twice for its rounding errors
			for j, q := range f.q {
				d := dot(q, column)
				row[j] += d
				for i := range column {
					column[i] -= d * q[i]
				}
			}
		}
		row[k] = math.Sqrt(dot(column, column))
		for i := range column {
			column[i] /= row[k]
		}
		f.q, f.r = append(f.q, column), append(f.r, row)
	}
	return f
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// weights are the factors of the elements in a derivative of the polynomial at a position, counted from the middle.
func (f polynomialFit) weights(derivative, position int, scale float64) []float64 {
	// the polynomial has the coefficients R⁻¹Qᵀx; e are the derivatives of its powers, so the weights are Q·R⁻ᵀe
	e := make([]float64, f.order+1)
	for k := derivative; k <= f.order; k++ {
		e[k] = math.Pow(float64(position)*f.unit, float64(k-derivative)) * scale * math.Pow(f.unit, float64(derivative))
		for j := k; j > k-derivative; j-- {
			e[k] *= float64(j)
		}
	}
	w := make([]float64, f.size)
	for k := range e { // Rᵀ is lower triangular
		for j := range k {
			e[k] -= f.r[k][j] * e[j]
		}
		e[k] /= f.r[k][k]
		for i := range w {
			w[i] += e[k] * f.q[k][i]
		}
	}
	return w
}

// end returns the values of the polynomial through size elements at half of them, from a position on.
func (f polynomialFit) end(x *tensor.Tensor, from, derivative int, scale float64) *tensor.Tensor {
	half := f.size / 2
	table := make([]float64, 0, half*f.size)
	for i := range half {
		table = append(table, f.weights(derivative, from+i, scale)...)
	}
	flat, batch := rows(x)
	m := vector(table, x).Reshape(half, f.size).T().ToDType(x.DType())
	return shaped(flat.MatMul(m), batch)
}
