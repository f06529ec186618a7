package tensor

import (
	"cmp"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// The gradients of convolutions, pools and upsampling.

// convGradients are those of convolve. The gradient of the images is the adjoint convolution of the result's
// gradient. That of the kernel is a product over all outputs with the inputs of each tap.
func convGradients(op string, t, kernel *Tensor, groups int, py, px convParams) []via {
	x, k := t.plain(), kernel.plain()
	in, taps := x.layout.Shape, k.layout.Shape
	return []via{
		{t, func(g *Tensor) *Tensor {
			by, bx := py.Adjoint(in[2], taps[2], g.Dim(2)), px.Adjoint(in[3], taps[3], g.Dim(3))
			return must(g.convolve(op, 4, k, groups, by, bx)).Narrow(2, 0, in[2]).Narrow(3, 0, in[3])
		}},
		{kernel, func(g *Tensor) *Tensor {
			if px.Transposed { // the gradient is the image, and the image is its result
				py, px := py, px
				py.Transposed, px.Transposed, py.Extra, px.Extra = false, false, 0, 0
				return g.byKernel(op, x, taps, groups, py, px)
			}
			return x.byKernel(op, g, taps, groups, py, px)
		}},
	}
}

// byKernel is kernelGradient with gradients: it is linear in t and in g, as the convolution is in its operands.
func (t *Tensor) byKernel(op string, g *Tensor, taps []int, groups int, py, px convParams) *Tensor {
	x, y := t.plain(), g.plain()
	k := must(t.Detach().kernelGradient(op, g.Detach(), taps, groups, py, px))
	if !tracked(t, g) {
		return k
	}
	in, out := t.layout.Shape, g.layout.Shape
	by, bx := py.Adjoint(in[2], taps[2], out[2]), px.Adjoint(in[3], taps[3], out[3])
	return k.by("kernel gradient of "+op, via{t, func(h *Tensor) *Tensor {
		return must(y.convolve(op, 4, h, groups, by, bx))
	}}, via{g, func(h *Tensor) *Tensor {
		return must(x.convolve(op, 4, h, groups, py, px)).Narrow(2, 0, out[2]).Narrow(3, 0, out[3])
	}})
}

// kernelGradient is the gradient of the kernel of a convolution of t with the gradient g of its result.
func (t *Tensor) kernelGradient(op string, g *Tensor, kernel []int, groups int, py, px convParams) (*Tensor, error) {
	in, out := t.layout.Shape, g.layout.Shape
	if backend.Product(in)*backend.Product(out)*backend.Product(kernel) == 0 {
		return full(op, 0, kernel, t.dtype, t.dev)
	}
	y, errY := py.Window(in[2], kernel[2])
	x, errX := px.Window(in[3], kernel[3])
	if err := cmp.Or(errY, errX); err != nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "%v", err)
	}
	if k, err := t.kernelGradientLibrary(op, g, kernel, groups, py, px); k != nil || err != nil {
		return k, err
	}
	y.Out, x.Out = int64(out[2]), int64(out[3]) // of a transposed convolution with output padding, fewer
	places, depth := out[2]*out[3], kernel[1]*kernel[2]*kernel[3]
	p := kernels.Conv{Planes: int64(in[0] * in[1]), Channels: int64(in[1]), Multiplier: int64(kernel[0] / groups), Y: y,
		X: x}
	images, err := t.contiguous(op)
	if err != nil {
		return nil, err
	}
	step := max(1, columnBytes/(groups*depth*places*t.dtype.Size())) // images at a time
	var sum *Tensor
	for first := 0; first < in[0]; first += step {
		n := min(step, in[0]-first)
		columns, err := images.Narrow(0, first, n).columns(op, []int{n, groups, depth, places}, p)
		if err != nil {
			return nil, err
		}
		grads := g.Narrow(0, first, n).Reshape(n, groups, out[1]/groups, places)
		part := grads.wide().MatMul(columns.wide().T()).Sum(0)
		if sum != nil {
			part = sum.Add(part)
		}
		sum = part
	}
	return sum.Reshape(kernel...).ToDType(t.dtype), nil
}

// upsampleGradient is the gradient of upsampled. Rows and columns of the result are those of the image times one
// matrix each, so the gradient multiplies by their transposes. up resizes images in the same way; applied to images
// of a single 1 it gives the matrices.
func upsampleGradient(
	t *Tensor, oh, ow int, up func(x *Tensor, oh, ow int, rows bool) *Tensor,
) func(g *Tensor) *Tensor {
	h, w := t.Dim(-2), t.Dim(-1)
	return func(g *Tensor) *Tensor {
		dt := g.wide().dtype
		rows := up(g.dev.Eye(dt, h).Reshape(h, h, 1), oh, 1, true).Reshape(h, oh)
		cols := up(g.dev.Eye(dt, w).Reshape(w, 1, w), 1, ow, false).Reshape(w, ow)
		return rows.MatMul(g.wide()).MatMul(cols.T()).ToDType(g.dtype)
	}
}
