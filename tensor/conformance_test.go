package tensor_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// The cases in testdata/candle are facts from the tests of candle-core and candle-nn: each names the test that it comes from.

// deviations are the cases in which we differ from Candle on purpose, with what we do instead: an error, or a shape.
var deviations = map[string]struct {
	reason string
	kind   error
	shape  []int
}{
	"matmul_tests.zero_matmul_validation.03": {"MatMul broadcasts batch dims", nil, []int{0, 2, 4}},
	"tensor_tests.embeddings.04":             {"the largest id of a type is no sentinel for zeros", tensor.ErrIndex, nil},
	"tensor_tests.gather.05":                 {"the largest id of a type is no sentinel for zeros", tensor.ErrIndex, nil},
	"tensor_tests.scatter.05":                {"the largest id of a type is no sentinel for nothing", tensor.ErrIndex, nil},
}

type conformanceCase struct {
	ID, Source, Op  string
	Inputs          []dataTensor
	Args            map[string]any
	Expect          json.RawMessage
	Atol, Rtol      float64
	MeanRel         float64 `json:"mean_rel"`
	Note, Contested string
}

type dataTensor struct {
	DType string
	Shape []int
	Data  []any
	Fill  map[string]json.RawMessage
	View  [][]any
	Text  *string
}

// values returns the elements as float64, and exactly as int64 for integer types.
func (d dataTensor) values(t *testing.T) ([]float64, []int64) {
	t.Helper()
	n := 1
	for _, s := range d.Shape {
		n *= s
	}
	floats := make([]float64, n)
	if raw, ok := d.Fill["const"]; ok {
		var v float64
		must(t, json.Unmarshal(raw, &v))
		for i := range floats {
			floats[i] = v
		}
	} else if raw, ok := d.Fill["iota"]; ok {
		var v [2]float64
		must(t, json.Unmarshal(raw, &v))
		for i := range floats {
			floats[i] = v[0] + float64(i)*v[1]
		}
	} else {
		if len(d.Data) != n {
			t.Fatalf("%d elements for shape %v", len(d.Data), d.Shape)
		}
		for i, v := range d.Data {
			switch v := v.(type) {
			case float64:
				floats[i] = v
			case string:
				f, err := strconv.ParseFloat(v, 64)
				must(t, err)
				floats[i] = f
			}
		}
	}
	ints := make([]int64, n)
	for i, v := range floats {
		ints[i] = int64(v)
		if len(d.Data) == n {
			if s, ok := d.Data[i].(string); ok {
				if big, err := strconv.ParseInt(s, 10, 64); err == nil {
					ints[i] = big
				}
			}
		}
	}
	return floats, ints
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (d dataTensor) build(t *testing.T, dev *tensor.Device) *tensor.Tensor {
	dt, err := tensor.ParseDType(d.DType)
	must(t, err)
	floats, ints := d.values(t)
	var x *tensor.Tensor
	if dt.IsInt() {
		x = tensor.FromSlice(ints, d.Shape, tensor.CPU())
	} else {
		x = tensor.FromSlice(floats, d.Shape, tensor.CPU())
	}
	x = x.ToDType(dt).ToDevice(dev)
	for _, v := range d.View {
		args := map[string]any{}
		if len(v) > 1 {
			args, _ = v[1].(map[string]any)
		}
		x = apply(t, v[0].(string), args, []*tensor.Tensor{x}, dev)
	}
	return x
}

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
func (a arguments) dtype(t *testing.T) tensor.DType {
	dt, err := tensor.ParseDType(a["dtype"].(string))
	must(t, err)
	return dt
}

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

func apply(t *testing.T, op string, raw map[string]any, in []*tensor.Tensor, dev *tensor.Device) *tensor.Tensor {
	t.Helper()
	a := arguments(raw)
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
		return tensor.Zeros(a.ints("shape"), a.dtype(t), dev)
	case "ones":
		return tensor.Ones(a.ints("shape"), a.dtype(t), dev)
	case "full":
		return tensor.Full(a.num("value"), a.ints("shape"), a.dtype(t), dev)
	case "arange":
		step := 1.0
		if _, ok := a["step"]; ok {
			step = a.num("step")
		}
		return tensor.ArangeStep(a.num("start"), a.num("end"), step, a.dtype(t), dev)
	case "eye":
		return tensor.Eye(a.int("n"), a.dtype(t), dev)
	case "tril2":
		return tensor.Tril2(a.int("n"), a.dtype(t), dev)
	case "triu2":
		return tensor.Triu2(a.int("n"), a.dtype(t), dev)
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
		return x.ToDType(a.dtype(t))
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
	case "flatten_all":
		return x.FlattenAll()
	case "reshape":
		return x.Reshape(a.ints("shape"))
	case "repeat":
		return x.Repeat(a.ints("repeats"))
	case "broadcast_as":
		return x.BroadcastAs(a.ints("shape"))
	case "broadcast_left":
		return x.BroadcastLeft(a.ints("shape"))
	case "pad_with_zeros":
		return x.PadWithZeros(dim, a.int("left"), a.int("right"))
	case "pad_with_same":
		return x.PadWithSame(dim, a.int("left"), a.int("right"))
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
		return x.ConvTranspose1d(in[1], a.int("padding"), a.int("output_padding"), a.int("stride"), a.int("dilation"), a.int("groups"))
	case "conv_transpose2d":
		return x.ConvTranspose2d(in[1], a.int("padding"), a.int("output_padding"), a.int("stride"), a.int("dilation"))
	case "avg_pool2d":
		return x.AvgPool2d(a.int("kernel"), a.int("kernel"))
	case "max_pool2d":
		return x.MaxPool2d(a.int("kernel"), a.int("kernel"))
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
	case "sum_keepdim":
		if len(a.ints("dims")) == 0 {
			return x
		}
		return x.SumKeepDim(a.ints("dims")...)
	case "var_keepdim":
		return x.VarKeepDim(dim)
	case "max_keepdim":
		return x.MaxKeepDim(dim)
	case "min_keepdim":
		return x.MinKeepDim(dim)
	case "argmax_keepdim":
		return x.ArgMaxKeepDim(dim)
	case "argmin_keepdim":
		return x.ArgMinKeepDim(dim)
	case "gather":
		return x.Gather(in[1], dim)
	case "index":
		for _, i := range arguments(raw).ints("index") { // the cases use numbers only
			x = x.Get(i)
		}
		return x
	case "index_select":
		return x.IndexSelect(in[1], dim)
	case "scatter":
		return x.Scatter(in[1], in[2], dim)
	case "scatter_add":
		return x.ScatterAdd(in[1], in[2], dim)
	case "index_add":
		return x.IndexAdd(in[1], in[2], dim)
	case "embedding":
		return x.Embedding(in[1])
	}
	t.Fatalf("no operation %q", op)
	return nil
}

func (c conformanceCase) run(t *testing.T, dev *tensor.Device) []*tensor.Tensor {
	var in []*tensor.Tensor
	names := map[string]*tensor.Tensor{}
	for i, d := range c.Inputs {
		x := d.build(t, dev)
		in = append(in, x)
		names[fmt.Sprintf("x%d", i)] = x
	}
	if c.Op == "meshgrid" {
		return tensor.Meshgrid(in, c.Args["xy"] == true)
	}
	if c.Op == "sort_last_dim" {
		values, ids := in[0].SortLastDim(c.Args["asc"].(bool))
		return []*tensor.Tensor{values, ids}
	}
	if c.Op != "program" {
		return []*tensor.Tensor{apply(t, c.Op, c.Args, in, dev)}
	}
	for _, s := range c.Args["steps"].([]any) {
		step := s.(map[string]any)
		var args []*tensor.Tensor
		for _, name := range step["in"].([]any) {
			args = append(args, names[name.(string)])
		}
		a, _ := step["args"].(map[string]any)
		names[step["out"].(string)] = apply(t, step["op"].(string), a, args, dev)
	}
	var out []*tensor.Tensor
	for _, name := range c.Args["outputs"].([]any) {
		out = append(out, names[name.(string)])
	}
	return out
}

func TestCandleCases(t *testing.T) {
	files, err := filepath.Glob("testdata/candle/*.json")
	must(t, err)
	if len(files) < 10 {
		t.Fatalf("%d files of cases", len(files))
	}
	for _, spec := range []string{"cpu", "rocm", "cuda"} {
		t.Run(spec, func(t *testing.T) {
			dev := device(t, spec)
			for _, file := range files {
				t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
					raw, err := os.ReadFile(file)
					must(t, err)
					var cases []conformanceCase
					must(t, json.Unmarshal(raw, &cases))
					for _, c := range cases {
						if c.Contested == "" {
							t.Run(c.ID, func(t *testing.T) { c.check(t, dev) })
						}
					}
				})
			}
		})
	}
}

// device opens a device, or skips the test and says why.
func device(t testing.TB, spec string) *tensor.Device {
	t.Helper()
	dev, err := tensor.NewDevice(spec)
	if err != nil {
		t.Skipf("no %s device: %v", spec, err)
	}
	return dev
}

// kinds of Candle's errors that a case may expect.
var errorKinds = map[string]error{
	"ShapeMismatchBinaryOp": tensor.ErrShape, "DTypeMismatchBinaryOp": tensor.ErrDType, "InvalidIndex": tensor.ErrIndex,
}

func (c conformanceCase) check(t *testing.T, dev *tensor.Device) {
	if d, ok := deviations[c.ID]; ok {
		got, err := tensor.Try(func() *tensor.Tensor { return c.run(t, dev)[0] })
		if !errors.Is(err, d.kind) || err == nil && !slices.Equal(got.Dims(), d.shape) {
			t.Errorf("%s: got %v, %v", d.reason, got, err)
		}
		return
	}
	var failure struct{ Error string }
	if json.Unmarshal(c.Expect, &failure) == nil && failure.Error != "" {
		_, err := tensor.Try(func() *tensor.Tensor { return c.run(t, dev)[0] })
		if kind := errorKinds[failure.Error]; err == nil || kind != nil && !errors.Is(err, kind) {
			t.Errorf("got %v, want an error like %s", err, failure.Error)
		}
		return
	}
	var want []dataTensor
	must(t, json.Unmarshal(c.Expect, &want))
	if c.Op == "display" {
		text := *want[0].Text
		if !dev.IsCPU() {
			text = strings.TrimSuffix(text, "]") + ", " + dev.Location() + "]"
		}
		if got := c.Inputs[0].build(t, dev).String(); got != text {
			t.Errorf("got\n%s\nwant\n%s", got, text)
		}
		return
	}
	var got []*tensor.Tensor
	if _, err := tensor.Try(func() *tensor.Tensor { got = c.run(t, dev); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d results, want %d", len(got), len(want))
	}
	for i, g := range got {
		c.compare(t, g, want[i])
	}
}

func (c conformanceCase) compare(t *testing.T, got *tensor.Tensor, want dataTensor) {
	t.Helper()
	dt, err := tensor.ParseDType(want.DType)
	must(t, err)
	if got.DType() != dt || !slices.Equal(got.Dims(), want.Shape) {
		t.Fatalf("got %v of %v, want %v of %v", got.Dims(), got.DType(), want.Shape, dt)
	}
	floats, _ := want.values(t)
	for i, g := range got.Float64s() {
		w := kernels.Round(dt, floats[i])
		if g == w || g != g && w != w {
			continue
		}
		// Candle's expectations are its own results, printed in full: allow one unit where a case allows nothing.
		limit := c.Atol + c.Rtol*math.Abs(w)
		if dt.IsFloat() {
			limit = max(limit, math.Abs(w)*map[tensor.DType]float64{tensor.F16: 0x1p-10, tensor.BF16: 0x1p-7, tensor.F32: 0x1p-22, tensor.F64: 0x1p-51}[dt])
		}
		if !(math.Abs(g-w) <= limit) {
			t.Fatalf("element %d: got %v, want %v (allowed %g)\n%s", i, g, w, limit, c.Note)
		}
	}
}
