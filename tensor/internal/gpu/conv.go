package gpu

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (b *Backend) Im2col(in backend.Operand, p kernels.Conv) (backend.Storage, error) {
	n := int(p.Planes * p.Y.Taps * p.X.Taps * p.Y.Out * p.X.Out)
	return imageKernel(b, "im2col_"+bitsName(in.DType), in, n, in.DType, &p)
}

func (b *Backend) Depthwise(in, weight backend.Operand, p kernels.Conv) (backend.Storage, error) {
	kernel, strides := planesOf(weight)
	m := backend.Coalesce(kernel.Layout.Shape, kernel.Layout.Strides)
	// the kernel finds weights by number, which needs one stride; they are few, so copying is cheap
	if len(m.Dims) > 1 {
		var err error
		if weight, err = b.makeDense(weight); err != nil {
			return nil, err
		}
		kernel, strides = planesOf(weight)
		m = backend.Coalesce(kernel.Layout.Shape, kernel.Layout.Strides)
	}
	s, err := b.Alloc(int(p.Planes*p.Multiplier*p.Y.Out*p.X.Out) * in.DType.Size())
	if err != nil {
		return nil, err
	}
	planes, inStrides := planesOf(in)
	taps := kernels.Taps{Kernel: int64(m.Strides[0][0]), Row: strides.Row, Col: strides.Col}
	name, grid := "depthwise_"+in.DType.String(), blocks(s.Size()/in.DType.Size())
	straight, back := tapsForward(p)
	if n := depthwiseStrips(in.DType, straight, *inStrides, taps); n > 0 {
		p = straight
		name, grid = fmt.Sprintf("depthwise_%d_%d_%v", p.X.Taps, p.X.OutStep, in.DType),
			[3]int{int(min((n+block-1)/block, maxBlocks)), 1, 1}
		if back {
			taps.Row, taps.Col = -taps.Row, -taps.Col
			weight.Layout.Offset += int(p.Y.Taps*p.X.Taps - 1)
		}
	}
	args := pointer(pointer(rocm.NewArgs(), planes), weight).Buffer(buffer(s),
		0).Struct(layout1(planes)).Struct(inStrides).Struct(&p).Struct(&taps)
	return s, b.Launch(name, grid, args)
}

// tapsForward returns an equivalent convolution whose taps run forward. back says that the order of the taps is
// reversed: p is the transposed convolution of stride 1, as in gradients.
func tapsForward(p kernels.Conv) (forward kernels.Conv, back bool) {
	if p.Y.TapStep != -1 || p.X.TapStep != -1 {
		return p, false
	}
	for _, w := range []*kernels.Window{&p.Y, &p.X} {
		w.TapStep, w.Offset = 1, w.Offset-(w.Taps-1)
	}
	return p, true
}

// depthwiseStrips returns into how many strips depthwise_K_S_T divides the results, or 0 where it does not apply.
// conv.hip states its conditions.
func depthwiseStrips(t kernels.DType, p kernels.Conv, in kernels.Steps, taps kernels.Taps) int64 {
	k, stride := p.X.Taps, p.X.OutStep
	if p.Channels*p.Multiplier == 1 { // there is one set of weights, at the offset
		taps.Kernel = k * k
	}
	if !slices.Contains(kernels.DepthwiseTaps(t), int(k)) || stride > 2 ||
		taps != (kernels.Taps{Kernel: k * k, Row: k, Col: 1}) {
		return 0
	}
	for _, w := range []kernels.Window{p.Y, p.X} {
		if w.Taps != k || w.OutStep != stride || w.TapStep != 1 || w.InStep != 1 || -w.Offset > k/2 {
			return 0
		}
	}
	abs := func(x int64) int64 { return max(x, -x) }
	if p.Y.In*abs(in.Row)+p.X.In*abs(in.Col) > math.MaxInt32 || (p.Y.Out+8)*(p.X.Out+8) > math.MaxInt32 {
		return 0
	}
	packs := in.Col == 1 && p.X.In%4 == 0 && -p.X.Offset == k/2
	rows, cols := kernels.DepthwiseStrip(t, int(k), int(stride), packs)
	n := p.Planes * p.Multiplier * ((p.Y.Out + int64(rows) - 1) / int64(rows)) *
		((p.X.Out + int64(cols) - 1) / int64(cols))
	if n > math.MaxUint32 {
		return 0
	}
	return n
}

func (b *Backend) Pool(in backend.Operand, p kernels.Pool, what backend.Pooled) (backend.Storage, error) {
	name, out := "avg_pool2d_", in.DType
	switch what {
	case backend.Maxima:
		name = "max_pool2d_"
	case backend.Indices:
		name, out = "max_pool2d_first_", kernels.I64
	}
	return imageKernel(b, name+in.DType.String(), in, int(p.Planes*p.OH*p.OW), out, &p)
}

func (b *Backend) Upsample(in backend.Operand, p kernels.Resize, bilinear bool) (backend.Storage, error) {
	name := "upsample_nearest_" + bitsName(in.DType)
	if bilinear {
		name = "upsample_bilinear_" + in.DType.String()
	}
	return imageKernel(b, name, in, int(p.Planes*p.OH*p.OW), in.DType, &p)
}

// imageKernel runs a kernel from images of any layout to n dense elements. sizes is its last argument, a struct.
func imageKernel(
	b *Backend, name string, in backend.Operand, n int, out kernels.DType, sizes any,
) (backend.Storage, error) {
	s, err := b.Alloc(n * out.Size())
	if err != nil {
		return nil, err
	}
	if in, err = b.fitLeadingDims(in, 2); err != nil {
		return nil, err
	}
	planes, strides := planesOf(in)
	return s, b.Launch(name, blocks(n), pointer(rocm.NewArgs(), planes).Buffer(buffer(s),
		0).Struct(layout1(planes)).Struct(strides).Struct(sizes))
}
