package tensor_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// TestMessages has the text of every kind of mistake, with its notes.
func TestMessages(t *testing.T) {
	cpu := tensor.CPU()
	ones := func(shape ...int) *tensor.Tensor { return cpu.Ones(tensor.F32, shape...) }
	ints, bytes := cpu.Ones(tensor.I64, 2), cpu.Ones(tensor.U8, 2)
	for _, c := range []struct {
		name string
		f    func() *tensor.Tensor
		kind error
		want string
	}{
		{"inner", func() *tensor.Tensor { return ones(2, 3).MatMul(ones(2, 4)) }, tensor.ErrShape,
			"matmul: inner sizes differ: [2 3] × [2 4] (3 ≠ 2)\n  note: a.T() has shape [3 2]; a.T().MatMul(b) gives [3 4]"},
		{"inner right", func() *tensor.Tensor { return ones(5, 3).MatMul(ones(4, 3)) }, tensor.ErrShape,
			"matmul: inner sizes differ: [5 3] × [4 3] (3 ≠ 4)\n  note: b.T() has shape [3 4]; a.MatMul(b.T()) gives [5 4]"},
		{"inner transposed", func() *tensor.Tensor { return ones(2, 3).MatMul(ones(4, 2)) }, tensor.ErrShape,
			"matmul: inner sizes differ: [2 3] × [4 2] (3 ≠ 4)\n  note: the other way round, b.MatMul(a) gives [4 3]"},
		{"inner vector", func() *tensor.Tensor { return ones(2, 3).MatMul(ones(2)) }, tensor.ErrShape,
			"matmul: inner sizes differ: [2 3] × [2] (3 ≠ 2)\n  note: a.T() has shape [3 2]; a.T().MatMul(b) gives [3]"},
		{"softmax of ints", func() *tensor.Tensor { return ints.Softmax(0) }, tensor.ErrDType,
			"softmax: not defined for i64; it takes [f8e4m3 bf16 f16 f32 f64]\n  note: convert first, as in x.ToDType(tensor.F64)"},
		{"broadcast", func() *tensor.Tensor { return ones(2, 3).Add(ones(2)) }, tensor.ErrShape,
			"add: shapes do not broadcast: [2 3] and [2] (3 ≠ 2 in dim -1)\n  note: dims are matched from the right; b.Unsqueeze(1) has shape [2 1] and is broadcast along the rows"},
		{"dtype", func() *tensor.Tensor { return ints.ToDType(tensor.U64).Add(ints) }, tensor.ErrDType,
			"add: dtypes differ: u64 and i64\n  note: f64 holds the values of both: convert them first, as in a.ToDType(tensor.F64) and b.ToDType(tensor.F64)"},
		{"number", func() *tensor.Tensor { return bytes.Mul(-1) }, tensor.ErrDType,
			"mul: -1 is not a value of u8\n  note: a whole number takes the dtype of the integers beside it; convert them first, as in x.ToDType(tensor.I64)"},
		{"no number", func() *tensor.Tensor { return ints.Add("1") }, tensor.ErrDType,
			"add: want a tensor or a number, not a string"},
		{"nil", func() *tensor.Tensor { return ints.Add(nil) }, tensor.ErrShape, "add: the other operand is nil"},
		{"reshape", func() *tensor.Tensor { return ones(2, 3).Reshape(4, -1) }, tensor.ErrShape,
			"reshape: [2 3] to [4 -1]: 6 elements do not fit shape [4 -1]"},
		{"dim", func() *tensor.Tensor { return ones(2, 3).Softmax(2) }, tensor.ErrShape,
			"softmax: no dim 2 in a tensor of shape [2 3]\n  note: dims are 0 to 1; -2 to -1 count from the end"},
		{"twice", func() *tensor.Tensor { return ones(2, 3).Sum(1, -1) }, tensor.ErrShape,
			"sum: dim -1 is named twice in [1 -1]"},
		{"narrow", func() *tensor.Tensor { return ones(2, 3).Narrow(1, 2, 2) }, tensor.ErrIndex,
			"narrow: elements 2 to 3 of dim 1, which has 3, in shape [2 3]"},
		{"get", func() *tensor.Tensor { return ones(2, 3).Get(2) }, tensor.ErrIndex,
			"get: no element 2 in dim 0, which has 2, of shape [2 3]"},
		{"id", func() *tensor.Tensor { return ones(2, 3).IndexSelect(cpu.New([]int{0, 5}), 0) },
			tensor.ErrIndex,
			"index select: ids[1] = 5 is out of range for dim 0 of shape [2 3]\n  note: ids are 0 to 1"},
		{"float ids", func() *tensor.Tensor { return ones(2, 3).IndexSelect(ones(2), 0) }, tensor.ErrDType,
			"index select: ids have dtype f32, want integers\n  note: convert them first, as in ids.ToDType(tensor.I64)"},
		{"top k", func() *tensor.Tensor { v, _ := ones(2, 3).TopK(4, -1, true); return v }, tensor.ErrIndex,
			"top k: 4 elements of dim -1, which has 3, in shape [2 3]"},
		{"float mask", func() *tensor.Tensor { return ones(2).MaskedSelect(ones(2)) }, tensor.ErrDType,
			"masked select: a mask of f32: it takes bool, as comparisons give, or integers\n  note: x.Ne(0) is where x is not 0"},
		{"no mask", func() *tensor.Tensor { return ones(2).MaskedFill(nil, 0) }, tensor.ErrShape,
			"masked fill: the mask is nil"},
		{"large mask", func() *tensor.Tensor { return ones(2).MaskedFill(ones(3, 2).Gt(0), 0) }, tensor.ErrShape,
			"masked fill: [3 2] does not broadcast to [2]\n  note: dims are matched from the right; only a dim of size 1 is broadcast"},
		{"other mask", func() *tensor.Tensor { return ones(2).MaskedSelect(ones(3).Gt(0)) }, tensor.ErrShape,
			"masked select: shapes do not broadcast: [2] and [3] (2 ≠ 3 in dim -1)\n  note: dims are matched from the right and must be equal or 1"},
		{"values of a mask", func() *tensor.Tensor { return ones(2).MaskedFill(ones(2).Gt(0), ones(2)) },
			tensor.ErrShape,
			"masked fill: the value has shape [2], want a number or a tensor of rank 0\n  note: mask.WhereCond(y, x) takes elements of y where the mask is not 0"},
		{"empty max", func() *tensor.Tensor { return ones(2, 0).Max(1) }, tensor.ErrShape,
			"max: no elements to choose from in shape [2 0]"},
		{"int softmax", func() *tensor.Tensor { return ints.Softmax(0) }, tensor.ErrDType,
			"softmax: not defined for i64; it takes [f8e4m3 bf16 f16 f32 f64]\n  note: convert first, as in x.ToDType(tensor.F64)"},
		{"ragged", func() *tensor.Tensor { return cpu.New([][]int{{1, 2}, {3}}) }, tensor.ErrShape,
			"new: ragged data: a slice of length 1 where the first one has 2\n  note: every slice at the same depth must have the same length"},
		{"strings", func() *tensor.Tensor { return cpu.New([]string{"a"}) }, tensor.ErrDType,
			"new: cannot make a tensor of string\n  note: want numbers or nested slices of them, such as [][]float32"},
		{"count", func() *tensor.Tensor { return cpu.FromSlice([]int{1, 2, 3}, 2, 2) }, tensor.ErrShape,
			"from slice: 3 elements do not fit shape [2 2], which has 4"},
		{"no device", func() *tensor.Tensor { return (*tensor.Device)(nil).Zeros(tensor.F32, 2) }, tensor.ErrDevice,
			"zeros: the device is nil\n  note: tensor.CPU() is the host"},
		{"negative", func() *tensor.Tensor { return cpu.Zeros(tensor.F32, 2, -1) }, tensor.ErrShape,
			"zeros: negative size in shape [2 -1]"},
		{"huge", func() *tensor.Tensor { return cpu.Zeros(tensor.F32, 1<<30, 1<<30, 1<<30) },
			tensor.ErrShape,
			"zeros: shape [1073741824 1073741824 1073741824] has too many elements"},
		{"random ints", func() *tensor.Tensor { return cpu.Randn(tensor.I64, 2) }, tensor.ErrDType,
			"randn: random numbers are floats, not i64\n  note: f32 works; random.Default(dev).Integers(0, 10, shape, tensor.I64, dev) are integers"},
		{"bounds", func() *tensor.Tensor { return cpu.Arange(tensor.F32) }, tensor.ErrShape,
			"arange: [] are no bounds\n  note: want the end, or the start and the end, or these and the step"},
		{"a flat slice", func() *tensor.Tensor { return cpu.FromSlice([]float32{1, 2}) }, tensor.ErrShape,
			"from slice: 2 elements do not fit shape [], which has 1\n  note: dev.New(x) makes a vector of a slice"},
		{"cat", func() *tensor.Tensor { return tensor.Cat([]*tensor.Tensor{ones(2, 3), ones(3, 2)}, 0) },
			tensor.ErrShape,
			"cat: shapes differ outside of dim 0: [2 3] and [3 2] (tensor 1)"},
		{"scalar", func() *tensor.Tensor { ones(2).ToScalar(); return nil }, tensor.ErrShape,
			"ToScalar: want a scalar, not shape [2]\n  note: ToVec1 is for rank 1"},
		{"exact dtype", func() *tensor.Tensor { tensor.ToVec1[int64](ones(2)); return nil }, tensor.ErrDType,
			"ToVec1[int64]: the dtype is f32, whose Go type is float32\n" +
				"  note: tensor.ToVec1[float32](x) returns these elements, x.ToVec1() converts any dtype to float64"},
		{"exact rank", func() *tensor.Tensor { tensor.ToVec1[float32](ones(2, 2)); return nil }, tensor.ErrShape,
			"ToVec1[float32]: want rank 1, not shape [2 2]\n  note: tensor.ToVec2[float32](x) is for shape [2 2]"},
		{"big", func() *tensor.Tensor { cpu.New([]int64{1<<53 + 1}).ToVec1(); return nil }, tensor.ErrDType,
			"ToVec1: 9007199254740993 is beyond what a float64 holds exactly\n  note: tensor.ToVec1[int64](x) returns the integers"},
		{"device kind", func() *tensor.Tensor { return ints.To(3) }, tensor.ErrDevice,
			"to: want a device or a dtype, not int(3)"},
		{"two numbers", func() *tensor.Tensor { return ints.WhereCond(1, 0.5) }, tensor.ErrDType,
			"where: int and float64: one of them must be a tensor, to give the dtype\n  note: t.Device().Full(tensor.F64, 1) is a tensor of that number"},
		{"choice", func() *tensor.Tensor { return ints.WhereCond(bytes, 300) }, tensor.ErrDType,
			"where: 300 is not a value of u8\n  note: a whole number takes the dtype of the integers beside it; convert them first, as in x.ToDType(tensor.I64)"},
		{"condition", func() *tensor.Tensor { return ones(2).WhereCond(1, ints) }, tensor.ErrDType,
			"where: a condition of f32: it takes bool, as comparisons give, or integers\n  note: x.Ne(0) is where x is not 0"},
		{"step", func() *tensor.Tensor { return ones(2).I("::0") }, tensor.ErrShape,
			"index: \"::0\" has a step of 0\n  note: a step of -1 reverses a dim"},
		{"no batch", func() *tensor.Tensor { return ones(3, 8, 8).Conv2d(ones(4, 3, 3, 3), 0, 1, 1, 1) },
			tensor.ErrShape,
			"conv2d: want a tensor and a kernel of rank 4, not shapes [3 8 8] and [4 3 3 3]\n  note: x.Unsqueeze(0) is a batch of one"},
		{"no channel", func() *tensor.Tensor { return ones(1, 1, 8).Conv1d(ones(4, 3), 0, 1, 1, 1) }, tensor.ErrShape,
			"conv1d: want a tensor and a kernel of rank 3, not shapes [1 1 8] and [4 3]\n  note: kernel.Unsqueeze(1) has one channel"},
		{"cat dtypes", func() *tensor.Tensor {
			return tensor.Cat([]*tensor.Tensor{ones(2).ToDType(tensor.F8E4M3), ints},
				0)
		}, tensor.ErrDType,
			"cat: dtypes differ: f8e4m3 and i64\n  note: f64 holds the values of both: convert them first, as in ts[0].ToDType(tensor.F64) and ts[1].ToDType(tensor.F64)"},
		{"step of a variable", func() *tensor.Tensor { w := tensor.NewVar(ones(2)); w.CopySet(w.Mul(2)); return w },
			tensor.ErrGradient,
			"copy set: the other tensor depends on variables, and writing to a variable has no gradient\n  note: w.Set(src) gives a variable new elements, as an optimizer does"},
		{"device name", func() *tensor.Tensor { return ints.To("tpu") }, tensor.ErrDevice,
			"device: unknown device \"tpu\"\n  note: devices are auto, cpu, rocm, rocm:1, cuda, cuda:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := tensor.Try(c.f)
			if got := fmt.Sprintf("%+v", err); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if !errors.Is(err, c.kind) {
				t.Fatalf("%v is not of kind %v", err, c.kind)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("Error has more than a line: %q", err.Error())
			}
		})
	}
}

func TestErrorHasFields(t *testing.T) {
	a, b := tensor.Ones(2, 3), tensor.CPU().Ones(tensor.F16, 4)
	_, err := tensor.Try(func() *tensor.Tensor { return a.MatMul(b) })
	var e *tensor.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T", err)
	}
	if e.Op != "matmul" || len(e.Shapes) != 2 || !slices.Equal(e.Shapes[1], []int{4}) || e.DTypes[1] != tensor.F16 ||
		e.Devices[0] != "cpu" {
		t.Errorf("%+v", *e)
	}
}

// TestCatch gives what f returns, what its tensors panic with, and nothing else.
func TestCatch(t *testing.T) {
	var sums []float64
	err := tensor.Catch(func() error {
		sums = tensor.Ones(2, 3).Sum(1).ToVec1()
		return nil
	})
	if err != nil || !slices.Equal(sums, []float64{3, 3}) {
		t.Errorf("%v %v", sums, err)
	}
	own := errors.New("own")
	if err := tensor.Catch(func() error { return own }); err != own {
		t.Errorf("got %v, want the error of the function", err)
	}
	var e *tensor.Error
	if err := tensor.Catch(func() error { tensor.Of(1).ToScalar(); return own }); !errors.As(err, &e) ||
		e.Op != "ToScalar" {
		t.Errorf("got %v, want that of ToScalar", err)
	}
	defer func() {
		if r := recover(); r != "mine" {
			t.Errorf("recovered %v", r)
		}
	}()
	_ = tensor.Catch(func() error { panic("mine") })
}

func TestTryPassesOtherPanics(t *testing.T) {
	defer func() {
		if r := recover(); r != "mine" {
			t.Errorf("recovered %v", r)
		}
	}()
	_, _ = tensor.Try(func() *tensor.Tensor { panic("mine") })
}
