package ndimage

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// GaussianOptions are those of GaussianFilter.
type GaussianOptions struct {
	Border
	// Orders are the derivatives, one for all dims or one for each: 0 without them, which smooths alone.
	Orders []int
	// Truncate is the distance, in widths, at which the function is cut off: 4.
	Truncate float64
}

// GaussianFilter returns x smoothed by Gaussian functions, or their derivatives, whose widths sigma are standard
// deviations in elements, one for all dims or one for each, as scipy.ndimage.gaussian_filter. A width of 0 leaves a dim
// alone. It panics as Correlate, and with ErrValue for negative widths and orders.
//
//	ndimage.GaussianFilter(x, []float64{2}, ndimage.GaussianOptions{})
//	ndimage.GaussianFilter(images, []float64{0, 2, 2}, ndimage.GaussianOptions{}) // [count height width]
func GaussianFilter(x *tensor.Tensor, sigma []float64, o GaussianOptions) *tensor.Tensor {
	const op = "gaussian filter"
	sigma, orders := o.check(op, x, sigma)
	y, dt := extend.Precise(x)
	for d := range sigma {
		y = o.smooth(y, sigma[d], orders[d], d)
	}
	return extend.Own(y.ToDType(dt), x)
}

// maxReach bounds how many elements away weights are.
const maxReach = 1e6

// check returns a width and an order for each dim.
func (o *GaussianOptions) check(op string, x *tensor.Tensor, sigma []float64) (widths []float64, orders []int) {
	o.Border.check(op, x)
	if o.Truncate == 0 {
		o.Truncate = 4
	}
	if len(o.Orders) == 0 {
		o.Orders = []int{0}
	}
	rank := x.Rank()
	for _, count := range []int{len(sigma), len(o.Orders)} {
		if count != 1 && count != rank {
			extend.ShapeNoting(op, []*tensor.Tensor{x}, "a width of 0 leaves a dim alone",
				"want a width and an order for each of %d dims, or one for all, not %v and %v", rank, sigma, o.Orders)
		}
	}
	for d := range rank {
		s, k := sigma[d%len(sigma)], o.Orders[d%len(o.Orders)]
		if s*o.Truncate > maxReach && !math.IsInf(s, 1) {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "a width of %g elements, cut off at %g widths, reaches "+
				"farther than %g elements", s, o.Truncate, float64(maxReach))
		}
		if !(s >= 0) || math.IsInf(s, 1) || k < 0 || !(o.Truncate > 0) {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "want widths and orders from 0 on and Truncate above 0, "+
				"not %v, %v and %g", sigma, o.Orders, o.Truncate)
		}
		widths, orders = append(widths, s), append(orders, k)
	}
	return widths, orders
}

// smooth filters along a dim.
func (o GaussianOptions) smooth(x *tensor.Tensor, sigma float64, order, dim int) *tensor.Tensor {
	if sigma == 0 {
		return x
	}
	radius := int(o.Truncate*sigma + 0.5)
	weights := make([]float64, 2*radius+1)
	total := 0.0
	for i := range weights {
		t := float64(i-radius) / sigma
		weights[i] = math.Exp(-t * t / 2)
		total += weights[i]
	}
	// the derivative of q(t)·exp(-t²/(2σ²)) is (q' - t/σ²·q)·exp(…)
	q := []float64{1}
	for range order {
		next := make([]float64, len(q)+1)
		for i, c := range q {
			if i > 0 {
				next[i-1] += float64(i) * c
			}
			next[i+1] -= c / (sigma * sigma)
		}
		q = next
	}
	for i := range weights {
		t, p := float64(radius-i), 0.0 // in reverse order: a convolution
		for k := len(q) - 1; k >= 0; k-- {
			p = p*t + q[k]
		}
		weights[i] *= p / total
	}
	return along(x, weights, dim, o.Border)
}

// GaussianLaplace returns the sum of the second derivatives of the smoothed image along all dims, as
// scipy.ndimage.gaussian_laplace. Orders of the options are not used. It panics as GaussianFilter.
func GaussianLaplace(x *tensor.Tensor, sigma []float64, o GaussianOptions) *tensor.Tensor {
	return derivatives("gaussian laplace", x, sigma, o, 2, func(y *tensor.Tensor) *tensor.Tensor { return y })
}

// GaussianGradientMagnitude returns the length of the gradient of the smoothed image, as
// scipy.ndimage.gaussian_gradient_magnitude. Orders of the options are not used. It panics as GaussianFilter.
func GaussianGradientMagnitude(x *tensor.Tensor, sigma []float64, o GaussianOptions) *tensor.Tensor {
	y, dt := extend.Precise(x)
	return derivatives("gaussian gradient", y, sigma, o, 1, (*tensor.Tensor).Sqr).Sqrt().ToDType(dt)
}

// derivatives returns the sum over the dims of f of the derivatives along them.
func derivatives(op string, x *tensor.Tensor, sigma []float64, o GaussianOptions, order int,
	f func(y *tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
	widths, _ := o.check(op, x, sigma)
	y, dt := extend.Precise(x)
	var total *tensor.Tensor
	for d := range widths {
		part := y
		for k, s := range widths {
			if k == d {
				part = o.smooth(part, s, order, k)
			} else {
				part = o.smooth(part, s, 0, k)
			}
		}
		if part = f(part); total != nil {
			part = total.Add(part)
		}
		total = part
	}
	return extend.Own(total.ToDType(dt), x)
}
