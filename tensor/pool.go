package tensor

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/gradients"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

func (t *Tensor) avgPool2d(kh, kw int) (*Tensor, error) { return t.avgPool2dWithStride(kh, kw, kh, kw) }

func (t *Tensor) avgPool2dWithStride(kh, kw, sh, sw int) (*Tensor, error) {
	const op = "avg pool 2d"
	if err := accepts(op, t, kernels.Floats); err != nil {
		return nil, err
	}
	return t.pool2d(op, kh, kw, sh, sw, backend.Means)
}

func (t *Tensor) maxPool2d(kh, kw int) (*Tensor, error) { return t.maxPool2dWithStride(kh, kw, kh, kw) }

func (t *Tensor) maxPool2dWithStride(kh, kw, sh, sw int) (*Tensor, error) {
	return t.pool2d("max pool 2d", kh, kw, sh, sw, backend.Maxima)
}

func (t *Tensor) pool2d(op string, kh, kw, sh, sw int, what backend.Pooled) (*Tensor, error) {
	if err := accepts(op, t, kernels.All); err != nil {
		return nil, err
	}
	h, w, err := t.imageSize(op)
	if err != nil {
		return nil, err
	}
	if kh < 1 || kw < 1 || sh < 1 || sw < 1 {
		return nil, fault(op, ErrShape, []*Tensor{t},
			"windows of %d × %d that are %d and %d apart: all must be above 0", kh, kw, sh, sw)
	}
	if kh > h || kw > w {
		return nil, fault(op, ErrShape, []*Tensor{t}, "windows of %d × %d do not fit images of %d × %d", kh, kw, h, w)
	}
	return t.pooled(op, kernels.NewPool(h, w, kh, kw, sh, sw), what)
}

// pooled is pool2d for windows that fit. The gradient of maxima goes to the first one of each window.
func (t *Tensor) pooled(op string, p kernels.Pool, what backend.Pooled) (*Tensor, error) {
	y, err := t.poolLibrary(op, append(t.Dims()[:t.Rank()-2], int(p.OH), int(p.OW)), p, what)
	if y == nil && err == nil {
		y, err = t.windows(op, p, what, t.dtype)
	}
	if err == nil && tracked(t) {
		x := t.plain()
		y.by(op, via{t, func(g *Tensor) *Tensor {
			if what == backend.Maxima {
				return must(g.poolGradient(op, x, must(x.windows(op, p, backend.Indices, I64)), p))
			}
			return must(g.poolGradient(op, x, nil, p))
		}})
	}
	return y, err
}

// windows runs the backend's pool: the result has elements of dt.
func (t *Tensor) windows(op string, p kernels.Pool, what backend.Pooled, dt DType) (*Tensor, error) {
	return t.images(op, int(p.OH), int(p.OW), dt, func(in backend.Operand, planes int) (backend.Storage, error) {
		p.Planes = int64(planes)
		return t.dev.backend.Pool(in, p, what)
	})
}

// poolGradient returns the gradient of the images x from g, that of means, or of the maxima at indices.
func (g *Tensor) poolGradient(op string, x, indices *Tensor, p kernels.Pool) (*Tensor, error) {
	plain := g.plain()
	out, err := x.images(op, int(p.H), int(p.W), g.dtype, func(_ backend.Operand, planes int) (backend.Storage, error) {
		p.Planes = int64(planes)
		if indices == nil {
			return gradients.Pool(g.dev.backend, plain.dense(), nil, p)
		}
		at := indices.operand()
		return gradients.Pool(g.dev.backend, plain.dense(), &at, p)
	})
	if err == nil && tracked(g) {
		out.by(op, via{g, func(h *Tensor) *Tensor {
			if indices == nil {
				return must(h.pooled(op, p, backend.Means))
			}
			return h.FlattenFrom(-2).Gather(indices.FlattenFrom(-2), -1).Reshape(indices.Dims()...)
		}})
	}
	return out, err
}

// imageSize returns the last two sizes.
func (t *Tensor) imageSize(op string) (h, w int, err error) {
	if t.Rank() < 2 {
		return 0, 0, fault(op, ErrShape, []*Tensor{t}, "want images [… height width], not shape %v", t.layout.Shape)
	}
	return t.layout.Shape[t.Rank()-2], t.layout.Shape[t.Rank()-1], nil
}

// images runs an operation on dense images whose result has h × w elements of a type per image.
func (t *Tensor) images(
	op string, h, w int, dt DType, run func(in backend.Operand, planes int) (backend.Storage, error),
) (*Tensor, error) {
	shape := append(t.Dims()[:t.Rank()-2], h, w)
	if backend.Product(shape) == 0 {
		return empty(op, shape, dt, t.dev)
	}
	if err := checkMemory(op, shape, dt, t.dev); err != nil {
		return nil, err
	}
	in, err := t.plain().forKernel(op)
	if err != nil {
		return nil, err
	}
	s, err := run(in.operand(), backend.Product(shape[:len(shape)-2]))
	if err != nil {
		return nil, failure(op, t.dev, err)
	}
	return dense(t.dev, dt, shape, s), nil
}

func (t *Tensor) upsampleNearest1d(size int) (*Tensor, error) {
	const op = "upsample nearest 1d"
	if t.Rank() < 1 {
		return nil, fault(op, ErrShape, []*Tensor{t}, "a scalar has no dim to resize")
	}
	return Try(func() *Tensor {
		out := must(t.reshaped(t.layout.InsertDim(t.Rank()-1)).upsampled(op, 1, size, 0, 0, false, false))
		return out.reshaped(out.layout.DropDim(t.Rank() - 1))
	})
}

func (t *Tensor) upsampleNearest2d(h, w int) (*Tensor, error) {
	return t.upsampled("upsample nearest 2d", h, w, 0, 0, false, false)
}

func (t *Tensor) upsampleBilinear2d(h, w int, alignCorners bool) (*Tensor, error) {
	const op = "upsample bilinear 2d"
	if err := accepts(op, t, kernels.Floats); err != nil {
		return nil, err
	}
	return t.upsampled(op, h, w, 0, 0, alignCorners, true)
}

func (t *Tensor) upsampleBilinear2dWithScale(scaleH, scaleW float64, alignCorners bool) (*Tensor, error) {
	const op = "upsample bilinear 2d"
	if err := accepts(op, t, kernels.Floats); err != nil {
		return nil, err
	}
	h, w, err := t.imageSize(op)
	if err != nil {
		return nil, err
	}
	oh, ow := math.Floor(float64(h)*scaleH), math.Floor(float64(w)*scaleW)
	if !(scaleH > 0 && scaleW > 0 && oh <= math.MaxInt32 && ow <= math.MaxInt32) {
		return nil, fault(op, ErrShape, []*Tensor{t}, "images of %d × %d cannot be scaled by %v and %v", h, w, scaleH,
			scaleW)
	}
	return t.upsampled(op, int(oh), int(ow), 1/scaleH, 1/scaleW, alignCorners, true)
}

// upsampled resizes images. Scales of 0 follow from the sizes.
func (t *Tensor) upsampled(op string, oh, ow int, scaleH, scaleW float64, aligned, bilinear bool) (*Tensor, error) {
	if err := accepts(op, t, kernels.All); err != nil {
		return nil, err
	}
	h, w, err := t.imageSize(op)
	if err != nil {
		return nil, err
	}
	if oh < 1 || ow < 1 || h < 1 || w < 1 {
		return nil, fault(op, ErrShape, []*Tensor{t}, "images of %d × %d cannot become %d × %d", h, w, oh, ow)
	}
	p := kernels.Resize{H: int64(h), W: int64(w), OH: int64(oh), OW: int64(ow),
		ScaleH: shapes.Spacing(h, oh, scaleH, aligned), ScaleW: shapes.Spacing(w, ow, scaleW, aligned)}
	if aligned {
		p.Aligned = 1
	}
	out, err := t.images(op, oh, ow, t.dtype, func(in backend.Operand, planes int) (backend.Storage, error) {
		p.Planes = int64(planes)
		return t.dev.backend.Upsample(in, p, bilinear)
	})
	if err == nil && tracked(t) {
		out.by(op, via{t, upsampleGradient(t, oh, ow, func(x *Tensor, oh, ow int, rows bool) *Tensor {
			if rows {
				return must(x.upsampled(op, oh, ow, scaleH, 0, aligned, bilinear))
			}
			return must(x.upsampled(op, oh, ow, 0, scaleW, aligned, bilinear))
		})})
	}
	return out, err
}
