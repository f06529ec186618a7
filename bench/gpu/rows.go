package main

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// row is an operation that compare.py has for PyTorch under the same name.
type row struct {
	name    string
	dtypes  []tensor.DType
	prepare func(o operands) job
}

// operands makes the operands of a row.
type operands struct {
	dev *tensor.Device
	dt  tensor.DType
}

func (o operands) randn(shape ...int) *tensor.Tensor {
	return o.dev.Randn(tensor.F32, shape...).ToDType(o.dt)
}

// ids are n whole numbers from 0 to below limit, as I64.
func (o operands) ids(n, limit int) *tensor.Tensor {
	return o.dev.Rand(tensor.F32, n).Mul(float64(limit)).ToDType(tensor.I64).Clamp(0, limit-1)
}

// Rows and columns of memory-bound operations: larger than a cache, even with two bytes per element. And the length of
// a single row.
const (
	height = 4096
	width  = 8192
	long   = 16 << 20
	tokens = 1 << 17 // that a language model may choose from
)

var (
	floats = []tensor.DType{tensor.F32, tensor.F16, tensor.BF16}
	f32    = []tensor.DType{tensor.F32}
	f16    = []tensor.DType{tensor.F16}
	halves = []tensor.DType{tensor.F32, tensor.F16}
)

func rows() []row {
	list := elementwiseRows()
	for _, more := range [][]row{rowRows(), productRows(), attentionRows(), imageRows(), linalgRows(), transformRows(),
		hostRows(), randomRows(), sparseRows(), searchRows(), einsumRows(), trainingRows(), optimizerRows(), stepRows(),
		windowRows()} {
		list = append(list, more...)
	}
	return list
}

// elementwiseRows are operations on each element, and copies.
func elementwiseRows() []row {
	// passes counts how often a matrix of the dtype is read or written.
	unary := func(passes int, f func(x *tensor.Tensor) *tensor.Tensor) func(o operands) job {
		return func(o operands) job {
			x := o.randn(height, width)
			return one(passes*x.Bytes(), 0, func() *tensor.Tensor { return f(x) })
		}
	}
	return []row{
		{"copy", floats, unary(2, (*tensor.Tensor).Copy)},
		{"add", floats, func(o operands) job {
			x, y := o.randn(height, width), o.randn(height, width)
			return one(3*x.Bytes(), 0, func() *tensor.Tensor { return x.Add(y) })
		}},
		{"add_row", floats, func(o operands) job {
			x, y := o.randn(height, width), o.randn(width)
			return one(2*x.Bytes(), 0, func() *tensor.Tensor { return x.Add(y) })
		}},
		{"gelu", floats, unary(2, (*tensor.Tensor).Gelu)},
		{"cast_f16", f32, func(o operands) job {
			x := o.randn(height, width)
			return one(x.Bytes()*3/2, 0, func() *tensor.Tensor { return x.ToDType(tensor.F16) })
		}},
		{"where", floats, func(o operands) job {
			x, y := o.randn(height, width), o.randn(height, width)
			cond := x.Gt(0)
			return one(3*x.Bytes()+cond.Bytes(), 0, func() *tensor.Tensor { return cond.WhereCond(x, y) })
		}},
		{"chain", floats, func(o operands) job {
			x, y, b := o.randn(height, width), o.randn(height, width), o.randn(width)
			return one(3*x.Bytes(), 0, func() *tensor.Tensor { return x.Mul(2).Add(1).Tanh().Mul(y).Add(b).Gelu() })
		}},
		{"chain_mean", floats, func(o operands) job {
			x, y := o.randn(height, width), o.randn(height, width)
			return one(2*x.Bytes(), 0, func() *tensor.Tensor { return x.Sub(y).Sqr().Mean(-1) })
		}},
		{"chain_sum_all", floats, unary(1, func(x *tensor.Tensor) *tensor.Tensor { return x.Exp().Sum() })},
		{"transpose_copy", floats, unary(2, func(x *tensor.Tensor) *tensor.Tensor { return x.T().Contiguous() })},
	}
}

// rowRows are operations on the rows of a matrix, and on one long row.
func rowRows() []row {
	of := func(passes int, f func(x *tensor.Tensor) *tensor.Tensor, shape ...int) func(o operands) job {
		return func(o operands) job {
			x := o.randn(shape...)
			return one(passes*x.Bytes(), 0, func() *tensor.Tensor { return f(x) })
		}
	}
	cumsum := func(x *tensor.Tensor) *tensor.Tensor { return x.CumSum(-1) }
	argsort := func(x *tensor.Tensor) *tensor.Tensor { return x.ArgSortLastDim(true) }
	sorted := func(shape ...int) func(o operands) job {
		return func(o operands) job {
			x := o.randn(shape...)
			j := job{bytes: 2 * x.Bytes()}
			j.run = func() []*tensor.Tensor { values, ids := x.SortLastDim(true); return []*tensor.Tensor{values, ids} }
			return j
		}
	}
	top := func(k int, shape ...int) func(o operands) job {
		return func(o operands) job {
			x := o.randn(shape...)
			j := job{bytes: x.Bytes()}
			j.run = func() []*tensor.Tensor { values, ids := x.TopK(k, -1, true); return []*tensor.Tensor{values, ids} }
			return j
		}
	}
	masked := func(f func(x, mask *tensor.Tensor) *tensor.Tensor) func(o operands) job {
		return func(o operands) job {
			x := o.randn(height, width)
			mask := x.Gt(1).Contiguous()
			return one(x.Bytes()+mask.Bytes(), 0, func() *tensor.Tensor { return f(x, mask) })
		}
	}
	return []row{
		{"softmax", floats, of(2, func(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(-1) }, height, width)},
		{"layer_norm", floats, func(o operands) job {
			x, w, b := o.randn(height, width), o.randn(width), o.randn(width)
			return one(2*x.Bytes(), 0, func() *tensor.Tensor { return x.LayerNorm(w, b, 1e-5) })
		}},
		{"rms_norm", floats, func(o operands) job {
			x, w := o.randn(height, width), o.randn(width)
			return one(2*x.Bytes(), 0, func() *tensor.Tensor { return x.RmsNorm(w, 1e-5) })
		}},
		{"argmax", floats, of(1, func(x *tensor.Tensor) *tensor.Tensor { return x.ArgMax(-1) }, height, width)},
		{"sum_last", floats, of(1, func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(-1) }, height, width)},
		{"sum_first", floats, of(1, func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(0) }, height, width)},
		{"sum_first_768", floats, of(1, func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(0) }, 8192, 768)},
		{"sum_all", floats, of(1, func(x *tensor.Tensor) *tensor.Tensor { return x.Sum() }, height, width)},
		{"cumsum", floats, of(2, cumsum, height, width)},
		{"cumsum_long", halves, of(2, cumsum, 1, long)},
		{"sort", halves, sorted(height, width)},
		{"sort_long", halves, sorted(1, long)},
		{"argsort", halves, of(1, argsort, height, width)},
		{"argsort_1024", f32, of(1, argsort, height, 1024)},
		{"argsort_long", halves, of(1, argsort, 1, long)},
		{"topk", floats, top(50, 64, tokens)},
		{"topk_one", floats, top(50, 1, tokens)},
		{"topk_experts", floats, top(8, 2*height, 128)},
		{"masked_fill", halves, masked(func(x, mask *tensor.Tensor) *tensor.Tensor { return x.MaskedFill(mask, 0) })},
		{"masked_select", halves, masked((*tensor.Tensor).MaskedSelect)},
		{"nonzero", f32, masked(func(_, mask *tensor.Tensor) *tensor.Tensor { return mask.Nonzero() })},
		{"index_select", floats, func(o operands) job {
			x, ids := o.randn(height, width), o.ids(height, height)
			return one(2*x.Bytes(), 0, func() *tensor.Tensor { return x.IndexSelect(ids, 0) })
		}},
		{"index_select_long", halves, func(o operands) job {
			x, ids := o.randn(long), o.ids(long, long)
			return one(2*x.Bytes()+ids.Bytes(), 0, func() *tensor.Tensor { return x.IndexSelect(ids, 0) })
		}},
	}
}

// productRows are products of matrices.
func productRows() []row {
	square := func(n int, transposed bool) func(o operands) job {
		return func(o operands) job {
			x, y := o.randn(n, n), o.randn(n, n)
			if transposed {
				y = y.T()
			}
			return one(3*x.Bytes(), 2*n*n*n, func() *tensor.Tensor { return x.MatMul(y) })
		}
	}
	var list []row
	for _, n := range []int{512, 1024, 4096} {
		list = append(list, row{fmt.Sprintf("matmul_%d", n), floats, square(n, false)})
	}
	vector := func(transposed bool) func(o operands) job {
		return func(o operands) job {
			x, w := o.randn(1, 4096), o.randn(4096, 11008)
			if transposed {
				w = o.randn(11008, 4096).T()
			}
			return one(w.Bytes(), 2*4096*11008, func() *tensor.Tensor { return x.MatMul(w) })
		}
	}
	return append(list,
		row{"matmul_1024_transposed", floats, square(1024, true)},
		row{"matmul_4096_transposed", floats, square(4096, true)},
		row{"matmul_heads", floats, func(o operands) job {
			const batch, length, heads, dim = 4, 512, 16, 64
			q, k := o.randn(batch, length, heads, dim).Transpose(1, 2),
				o.randn(batch, length, heads, dim).Transpose(1, 2)
			return one(0, 2*batch*heads*length*length*dim, func() *tensor.Tensor { return q.MatMul(k.T()) })
		}},
		row{"matmul_f8", []tensor.DType{tensor.F8E4M3}, square(4096, true)},
		row{"matvec", f16, vector(false)},
		row{"matvec_transposed", f16, vector(true)},
	)
}

// attentionRows are attention as a model calls it.
func attentionRows() []row {
	causal := func(batch, heads, length, dim int) func(o operands) job {
		return func(o operands) job {
			q, k, v := o.randn(batch, heads, length, dim), o.randn(batch, heads, length, dim),
				o.randn(batch, heads, length, dim)
			flops := 4 * batch * heads * length * length * dim / 2
			return one(0, flops, func() *tensor.Tensor { return nn.Attention(q, k, v, nn.Attend{Causal: true}) })
		}
	}
	training := func(batch, heads, length, dim int) func(o operands) job {
		return func(o operands) job {
			var vars [3]*tensor.Tensor
			for i := range vars {
				vars[i] = tensor.NewVar(o.randn(batch, heads, length, dim))
			}
			g := o.randn(batch, heads, length, dim)
			flops := (4 + 10) * batch * heads * length * length * dim / 2
			return job{flops: flops, run: func() []*tensor.Tensor {
				y := nn.Attention(vars[0], vars[1], vars[2], nn.Attend{Causal: true})
				grads := y.BackwardWith(g)
				return []*tensor.Tensor{y, grads.Get(vars[0]), grads.Get(vars[1]), grads.Get(vars[2])}
			}}
		}
	}
	f32f16 := []tensor.DType{tensor.F32, tensor.F16}
	return []row{
		{"attention_64_training", f32f16, training(8, 16, 2048, 64)},
		{"attention_128_training", f32f16, training(4, 32, 2048, 128)},
		{"attention_256_training", f32f16, training(4, 16, 2048, 256)},
		{"attention_64", f32f16, causal(4, 16, 2048, 64)},
		{"attention_128", f32f16, causal(4, 32, 2048, 128)},
		{"attention_256", f32f16, causal(4, 16, 2048, 256)},
		{"attention_decode", f16, func(o operands) job {
			// more keys and values than a cache holds, as those of many layers
			const heads, keys, dim, rotated = 32, 2048, 128, 4
			q := o.randn(1, heads, 1, dim)
			var k, v [rotated]*tensor.Tensor
			for i := range rotated {
				k[i], v[i] = o.randn(1, heads, keys, dim), o.randn(1, heads, keys, dim)
			}
			i := 0
			return one(2*k[0].Bytes(), 4*heads*keys*dim, func() *tensor.Tensor {
				i = (i + 1) % rotated
				return nn.Attention(q, k[i], v[i], nn.Attend{})
			})
		}},
	}
}

// imageRows are convolutions, pools and changes of size.
func imageRows() []row {
	conv := func(channels, size, out, taps, padding, stride, groups int) func(o operands) job {
		return func(o operands) job {
			x, w := o.randn(16, channels, size, size), o.randn(out, channels/groups, taps, taps)
			places := (size+2*padding-taps)/stride + 1
			flops := 2 * 16 * out * places * places * channels / groups * taps * taps
			return one(0, flops, func() *tensor.Tensor { return x.Conv2d(w, padding, stride, 1, groups) })
		}
	}
	of := func(factor4 int, f func(x *tensor.Tensor) *tensor.Tensor) func(o operands) job {
		return func(o operands) job {
			x := o.randn(32, 64, 112, 112)
			return one(x.Bytes()*factor4/4, 0, func() *tensor.Tensor { return f(x) })
		}
	}
	return []row{
		{"conv2d", halves, conv(64, 56, 64, 3, 1, 1, 1)},
		{"conv2d_first", halves, conv(3, 224, 64, 7, 3, 2, 1)},
		{"conv2d_depthwise", halves, conv(64, 56, 64, 3, 1, 1, 64)},
		{"max_pool2d", halves, of(5, func(x *tensor.Tensor) *tensor.Tensor { return x.MaxPool2d(2, 2) })},
		{"upsample_nearest", halves, of(20,
			func(x *tensor.Tensor) *tensor.Tensor { return x.UpsampleNearest2d(224, 224) })},
		{"upsample_bilinear", halves, of(20,
			func(x *tensor.Tensor) *tensor.Tensor { return x.UpsampleBilinear2d(224, 224, false) })},
	}
}
