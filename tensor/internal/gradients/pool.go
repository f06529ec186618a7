package gradients

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// hostPools is the host's backend, which has no kernels.
type hostPools interface {
	PoolGradient(g backend.Operand, indices *backend.Operand, p kernels.Pool) (backend.Storage, error)
}

// Pool returns the gradient of images from that of the result g, dense: of maxima with their dense indices, else of
// means. The backend is that of g.
func Pool(on backend.Backend, g backend.Operand, indices *backend.Operand, p kernels.Pool) (backend.Storage, error) {
	b, ok := On(on)
	if !ok {
		return on.(hostPools).PoolGradient(g, indices, p)
	}
	n := int(p.Planes * p.H * p.W)
	out, err := b.Alloc(n * g.DType.Size())
	if err != nil {
		return nil, err
	}
	args, name := pointer(rocm.NewArgs(), g), "avg_pool2d_gradient_"
	if indices != nil {
		args, name = pointer(args, *indices), "max_pool2d_gradient_"
	}
	perThread := 4
	if n >= 1<<22 { // the GPU is full: let threads find their places in a plane for more planes
		perThread = 16
	}
	grid := [3]int{min((n+block*perThread-1)/(block*perThread), maxBlocks), 1, 1}
	return out, b.Launch(name+g.DType.String(), grid, args.Buffer(buffer(out), 0).Struct(&p))
}
