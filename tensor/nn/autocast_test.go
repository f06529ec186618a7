package nn_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestAutocastTypes: the types of results by operation, as PyTorch's autocast for GPUs has them.
func TestAutocastTypes(t *testing.T) {
	wide, small := tensor.Rand(1, 4, 4), tensor.Rand(1, 4, 4).ToDType(tensor.F16)
	one := tensor.Ones(4)
	for name, test := range map[string]struct {
		f    func(x *tensor.Tensor) *tensor.Tensor
		want [2]tensor.DType // of operands of F32 and of F16
	}{
		"matmul":  {func(x *tensor.Tensor) *tensor.Tensor { return x.MatMul(wide) }, [2]tensor.DType{tensor.F16, tensor.F16}},
		"conv":    {func(x *tensor.Tensor) *tensor.Tensor { return x.Conv1d(wide, 0, 1, 1, 1) }, [2]tensor.DType{tensor.F16, tensor.F16}},
		"nn.Conv": {func(x *tensor.Tensor) *tensor.Tensor { return nn.Conv(x, wide, tensor.Ones(1), nn.ConvOptions{}) }, [2]tensor.DType{tensor.F16, tensor.F16}},
		"linear": {func(x *tensor.Tensor) *tensor.Tensor {
			return nn.NewLinear(4, 4, nn.NewParams(tensor.F32, tensor.CPU())).Forward(x)
		}, [2]tensor.DType{tensor.F16, tensor.F16}},
		"attention": {func(x *tensor.Tensor) *tensor.Tensor {
			q := x.Unsqueeze(0)
			return nn.Attention(q, q, wide.Unsqueeze(0), nn.Attend{})
		}, [2]tensor.DType{tensor.F16, tensor.F16}},
		"exp":         {(*tensor.Tensor).Exp, [2]tensor.DType{tensor.F32, tensor.F32}},
		"powf":        {func(x *tensor.Tensor) *tensor.Tensor { return x.Powf(3) }, [2]tensor.DType{tensor.F32, tensor.F32}},
		"pow":         {func(x *tensor.Tensor) *tensor.Tensor { return x.Pow(x) }, [2]tensor.DType{tensor.F32, tensor.F32}},
		"sum":         {func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(1) }, [2]tensor.DType{tensor.F32, tensor.F32}},
		"mean":        {func(x *tensor.Tensor) *tensor.Tensor { return x.Mean(1) }, [2]tensor.DType{tensor.F32, tensor.F16}},
		"cumsum":      {func(x *tensor.Tensor) *tensor.Tensor { return x.CumSum(1) }, [2]tensor.DType{tensor.F32, tensor.F32}},
		"softmax":     {func(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(1) }, [2]tensor.DType{tensor.F32, tensor.F32}},
		"log softmax": {func(x *tensor.Tensor) *tensor.Tensor { return x.LogSoftmax(1) }, [2]tensor.DType{tensor.F32, tensor.F32}},
		"layer norm":  {func(x *tensor.Tensor) *tensor.Tensor { return x.LayerNorm(one, one, 1e-5) }, [2]tensor.DType{tensor.F32, tensor.F32}},
		"mse":         {func(x *tensor.Tensor) *tensor.Tensor { return nn.Mse(x, wide) }, [2]tensor.DType{tensor.F32, tensor.F32}},
		"relu":        {(*tensor.Tensor).Relu, [2]tensor.DType{tensor.F32, tensor.F16}},
		"gelu":        {(*tensor.Tensor).Gelu, [2]tensor.DType{tensor.F32, tensor.F16}},
		"add":         {func(x *tensor.Tensor) *tensor.Tensor { return x.Add(x) }, [2]tensor.DType{tensor.F32, tensor.F16}},
		"add wider":   {func(x *tensor.Tensor) *tensor.Tensor { return x.Add(wide) }, [2]tensor.DType{tensor.F32, tensor.F32}},
		"cross entropy": {func(x *tensor.Tensor) *tensor.Tensor {
			return nn.CrossEntropy(x.Get(0), tensor.Zeros(4).ToDType(tensor.I64))
		}, [2]tensor.DType{tensor.F32, tensor.F32}},
	} {
		for i, x := range []*tensor.Tensor{wide, small} {
			y := nn.Autocast(tensor.F16, func() *tensor.Tensor { return test.f(x) })
			if y.DType() != test.want[i] {
				t.Errorf("%s of %v is %v, want %v", name, x.DType(), y.DType(), test.want[i])
			}
		}
	}
	if y := nn.Autocast(tensor.F16, func() *tensor.Tensor { return tensor.Of(1).ToDType(tensor.F64).Exp() }); y.DType() != tensor.F64 {
		t.Errorf("F64 became %v", y.DType())
	}
	if y := wide.MatMul(wide); y.DType() != tensor.F32 {
		t.Errorf("outside, a product is %v", y.DType())
	}
	_, err := tensor.Try(func() *tensor.Tensor { return nn.Autocast(tensor.I64, func() *tensor.Tensor { return wide }) })
	if !errors.Is(err, tensor.ErrDType) {
		t.Error(err)
	}
}

// TestAutocastGradients: gradients of F32 variables are F32, those of conversions by hand, also through a checkpoint,
// and when Backward is called within.
func TestAutocastGradients(t *testing.T) {
	x := tensor.CPU().Arange(tensor.F32, 12).Sin().Reshape(3, 4)
	w := tensor.NewVar(tensor.CPU().Arange(tensor.F32, 20).Cos().Reshape(4, 5))
	by := map[string]func() *tensor.GradStore{
		"by hand": func() *tensor.GradStore {
			h := x.To(tensor.BF16).MatMul(w.To(tensor.BF16))
			return h.ToDType(tensor.F32).Softmax(1).Sqr().Sum().Backward()
		},
		"autocast": func() *tensor.GradStore {
			return nn.Autocast(tensor.BF16, func() *tensor.Tensor { return x.MatMul(w).Softmax(1).Sqr().Sum() }).Backward()
		},
		"checkpoint": func() *tensor.GradStore {
			return nn.Autocast(tensor.BF16, func() *tensor.Tensor {
				part := func(xs ...*tensor.Tensor) *tensor.Tensor { return xs[0].MatMul(w).Softmax(1) }
				return nn.Checkpoint(part, x).Sqr().Sum()
			}).Backward()
		},
		"within": func() (g *tensor.GradStore) {
			nn.Autocast(tensor.BF16, func() *tensor.Tensor {
				g = x.MatMul(w).Softmax(1).Sqr().Sum().Backward()
				return nil
			})
			return g
		},
	}
	want := by["by hand"]().Get(w)
	for name, f := range by {
		if got := f().Get(w); got.DType() != tensor.F32 || !slices.Equal(bits(got), bits(want)) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestAutocastTrainer: F16 with a Scaler learns, and by graphs it has the bits of single launches.
func TestAutocastTrainer(t *testing.T) {
	gpu, _ := graphDevice(t)
	var ends [2][]float64
	for i := range ends {
		l := newLearner(gpu, tensor.F32, 1, 0, adamW(func(*nn.AdamWConfig) {}))
		scaler := nn.NewScaler(l.opt, nn.DefaultScaler())
		loss := func(in ...*tensor.Tensor) *tensor.Tensor {
			return scaler.Loss(nn.Autocast(tensor.F16, func() *tensor.Tensor { return l.loss(in...) }))
		}
		trainer := nn.NewTrainer(l.opt, loss)
		var losses []float64
		for step := range 8 {
			x, y := batch(gpu, 8, step)
			scale := scaler.Scale()
			var value *tensor.Tensor
			if i == 0 {
				value = trainer.Step(x, y)
			} else {
				value = nn.TrainStep(l.opt, func() *tensor.Tensor { return loss(x, y) })
			}
			scaler.Update()
			losses = append(losses, value.ToScalar()/scale)
		}
		if i == 0 {
			if _, err := trainer.Graph(); err != nil {
				t.Error(err)
			}
		}
		if !(losses[7] < losses[0]) {
			t.Errorf("losses %v", losses)
		}
		ends[i] = append(losses, bits(l.vars[0])...)
	}
	if !slices.Equal(ends[0], ends[1]) {
		t.Errorf("by graphs %v, and without %v", ends[0], ends[1])
	}
}
