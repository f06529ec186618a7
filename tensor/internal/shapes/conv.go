package shapes

import (
	"fmt"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Conv are the parameters of a convolution along one dim. Extra is the output padding of a transposed one.
type Conv struct {
	Padding, Stride, Dilation, Extra int
	Transposed                       bool
}

// Window returns the rule of kernels.Window for a dim of n elements and so many taps.
func (p Conv) Window(n, taps int) (kernels.Window, error) {
	w := kernels.Window{In: int64(n), Taps: int64(taps)}
	if p.Stride < 1 || p.Dilation < 1 || p.Padding < 0 || p.Extra < 0 {
		return w, &backend.ShapeError{Message: fmt.Sprintf(
			"stride %d and dilation %d must be above 0, padding %d and output padding %d not below", p.Stride,
			p.Dilation, p.Padding, p.Extra)}
	}
	reach := p.Dilation * (taps - 1)
	if p.Transposed {
		w.Out = int64((n-1)*p.Stride - 2*p.Padding + reach + p.Extra + 1)
		w.OutStep, w.Offset, w.TapStep, w.InStep = 1, int64(p.Padding), -int64(p.Dilation), int64(p.Stride)
	} else {
		if n+2*p.Padding >= reach+1 {
			w.Out = int64((n+2*p.Padding-reach-1)/p.Stride + 1)
		}
		w.OutStep, w.Offset, w.TapStep, w.InStep = int64(p.Stride), -int64(p.Padding), int64(p.Dilation), 1
	}
	if w.Out < 1 {
		return w, &backend.ShapeError{Message: fmt.Sprintf(
			"a kernel of %d elements with dilation %d does not fit %d elements with padding %d", taps, p.Dilation, n,
			p.Padding)}
	}
	return w, nil
}

// Adjoint is the convolution that maps the gradients of so many outputs to inputs, of which there are n: a transposed
// one for an ordinary one and vice versa. With an output padding of a stride or more there are more than n, and the
// rest are of no input.
func (p Conv) Adjoint(n, taps, outs int) Conv {
	back := p
	back.Transposed, back.Extra = !p.Transposed, 0
	if back.Transposed { // elements at the end that no tap reads
		back.Extra = n + 2*p.Padding - p.Dilation*(taps-1) - 1 - (outs-1)*p.Stride
	}
	return back
}

// Spacing is the distance in the input of a resized dim, of n elements, between neighbours of the output. A scale of 0
// follows from the sizes.
func Spacing(n, out int, scale float64, aligned bool) float64 {
	switch {
	case aligned && out > 1:
		return float64(n-1) / float64(out-1)
	case aligned:
		return 0
	case scale != 0:
		return scale
	}
	return float64(n) / float64(out)
}
