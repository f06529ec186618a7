package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// Autocast calls f, in which products of matrices, convolutions and attention convert operands of F32, F16 and BF16 to
// dtype, and operations that need the range or the digits of F32 convert them to that: exp, log, powers, sums, softmax,
// norms, losses and others, by the lists of PyTorch's autocast for GPUs. All other operations take operands as they
// come, and promote them. So a model with weights of F32 computes in half precision, and its gradients are of F32.
//
//	loss := nn.Autocast(tensor.BF16, func() *tensor.Tensor { return nn.CrossEntropy(net.Forward(x), y) })
//
// Backward is called outside of it, or leaves it. It holds for the goroutine that calls it. F16 wants a Scaler beside
// it. It panics with ErrDType for other types than F16 and BF16; F32 computes in F32 within.
func Autocast(dtype tensor.DType, f func() *tensor.Tensor) *tensor.Tensor {
	if dtype != tensor.F16 && dtype != tensor.BF16 && dtype != tensor.F32 {
		extend.Fail("autocast", tensor.ErrDType, nil, "tensor.BF16 needs no Scaler",
			"want BF16 or F16, not %v", dtype)
	}
	defer scope.Enter(func(frame *scope.Frame) { frame.Autocast = &dtype })()
	return f()
}
