package main

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// trainingRows are operations of a training step, forward and backward: gradients of all operands.
func trainingRows() []row {
	const batch, classes, dim = 8192, 50304, 768
	// both runs f, and gradients from that of its result, or from 1 if that is nil.
	both := func(bytes int, vars []*tensor.Tensor, grad *tensor.Tensor, f func() *tensor.Tensor) job {
		for i, x := range vars {
			vars[i] = tensor.NewVar(x)
		}
		return job{bytes: bytes, run: func() []*tensor.Tensor {
			y := f()
			var grads *tensor.GradStore
			if grad == nil {
				grads = y.Backward()
			} else {
				grads = y.BackwardWith(grad)
			}
			results := []*tensor.Tensor{y}
			for _, v := range vars {
				results = append(results, grads.Get(v))
			}
			return results
		}}
	}
	norm := func(layer bool) func(o operands) job {
		return func(o operands) job {
			vars := []*tensor.Tensor{o.randn(batch, dim), o.randn(dim), o.randn(dim)}
			bytes := 5 * vars[0].Bytes()
			if !layer {
				vars = vars[:2]
			}
			return both(bytes, vars, o.randn(batch, dim), func() *tensor.Tensor {
				if layer {
					return vars[0].LayerNorm(vars[1], vars[2], 1e-5)
				}
				return vars[0].RmsNorm(vars[1], 1e-5)
			})
		}
	}
	return []row{
		{"cross_entropy_both", floats, func(o operands) job {
			vars, target := []*tensor.Tensor{o.randn(batch, classes)}, o.ids(batch, classes)
			return both(3*vars[0].Bytes(), vars, nil, func() *tensor.Tensor { return nn.CrossEntropy(vars[0], target) })
		}},
		{"layer_norm_both", floats, norm(true)},
		{"rms_norm_both", floats, norm(false)},
		{"softmax_both", floats, func(o operands) job {
			vars, grad := []*tensor.Tensor{o.randn(batch, 1024)}, o.randn(batch, 1024)
			return both(5*grad.Bytes(), vars, grad, func() *tensor.Tensor { return vars[0].Softmax(-1) })
		}},
		{"silu_mul_both", floats, func(o operands) job {
			vars, grad := []*tensor.Tensor{o.randn(batch, 2048), o.randn(batch, 2048)}, o.randn(batch, 2048)
			return both(8*grad.Bytes(), vars, grad, func() *tensor.Tensor { return vars[0].SiluMul(vars[1]) })
		}},
		{"embedding_both", floats, func(o operands) job {
			vars, ids := []*tensor.Tensor{o.randn(classes, dim)}, o.ids(batch, classes)
			grad := o.randn(batch, dim)
			bytes := vars[0].Bytes() + 4*grad.Bytes()
			return both(bytes, vars, grad, func() *tensor.Tensor { return vars[0].IndexSelect(ids, 0) })
		}},
	}
}
