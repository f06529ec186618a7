package tensor

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

func (a *accelerator) im2col(in operand, p kernels.Conv) (storage, error) {
	n := int(p.Planes * p.Y.Taps * p.X.Taps * p.Y.Out * p.X.Out)
	return a.imageKernel("im2col_"+sized(in.dtype), in, n, &p)
}

func (a *accelerator) depthwise(in, weight operand, p kernels.Conv) (storage, error) {
	kernel, steps := planesOf(weight)
	m := merge(kernel.layout.shape, kernel.layout.strides)
	if len(m.dims) > 1 { // kernels are numbered: a few numbers are copied
		var err error
		if weight, err = a.densed(weight); err != nil {
			return nil, err
		}
		kernel, steps = planesOf(weight)
		m = merge(kernel.layout.shape, kernel.layout.strides)
	}
	s, err := a.alloc(int(p.Planes*p.Multiplier*p.Y.Out*p.X.Out) * in.dtype.Size())
	if err != nil {
		return nil, err
	}
	planes, inSteps := planesOf(in)
	taps := kernels.Taps{Kernel: int64(m.strides[0][0]), Row: steps.Row, Col: steps.Col}
	args := pointer(pointer(rocm.NewArgs(), planes), weight).Buffer(buffer(s), 0).Struct(layout1(planes)).Struct(inSteps).Struct(&p).Struct(&taps)
	return s, a.launch("depthwise_"+in.dtype.String(), blocks(s.size()/in.dtype.Size()), args)
}

func (a *accelerator) pool(in operand, p kernels.Pool, greatest bool) (storage, error) {
	name := "avg_pool2d_"
	if greatest {
		name = "max_pool2d_"
	}
	return a.imageKernel(name+in.dtype.String(), in, int(p.Planes*p.OH*p.OW), &p)
}

func (a *accelerator) upsample(in operand, p kernels.Resize, bilinear bool) (storage, error) {
	name := "upsample_nearest_" + sized(in.dtype)
	if bilinear {
		name = "upsample_bilinear_" + in.dtype.String()
	}
	return a.imageKernel(name, in, int(p.Planes*p.OH*p.OW), &p)
}

// imageKernel runs a kernel from images of any layout to n dense elements of the same type, with a struct of sizes.
func (a *accelerator) imageKernel(name string, in operand, n int, sizes any) (storage, error) {
	s, err := a.alloc(n * in.dtype.Size())
	if err != nil {
		return nil, err
	}
	if in, err = a.simpleBefore(in, 2); err != nil {
		return nil, err
	}
	planes, steps := planesOf(in)
	return s, a.launch(name, blocks(n), pointer(rocm.NewArgs(), planes).Buffer(buffer(s), 0).Struct(layout1(planes)).Struct(steps).Struct(sizes))
}
