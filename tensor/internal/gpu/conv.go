package gpu

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (a *Backend) Im2col(in backend.Operand, p kernels.Conv) (backend.Storage, error) {
	n := int(p.Planes * p.Y.Taps * p.X.Taps * p.Y.Out * p.X.Out)
	return a.imageKernel("im2col_"+bitsName(in.DType), in, n, &p)
}

func (a *Backend) Depthwise(in, weight backend.Operand, p kernels.Conv) (backend.Storage, error) {
	kernel, steps := planesOf(weight)
	m := backend.Coalesce(kernel.Layout.Shape, kernel.Layout.Strides)
	if len(m.Dims) > 1 { // kernels are numbered: a few numbers are copied
		var err error
		if weight, err = a.makeDense(weight); err != nil {
			return nil, err
		}
		kernel, steps = planesOf(weight)
		m = backend.Coalesce(kernel.Layout.Shape, kernel.Layout.Strides)
	}
	s, err := a.Alloc(int(p.Planes*p.Multiplier*p.Y.Out*p.X.Out) * in.DType.Size())
	if err != nil {
		return nil, err
	}
	planes, inSteps := planesOf(in)
	taps := kernels.Taps{Kernel: int64(m.Strides[0][0]), Row: steps.Row, Col: steps.Col}
	name, grid := "depthwise_"+in.DType.String(), blocks(s.Size()/in.DType.Size())
	straight, back := tapsForward(p)
	if n := depthwiseStrips(in.DType, straight, *inSteps, taps); n > 0 {
		p = straight
		name, grid = fmt.Sprintf("depthwise_%d_%d_%v", p.X.Taps, p.X.OutStep, in.DType), [3]int{int(min((n+block-1)/block, maxBlocks)), 1, 1}
		if back {
			taps.Row, taps.Col = -taps.Row, -taps.Col
			weight.Layout.Offset += int(p.Y.Taps*p.X.Taps - 1)
		}
	}
	args := pointer(pointer(rocm.NewArgs(), planes), weight).Buffer(buffer(s), 0).Struct(layout1(planes)).Struct(inSteps).Struct(&p).Struct(&taps)
	return s, a.Launch(name, grid, args)
}

// tapsForward is the convolution whose taps meet later elements the later they are, and whether p is the same with the last tap first: a transposed
// one, such as leads gradients back, whose stride is 1.
func tapsForward(p kernels.Conv) (forward kernels.Conv, back bool) {
	if p.Y.TapStep != -1 || p.X.TapStep != -1 {
		return p, false
	}
	for _, w := range []*kernels.Window{&p.Y, &p.X} {
		w.TapStep, w.Offset = 1, w.Offset-(w.Taps-1)
	}
	return p, true
}

// depthwiseStrips is in how many strips depthwise_K_S_T makes the results, or 0 where it cannot. conv.hip says what it wants.
func depthwiseStrips(t kernels.DType, p kernels.Conv, in kernels.Steps, taps kernels.Taps) int64 {
	k, step := p.X.Taps, p.X.OutStep
	if p.Channels*p.Multiplier == 1 { // the one kernel is at the beginning
		taps.Kernel = k * k
	}
	if !slices.Contains(kernels.DepthwiseTaps(t), int(k)) || step > 2 || taps != (kernels.Taps{Kernel: k * k, Row: k, Col: 1}) {
		return 0
	}
	for _, w := range []kernels.Window{p.Y, p.X} {
		if w.Taps != k || w.OutStep != step || w.TapStep != 1 || w.InStep != 1 || -w.Offset > k/2 {
			return 0
		}
	}
	abs := func(x int64) int64 { return max(x, -x) }
	if p.Y.In*abs(in.Row)+p.X.In*abs(in.Col) > math.MaxInt32 || (p.Y.Out+8)*(p.X.Out+8) > math.MaxInt32 {
		return 0
	}
	packs := in.Col == 1 && p.X.In%4 == 0 && -p.X.Offset == k/2
	rows, cols := kernels.DepthwiseStrip(t, int(k), int(step), packs)
	n := p.Planes * p.Multiplier * ((p.Y.Out + int64(rows) - 1) / int64(rows)) * ((p.X.Out + int64(cols) - 1) / int64(cols))
	if n > math.MaxUint32 {
		return 0
	}
	return n
}

func (a *Backend) Pool(in backend.Operand, p kernels.Pool, greatest bool) (backend.Storage, error) {
	name := "avg_pool2d_"
	if greatest {
		name = "max_pool2d_"
	}
	return a.imageKernel(name+in.DType.String(), in, int(p.Planes*p.OH*p.OW), &p)
}

func (a *Backend) Upsample(in backend.Operand, p kernels.Resize, bilinear bool) (backend.Storage, error) {
	name := "upsample_nearest_" + bitsName(in.DType)
	if bilinear {
		name = "upsample_bilinear_" + in.DType.String()
	}
	return a.imageKernel(name, in, int(p.Planes*p.OH*p.OW), &p)
}

// imageKernel runs a kernel from images of any layout to n dense elements of the same type, with a struct of sizes.
func (a *Backend) imageKernel(name string, in backend.Operand, n int, sizes any) (backend.Storage, error) {
	s, err := a.Alloc(n * in.DType.Size())
	if err != nil {
		return nil, err
	}
	if in, err = a.fitLeadingDims(in, 2); err != nil {
		return nil, err
	}
	planes, steps := planesOf(in)
	return s, a.Launch(name, blocks(n), pointer(rocm.NewArgs(), planes).Buffer(buffer(s), 0).Struct(layout1(planes)).Struct(steps).Struct(sizes))
}
