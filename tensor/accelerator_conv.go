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
	n := int(p.Planes * p.Multiplier * p.Y.Out * p.X.Out)
	s, err := a.alloc(n * in.dtype.Size())
	if err != nil {
		return nil, err
	}
	args := pointer(pointer(rocm.NewArgs(), in), weight).Buffer(buffer(s), 0).Struct(&p)
	return s, a.launch("depthwise_"+in.dtype.String(), blocks(n), args)
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

// imageKernel runs a kernel from dense elements to n dense elements of the same type, with a struct of sizes.
func (a *accelerator) imageKernel(name string, in operand, n int, sizes any) (storage, error) {
	s, err := a.alloc(n * in.dtype.Size())
	if err != nil {
		return nil, err
	}
	return s, a.launch(name, blocks(n), pointer(rocm.NewArgs(), in).Buffer(buffer(s), 0).Struct(sizes))
}
