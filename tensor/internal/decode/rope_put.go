package decode

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// RopePut turns the heads of a token by its position's angles, those of queries in place and those of keys on their
// way to a cache, which takes the values as well.
type RopePut struct {
	Queries, Groups, Size int            // heads of queries, and of keys; elements of a head
	Cos, Sin              *tensor.Tensor // [positions size/2]
	Interleaved           bool           // pairs are neighbours, not half a head apart
}

// Takes reports whether there is a kernel for heads of a type: of F32, F16 and BF16, which the angles have, too.
func (p *RopePut) Takes(dt tensor.DType) bool {
	_, gpu := on(p.Cos.Device())
	_, known := kernels.BlockResult(dt)
	return gpu && known && p.Size%2 == 0 && p.Cos.DType() == dt && p.Sin.DType() == dt && dense(p.Cos) && dense(p.Sin)
}

// Put launches the kernel for the heads [queries+2·groups size] of a token, dense, and a cache [1 2·groups capacity
// size] at a position, U32 of shape [1], which the cache has room for.
func (p *RopePut) Put(heads, cache, position *tensor.Tensor) {
	const op = "rope"
	r, _ := on(heads.Device())
	extend.Written(op, heads)
	extend.Written(op, cache)
	args := rocm.NewArgs()
	for _, t := range []*tensor.Tensor{heads, p.Cos, p.Sin, position, cache} {
		args = pointer(op, args, t)
	}
	of := kernels.RopePut{Queries: uint64(p.Queries), Groups: uint64(p.Groups), Half: uint64(p.Size / 2),
		Capacity: uint64(cache.Dim(2))}
	if p.Interleaved {
		of.Interleaved = 1
	}
	n := (p.Queries + 2*p.Groups) * p.Size / 2
	launch(op, r, heads.Device(), kernelOf("rope_put", heads.DType()), (n+block-1)/block, args.Struct(&of))
}
