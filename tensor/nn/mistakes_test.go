package nn_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestMistakes: what would be computed as something else than it looks, or fail far below with other words, is an error
// that says so.
func TestMistakes(t *testing.T) {
	zeros := func(dt tensor.DType, shape ...int) *tensor.Tensor { return tensor.CPU().Zeros(dt, shape...) }
	f := func(shape ...int) *tensor.Tensor { return zeros(tensor.F32, shape...) }
	p := nn.NewParams(tensor.F32, tensor.CPU())
	lstm, gru := nn.NewLSTM(3, 2, "l0", p.At("lstm")), nn.NewGRU(3, 2, "l0", p.At("gru"))
	sample := func(s nn.Sampling, logits ...float64) func() *tensor.Tensor {
		return func() *tensor.Tensor { nn.NewSampler(s).Sample(tensor.Of(logits...)); return nil }
	}
	adamw := func(c nn.AdamWConfig) func() *tensor.Tensor {
		return func() *tensor.Tensor { nn.NewAdamW([]*tensor.Tensor{tensor.NewVar(f(2))}, c); return nil }
	}
	lossOf := func(o nn.CrossEntropyOptions) func() *tensor.Tensor {
		return func() *tensor.Tensor { return nn.CrossEntropyWith(f(1, 2), zeros(tensor.U32, 1), o) }
	}
	x := f(1, 1, 3, 2)
	for _, c := range []struct {
		f    func() *tensor.Tensor
		kind error
		want string
	}{
		{func() *tensor.Tensor { return nn.Attention(x, x, x, nn.Attend{Window: 1}) }, tensor.ErrShape, "with Causal"},
		{func() *tensor.Tensor { return nn.Attention(x, x, x, nn.Attend{Causal: true, Window: -1}) }, tensor.ErrShape,
			"not -1"},
		{func() *tensor.Tensor { return nn.Attention(x, x, x, nn.Attend{Mask: zeros(tensor.I64, 3, 3)}) },
			tensor.ErrDType, "not of i64"},
		{func() *tensor.Tensor { return nn.Attention(x, x, zeros(tensor.F16, 1, 1, 3, 2), nn.Attend{}) },
			tensor.ErrDType, "f32, f32 and f16"},
		{func() *tensor.Tensor { y := zeros(tensor.U32, 1, 1, 3, 2); return nn.Attention(y, y, y, nn.Attend{}) },
			tensor.ErrDType, "one float type"},
		{func() *tensor.Tensor { return nn.Swiglu(f(2, 5)) }, tensor.ErrShape, "swiglu: want a last dim of even size"},
		{func() *tensor.Tensor { return nn.Swiglu(f()) }, tensor.ErrShape, "swiglu"},
		{func() *tensor.Tensor { c, _ := nn.RopeTables(2, 5, 1e4, tensor.CPU()); return c }, tensor.ErrShape, "not 5"},
		{func() *tensor.Tensor { return nn.NewBatchNorm(3, tensor.F32, tensor.CPU()).ForwardT(f(1, 3), true) },
			tensor.ErrShape, "at least two numbers"},
		{func() *tensor.Tensor { return nn.NewBatchNorm(3, tensor.F32, tensor.CPU()).ForwardT(f(0, 3, 4), true) },
			tensor.ErrShape, "at least two numbers"},
		{func() *tensor.Tensor { return nn.NewConv2d(3, 4, 3, nn.ConvConfig{Groups: 2}, p.At("a")).Weight },
			tensor.ErrShape, "2 groups do not divide 3 inputs"},
		{func() *tensor.Tensor { return nn.NewConv1d(4, 4, 3, nn.ConvConfig{Stride: -2}, p.At("b")).Weight },
			tensor.ErrShape, "at least 0"},
		{func() *tensor.Tensor { return nn.Conv(f(1, 4, 5), f(2, 3, 3), nil, nn.ConvOptions{}) }, tensor.ErrShape,
			"conv: 4 channels"},
		{func() *tensor.Tensor { return nn.Conv(f(1, 4, 5), f(3, 2, 3), nil, nn.ConvOptions{Groups: 2}) }, tensor.ErrShape,
			"in 2 groups"},
		{func() *tensor.Tensor { return nn.Conv(f(1, 3, 5), f(2, 3, 3, 3), nil, nn.ConvOptions{}) }, tensor.ErrShape,
			"as many dims"},
		{func() *tensor.Tensor { return nn.Conv(f(1, 3, 5), zeros(tensor.F64, 2, 3, 3), nil, nn.ConvOptions{}) },
			tensor.ErrDType, "one dtype, not f32 and f64"},
		{func() *tensor.Tensor { return nn.Conv(f(1, 3, 5), f(2, 3, 3), f(3), nn.ConvOptions{}) }, tensor.ErrShape,
			"want a bias of shape [2], not [3]"},
		{func() *tensor.Tensor { return nn.Conv(f(1, 3, 5), f(2, 3, 3), nil, nn.ConvOptions{Stride: []int{0}}) },
			tensor.ErrShape, "stride [0]: want at least 1"},
		{func() *tensor.Tensor {
			return nn.Conv(f(1, 3, 5, 5), f(2, 3, 3, 3), nil, nn.ConvOptions{Padding: []int{1, 1, 1}})
		}, tensor.ErrShape, "padding [1 1 1]: want one number, or one for each of 2 dims"},
		{func() *tensor.Tensor { return nn.Conv(f(1, 3, 5), f(2, 3, 3), nil, nn.ConvOptions{Dilation: []int{3}}) },
			tensor.ErrShape, "a window of 7 elements does not fit dim 2, which has 5"},
		{func() *tensor.Tensor {
			return nn.Conv(f(1, 3, 5), f(2, 3, 3), nil, nn.ConvOptions{Same: true, Stride: []int{2}})
		}, tensor.ErrShape, "Same with stride [2]"},
		{func() *tensor.Tensor {
			return nn.ConvTranspose(f(1, 3, 5), f(3, 2, 3), nil, nn.ConvOptions{Same: true})
		},
			tensor.ErrShape, "neither Same nor Mode"},
		{func() *tensor.Tensor {
			return nn.ConvTranspose(f(1, 3, 5), f(3, 2, 3), nil, nn.ConvOptions{OutputPadding: []int{1}})
		}, tensor.ErrShape, "output padding 1 of dim 2: want less than the stride 1"},
		{func() *tensor.Tensor {
			return nn.ConvTranspose(f(1, 3, 1), f(3, 2, 3), nil, nn.ConvOptions{Padding: []int{2}})
		}, tensor.ErrShape, "would have -1 elements"},
		{func() *tensor.Tensor { return nn.MaxPool(f(1, 3, 5), []int{2, 2}, nn.PoolOptions{}) }, tensor.ErrShape,
			"of rank 4"},
		{func() *tensor.Tensor { return nn.AvgPool(f(1, 3, 5), []int{2}, nn.PoolOptions{Padding: []int{2}}) },
			tensor.ErrShape, "elements of the padding only"},
		{func() *tensor.Tensor { return nn.AdaptiveMaxPool(f(1, 3, 5), 0) }, tensor.ErrShape, "at least one"},
		{func() *tensor.Tensor { return nn.MaxUnpool(f(1, 3, 5), zeros(tensor.I64, 1, 3, 4), 9) },
			tensor.ErrShape, "of one shape"},
		{func() *tensor.Tensor {
			return nn.Interpolate(f(1, 3, 5), []int{2}, nn.ByNearest, nn.InterpolateOptions{AlignCorners: true})
		}, tensor.ErrShape, "not of nearest"},
		{func() *tensor.Tensor {
			return nn.GridSample(f(1, 3, 5, 5), f(1, 2, 2, 3), nn.ByLinear, nn.GridOptions{})
		}, tensor.ErrShape, "a grid [batch … dims]"},
		{func() *tensor.Tensor {
			return nn.GridSample(f(1, 3, 5), f(1, 2, 1), nn.ByCubic, nn.GridOptions{})
		}, tensor.ErrShape, "not cubic"},
		{func() *tensor.Tensor { return nn.AffineGrid(f(1, 2, 2), []int{3, 3}, false) }, tensor.ErrShape, "[batch 2 3]"},
		{func() *tensor.Tensor { return nn.Fold(f(1, 4, 5), []int{3}, []int{2}, nn.ConvOptions{}) }, tensor.ErrShape,
			"5 columns, and [2] windows"},
		{func() *tensor.Tensor { return nn.Unfold(f(1, 4, 5), []int{2}, nn.ConvOptions{Groups: 2}) }, tensor.ErrShape,
			"no groups"},
		{func() *tensor.Tensor { return nn.Mse(f(3, 1), f(3)) }, tensor.ErrShape, "mse: want a target of shape [3 1]"},
		{func() *tensor.Tensor { return nn.Huber(f(3), f(3, 1), 1) }, tensor.ErrShape, "huber: want a target"},
		{func() *tensor.Tensor { return nn.BinaryCrossEntropyWithLogits(f(3, 1), f(3)) }, tensor.ErrShape,
			"binary cross entropy: want a target"},
		{func() *tensor.Tensor { return nn.CrossEntropy(f(3, 2), zeros(tensor.U32, 3, 1)) }, tensor.ErrShape,
			"note: target.Squeeze(1)"},
		{func() *tensor.Tensor { return nn.Nll(f(3, 2), f(3, 2)) }, tensor.ErrShape, "note: target.ArgMax(1)"},
		{func() *tensor.Tensor { return nn.CrossEntropy(f(3, 4, 2), zeros(tensor.U32, 3, 4)) }, tensor.ErrShape,
			"note: a batch of sequences is one of rows: logits.FlattenTo(1)"},
		{func() *tensor.Tensor { return nn.CrossEntropy(f(3, 2), f(3)) }, tensor.ErrDType,
			"cross entropy: want the numbers of classes as integers, not f32"},
		{lossOf(nn.CrossEntropyOptions{LabelSmoothing: 1.5}), tensor.ErrShape, "from 0 to 1, not 1.5"},
		{lossOf(nn.CrossEntropyOptions{LabelSmoothing: math.NaN()}), tensor.ErrShape, "not NaN"},
		{lossOf(nn.CrossEntropyOptions{Reduction: 3}), tensor.ErrShape, "not Reduction(3)"},
		{lossOf(nn.CrossEntropyOptions{Weights: f(3)}), tensor.ErrShape, "weights [2], one for each class, not shape [3]"},
		{lossOf(nn.CrossEntropyOptions{Weights: zeros(tensor.U8, 2)}), tensor.ErrDType,
			"of a float type, not u8\n  note: w.ToDType(tensor.F32)"},
		{lossOf(nn.CrossEntropyOptions{Weights: tensor.NewVar(f(2))}), tensor.ErrGradient, "note: w.Detach()"},
		{func() *tensor.Tensor { return nn.CrossEntropy(zeros(tensor.I64, 1, 2), zeros(tensor.U8, 1)) },
			tensor.ErrDType, "logits of a float type, not i64"},
		{adamw(nn.AdamWConfig{LR: 0.01}), tensor.ErrShape, "Beta2 and Eps are 0"},
		{adamw(nn.AdamWConfig{LR: 0.01, Beta2: 1, Eps: 1e-8}), tensor.ErrShape, "Beta2:1"},
		{adamw(nn.AdamWConfig{LR: math.NaN(), Beta2: 0.9}), tensor.ErrShape, "LR:NaN"},
		{func() *tensor.Tensor { lstm.Seq(f(2, 3), lstm.ZeroState(2)); return nil }, tensor.ErrShape,
			"lstm: want [batch steps inputs] with 3 inputs"},
		{func() *tensor.Tensor { lstm.Seq(f(2, 1, 3), lstm.ZeroState(3)); return nil }, tensor.ErrShape,
			"a batch of 2, not one of shape [3 2]"},
		{func() *tensor.Tensor { lstm.Step(f(2, 3), nn.LSTMState{}); return nil }, tensor.ErrShape, "ZeroState(2)"},
		{func() *tensor.Tensor { return gru.Step(f(2, 4), gru.ZeroState(2)) }, tensor.ErrShape,
			"gru: want [batch inputs] with 3 inputs"},
		{func() *tensor.Tensor { gru.Seq(f(2, 1, 3), nil); return nil }, tensor.ErrShape, "the state is nil"},
		{sample(nn.Sampling{Temperature: 1}, 1, math.NaN(), 2), tensor.ErrShape, "logit 1 is NaN"},
		{sample(nn.Sampling{Temperature: 1}, 1, math.Inf(1)), tensor.ErrShape, "logit 1 is +Inf"},
		{sample(nn.Sampling{Temperature: 1}, math.Inf(-1), math.Inf(-1)), tensor.ErrShape, "no token is possible"},
		{sample(nn.Sampling{Temperature: math.NaN()}, 1), tensor.ErrShape, "at least 0"},
	} {
		_, err := tensor.Try(c.f)
		if !errors.Is(err, c.kind) || !strings.Contains(fmt.Sprintf("%+v", err), c.want) {
			t.Errorf("got %v, want …%s…", err, c.want)
		}
	}
}

// TestNothing: batches, sequences and texts of no elements give results of no elements.
func TestNothing(t *testing.T) {
	for _, dev := range devices(t) {
		f := func(shape ...int) *tensor.Tensor { return dev.Zeros(tensor.F32, shape...) }
		p := nn.NewParams(tensor.F32, dev)
		gru := nn.NewGRU(3, 2, "l0", p)
		for name, y := range map[string]*tensor.Tensor{
			"group norm":                 nn.GroupNorm(f(0, 4, 3), 2, nil, nil, 1e-5),
			"group norm of no positions": nn.GroupNorm(f(2, 4, 0), 2, nil, nil, 1e-5),
			"batch norm":                 nn.NewBatchNorm(3, tensor.F32, dev).Forward(f(0, 3, 2)),
			"layer norm":                 nn.LayerNorm(f(0, 4), f(4), f(4), 1e-5),
			"linear":                     nn.NewLinear(4, 3, p.At("linear")).Forward(f(0, 4)),
			"embedding": nn.NewEmbedding(4, 3,
				p.At("embedding")).Forward(dev.Zeros(tensor.U32, 2, 0)),
			"convolution": nn.NewConv2d(2, 3, 3, nn.ConvConfig{}, p.At("conv")).Forward(f(0, 2, 5, 5)),
			"attention": nn.Attention(f(0, 4, 2, 2), f(0, 2, 3, 2), f(0, 2, 3, 2),
				nn.Attend{Causal: true}),
			"no queries": nn.Attention(f(1, 4, 0, 2), f(1, 2, 3, 2), f(1, 2, 3, 2),
				nn.Attend{Causal: true}),
			"rope": nn.RopeThd(f(1, 0, 2, 4), f(3, 2), f(3, 2)),
			"gru":  gru.Step(f(0, 3), gru.ZeroState(0)),
		} {
			if y.ElemCount() != 0 || len(y.Float64s()) != 0 {
				t.Errorf("%v, %s: %v", dev, name, y.Dims())
			}
		}
		if n := len(gru.Seq(f(2, 0, 3), gru.ZeroState(2))); n != 0 {
			t.Errorf("%d states after no steps", n)
		}
	}
}

// TestKinks: gradients where functions have two derivatives, and of a Dropout of everything, are those of PyTorch.
func TestKinks(t *testing.T) {
	for _, dev := range devices(t) {
		for name, c := range map[string]struct {
			f        func(x *tensor.Tensor) *tensor.Tensor
			at, want []float64
		}{
			"relu6":        {nn.Relu6, []float64{0, 6}, []float64{0, 0}},
			"hard sigmoid": {nn.HardSigmoid, []float64{-3, 3}, []float64{0, 0}},
			"hard swish":   {nn.HardSwish, []float64{-3, 3}, []float64{0, 1}},
			"dropout": {func(x *tensor.Tensor) *tensor.Tensor { return nn.Dropout(1).ForwardT(x, true) }, []float64{1, -2},
				[]float64{0, 0}},
		} {
			x := tensor.NewVar(dev.New(c.at))
			y := c.f(x)
			if got := y.Sum().Backward().Get(x).ToVec1(); !slices.Equal(got, c.want) || name == "dropout" && y.Sqr().Sum().ToScalar() != 0 {
				t.Errorf("%v, %s: %v has the gradient %v, want %v", dev, name, y, got, c.want)
			}
		}
		x := tensor.NewVar(dev.Arange(tensor.F64, 4).Reshape(1, 1, 2, 2))
		grid := dev.New([]float64{1, 0}).Reshape(1, 1, 1, 2)
		g := tensor.NewVar(grid)
		y := nn.GridSample(x, g, nn.ByLinear, nn.GridOptions{AlignCorners: true, Mode: tensor.Replicate})
		if got := y.Sum().Backward().Get(g).FlattenAll().ToVec1(); !slices.Equal(got, []float64{0, 1}) {
			t.Errorf("%v: the gradient of a grid at the border is %v", dev, got)
		}
		if y := nn.GroupNorm(dev.New([][]float64{{1, 3, 5, 9}}), 2, nil, nil, 0); !y.Equal(dev.New([][]float64{{-1, 1, -1, 1}})) {
			t.Errorf("%v: group norm of vectors: %v", dev, y)
		}
		hot := nn.OneHot(dev.New([]int64{-1, 2, 0}), 3, 1, 0, tensor.F32)
		if !hot.Equal(dev.New([][]float32{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}})) {
			t.Errorf("%v: one hot:\n%v", dev, hot)
		}
		err := tensor.Catch(func() error {
			nn.OneHot(dev.New([]int64{1, 5}), 3, 1, 0, tensor.F32).ToVec2()
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "one hot: ids[1] = 5 is out of range for dim 0 of shape [3]") {
			t.Errorf("%v: %v", dev, err)
		}
	}
}

// TestTooLarge: sizes for which no host has memory are errors before anything is allocated, which would end the process.
func TestTooLarge(t *testing.T) {
	const most = 1 << 40
	x := tensor.CPU().Ones(tensor.F32, 1, 1, 4)
	line := nn.ConvOptions{Padding: []int{most}}
	for name, f := range map[string]func() *tensor.Tensor{
		"causal mask": func() *tensor.Tensor { return nn.CausalMask(1<<20, 1<<20, 0, tensor.CPU()) },
		"rope tables": func() *tensor.Tensor { c, _ := nn.RopeTables(most, 2, 1e4, tensor.CPU()); return c },
		"adaptive":    func() *tensor.Tensor { return nn.AdaptiveAvgPool(x, most) },
		"interpolate": func() *tensor.Tensor { return nn.Interpolate(x, []int{most}, nn.ByLinear, nn.InterpolateOptions{}) },
		"affine grid": func() *tensor.Tensor { return nn.AffineGrid(x.Reshape(2, 1, 2).Narrow(0, 0, 1), []int{most}, false) },
		"unfold":      func() *tensor.Tensor { return nn.Unfold(x, []int{2}, line) },
		"pad":         func() *tensor.Tensor { return nn.Conv(x, x, nil, line) },
		"max pool":    func() *tensor.Tensor { return nn.AdaptiveMaxPool(x, most+1) },
		"one hot":     func() *tensor.Tensor { return nn.OneHot(tensor.CPU().New([]int64{5}), most, 1, 0, tensor.F32) },
		"cache mask":  func() *tensor.Tensor { return nn.NewRotatingCache(0, 1<<20).AttnMask(most, tensor.CPU()) },
	} {
		if _, err := tensor.Try(f); !errors.Is(err, tensor.ErrMemory) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
