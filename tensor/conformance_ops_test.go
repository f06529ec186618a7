package tensor_test

import (
	"reflect"
	"strings"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// arguments of a case.
type arguments map[string]any

func (a arguments) num(name string) float64 { v, _ := a[name].(float64); return v }
func (a arguments) int(name string) int     { return int(a.num(name)) }
func (a arguments) ints(name string) []int {
	list, _ := a[name].([]any)
	out := make([]int, len(list))
	for i, v := range list {
		out[i] = int(v.(float64))
	}
	return out
}

// pair is one size for both dims, or two.
func (a arguments) pair(name string) [2]int {
	if list := a.ints(name); len(list) == 2 {
		return [2]int{list[0], list[1]}
	}
	if list := a.ints(name); len(list) == 1 {
		return [2]int{list[0], list[0]}
	}
	return [2]int{a.int(name), a.int(name)}
}

func (a arguments) dtype() tensor.DType { return parseDType(a["dtype"].(string)) }

// methods maps the names of the cases to methods, from the op table.
var methods = func() map[string]string {
	m := map[string]string{}
	for _, op := range kernels.Unary {
		m[op.Name] = op.Method
	}
	for _, op := range kernels.Binary {
		m[op.Name] = op.Method
		m["broadcast_"+op.Name] = op.Method
	}
	for _, op := range kernels.Compare {
		m[op.Name] = op.Method
		m["broadcast_"+op.Name] = op.Method
	}
	return m
}()

// reductions maps the names of the cases to methods, from the op table and its variants.
var reductions = func() map[string]string {
	m := map[string]string{"var": "Var", "var_keepdim": "VarKeepDim"}
	for _, op := range kernels.Reduce {
		m[op.Name] = op.Method
		m[op.Name+"_keepdim"] = op.Method + "KeepDim"
		m[op.Name+"_all"] = op.Method
	}
	return m
}()

func call(x *tensor.Tensor, method string, dims ...int) *tensor.Tensor {
	var args []reflect.Value
	for _, d := range dims {
		args = append(args, reflect.ValueOf(d))
	}
	return reflect.ValueOf(x).MethodByName(method).Call(args)[0].Interface().(*tensor.Tensor)
}

// indices reads those of a case: null is a whole dim, a list a range, a number an element.
func indices(list []any) (index []any) {
	for _, x := range list {
		switch x := x.(type) {
		case nil:
			index = append(index, tensor.All)
		case float64:
			index = append(index, int(x))
		case []any:
			r := tensor.All
			if start, ok := x[0].(float64); ok {
				r.Start = int(start)
			}
			if end, ok := x[1].(float64); ok {
				r.End = int(end)
			}
			index = append(index, r)
		}
	}
	return index
}

// apply runs one operation of the cases' vocabulary.
func apply(op string, raw map[string]any, in []*tensor.Tensor, dev *tensor.Device) []*tensor.Tensor {
	switch op {
	case "meshgrid":
		return tensor.Meshgrid(in, raw["xy"] == true)
	case "sort_last_dim":
		values, ids := in[0].SortLastDim(raw["asc"].(bool))
		return []*tensor.Tensor{values, ids}
	case "batch_norm_train":
		b := nn.NewBatchNorm(in[0].Dim(1), in[0].DType(), dev)
		b.RunningMean, b.RunningVar, b.Weight, b.Bias = in[1], in[2], nil, nil
		if len(in) == 5 {
			b.Weight, b.Bias = in[3], in[4]
		}
		b.Eps, b.Momentum = arguments(raw).num("eps"), arguments(raw).num("momentum")
		return []*tensor.Tensor{b.ForwardT(in[0], true), b.RunningMean, b.RunningVar}
	case "lstm":
		l := &nn.LSTM{WeightIH: in[1], WeightHH: in[2], BiasIH: in[3], BiasHH: in[4]}
		states := l.Seq(in[0].Unsqueeze(0), l.ZeroState(1))
		last := states[len(states)-1]
		return []*tensor.Tensor{last.H, last.C}
	case "gru":
		g := &nn.GRU{WeightIH: in[1], WeightHH: in[2], BiasIH: in[3], BiasHH: in[4]}
		states := g.Seq(in[0].Unsqueeze(0), g.ZeroState(1))
		return states[len(states)-1:]
	case "quantize_dequantize":
		return []*tensor.Tensor{quant.Quantize(in[0], ggml(raw)).Dequantize(dev)}
	case "qmatmul":
		w := arguments(raw).int("weights_input")
		return []*tensor.Tensor{quant.Quantize(in[w], ggml(raw)).MatMul(in[1-w])}
	case "q_embedding":
		return []*tensor.Tensor{quant.Quantize(in[0], ggml(raw)).Embedding(in[1])}
	case "chunk":
		return in[0].Chunk(arguments(raw).int("chunks"), arguments(raw).int("dim"))
	}
	return []*tensor.Tensor{applyOne(op, raw, in, dev)}
}

func applyOne(op string, raw map[string]any, in []*tensor.Tensor, dev *tensor.Device) *tensor.Tensor {
	a := arguments(raw)
	if m, ok := reductions[op]; ok {
		dims, ok := raw["dims"].([]any)
		switch {
		case strings.HasSuffix(op, "_all"):
		case !ok:
			return call(in[0], m, a.int("dim"))
		case len(dims) == 0: // Candle's empty list means no dims, ours all of them
			return in[0]
		}
		if strings.HasPrefix(op, "sum_") {
			return candlesSum(call(in[0], m, a.ints("dims")...), in[0].DType())
		}
		return call(in[0], m, a.ints("dims")...)
	}
	if m, ok := methods[op]; ok {
		var args []reflect.Value
		for _, x := range in[1:] {
			args = append(args, reflect.ValueOf(x))
		}
		return reflect.ValueOf(in[0]).MethodByName(m).Call(args)[0].Interface().(*tensor.Tensor)
	}
	var x *tensor.Tensor
	if len(in) > 0 {
		x = in[0]
	}
	dim := a.int("dim")
	switch op {
	case "identity":
		return x
	case "zeros":
		return dev.Zeros(a.dtype(), a.ints("shape")...)
	case "ones":
		return dev.Ones(a.dtype(), a.ints("shape")...)
	case "full":
		return dev.Full(a.dtype(), a.num("value"), a.ints("shape")...)
	case "arange":
		step := 1.0
		if _, ok := a["step"]; ok {
			step = a.num("step")
		}
		return dev.Arange(a.dtype(), a.num("start"), a.num("end"), step)
	case "eye":
		return dev.Eye(a.dtype(), a.int("n"))
	case "tril2":
		return dev.Ones(a.dtype(), a.int("n"), a.int("n")).Tril(0)
	case "triu2":
		return dev.Ones(a.dtype(), a.int("n"), a.int("n")).Triu(0)
	case "affine":
		return x.Affine(a.num("mul"), a.num("add"))
	case "elu":
		return x.Elu(a.num("alpha"))
	case "powf":
		return x.Powf(a.num("exponent"))
	case "round_to":
		return x.RoundTo(a.int("decimals"))
	case "clamp":
		return x.Clamp(a.num("min"), a.num("max"))
	case "where_cond":
		return x.WhereCond(in[1], in[2])
	case "to_dtype":
		return x.ToDType(a.dtype())
	case "t":
		return x.T()
	case "transpose":
		return x.Transpose(a.int("dim0"), a.int("dim1"))
	case "permute":
		return x.Permute(a.ints("dims")...)
	case "narrow":
		return x.Narrow(dim, a.int("start"), a.int("len"))
	case "contiguous":
		return x.Contiguous()
	case "force_contiguous":
		return x.Copy()
	case "squeeze":
		return x.Squeeze(dim)
	case "unsqueeze":
		return x.Unsqueeze(dim)
	case "unfold":
		return x.Unfold(dim, a.int("size"), a.int("step"))
	case "flatten":
		return x.Flatten(a.int("start"), a.int("end"))
	case "stack":
		return tensor.Stack(in, dim)
	case "flatten_all":
		return x.FlattenAll()
	case "reshape":
		return x.Reshape(a.ints("shape")...)
	case "repeat":
		return x.Repeat(a.ints("repeats")...)
	case "broadcast_as":
		return x.BroadcastAs(a.ints("shape")...)
	case "broadcast_left":
		return x.BroadcastLeft(a.ints("shape")...)
	case "pad_with_zeros":
		return x.Pad(dim, a.int("left"), a.int("right"), 0)
	case "pad_with_same":
		return x.Pad(dim, a.int("left"), a.int("right"), tensor.Replicate)
	case "roll":
		return x.Roll(a.int("shift"), dim)
	case "slice_scatter":
		return x.SliceScatter(in[1], dim, a.int("start"))
	case "flip":
		return x.Flip(a.ints("dims")...)
	case "cat":
		return tensor.Cat(in, dim)
	case "matmul", "broadcast_matmul":
		return x.MatMul(in[1])
	case "mv":
		return x.Mv(in[1])
	case "dot":
		return x.Dot(in[1])
	case "conv1d":
		return x.Conv1d(in[1], a.int("padding"), a.int("stride"), a.int("dilation"), a.int("groups"))
	case "conv2d":
		return x.Conv2d(in[1], a.int("padding"), a.int("stride"), a.int("dilation"), a.int("groups"))
	case "conv_transpose1d":
		return x.ConvTranspose1d(in[1], a.int("padding"), a.int("output_padding"), a.int("stride"), a.int("dilation"),
			a.int("groups"))
	case "conv_transpose2d":
		return x.ConvTranspose2d(in[1], a.int("padding"), a.int("output_padding"), a.int("stride"), a.int("dilation"))
	case "avg_pool2d", "max_pool2d":
		k := a.pair("kernel")
		s := k
		if _, ok := a["stride"]; ok {
			s = a.pair("stride")
		}
		if op == "avg_pool2d" {
			return x.AvgPool2dWithStride(k[0], k[1], s[0], s[1])
		}
		return x.MaxPool2dWithStride(k[0], k[1], s[0], s[1])
	case "upsample_nearest1d":
		return x.UpsampleNearest1d(a.pair("size")[0])
	case "upsample_nearest2d":
		return x.UpsampleNearest2d(a.ints("size")[0], a.ints("size")[1])
	case "upsample_bilinear2d":
		if scale, ok := raw["scale"].([]any); ok {
			return x.UpsampleBilinear2dWithScale(scale[0].(float64), scale[1].(float64), raw["align_corners"].(bool))
		}
		return x.UpsampleBilinear2d(a.ints("size")[0], a.ints("size")[1], raw["align_corners"].(bool))
	case "rms_norm":
		return nn.RmsNorm(x, in[1], a.num("eps"))
	case "layer_norm":
		return nn.LayerNorm(x, in[1], in[2], a.num("eps"))
	case "group_norm":
		return nn.GroupNorm(x, a.int("groups"), in[1], in[2], a.num("eps"))
	case "log_softmax":
		return x.LogSoftmax(dim)
	case "nll":
		return nn.Nll(x, in[1])
	case "cross_entropy":
		return nn.CrossEntropy(x, in[1])
	case "mse":
		return nn.Mse(x, in[1])
	case "bce_with_logits":
		return nn.BinaryCrossEntropyWithLogits(x, in[1])
	case "huber":
		return nn.Huber(x, in[1], a.num("delta"))
	case "one_hot":
		return nn.OneHot(x, a.int("depth"), raw["on"], raw["off"], a.dtype())
	case "rope":
		return nn.Rope(x, in[1], in[2])
	case "rope_i":
		return nn.RopeI(x, in[1], in[2])
	case "rope_thd":
		return nn.RopeThd(x, in[1], in[2])
	case "argsort_last_dim":
		return x.ArgSortLastDim(raw["asc"].(bool))
	case "cumsum":
		return x.CumSum(dim)
	case "softmax":
		return x.Softmax(dim)
	case "softmax_last_dim":
		return x.Softmax(-1)
	case "log_sum_exp":
		if len(a.ints("dims")) == 0 { // Candle's empty list means no dims, ours all of them
			return x
		}
		return x.LogSumExp(a.ints("dims")...)
	case "norm":
		return x.Norm()
	case "gather":
		return x.Gather(in[1], dim)
	case "index":
		return x.I(indices(raw["index"].([]any))...)
	case "const_set_view":
		v := x
		for _, step := range raw["view"].([]any) {
			s := step.([]any)
			args, _ := s[1].(map[string]any)
			v = apply(s[0].(string), args, []*tensor.Tensor{v}, dev)[0]
		}
		v.ConstSet(raw["value"])
		return x
	case "slice_set":
		x.SliceSet(in[1], dim, a.int("offset"))
		return x
	case "slice_set_self":
		x.SliceSet(x, dim, a.int("offset"))
		return x
	case "slice_assign":
		var ranges []tensor.Range
		for _, r := range indices(raw["ranges"].([]any)) {
			ranges = append(ranges, r.(tensor.Range))
		}
		return x.SliceAssign(ranges, in[1])
	case "index_select":
		return x.IndexSelect(in[1], dim)
	case "scatter":
		if raw["inplace"] == true {
			x.ScatterSet(in[1], in[2], dim)
			return x
		}
		return x.Scatter(in[1], in[2], dim)
	case "scatter_add":
		return x.ScatterAdd(in[1], in[2], dim)
	case "index_add":
		return x.IndexAdd(in[1], in[2], dim)
	case "embedding":
		return x.Embedding(in[1])
	}
	fail("no operation %q", op)
	return nil
}
