package repl

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// hint is a mistake whose error proposes code, and what comes of following it.
type hint struct {
	setup   string // cells, one a line; names are those that the note uses
	mistake string
	code    string // that the note proposes
	follow  string // a cell with that code
	want    string // what it shows, on one line
}

var hints = []hint{
	// dtypes
	{`dev := Device("cpu")`, `dev.Zeros(2, 3)`, `dev.Zeros(tensor.F32, 2, 3)`, `dev.Zeros(tensor.F32, 2, 3)`,
		`[0, 0, 0, 0, 0, 0] f32`},
	{`dev := Device("cpu")`, `dev.Ones(2, (3))`, `tensor.Ones(2, (3))`, `tensor.Ones(2, (3))`, `[1, 1, 1, 1, 1, 1] f32`},
	{`dev := Device("cpu")`, `dev.Arange(1, 4)`, `dev.Arange(tensor.F32, 1, 4)`, `dev.Arange(tensor.F32, 1, 4)`, `[1, 2, 3] f32`},
	{`x := tensor.Of(1)`, `x.ToDType(8)`, `tensor.I64`, `x.ToDType(tensor.I64)`, `[1] i64`},
	{`a, b := tensor.New([]uint64{1<<63}), tensor.New([]int64{-1})`, `a.Add(b)`,
		`a.ToDType(tensor.F64) and b.ToDType(tensor.F64)`,
		`a.ToDType(tensor.F64).Add(b.ToDType(tensor.F64))`, `[9.223372036854776e+18] f64`},
	{`a, b := tensor.Of(0.5).ToDType(tensor.F8E4M3), tensor.Of(3)`, `a.Mul(b)`, `a.ToDType(tensor.F32)`,
		`a.ToDType(tensor.F32).Mul(b)`, `[1.5] f32`},
	{`a, b := tensor.Of(3), tensor.Of(0.5).ToDType(tensor.F8E4M3)`, `a.Mul(b)`, `b.ToDType(tensor.F32)`,
		`a.Mul(b.ToDType(tensor.F32))`, `[1.5] f32`},
	{`x := tensor.Of(1, 2).Gt(1)`, `x.Neg()`, `x.ToDType(tensor.I64)`, `x.ToDType(tensor.I64).Neg()`, `[0, -1] i64`},
	{`x, kernel := tensor.Of(1, 2).Reshape(1, 1, 2), tensor.New([]float64{0.1}).Reshape(1, 1, 1)`, `x.Conv1d(kernel, 0, 1, 1, 1)`, `x.ToDType(tensor.F64)`,
		`x.ToDType(tensor.F64).Conv1d(kernel, 0, 1, 1, 1).FlattenAll()`, `[0.1, 0.2] f64`},
	{`a, b := tensor.Of(3, 3), tensor.New([]float64{1, 2})`, `a.RmsNorm(b, 0)`, `a.ToDType(tensor.F64)`,
		`a.ToDType(tensor.F64).RmsNorm(b, 0)`, `[1, 2] f64`},
	{`t, src, ids := tensor.Of(1, 2).ToDType(tensor.U8), tensor.Of(0.5), tensor.New([]int{1})`,
		`t.Scatter(ids, src, 0)`, `t.ToDType(tensor.F32)`, `t.ToDType(tensor.F32).Scatter(ids, src, 0)`,
		`[1, 0.5] f32`},
	{`t, src := tensor.Of(1, 2).ToDType(tensor.U8), tensor.Of(0.5, 0.25)`, `t.CopySet(src)`, `t.ToDType(tensor.F32)`,
		`y := t.ToDType(tensor.F32); y.CopySet(src); y`, `[0.5, 0.25] f32`},
	{`t, src := tensor.Of(1, 2), tensor.Of(3, 4).ToDType(tensor.U8)`, `t.CopySet(src)`, `src.ToDType(tensor.F32)`,
		`t.CopySet(src.ToDType(tensor.F32)); t`, `[3, 4] f32`},
	{`x := tensor.New([]int64{8, 9})`, `x.ShiftLeft(-2)`, `x.ShiftRight(2)`, `x.ShiftRight(2)`,
		`[2, 2] i64`},
	{`x := tensor.Of(200).ToDType(tensor.U8)`, `x.Mul(300)`, `x.ToDType(tensor.I64)`, `x.ToDType(tensor.I64).Mul(300)`,
		`[60000] i64`},
	{`x := tensor.Of(2, 3).ToDType(tensor.U8)`, `x.Affine(0.5, 1)`, `x.ToDType(tensor.F32)`,
		`x.ToDType(tensor.F32).Affine(0.5, 1)`, `[2, 2.5] f32`},
	{`x := tensor.Of(0, 0.5, 1).Reshape(1, 1, 3)`, `vision.Resize(x, 1, 3, vision.Box)`,
		`x.Mul(255).Round().ToDType(tensor.U8)`,
		`vision.Resize(x.Mul(255).Round().ToDType(tensor.U8), 1, 3, vision.Box).FlattenAll()`, `[0, 128, 255] u8`},
	{`x := tensor.New([]int32{0, 257, 65535}).Reshape(1, 1, 3)`, `vision.Resize(x, 1, 3, vision.Box)`,
		`x.Div(257).ToDType(tensor.U8)`, `vision.Resize(x.Div(257).ToDType(tensor.U8), 1, 3, vision.Box).FlattenAll()`,
		`[0, 1, 255] u8`},
	{`x := tensor.Of(3).ToDType(tensor.U8)`, `tensor.NewVar(x)`, `x.ToDType(tensor.F32)`,
		`tensor.NewVar(x.ToDType(tensor.F32))`, `[3] f32`},
	{`ids, x := tensor.Of(1), tensor.Of(10, 20)`, `x.IndexSelect(ids, 0)`, `ids.ToDType(tensor.I64)`,
		`x.IndexSelect(ids.ToDType(tensor.I64), 0)`, `[20] f32`},
	{`shape, dev := []int{300}, tensor.CPU()`, `dev.Rand(tensor.I64, shape...)`,
		`random.Default(dev).Integers(0, 10, shape, tensor.I64, dev)`,
		`y := random.Default(dev).Integers(0, 10, shape, tensor.I64, dev); tensor.Stack([]*tensor.Tensor{y.Min(), y.Max()}, 0)`, `[0, 9] i64`},
	{`g, shape, dev := random.New(1), []int{300}, tensor.CPU()`, `g.Uniform(0, 10, shape, tensor.I64, dev)`,
		`g.Integers(0, 10, shape, tensor.I64, dev)`,
		`y := g.Integers(0, 10, shape, tensor.I64, dev); tensor.Stack([]*tensor.Tensor{y.Min(), y.Max()}, 0)`, `[0, 9] i64`},
	{`g, shape, dev := random.New(1), []int{300}, tensor.CPU()`, `g.Integers(0, 10, shape, tensor.F32, dev)`,
		`g.Integers(0, 10, shape, tensor.I64, dev).ToDType(tensor.F32)`,
		`y := g.Integers(0, 10, shape, tensor.I64, dev).ToDType(tensor.F32); tensor.Stack([]*tensor.Tensor{y.Min(), y.Max()}, 0)`, `[0, 9] f32`},
	{`g, dev := random.New(1), tensor.CPU()`, `g.Integers(300, 301, []int{1}, tensor.U8, dev)`,
		`tensor.I64`, `g.Integers(300, 301, []int{1}, tensor.I64, dev)`, `[300] i64`},
	{`g := random.New(1)`, `g.Bernoulli(1, []int{1}, tensor.F32, nil)`, `tensor.CPU()`,
		`g.Bernoulli(1, []int{1}, tensor.F32, tensor.CPU())`, `[1] f32`},
	{`g, x := random.New(1), tensor.Of(5).To("rocm")`, `g.Normal(x, 0, []int{2}, tensor.F32, tensor.CPU())`,
		`x.Device()`, `g.Normal(x, 0, []int{2}, tensor.F32, x.Device()).To("cpu")`, `[5, 5] f32`},
	{`m, x := sparse.FromDense(tensor.Of(1, 2).Unsqueeze(0)), tensor.Of(3)`, `m.MatMul(x)`, `m.T().MatMul(x)`,
		`m.T().MatMul(x)`, `[3, 6] f32`},
	{`m, x := sparse.FromDense(tensor.Of(1, 2).Unsqueeze(0)), tensor.New([]float64{3, 4})`,
		`m.MatMul(x)`, `x.ToDType(tensor.F32)`, `m.MatMul(x.ToDType(tensor.F32))`, `[11] f32`},
	{`x := tensor.New([][]int{{0, 2}})`, `sparse.FromDense(x)`, `x.ToDType(tensor.F32)`,
		`sparse.FromDense(x.ToDType(tensor.F32)).Values()`, `[2] f32`},
	{`ids := tensor.Of(1)`, `sparse.FromCOO(ids, ids, ids, 2, 2)`, `ids.ToDType(tensor.I64)`,
		`sparse.FromCOO(ids.ToDType(tensor.I64), ids.ToDType(tensor.I64), ids, 2, 2).Sum(0)`, `[0, 1] f32`},
	{`m := sparse.Eye(2, tensor.F32, tensor.CPU())`, `m.toarray()`, `did you mean m.ToDense`,
		`m.ToDense().FlattenAll()`, `[1, 0, 0, 1] f32`},
	{`g := random.New(1)`, `g.randint(3, 4, []int{1}, tensor.I64, tensor.CPU())`, `did you mean g.Integers`,
		`g.Integers(3, 4, []int{1}, tensor.I64, tensor.CPU())`, `[3] i64`},
	{`t := tensor.Of(0, 1).Gt(0)`, `t.WhereCond(16777217, 0.5)`, `t.Device().Full(tensor.F64, 16777217)`,
		`t.WhereCond(t.Device().Full(tensor.F64, 16777217), 0.5)`, `[0.5, 1.6777217e+07] f64`},
	{`x := tensor.Of(0, 0.5)`, `x.WhereCond(x, 2)`, `x.Ne(0)`, `x.Ne(0).WhereCond(x, 2)`, `[2, 0.5] f32`},
	{`x := tensor.Of(0, 0.5)`, `x.MaskedSelect(x)`, `x.Ne(0)`, `x.MaskedSelect(x.Ne(0))`, `[0.5] f32`},
	{`x, y := tensor.Of(1, 2), []float32{10, 20}`, `x.Add(y)`, `x.Device().New(y)`,
		`x.Add(x.Device().New(y))`, `[11, 22] f32`},
	{`target, x := tensor.Of(1), tensor.Of(-1, -2).Unsqueeze(0)`, `nn.Nll(x, target)`, `target.ToDType(tensor.I64)`,
		`nn.Nll(x, target.ToDType(tensor.I64))`, `[2] f32`},
	{`x := tensor.Of(1, 2).ToDType(tensor.U8); q := quant.Quantize(tensor.Of(1, 1).Unsqueeze(0), quant.F32)`,
		`q.MatMul(x.Unsqueeze(0))`, `x.ToDType(tensor.F32)`,
		`q.MatMul(x.ToDType(tensor.F32).Unsqueeze(0)).FlattenAll()`, `[3] f32`},

	// parts of names, and functions in the place of methods
	{`x := tensor.Eye(2)`, `ndimage.Gaussian(x, []float64{1}, ndimage.GaussianOptions{})`, `ndimage.GaussianFilter`,
		`ndimage.GaussianFilter(x, []float64{0}, ndimage.GaussianOptions{}).FlattenAll()`, `[1, 0, 0, 1] f32`},
	{`s := "a"`, `strings.Upper(s)`, `strings.ToUpper`, `strings.ToUpper(s)`, `A`},
	{`d := time.Second`, `d / time.Millis`, `time.Millisecond`, `int(d / time.Millisecond)`, `1000`},
	{"x := tensor.Of(1, 2)\nfunc f(v float32) float32 { return v + 1 }", `x.Map(func(v float32) float32 { return v + 1 })`,
		`tensor.Map(f, x)`, `tensor.Map(f, x)`, `[2, 3] f32`},
	{`s, n := []int{1, 2}, 0`, `s.Map(func(v int) int { return v })`, `for _, v := range s {`,
		`for _, v := range s { n += v }; n`, `3`},
	{`s, n := []int{1, 2}, 0`, `s.filter(func(v int) bool { return v > 1 })`, `for _, v := range s {`,
		`for _, v := range s { if v > 1 { n++ } }; n`, `1`},
	{`s := []int{1, 2}`, `s.contains(2)`, `slices.Contains(s, 2)`, `slices.Contains(s, 2)`, `true`},
	{`s := []int{1, 2}`, `s.indexOf(2)`, `slices.Index(s, 2)`, `slices.Index(s, 2)`, `1`},
	{`s := []int{1, 2}`, `s.reverse()`, `slices.Reverse(s)`, `slices.Reverse(s); s`, `[2 1]`},
	{`s := "a-b"`, `s.replace("-", "+")`, `strings.ReplaceAll(s, "-", "+")`, `strings.ReplaceAll(s, "-", "+")`, `a+b`},
	{`s := "ab"`, `s.upper()`, `strings.ToUpper(s)`, `strings.ToUpper(s)`, `AB`},
	{`s := "ab"`, `s.startswith("a")`, `strings.HasPrefix(s, "a")`, `strings.HasPrefix(s, "a")`, `true`},
	{`s := []int{1, 2, 3}`, `s[-1]`, `s[len(s)-1]`, `s[len(s)-1]`, `3`},
	{`s := []int{1, 2, 3}`, `s[1:-1]`, `s[1:len(s)-1]`, `s[1:len(s)-1]`, `[2]`},
	{"x := tensor.Of(1, 2)\nfunc f(v float32) float32 { return -v }", `x.map(func(v float32) float32 { return -v })`,
		`tensor.Map(f, x)`, `tensor.Map(f, x)`, `[-1, -2] f32`},

	// statements and functions of Go's
	{`x := tensor.Of(-1, 2)`, "if x.Gt(0).Any() {\n}", `tensor.ToScalar[bool](x.Gt(0).Any())`,
		`tensor.ToScalar[bool](x.Gt(0).Any())`, `true`},
	{`x := tensor.Of(-1, 2)`, "if x > 0 {\n}", `tensor.ToScalar[bool](x.Gt(0).All())`, `tensor.ToScalar[bool](x.Gt(0).All())`,
		`false`},
	{`x := tensor.Of(1)`, "for x {\n}", `tensor.ToScalar[bool](x.All())`, `tensor.ToScalar[bool](x.All())`, `true`},
	{`x, n := tensor.Of(1, 2, 3), 0`, `for i, row := range x { n += i; row.Sum() }`,
		`for i := range x.Dim(0) { row := x.I(i)`, `for i := range x.Dim(0) { row := x.I(i); n += int(row.ToScalar()) }; n`, `6`},
	{`x, n := tensor.Of(1, 2, 3), 0`, `for i := range x { n += i }`, `for i := range x.Dim(0) {`,
		`for i := range x.Dim(0) { n += i }; n`, `3`},
	{`x := tensor.Of(1, 2)`, `x++`, `x = x.Add(1)`, `x = x.Add(1); x`, `[2, 3] f32`},
	{`x := tensor.Of(-1, 2)`, `abs(x)`, `x.Abs()`, `x.Abs()`, `[1, 2] f32`},
	{`x := tensor.Of(1, 2)`, `sum(x, 0)`, `x.Sum(0)`, `x.Sum(0)`, `[3] f32`},
	{`x := tensor.Of(1, 2)`, `max(x)`, `x.Max()`, `x.Max()`, `[2] f32`},
	{`x := tensor.Of(1, 2)`, `min(x, 1.5)`, `x.Minimum(1.5)`, `x.Minimum(1.5)`, `[1, 1.5] f32`},
	{`x := tensor.Of(2.5).Sum()`, `float64(x)`, `x.ToScalar()`, `x.ToScalar()`, `2.5`},
	{`x := tensor.Of(2.5).Sum()`, `int(x)`, `int(x.ToScalar())`, `int(x.ToScalar())`, `2`},
	{`x := tensor.Of(1, 2)`, `x.Shape[0]`, `x.Shape()`, `x.Shape()[0]`, `2`},
	{`x := tensor.Of(1, 2)`, `x.ToVec1[0]`, `x.ToVec1()`, `x.ToVec1()[0]`, `1`},
	{`x := tensor.Of(1, 2)`, `x.Abs.Sum()`, `x.Abs()`, `x.Abs().Sum()`, `[3] f32`},
	{`x := tensor.Of(1, 2)`, `x.View(2)`, `x.Reshape(2)`, `x.Reshape(2)`, `[1, 2] f32`},
	{`x := tensor.Of(1, 2)`, `x.Len()`, `x.ElemCount()`, `x.ElemCount()`, `2`},
	{`x, y := tensor.Of(1), tensor.Of(2)`, `tensor.Cat(x, y)`, `tensor.Cat([]*tensor.Tensor{x, y}, 0)`,
		`tensor.Cat([]*tensor.Tensor{x, y}, 0)`, `[1, 2] f32`},
	{`x, y := tensor.Of(1), tensor.Of(2)`, `tensor.Stack(x, y, 1)`, `tensor.Stack([]*tensor.Tensor{x, y}, 1)`,
		`tensor.Stack([]*tensor.Tensor{x, y}, 1).FlattenAll()`, `[1, 2] f32`},
	{`x, y := tensor.Of(1), tensor.Of(2)`, `torch.cat([x, y])`, `tensor.Cat([]*tensor.Tensor{x, y}, 0)`,
		`tensor.Cat([]*tensor.Tensor{x, y}, 0)`, `[1, 2] f32`},
	{`x, y := tensor.Of(1), tensor.Of(2)`, `np.stack([x, y], axis=1)`, `tensor.Stack([]*tensor.Tensor{x, y}, 1)`,
		`tensor.Stack([]*tensor.Tensor{x, y}, 1).FlattenAll()`, `[1, 2] f32`},

	// shapes
	{`a, b := tensor.Ones(2, 3), tensor.Ones(2, 4)`,
		`a.MatMul(b)`, `a.T().MatMul(b) gives [3 4]`, `a.T().MatMul(b).Dims()`, `[3 4]`},
	{`a, b := tensor.Ones(2, 3), tensor.Ones(2)`,
		`a.MatMul(b)`, `a.T().MatMul(b) gives [3]`, `a.T().MatMul(b).Dims()`, `[3]`},
	{`a, b := tensor.Ones(5, 3), tensor.Ones(4, 3)`,
		`a.MatMul(b)`, `a.MatMul(b.T()) gives [5 4]`, `a.MatMul(b.T()).Dims()`, `[5 4]`},
	{`a, b := tensor.Ones(2, 3), tensor.Ones(4, 2)`,
		`a.MatMul(b)`, `b.MatMul(a) gives [4 3]`, `b.MatMul(a).Dims()`, `[4 3]`},
	{`a, b := tensor.Of(1, 2, 3, 4, 5, 6).Reshape(2, 3), tensor.Of(10, 20)`, `a.Add(b)`, `b.Unsqueeze(1)`,
		`a.Add(b.Unsqueeze(1)).FlattenAll()`, `[11, 12, 13, 24, 25, 26] f32`},
	{`a, b := tensor.Of(1, 2, 3, 4, 5, 6).Reshape(2, 3), tensor.Of(1, 2, 3, 4, 5, 6).Reshape(3, 2)`,
		`a.Sub(b)`, `b.T() has shape [2 3]`, `a.Sub(b.T()).FlattenAll()`, `[0, -1, -2, 2, 1, 0] f32`},
	{`x := tensor.Of(1, 2, 3, 4, 5, 6).Reshape(3, 2); mask := tensor.Of(1, 0, 1).Gt(0)`, `x.MaskedSelect(mask)`,
		`x.I(mask)`, `x.I(mask).FlattenAll()`, `[1, 2, 5, 6] f32`},
	{`x, y := tensor.Of(1, 2), tensor.Of(10, 20); mask := x.Gt(1)`, `x.MaskedFill(mask, y)`, `mask.WhereCond(y, x)`,
		`mask.WhereCond(y, x)`, `[1, 20] f32`},
	{`x, kernel := tensor.Ones(1, 3, 3), tensor.Ones(1, 1, 3, 3)`, `x.Conv2d(kernel, 0, 1, 1, 1)`, `x.Unsqueeze(0)`, `x.Unsqueeze(0).Conv2d(kernel, 0, 1, 1, 1).FlattenAll()`, `[9] f32`},
	{`x, kernel := tensor.Ones(1, 1, 3), tensor.Ones(1, 3)`, `x.Conv1d(kernel, 0, 1, 1, 1)`, `kernel.Unsqueeze(1)`, `x.Conv1d(kernel.Unsqueeze(1), 0, 1, 1, 1).FlattenAll()`, `[3] f32`},
	{`x := tensor.Of(1, 2, 3)`, `x.Pad(0, 1, 1, "edge")`, `tensor.Replicate`, `x.Pad(0, 1, 1, tensor.Replicate)`,
		`[1, 1, 2, 3, 3] f32`},
	{`x, dim := tensor.Of(1, 2).Unsqueeze(0), 0`, `x.SetI(tensor.Of(3, 4), []int{0}, "::-1")`, `x.Flip(dim)`,
		`x.SetI(tensor.Of(3, 4).Unsqueeze(0).I(0, "::-1"), 0); x = x.Flip(dim); x`, `[4, 3] f32`},
	{`x := tensor.Of(3).ToDType(tensor.C64)`, `x.ToDType(tensor.F32)`, `x.Real()`, `x.Real()`, `[3] f32`},
	{`x := tensor.Of(1, 2)`, `x.clip(0, 1)`, `did you mean x.Clamp`, `x.Clamp(0, 1)`, `[1, 1] f32`},
	{`x := tensor.Of(1, 2)`, `x.logical_not()`, `did you mean x.Not`, `x.Not().ToDType(tensor.U8)`, `[0, 0] u8`},
	{`x := tensor.Of(1, 2)`, `x.ToScalar()`, `ToVec1`, `x.ToVec1()`, `[1 2]`},
	{`x := tensor.Of(7).Get(0)`, `x.ToVec1()`, `ToScalar`, `x.ToScalar()`, `7`},
	{`x := tensor.Zeros(1, 1, 1, 2)`, `x.ToVec1()`, `Float64s`, `x.Float64s()`,
		`[0 0]`},
	{`x := tensor.New([]int64{1<<53 + 1})`, `x.ToVec1()`, `tensor.ToVec1[int64](x) returns the integers`, `tensor.ToVec1[int64](x)`,
		`[9007199254740993]`},
	{`x := tensor.Of(1, 2)`, `tensor.ToVec1[int64](x)`, `tensor.ToVec1[float32](x)`, `tensor.ToVec1[float32](x)`, `[1 2]`},
	{`x := tensor.Of(1, 2).Unsqueeze(0)`, `tensor.ToVec1[float32](x)`, `tensor.ToVec2[float32](x)`, `tensor.ToVec2[float32](x)`, `[[1 2]]`},
	{``, `tensor.FromSlice([][]int{{1}}, 1)`, `tensor.New`,
		`tensor.New([][]int{{1}}).FlattenAll()`, `[1] i64`},
	{``, `tensor.New([]string{"a"})`, `[][]float32`,
		`tensor.New([][]float32{{1}}).FlattenAll()`, `[1] f32`},
	{`x := tensor.Of(-1, -2).Unsqueeze(0); target := tensor.New([][]int{{1}})`, `nn.Nll(x, target)`,
		`target.Squeeze(1)`, `nn.Nll(x, target.Squeeze(1))`, `[2] f32`},
	{`x, target := tensor.Of(-1, -2).Unsqueeze(0), tensor.Of(0, 1).Unsqueeze(0)`, `nn.Nll(x, target)`,
		`target.ArgMax(1)`, `nn.Nll(x, target.ArgMax(1))`, `[2] f32`},
	{`logits, target := tensor.Of(0, 1000).Reshape(1, 1, 2), tensor.New([][]int{{1}})`,
		`nn.CrossEntropy(logits, target)`, `logits.FlattenTo(1) and target.FlattenAll()`,
		`nn.CrossEntropy(logits.FlattenTo(1), target.FlattenAll())`, `[0] f32`},

	{`x := tensor.Of(1, 2)`, `x.Quantile(75)`, `x.Quantile(0.75)`, `x.Quantile(0.75)`, `[1.75] f32`},
	{`x := tensor.Of(1, 5, 3, 2).Reshape(2, 2)`, `x.ArgMax(0, 1)`, `x.Flatten`, `x.Flatten(0, 1).ArgMax(0)`,
		`[1] u32`},

	// other names
	{`x := tensor.Of(1, 2)`, `x.BroadcastAdd(x)`, `did you mean x.Add`, `x.Add(x)`, `[2, 4] f32`},
	{`x := tensor.Of(1, 2)`, `x.SumAll()`, `did you mean x.Sum`, `x.Sum()`, `[3] f32`},
	{`x := tensor.Of(1, 2)`, `x.amax()`, `did you mean x.Max`, `x.Max()`, `[2] f32`},
	{`x := tensor.Of(1, 2)`, `x.max_all()`, `did you mean x.Max`, `x.Max()`, `[2] f32`},
	{`x := tensor.Of(1, 2)`, `x.broadcast_add(x)`, `did you mean x.Add`, `x.Add(x)`, `[2, 4] f32`},
	{`x := tensor.Of(1, 2)`, `x.ToVec1F32()`, `tensor.ToVec1[float32](x)`, `tensor.ToVec1[float32](x)`, `[1 2]`},
	{`x := tensor.Of(1, 2).ToDType(tensor.U8)`, `x.Max().ToScalarU8()`, `tensor.ToScalar[uint8](x.Max())`,
		`tensor.ToScalar[uint8](x.Max())`, `2`},
	{`x := tensor.Of(1, 2).ToDType(tensor.BF16).Unsqueeze(0)`, `x.ToVec2BF16()`, `tensor.ToVec2[float32](x)`,
		`tensor.ToVec2[float32](x)`, `[[1 2]]`},

	// Go's numbers
	{`x, y := 3, 0.5`, `x * y`, `float64(x)`, `float64(x) * y`, `1.5`},
	{`x, y := 0.5, 3`, `x * y`, `float64(y)`, `x * float64(y)`, `1.5`},
	{`x, y := int32(1<<24+1), float32(0.5)`, `x * y`, `float64(x) and float64(y)`, `float64(x) * float64(y)`,
		`8.3886085e+06`},
	{`x, y := uint8(200), int64(-300)`, `x + y`, `int64(x)`, `int64(x) + y`, `-100`},
	{`x, y := uint32(1<<32-1), int32(-1)`, `x + y`, `int64(x) and int64(y)`, `int64(x) + int64(y)`, `4294967294`},
	{`x, y := uint16(3), float32(0.5)`, `x * y`, `float32(x)`, `float32(x) * y`, `1.5`},
	{`x, y := 2.0, 3.0`, `x ** y`, `math.Pow(x, y)`, `math.Pow(x, y)`, `8`},
	{`s, n := "ab", 3`, `s * n`, `strings.Repeat(s, n)`, `strings.Repeat(s, n)`, `ababab`},
	{`s, n := "ab", 3`, `s + n`, `fmt.Sprint(n)`, `s + fmt.Sprint(n)`, `ab3`},

	// memory and devices
	{`dev := Device("rocm"); a, b := tensor.Of(1), tensor.Of(2).ToDevice(dev)`, `a.Add(b)`, `b.To("cpu")`,
		`a.Add(b.To("cpu"))`, `[3] f32`},
	{`x := tensor.Of(1).ToDevice(Device("rocm"))`, `x.Data()`, `x.To("cpu")`, `x.To("cpu").Data()`, `[1]`},
	{`x := tensor.Of(1, 2, 3, 4).I("::2")`, `x.Data()`, `x.Contiguous()`, `x.Contiguous().Data()`, `[1 3]`},
	{`t := tensor.Of(1, 2)`, `t.Buffer()`, `t.To("rocm")`, `b, _ := t.To("rocm").Buffer(); b != nil`, `true`},
	{`t := tensor.Of(1, 2, 3, 4).To("rocm").I("::2")`, `t.Buffer()`, `t.Contiguous()`,
		`c, _ := t.Contiguous().Buffer(); c != nil`, `true`},
	{``, `(*tensor.Device)(nil).Zeros(tensor.F32, 1)`, `tensor.CPU()`, `tensor.CPU().Zeros(tensor.F32, 1)`,
		`[0] f32`},
	{`x := tensor.Of(1, 2, 3); y := x.I("1:")`, `x.CopySet(y.BroadcastAs(2)); x.I(":2").CopySet(y)`,
		`src.Copy()`, `src := y; x.I(":2").CopySet(src.Copy()); x`, `[2, 3, 3] f32`},
	{`x := tensor.Of(1).BroadcastAs(2)`, `x.ConstSet(3); x.CopySet(tensor.Of(1, 2))`, `x.Copy()`,
		`y := x.Copy(); y.CopySet(tensor.Of(1, 2)); y`, `[1, 2] f32`},
	{`ids := tensor.New([]int64{1, 0})`,
		`ids.ScatterSet(ids, tensor.New([]int64{5, 6}), 0)`, `ids.Copy()`,
		`ids.ScatterSet(ids.Copy(), tensor.New([]int64{5, 6}), 0); ids`, `[6, 5] i64`},
	{`x := tensor.Of(1, 2); y := x.I("1:"); y.Free()`, `x.Add(1)`, `x.Copy()`,
		`x := tensor.Of(1, 2); y := x.Copy(); y.Free(); x`, `[1, 2] f32`},

	// gradients
	{`w := tensor.Of(3)`, `w.Sqr().Sum().Backward()`, `w := tensor.NewVar(w)`,
		`w := tensor.NewVar(w); w.Sqr().Sum().Backward().Get(w)`, `[6] f32`},
	{`w := tensor.Of(3)`, `w.Set(tensor.Of(4))`, `tensor.NewVar`, `w = tensor.NewVar(w); w.Set(tensor.Of(4)); w`,
		`[4] f32`},
	{`w := tensor.Of(3)`, `w.Set(tensor.Of(4))`, `x.CopySet`, `x := tensor.Of(3); x.CopySet(tensor.Of(4)); x`,
		`[4] f32`},
	{`w := tensor.NewVar(tensor.Of(3)); x := w.Mul(2)`, `x.ConstSet(1)`, `x.Copy().Detach()`,
		`y := x.Copy().Detach(); y.ConstSet(1); tensor.Cat([]*tensor.Tensor{x.Detach(), y}, 0)`, `[6, 1] f32`},
	{`w := tensor.NewVar(tensor.Of(3)); src := w.Mul(2)`, `w.CopySet(src)`, `w.Set(src)`, `w.Set(src); w.Detach()`,
		`[6] f32`},
	{`w := tensor.NewVar(tensor.Of(3)); x, src := tensor.Of(0), w.Mul(2)`, `x.CopySet(src)`, `src.Detach()`,
		`x.CopySet(src.Detach()); x`, `[6] f32`},
	{``, `nn.NewSGD([]*tensor.Tensor{tensor.Of(1)}, 1)`, `tensor.NewVar`,
		`w := tensor.NewVar(tensor.Of(1)); nn.BackwardStep(nn.NewSGD([]*tensor.Tensor{w}, 1), w.Sqr().Sum()); w.Detach()`, `[-1] f32`},
	{`w := tensor.NewVar(tensor.Of(3)); y := w.Sqr().Sum(); y.Backward()`, `y.Backward()`, `y.BackwardRetain(nil)`,
		`y = w.Sqr().Sum(); y.BackwardRetain(nil); y.Backward().Get(w)`, `[6] f32`},
	{`w := tensor.NewVar(tensor.Of(3))`, `nn.NewRMSprop([]*tensor.Tensor{w}, nn.RMSpropConfig{LR: 1})`,
		`nn.DefaultRMSprop()`, `nn.NewRMSprop([]*tensor.Tensor{w}, nn.DefaultRMSprop()).LearningRate()`, `0.01`},
	{`w := tensor.NewVar(tensor.Of(3))`, `nn.NewAdagrad([]*tensor.Tensor{w}, nn.AdagradConfig{LR: 1})`,
		`nn.DefaultAdagrad()`, `nn.NewAdagrad([]*tensor.Tensor{w}, nn.DefaultAdagrad()).LearningRate()`, `0.01`},
	{`w := tensor.NewVar(tensor.Of(3))`, `nn.NewLBFGS([]*tensor.Tensor{w}, nn.LBFGSConfig{})`, `nn.DefaultLBFGS()`,
		`nn.NewLBFGS([]*tensor.Tensor{w}, nn.DefaultLBFGS()).Config.LR`, `1`},
	{`w := tensor.NewVar(tensor.Of(3)); grads := w.Sqr().Sum().Backward()`,
		`nn.ClipGradValue(grads, []*tensor.Tensor{w}, math.NaN())`, `math.Inf(1)`,
		`nn.ClipGradValue(grads, []*tensor.Tensor{w}, math.Inf(1)); grads.Get(w)`, `[6] f32`},
	{`w := tensor.NewVar(tensor.Of(1))`, `nn.NewAdamW([]*tensor.Tensor{w}, nn.AdamWConfig{LR: 1})`,
		`c := nn.DefaultAdamW(); c.LR = 0.01`,
		`c := nn.DefaultAdamW(); c.LR = 0.01; nn.NewAdamW([]*tensor.Tensor{w}, c).LearningRate()`, `0.01`},
	{`w := tensor.NewVar(tensor.Of(1))`, `nn.NewAdamW([]*tensor.Tensor{w}, nn.AdamWConfig{LR: -1, Beta2: 0.9})`,
		`nn.DefaultAdamW()`, `nn.NewAdamW([]*tensor.Tensor{w}, nn.DefaultAdamW()).LearningRate()`, `0.001`},
	{`w := tensor.NewVar(tensor.Of(1))`, `nn.NewLion([]*tensor.Tensor{w}, nn.LionConfig{LR: -1})`,
		`nn.DefaultLion()`, `nn.NewLion([]*tensor.Tensor{w}, nn.DefaultLion()).LearningRate()`, `0.0001`},
	{`w := tensor.NewVar(tensor.Of(1, 2))`, `optim.NewRprop([]*tensor.Tensor{w}, optim.RpropConfig{Up: 0.5})`,
		`optim.DefaultRprop()`, `optim.NewRprop([]*tensor.Tensor{w}, optim.DefaultRprop()).LearningRate()`, `0.01`},
	{`w := tensor.NewVar(tensor.Of(1))`, `nn.NewAdafactor([]*tensor.Tensor{w}, nn.AdafactorConfig{LR: 1})`,
		`nn.DefaultAdafactor()`, `nn.NewAdafactor([]*tensor.Tensor{w}, nn.DefaultAdafactor()).LearningRate()`, `0.01`},
	{`w := tensor.NewVar(tensor.Ones(2, 2))`, `nn.NewMuon([]*tensor.Tensor{w}, nn.MuonConfig{LR: 1})`,
		`nn.DefaultMuon()`, `nn.NewMuon([]*tensor.Tensor{w}, nn.DefaultMuon()).LearningRate()`, `0.001`},
	{`o := nn.NewSGD([]*tensor.Tensor{tensor.NewVar(tensor.Of(1))}, 1)`, `nn.NewScaler(o, nn.ScalerConfig{})`,
		`nn.DefaultScaler()`, `nn.NewScaler(o, nn.DefaultScaler()).Scale()`, `65536`},
	{`w := tensor.NewVar(tensor.Of(1)); opt := nn.NewSGD([]*tensor.Tensor{w}, 1); scaler := nn.NewScaler(opt, nn.DefaultScaler()); loss := w.Sqr().Sum()`,
		`opt.Step(w.Sqr().Sum().Backward())`, `scaler.Loss(loss)`, `nn.BackwardStep(opt, scaler.Loss(loss)); w.Detach()`, `[-1] f32`},
	{`dev := tensor.CPU()`, `nn.NewLoRA(nn.LoRAConfig{}, tensor.F32, dev)`, `nn.DefaultLoRA("q_proj", "v_proj")`,
		`nn.NewLoRA(nn.DefaultLoRA("q_proj", "v_proj"), tensor.F32, dev).Config.Rank`, `8`},
	{`x := tensor.Of(1, 3)`, `nn.Autocast(tensor.I64, func() *tensor.Tensor { return x.Mul(x) })`, `tensor.BF16`,
		`nn.Autocast(tensor.BF16, func() *tensor.Tensor { return x.Mul(x) })`, `[1, 9] f32`},
	{`x, y := dev.New([]int64{1, 3}), dev.New([]int64{1, 5})`, `nn.L1(x, y, nn.ReduceSum)`, `x.ToDType(tensor.F32)`,
		`nn.L1(x.ToDType(tensor.F32), y, nn.ReduceSum)`, `[2] f32`},
	{`g, shape, dev := random.New(1), []int{9}, tensor.CPU()`, `g.Integers(0, 10, shape, tensor.F32, dev)`,
		`g.Integers(0, 10, shape, tensor.I64, dev).ToDType(tensor.F32)`,
		`g.Integers(0, 10, shape, tensor.I64, dev).ToDType(tensor.F32).DType()`, `f32`},
	// statistics and linear algebra
	{`x := tensor.Of(1, 1, 2)`, `stats.BinCount(x, nil, 0)`, `x.ToDType(tensor.I64)`,
		`stats.BinCount(x.ToDType(tensor.I64), nil, 0)`, `[0, 2, 1] i64`},
	{`x := tensor.Of(0.5, math.NaN())`, `stats.Histogram(x, 2, 0, 0)`,
		`stats.Histogram(x, 10, 0, 1)`, `c, _ := stats.Histogram(x, 10, 0, 1); c.Sum()`, `[1] i64`},
	{`x := tensor.Of(1, 2, 3)`, `stats.Histogram2D(x, x, x.Reshape(3, 1), x)`, `stats.Edges(x, 10, 0, 0)`,
		`stats.Edges(x, 10, 0, 0).Dims()`, `[11]`},
	{`x := tensor.Of(1, 2, 3, 4).Reshape(1, 2, 2)`, `stats.Cov(x, 0)`, `x.FlattenFrom(1)`,
		`stats.Cov(x.FlattenFrom(1), 0)`, `[1.25] f32`},
	{`a, b := tensor.Eye(2).Reshape(1, 2, 2).Repeat(3, 1, 1), tensor.Ones(3, 2)`,
		`linalg.Solve(a, b)`, `b.Unsqueeze(-1)`, `linalg.Solve(a, b.Unsqueeze(-1)).Sum()`, `[6] f32`},
	{`x := tensor.Of(3, 4)`, `linalg.SVDVals(x)`, `x.Unsqueeze(-1)`, `linalg.SVDVals(x.Unsqueeze(-1)).Round()`, `[5] f32`},
	{`x := tensor.Of(1, 2)`, `linalg.Diagonal(x, 0)`, `linalg.Diag(x)`, `linalg.Diag(x).FlattenAll()`,
		`[1, 0, 0, 2] f32`},
	{`x := tensor.Ones(2, 1, 1)`, `linalg.Diag(x)`, `linalg.Diagonal`,
		`linalg.Diagonal(x, 0).FlattenAll()`, `[1, 1] f32`},
	{`a, b := tensor.CPU().Ones(tensor.F64, 2, 2), tensor.New([]float64{2, 2})`,
		`linalg.Solve(a, b)`, `linalg.LstSq`, `linalg.LstSq(a, b).Round()`, `[1, 1] f64`},
	{`a := tensor.CPU().Eye(tensor.F64, 2).Neg()`, `linalg.Cholesky(a)`, `linalg.Eigh(a)`,
		`w, _ := linalg.Eigh(a); w`, `[-1, -1] f64`},
	{`x := tensor.CPU().Full(tensor.F64, math.NaN(), 2, 2)`, `linalg.SVDVals(x)`, `x.IsFinite().All()`,
		`x.IsFinite().All().ToScalar()`, `0`},
	{`q, _ := linalg.QRFull(tensor.NewVar(tensor.Ones(2, 1)))`, `q.Sum().Backward()`,
		`linalg.QR`, `r, _ := linalg.QR(tensor.Ones(2, 1)); r.Dims()`, `[2 1]`},
	{`u, _, _ := linalg.SVDFull(tensor.NewVar(tensor.Ones(2, 1)))`,
		`u.Sum().Backward()`, `linalg.SVD`,
		`v, _, _ := linalg.SVD(tensor.Ones(2, 1)); v.Dims()`, `[2 1]`},
	{`f := func(x *tensor.Tensor) *tensor.Tensor { return x.Sqr() }; x := tensor.Of(3, 4)`, `autograd.Grad(f, x)`,
		`autograd.Jacobian`, `autograd.Jacobian(f, x).FlattenAll()`, `[6, 0, 0, 8] f32`},
	// what is right in Python
	{`x, y := tensor.Of(3, 4), tensor.Of(1, 2)`, `x + 1`, `x.Add(1)`, `x.Add(1)`, `[4, 5] f32`},
	{``, `2 * x`, `x.Mul(2)`, `x.Mul(2)`, `[6, 8] f32`},
	{``, `1 - x`, `x.Neg().Add(1)`, `x.Neg().Add(1)`, `[-2, -3] f32`},
	{``, `1 / x`, `x.Recip()`, `x.Recip().Mul(12)`, `[4, 3] f32`},
	{``, `2 < x`, `x.Gt(2)`, `x.Gt(2)`, `[1, 1] bool`},
	{``, `-(x + y) * 2`, `x.Add(y).Neg().Mul(2)`, `x.Add(y).Neg().Mul(2)`, `[-8, -12] f32`},
	{``, `x ** 2`, `x.Pow(2)`, `x.Pow(2)`, `[9, 16] f32`},
	{``, `x += 1`, `x = x.Add(1)`, `x = x.Add(1); x`, `[4, 5] f32`},
	{``, `x[0]`, `x.I(0)`, `x.I(0)`, `[4] f32`},
	{``, `x[-1:]`, `x.I("-1:")`, `x.I("-1:")`, `[5] f32`},
	{`n := 1`, `x[:n]`, `x.I(tensor.Until(n))`, `x.I(tensor.Until(n))`, `[4] f32`},
	{`m := tensor.Eye(2)`, `m[:, 0]`, `m.I(":, 0")`, `m.I(":, 0")`, `[1, 0] f32`},
	{``, `m[1, 1]`, `m.I("1, 1")`, `m.I("1, 1")`, `[1] f32`},
	{``, `m @ x`, `m.MatMul(x)`, `m.MatMul(x)`, `[4, 5] f32`},
	{``, `len(x)`, `x.Dim(0)`, `x.Dim(0)`, `2`},
	{``, `tensor.Cat(x, 0)`, `[]*tensor.Tensor{x}`, `tensor.Cat([]*tensor.Tensor{x}, 0)`, `[4, 5] f32`},
	{``, `for i in range(2): print(i)`, `for i := range 2 {`, `s := 0; for i := range 2 { s += i }; s`, `1`},
	{`yes := true`, `if yes: print(1)`, `if yes {`, `if yes { s = 7 }; s`, `7`},
	{`z := tensor.Of(1, 2, 3)`, `z[0] = 5`, `z.SetI(5, 0)`, `z.SetI(5, 0); z`, `[5, 2, 3] f32`},
	{``, `z[1:] = 0`, `z.SetI(0, "1:")`, `z.SetI(0, "1:"); z`, `[5, 0, 0] f32`},
	{``, `np.zeros(3)`, `did you mean tensor.Zeros(3)`, `tensor.Zeros(3)`, `[0, 0, 0] f32`},
	{``, `np.zeros((1, 2))`, `tensor.Zeros(1, 2)`, `tensor.Zeros(1, 2).FlattenAll()`, `[0, 0] f32`},
	{``, `np.array([1, 2.5])`, `tensor.Of(1, 2.5)`, `tensor.Of(1, 2.5)`, `[1, 2.5] f32`},
	{``, `pd.DataFrame({"a": [1, 2]})`, `frame.New("a", []int{1, 2})`, `frame.New("a", []int{1, 2}).Rows()`, `2`},
	{`y := 0.5`, `f"loss {y:.2f}"`, `fmt.Sprintf("loss %.2f", y)`, `fmt.Sprintf("loss %.2f", y)`, `loss 0.50`},
	{``, `str(3)`, `fmt.Sprint(3)`, `fmt.Sprint(3)`, `3`},
	{``, `int("3")`, `strconv.Atoi("3")`, `n, _ := strconv.Atoi("3"); n`, `3`},
	{``, `rows = {"a": [1.5]}`, `rows := map[string][]float64{"a": {1.5}}`,
		`rows := map[string][]float64{"a": {1.5}}; rows["a"][0]`, `1.5`},
	{``, `np.cumsum(x)`, `x.CumSum`, `x.CumSum(0)`, `[4, 9] f32`},
	{``, `torch.linalg.inv(m)`, `linalg.Inv`, `linalg.Inv(m).FlattenAll()`, `[1, 0, 0, 1] f32`},
	// names of other libraries
	{`a := tensor.CPU().Eye(tensor.F64, 2)`, `a.Inverse()`, `linalg.Inv(a)`, `linalg.Inv(a).FlattenAll()`,
		`[1, 0, 0, 1] f64`},
	{`a := tensor.CPU().Eye(tensor.F64, 2)`, `tensor.Trace(a)`, `linalg.Trace`, `linalg.Trace(a)`, `[2] f64`},
	{`a := tensor.CPU().Eye(tensor.F64, 2)`, `linalg.Inverse(a)`, `linalg.Inv`, `linalg.Inv(a).Sum()`, `[2] f64`},
	{`x, y := tensor.Of(1, 2), tensor.Of(1, 4)`, `nn.mse_loss(x, y)`, `did you mean nn.Mse`, `nn.Mse(x, y)`, `[2] f32`},
	{`x, y := tensor.Of(0).Unsqueeze(0), tensor.New([]int{0})`, `nn.CrossEntropyLoss(x, y)`,
		`did you mean nn.CrossEntropy`, `nn.CrossEntropy(x, y)`, `[0] f32`},
	// package fft
	{`x := fft.FFT(tensor.Of(1, 2))`, `fft.RFFT(x)`, `fft.FFT(x)`, `fft.FFT(x).Real()`, `[2, 4] f32`},
	{`x := tensor.Of(3).Sum()`, `fft.RFFT(x)`, `x.Unsqueeze(0)`, `fft.RFFT(x.Unsqueeze(0)).Real()`, `[3] f32`},
	{`x := tensor.Of(1, 2)`, `fft.STFT(x, fft.Frames{Size: 4})`, `Pad: 0`,
		`fft.STFT(x, fft.Frames{Size: 4, Pad: 0}).Real().Sum(1)`, `[9, -2, -1] f32`},
	{`x, f := tensor.Of(1, 2, 3, 4), fft.Frames{Size: 1, Hop: 3}`, `fft.ISTFT(fft.STFT(x, f), f, 0)`, `Hop: 1`,
		`f = fft.Frames{Size: 1, Hop: 1}; fft.ISTFT(fft.STFT(x, f), f, 0)`, `[1, 2, 3, 4] f32`},
	{`x := tensor.Of(1, 2)`, `fft.Convolve(x, tensor.Of(1, 1).Unsqueeze(0), fft.Full)`, `x.Unsqueeze(0)`,
		`fft.Convolve(x.Unsqueeze(0), tensor.Of(1, 1).Unsqueeze(0), fft.Full).Round()`, `[1, 3, 2] f32`},
	// package frame, and what pandas and polars call it
	{`f := frame.New("t", []time.Time{time.Unix(0, 0), time.Unix(1<<32, 0)})`, `f.Resample("t", "second")`,
		`f.With("t", frame.Col("t").Truncate("second")).GroupBy("t")`,
		`f.With("t", frame.Col("t").Truncate("second")).GroupBy("t").Len()`, `2`},
	{`f := frame.New("x", []int{1, 2, 3}, "s", []string{"4", "5", ""}, "ok", []bool{true, false, true})`, `f.Agg(frame.Sum("s"))`,
		`f.With("s", frame.Col("s").Cast(frame.Float64))`, `f.With("s", frame.Col("s").Cast(frame.Float64)).Col("s").Sum()`, `9`},
	{``, `f.Eval(frame.Col("ok").Add(1))`, `Cast(frame.Int64)`, `f.Eval(frame.Col("ok").Cast(frame.Int64).Add(1)).Ints()`, `[2 1 2]`},
	{``, `f.Filter(frame.Col("x"))`, `frame.Col("x").Gt(0)`, `f.Filter(frame.Col("x").Gt(0)).Rows()`, `3`},
	{``, `f.Col("X")`, `"x"`, `f.Col("x").Ints()`, `[1 2 3]`},
	{``, `f["x"]`, `f.Col("x")`, `f.Col("x").Ints()`, `[1 2 3]`},
	{``, `f[frame.Col("x") > 1]`, `f.Filter(frame.Col("x").Gt(1))`, `f.Filter(frame.Col("x").Gt(1)).Rows()`, `2`},
	{``, `f[1:]`, `f.Slice(1, f.Rows())`, `f.Slice(1, f.Rows()).Rows()`, `2`},
	{``, `f.With("y", 2*frame.Col("x") - 1)`, `frame.Col("x").Mul(2).Sub(1)`, `f.Eval(frame.Col("x").Mul(2).Sub(1)).Ints()`, `[1 3 5]`},
	{``, `f.Filter((frame.Col("x") > 1) & frame.Col("ok"))`, `frame.Col("x").Gt(1).And(frame.Col("ok"))`,
		`f.Filter(frame.Col("x").Gt(1).And(frame.Col("ok"))).Rows()`, `1`},
	{``, `f.sort_values("x")`, `f.Sort("x")`, `f.Sort("x").Rows()`, `3`},
	{``, `f.groupby("ok")`, `f.GroupBy`, `f.GroupBy("ok").Len()`, `2`},
	{``, `f.dropna()`, `f.DropMissing()`, `f.DropMissing().Rows()`, `3`},
	{``, `pd.DataFrame(f)`, `frame.New("x", []float64{1, 2}, "name", []string{"a", "b"})`,
		`frame.New("x", []float64{1, 2}, "name", []string{"a", "b"}).Rows()`, `2`},
	{``, `f.GroupBy("s").Agg(frame.Col("x").Mean())`, `frame.Mean("x")`, `f.Agg(frame.Mean("x")).Col("x_mean").Sum()`, `2`},
	{``, `pl.col("x")`, `frame.Col("x")`, `frame.Col("x")`, `x`},
	{`g := f`, `pd.concat(f, g)`, `frame.Concat(f, g)`, `frame.Concat(f, g).Rows()`, `6`},
	// package onnx: a model of a layer and a softmax
	{`m, _ := onnx.Read(base64.NewDecoder(base64.StdEncoding, strings.NewReader("` + tinyONNX + `")), tensor.CPU())
x := tensor.CPU().Ones(tensor.F64, 1, 2)`, `m.Forward(x)`, `x.ToDType(tensor.F32)`,
		`m.Forward(x.ToDType(tensor.F32)).ElemCount()`, `3`},
	// packages stats and distributions
	{`d := distributions.Bernoulli(1)`, `d.Sample([]int{2}, nil)`, `random.New(1)`, `d.Sample([]int{2}, random.New(1))`,
		`[1, 1] i64`},
	{`p, q := distributions.Normal(0, 1), distributions.Logistic(0, 1); x := p.Sample([]int{1000}, random.New(1))`,
		`distributions.KL(p, q)`, `p.LogProb(x).Sub(q.LogProb(x)).Mean()`,
		`p.LogProb(x).Sub(q.LogProb(x)).Mean().ToScalar() > 0`, `true`},
	{`x := tensor.CPU().Arange(tensor.F32, 6000)`, `stats.Shapiro(x)`, `stats.NormalTest(x)`, `stats.NormalTest(x).P < 0.01`,
		`true`},
	{`x := tensor.Of(2, 2)`, `stats.Bootstrap(x, func(rows *tensor.Tensor) *tensor.Tensor { return rows }, 9, 0.9, stats.Basic, random.New(1))`,
		`rows.Mean(1)`,
		`stats.Bootstrap(x, func(rows *tensor.Tensor) *tensor.Tensor { return rows.Mean(1) }, 9, 0.9, stats.Basic, random.New(1)).Low`,
		`2`},
	// package signal
	{`x := tensor.Of(3).Sum()`, `signal.MedFilt(x, 1, 0)`, `x.Unsqueeze(0)`, `signal.MedFilt(x.Unsqueeze(0), 1, 0)`,
		`[3] f32`},
	{`x := tensor.Of(1, 2)`, `signal.LFilter([]float64{1}, []float64{}, x, 0)`, `[]float64{1}`,
		`signal.LFilter([]float64{1}, []float64{1}, x, 0)`, `[1, 2] f32`},
	{`x := tensor.Of(1, 0)`, `signal.SOSFilt(nil, x, 0)`, `signal.Butter(2, signal.Lowpass, 0.1).SOS()`,
		`signal.SOSFilt(signal.Butter(2, signal.Lowpass, 0.1).SOS(), x, 0).RoundTo(2)`,
		`[0.019999999552965164, 0.07000000029802322] f32`},
	{`x := tensor.Of(1, 1)`, `signal.FiltFilt([]float64{1}, []float64{1, -0.5}, x, 0)`,
		`x.Pad(-1, 5, 5, tensor.Replicate)`,
		`signal.FiltFilt([]float64{1}, []float64{1, -0.5}, x.Pad(-1, 5, 5, tensor.Replicate), 0).I("5:7")`, `[4, 4] f32`},
	{`x := fft.FFT(tensor.Of(1, 2))`, `signal.Hilbert(x, 0)`, `x.Real() and x.Imag()`,
		`signal.Hilbert(x.Real(), 0).Real().Add(signal.Hilbert(x.Imag(), 0).Real())`, `[3, -1] f32`},
	{`x := tensor.Of(1, 2, 1).Unsqueeze(0)`, `signal.FindPeaks(x, signal.Peaks{})`, `x.Get(0)`,
		`ids, _ := signal.FindPeaks(x.Get(0), signal.Peaks{}); ids`, `[1] i64`},
	// packages optimize, integrate and interpolate
	{`f := func(x *tensor.Tensor) *tensor.Tensor { return x.Sub(2) }; x := tensor.Of(0, 0)`,
		`optimize.Minimize(f, x, optimize.Options{})`, `LeastSquares`,
		`optimize.LeastSquares(f, x, optimize.FitOptions{}).X.RoundTo(6)`, `[2, 2] f64`},
	{`f := func(x *tensor.Tensor) *tensor.Tensor { return tensor.Of(x.Sqr().ToVec1()...).Sum() }; x := tensor.Of(3)`,
		`optimize.Minimize(f, x, optimize.Options{})`, `Func`,
		`optimize.MinimizeFunc(func(x []float64) float64 { return x[0] * x[0] }, x.ToVec1(), optimize.Options{}).F < 1e-9`, `true`},
	{`f := func(x *tensor.Tensor) *tensor.Tensor { return x.Sub(1).Sum() }; x := tensor.Of(0, 0)`,
		`optimize.Root(f, x, optimize.RootOptions{})`, `LeastSquares`,
		`optimize.LeastSquares(f, x, optimize.FitOptions{}).X.Sum().Round()`, `[2] f64`},
	{`f := func(x *tensor.Tensor) *tensor.Tensor { return x.Sqr().Sum() }; x := tensor.Of(0)
b := [][2]float64{{1, 2}}`, `optimize.Minimize(f, x, optimize.Options{Method: optimize.BFGS, Bounds: b})`, `optimize.LBFGSB`,
		`optimize.Minimize(f, x, optimize.Options{Method: optimize.LBFGSB, Bounds: b}).X`, `[1] f64`},
	{`x := tensor.Complex(tensor.Of(1), tensor.Of(2))
f := func(x *tensor.Tensor) *tensor.Tensor { return x.Sub(3).Sqr().Sum() }`, `optimize.Minimize(f, x, optimize.Options{})`,
		`x.ViewAsReal()`, `optimize.Minimize(f, x.ViewAsReal(), optimize.Options{}).X.RoundTo(4)`, `[3, 3] f64`},
	{`x, y := tensor.Of(1, 2, 3), tensor.Of(1, math.NaN(), 9)
line := func(x, p *tensor.Tensor) *tensor.Tensor { return x.Mul(p.Get(0)).Add(p.Get(1)) }`,
		`optimize.CurveFit(line, x, y, tensor.Of(1, 1), optimize.CurveOptions{})`, `ok := y.IsFinite(); `,
		`ok := y.IsFinite(); optimize.CurveFit(line, x.I(ok), y.I(ok), tensor.Of(1, 1), optimize.CurveOptions{}).X.RoundTo(4)`,
		`[4, -3] f64`},
	{`box := [][2]float64{{-1, 2}, {-1, 2}}`, `optimize.DifferentialEvolution(func(x *tensor.Tensor) *tensor.Tensor { return x.Sqr().Sum() }, box, tensor.CPU(), optimize.EvolutionOptions{})`,
		`Sum(1)`, `optimize.DifferentialEvolution(func(x *tensor.Tensor) *tensor.Tensor { return x.Sqr().Sum(1) }, box, tensor.CPU(), optimize.EvolutionOptions{}).F < 1e-9`,
		`true`},
	{`cost := tensor.Complex(tensor.Eye(2), tensor.Eye(2))`, `optimize.LinearSumAssignment(cost, false)`, `cost.Abs()`,
		`_, columns, _ := optimize.LinearSumAssignment(cost.Abs(), false); columns`, `[1, 0] i64`},
	{`y0 := tensor.Of(1, 2).ToDType(tensor.I64)
f := func(t float64, y *tensor.Tensor) *tensor.Tensor { return y.ZerosLike() }`,
		`integrate.SolveIVP(f, 0, 1, y0, integrate.IVPOptions{})`, `y0.ToDType(tensor.F64)`,
		`integrate.SolveIVP(f, 0, 1, y0.ToDType(tensor.F64), integrate.IVPOptions{TEval: []float64{1}}).Y.Get(0)`, `[1, 2] f64`},
	{`y0 := tensor.Of(1).ToDType(tensor.F16)`, `integrate.SolveIVP(f, 0, 1, y0, integrate.IVPOptions{})`, `y0.ToDType(tensor.F32)`,
		`integrate.SolveIVP(f, 0, 1, y0.ToDType(tensor.F32), integrate.IVPOptions{TEval: []float64{1}}).Y.Get(0)`, `[1] f32`},
	{`y0 := tensor.Of(1)`, `integrate.SolveIVP(f, 0, 1, y0, integrate.IVPOptions{RTol: 1e-9})`, `y0.ToDType(tensor.F64)`,
		`integrate.SolveIVP(f, 0, 1, y0.ToDType(tensor.F64), integrate.IVPOptions{RTol: 1e-9, TEval: []float64{1}}).Y.Get(0)`, `[1] f64`},
	{`y0 := tensor.Of(1).Sum()`, `integrate.SolveIVP(f, 0, 1, y0, integrate.IVPOptions{Method: integrate.Radau})`, `y0.Reshape(1)`,
		`integrate.SolveIVP(f, 0, 1, y0.Reshape(1), integrate.IVPOptions{Method: integrate.Radau, TEval: []float64{1}}).Y.Get(0)`,
		`[1] f32`},
	{`y0 := tensor.NewVar(tensor.Of(1))`, `integrate.SolveIVP(f, 0, 1, y0, integrate.IVPOptions{Method: integrate.Radau})`,
		`y0.Detach()`, `integrate.SolveIVP(f, 0, 1, y0.Detach(), integrate.IVPOptions{Method: integrate.Radau, TEval: []float64{1}}).Y.Get(0)`,
		`[1] f32`},
	{`s := integrate.SolveIVP(f, 0, 1, tensor.Of(1), integrate.IVPOptions{})`, `s.At(0.5)`, `Dense`,
		`integrate.SolveIVP(f, 0, 1, tensor.Of(1), integrate.IVPOptions{Dense: true}).At(0.5).Get(0)`, `[1] f32`},
	{`x, y := tensor.Of(2, 1, 3), tensor.Of(4, 1, 9)`, `interpolate.CubicSpline(x, y, interpolate.SplineOptions{})`,
		`x, ids := x.Sort(0, true); y = y.IndexSelect(ids, 0)`,
		`x, ids := x.Sort(0, true); y = y.IndexSelect(ids, 0); interpolate.CubicSpline(x, y, interpolate.SplineOptions{}).At(tensor.Of(1.5))`,
		`[2.25] f32`},
	{`x, y, dim := tensor.Of(1, 2, 3), tensor.Of(1, 2, 3, 4, 5, 6).Reshape(2, 3), 1`, `interpolate.PCHIP(x, y, interpolate.Options{})`,
		`y.Transpose(0, dim)`, `interpolate.PCHIP(x, y.Transpose(0, dim), interpolate.Options{}).At(tensor.Of(1.5).Sum())`,
		`[1.5, 4.5] f32`},
	{`x := tensor.Of(1, 2); y := tensor.Complex(x, x)`, `interpolate.PCHIP(x, y, interpolate.Options{})`, `y.ViewAsReal()`,
		`interpolate.PCHIP(x, y.ViewAsReal(), interpolate.Options{}).At(tensor.Of(1.5).Sum())`, `[1.5, 1.5] f32`},
	{`values := tensor.Complex(x, x)`, `interpolate.RegularGrid([]*tensor.Tensor{x}, values, interpolate.GridOptions{})`,
		`values.ViewAsReal()`,
		`interpolate.RegularGrid([]*tensor.Tensor{x}, values.ViewAsReal(), interpolate.GridOptions{}).At(tensor.Of(1.5))`, `[1.5, 1.5] f32`},
	{`line := interpolate.Interp1D(tensor.Of(1, 2), tensor.Of(3, 5), interpolate.Interp1DOptions{})`, `line.At(tensor.Of(3))`,
		`Outside: interpolate.Extrapolate`,
		`interpolate.Interp1D(tensor.Of(1, 2), tensor.Of(3, 5), interpolate.Interp1DOptions{Outside: interpolate.Extrapolate}).At(tensor.Of(3))`,
		`[7] f32`},
	// packages spatial, cluster and ndimage
	{`x := tensor.Of(1, 2); y := tensor.Of(0, 4).Unsqueeze(1)`, `spatial.CDist(x, y, spatial.CityBlock)`, `x.Unsqueeze(1)`,
		`spatial.CDist(x.Unsqueeze(1), y, spatial.CityBlock).Get(0)`, `[1, 3] f32`},
	{`var metric spatial.Metric`, `spatial.CDist(y, y, metric)`, `spatial.Euclidean`, `spatial.CDist(y, y, spatial.Euclidean).Get(0)`,
		`[0, 4] f32`},
	{`x := tensor.Complex(y, y)`, `spatial.NewKDTree(x)`, `x.ViewAsReal()`, `spatial.PDist(x.ViewAsReal().Squeeze(1), spatial.CityBlock)`,
		`[8] f32`},
	{`x := tensor.Of(1, 2, 9)`, `cluster.KMeans(x, 3, cluster.KMeansOptions{})`, `x.Unsqueeze(1)`,
		`cluster.KMeans(x.Unsqueeze(1), 3, cluster.KMeansOptions{}).Labels.Sum()`, `[3] i64`},
	{`x := tensor.Of(1, 0, 9).Recip().Unsqueeze(1)`, `cluster.KMeans(x, 3, cluster.KMeansOptions{})`, `x.IsFinite().All(1)`,
		`x.IsFinite().All(1).ToDType(tensor.U8)`, `[1, 0, 1] u8`},
	{`x := tensor.Of(0, 1, 5).Unsqueeze(1)`, `cluster.Leaves(x)`, `cluster.Linkage(x, cluster.Average)`,
		`cluster.Leaves(cluster.Linkage(x, cluster.Average))`, `[2, 0, 1] i64`},
	{`image, rank := tensor.Of(1, 0, 1), 1`, `ndimage.Label(image, tensor.Of(1, 1, 0))`, `ndimage.BinaryStructure(rank, 1)`,
		`labels, _ := ndimage.Label(image, ndimage.BinaryStructure(rank, 1)); labels`, `[1, 0, 2] i64`},
	{`x := tensor.Of(1, 0, 1)`, `ndimage.FindObjects(x, 2)`, `ndimage.Label(x, nil)`,
		`x, n := ndimage.Label(x, nil); tensor.Of(float64(ndimage.FindObjects(x, n)[1].Start[0]))`, `[2] f32`},
	{`x := tensor.Of(1).Sum()`, `ndimage.UniformFilter(x, []int{3}, ndimage.Border{})`, `x.Reshape(1)`,
		`ndimage.UniformFilter(x.Reshape(1), []int{3}, ndimage.Border{})`, `[1] f32`},
	{`points, values := tensor.Of(0, 0, 1, 0, 0, 1).Reshape(3, 2), tensor.NewVar(tensor.Of(0, 1, 2))`,
		`interpolate.CloughTocher2D(points, values)`, `values.Detach()`,
		`interpolate.CloughTocher2D(points, values.Detach()).At(points).RoundTo(6)`, `[0, 1, 2] f32`},
	{``, `scipy.optimize.fsolve(math.Cos, 1)`, `did you mean optimize.Root`,
		`optimize.Root(func(x *tensor.Tensor) *tensor.Tensor { return x.Sub(1) }, tensor.Of(0), optimize.RootOptions{}).X.RoundTo(6)`,
		`[1] f64`},
	{``, `scipy.interpolate.PchipInterpolator(x, y)`, `did you mean interpolate.PCHIP`,
		`interpolate.PCHIP(tensor.Of(0, 1), tensor.Of(0, 2), interpolate.Options{}).At(tensor.Of(0.5))`, `[1] f32`},
	{``, `scipy.integrate.odeint(f, y, t)`, `did you mean integrate.SolveIVP`,
		`integrate.SolveIVP(f, 0, 1, tensor.Of(1), integrate.IVPOptions{TEval: []float64{1}}).Y.Get(0)`, `[1] f32`},
	{`x := tensor.Of(1, 2)`, `x.Rfft()`, `did you mean fft.RFFT(x)`, `fft.RFFT(x).Real()`, `[3, -1] f32`},
	{`x := tensor.Of(1, 2)`, `tensor.FFT(x)`, `did you mean fft.FFT`, `fft.FFT(x).Real()`, `[3, -1] f32`},
	{`x := tensor.Of(1, 2)`, `fft.FFT2(x)`, `did you mean fft.FFT`, `fft.FFT(x).Real()`, `[3, -1] f32`},
	{``, `fft.fftfreq(4, 1)`, `did you mean fft.Freq`, `fft.Freq(4, 1, tensor.F32, tensor.CPU())`,
		`[0, 0.25, -0.5, -0.25] f32`},
	// functions over elements
	{`x := tensor.Of(3).ToDType(tensor.F16)`, `tensor.Map(func(x float32) float32 { return 2 * x }, x)`,
		`x.ToDType(tensor.F32)`, `tensor.Map(func(x float32) float32 { return 2 * x }, x.ToDType(tensor.F32))`, `[6] f32`},
	{`x := tensor.Of(3, 0).ToDType(tensor.F16)`, `tensor.Map(func(x bool) bool { return !x }, x)`, `x.Ne(0)`,
		`tensor.Map(func(x bool) bool { return !x }, x.Ne(0))`, `[0, 1] bool`},
}

// statements are the notes that propose no code that could be followed, as they stand in the source.
var statements = []string{
	"0 has it chosen",
	"LinearKernel takes points on a line",
	"0 is the default",
	"0 is the default; a population has 5 points or more",
	"Antiderivative is the integral",
	"Interp1D is constant between points, with kind Nearest, Previous or Next",
	"Quad takes infinite ends",
	"integrate the parts one by one, and add them",
	"leave it out: gradients are computed by package autograd",
	"leave it out: the Jacobian is computed by package autograd",
	"leave out the point",
	"leave out what is no constraint",
	"math.Inf(-1) and math.Inf(1) are no bounds",
	"math.Inf(1) is an end at infinity",
	"repeat the first value at the end of the period",
	"take the mean of values at the same position",
	"Features makes vectors of images",
	"NewGenerator and Chat read one text at a time", // TestServerOfFamilies
	"%d bytes are given, %d are needed",
	// TestCustomWithoutGradient follows it
	"a method Backward on it makes one: see tensor.Backward%d; x.Detach() keeps gradients from being computed",
	// TestCustomMistakes
	"x.To(\"cpu\") computes on the host; a method ROCmForward with the parameters of CPUForward makes it run on GPUs",
	// TestMapErrors of package tensor
	"; a parameter of type %s takes it as it is",
	"operations of tensors have gradients, and so has a CustomOp1 with a method Backward; ",
	// TestMissingRule
	"x.Detach() keeps gradients from being computed",
	// TestCrossEntropyNotes follows them
	"CrossEntropyWith leaves out rows whose target is the IgnoreIndex of its options",
	"w.ToDType(tensor.F32) are floats",
	"w.Detach() are the same weights without gradients",
	"did you mean rocm?",
	"devices are auto, cpu, rocm, rocm:1, cuda, cuda:1",
	"every slice at the same depth must have the same length",
	"compute the loss again, then its gradients, before the variable is set",
	"call Backward before the write, or have x.Copy() written to, which shares no memory", // TestOverwritten
	"it is called again for gradients, and must compute the same then",                    // TestCheckpoint
	// TestMistakesOfOptimizers
	"a step changes every variable once",
	"0.999 is usual",
	"a method Vars() []*tensor.Tensor says so",
	"call Swap once more first",
	"call Update after the step that is captured",
	"nn.CrossEntropyWith has it",
	"nn.L1 is the loss for a delta of 0, divided by it",
	"nn.NewAdamW and nn.NewSGD make some that do",
	"nn.NewAdamW, nn.NewSGD and the like make some that can",
	"nn.NewGroups joins a Muon of matrices and an AdamW of others",
	"0 stands for no limit",
	"grads := loss.Backward() has those of the variables that loss depends on",
	"in the gradient of %s, whose result has shape %v and dtype %v",
	"give one tensor for each device of the group",
	"GOROCM_EMULATED_DEVICES=2 emulates two GPUs",
	"dim %d has no elements",
	"want the end, or the start and the end, or these and the step",
	"dev.New(x) makes a vector of a slice",
	"ids are 0 to %d",
	"a step of -1 reverses a dim",
	"SetI writes to elements in any order", // TestSetI
	// of complex numbers: TestComplexErrors
	"%s returns the complex numbers; x.Real(), x.Imag(), x.Abs() and x.Angle() are real",
	"%s returns these elements",
	"complex numbers have no order; x.Abs() and x.Real() have",
	"tensor.Complex(re, im) joins two tensors",
	"tensors of c64 and c128 hold complex numbers, as x.ToDType(tensor.C64)",
	"w.ViewAsComplex() of a variable of f32 is complex, and has gradients",
	"x.Abs() and x.Real() are real; x.BackwardWith(g) takes a gradient of x",
	"x.Real(), x.Imag(), x.Abs() and x.Angle() are real",
	"x.Real() and x.Imag() are the parts of x",
	"x.Real() and x.Imag() are the parts, x.Abs() and x.Angle() the polar form; each is %v",
	"a mask has the sizes of the dims that it picks from; ids are integers",
	"it is f16, bf16, f32 or f64",
	"convert first: %v holds the values of both",
	"dims before the last two are matched from the right and must be equal or 1",
	"PromptTokens takes tokens",
	"Prompt gives some",
	"Reset begins a new text",
	"there are %s",
	"Params.Build lists everything that is missing",
	"ulimit -l says how much a process may lock, where that is limited; x.ToDevice moves what is not pinned, too",
	"cos.Copy() has its own", // as ids.Copy()
	"w.To(%q) is a copy of the quantized one beside the tensor",
	"w.DequantizeAs(tensor.F16, dev) has the elements on %v", // needs a device beside the host
	"drop tensors that are no longer needed, or work in parts",
	"distributed.Join makes a group of processes; see gorocm launch",
	"gorocm launch and torchrun set RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT",
	"nn.ClipGradNorm(grads, params, limit) before the step has that of all",
	"take a step before the capture",
	"nn.GradNorm(grads, params) is not finite if any gradient is not",
	"dims are matched from the right and must be equal or 1",
	"comparisons are eq, ne, lt, le, gt and ge",
	"a sorted vector takes values of any shape; sorted rows take values whose shape differs in the last dim",
	"size and step are above 0, and a window is no longer than the dim",
	"dims are %d to %d; %d to -1 count from the end",
	"Lowpass and Highpass have one, Bandpass and Bandstop two",
	"f/(rate/2) is the fraction of a frequency f",
	"x.Detach() has no gradient; linalg has those of dense matrices",
	"linalg.Eig and linalg.Eigh have gradients",
	"dims are matched from the right; only a dim of size 1 is broadcast",
	"a size of 1 leaves a dim alone",
	"a width of 0 leaves a dim alone",
	"set Iterations to a number above 0, or the middle of Structure to 1",
	"interpolate.RBF and interpolate.NearestND are for any number of dims",
	"stats.Interp and package interpolate are for one dim",
	"search in parts of it",
	"%s", // indexKinds
}

// tinyONNX is the model of docs/onnx.md.
const tinyONNX = "CAgSC29ubnguaGVscGVyOqwBChoKAXgKAXcKAWISAWgaBmxpbmVhciIER2VtbQoYCgFoEgFwGgdzb2Z0bWF4IgdTb2Z0bWF4EgR0aW55" +
	"KiMIAggDEAFCAXdKGAAAgD8AAIC/AAAAPwAAgD4AAABAAAAAvyoVCAMQAUIBYkoMAAAAAAAAgD8AAAAAWhgKAXgSEwoRCAESDQoHEgViYXRj" +
	"aAoCCAJiGAoBcBITChEIARINCgcSBWJhdGNoCgIIA0IECgAQEQ=="

// TestHints makes each mistake, and follows what its error proposes.
func TestHints(t *testing.T) {
	thorough.Slow(t)
	s := newSession(t)
	mustRun(t, s, "import (\n\"github.com/gorocm/gorocm/tensor\"\n\"github.com/gorocm/gorocm/tensor/nn\"\n\"github.com/gorocm/gorocm/tensor/quant\"\n)")
	mustRun(t, s, showFunction)
	var seen []string
	for _, h := range hints {
		t.Run(h.mistake, func(t *testing.T) {
			if h.setup != "" {
				mustRun(t, s, h.setup)
			}
			r := s.Eval(context.Background(), Request{Code: h.mistake}, func(Event) {})
			err := r.Err
			if err == nil {
				t.Fatal("it is not a mistake")
			}
			seen = append(seen, err.Notes...)
			if !slices.ContainsFunc(err.Notes, func(n string) bool { return strings.Contains(n, h.code) }) {
				t.Errorf("%s proposes %q, not %q", err.Message, err.Notes, h.code)
			}
			code, _, _ := strings.Cut(strings.Replace(h.code, " has shape ", " gives ", 1), " gives ")
			code = strings.TrimPrefix(code, "did you mean ")
			for _, part := range strings.Split(code, " and ") {
				if !strings.Contains(h.follow, strings.TrimSuffix(part, " returns the integers")) {
					t.Errorf("%q does not follow %q", h.follow, h.code)
				}
			}
			got, err := shown(s, h.follow)
			if err != nil {
				t.Fatalf("%s: %s", h.follow, err.Text(false))
			}
			if got != h.want {
				t.Errorf("%s: got %s, want %s", h.follow, got, h.want)
			}
		})
	}
	for _, text := range notesIn(t, "../tensor") {
		if !slices.Contains(statements, text) && !slices.ContainsFunc(seen, madeOf(text)) {
			t.Errorf("no row of hints makes the mistake that has the note %q: add one, or list it among the statements",
				text)
		}
	}
}

// TestNamesake: signal is package tensor/signal; an error says where os/signal is.
func TestNamesake(t *testing.T) {
	s := newSession(t)
	mustRun(t, s, "var stops chan os.Signal\nsignal.NoTrend")
	r := s.Eval(context.Background(), Request{Code: "signal.Stop(stops)"}, func(Event) {})
	if r.Err == nil || !slices.Contains(r.Err.Notes, `import "os/signal" has signal.Stop`) {
		t.Errorf("got %v", r.Err)
	}
	mustRun(t, s, "import \"os/signal\"\nsignal.Stop(stops)")
}

// TestTensorsElsewhere: builtin print writes a tensor's address, and a line !x is the shell's.
func TestTensorsElsewhere(t *testing.T) {
	s := newSession(t)
	mustRun(t, s, "noProgram := tensor.Of(0, 1)")
	var notes []string
	if r := s.Eval(context.Background(), Request{Code: `println("at", noProgram)`}, func(e Event) {
		if e.Kind == Notice {
			notes = append(notes, e.Text)
		}
	}); r.Err != nil {
		t.Fatal(r.Err)
	}
	want := "println writes the address of noProgram, not its value: fmt.Println(noProgram) writes that"
	if !slices.Equal(notes, []string{want}) {
		t.Errorf("got %q, want %q", notes, want)
	}
	r := s.Eval(context.Background(), Request{Code: "!noProgram"}, func(Event) {})
	if r.Err == nil || !slices.Equal(r.Err.Notes, []string{
		"a line that begins with ! is for the shell: did you mean noProgram.Not()?"}) {
		t.Errorf("!noProgram: %v", r.Err)
	}
}

// showFunction writes all digits of tensors.
const showFunction = `func show(x any) {
	if t, ok := x.(*tensor.Tensor); ok {
		fmt.Print(strings.ReplaceAll(fmt.Sprint(t.Float64s()), " ", ", "), " ", t.DType())
	} else {
		fmt.Print(x)
	}
}`

// shown runs a cell and returns what show makes of its last expression.
func shown(s Session, code string) (string, *Error) {
	last := strings.LastIndex(code, "; ") + 1
	var out strings.Builder
	r := s.Eval(context.Background(), Request{Code: code[:last] + "\nshow(" + code[last:] + ")"}, func(e Event) {
		if e.Kind == Stream {
			out.WriteString(e.Text)
		}
	})
	return out.String(), r.Err
}

// madeOf reports whether a note was made of a format.
func madeOf(format string) func(note string) bool {
	verb := regexp.MustCompile(`%[a-z+]+`)
	quoted := regexp.QuoteMeta(verb.ReplaceAllString(format, "\x00"))
	re := regexp.MustCompile("^" + strings.ReplaceAll(quoted, "\x00", "(?s:.*)") + "$")
	return re.MatchString
}

// notesIn returns the texts of the notes that the packages under a folder give their errors.
func notesIn(t *testing.T, root string) []string {
	var all []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err == nil {
			all = append(all, notesOf(f)...)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// notesOf are the string literals that become notes of errors: arguments of note and of package extend's functions for
// errors, what Notes is set to, and variables called notes.
func notesOf(f *ast.File) (all []string) {
	texts := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && strings.Contains(l.Value, " ") ||
				ok && l.Value == `"%s"` {
				text, _ := strconv.Unquote(l.Value)
				all = append(all, text)
			}
			return true
		})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if at, ok := noteArguments[calledName(n.Fun)]; ok && len(n.Args) > at {
				texts(n.Args[at])
			}
		case *ast.KeyValueExpr:
			if k, ok := n.Key.(*ast.Ident); ok && k.Name == "Notes" {
				texts(n.Value)
			}
		case *ast.ValueSpec:
			if n.Names[0].Name == "notes" && len(n.Values) == 1 {
				texts(n.Values[0])
			}
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if name := calledName(l); i < len(n.Rhs) && (name == "Notes" || name == "note") {
					texts(n.Rhs[i])
				}
			}
		}
		return true
	})
	return all
}

// noteArguments says which argument of a function is a note.
var noteArguments = map[string]int{"note": 0, "ShapeNoting": 2, "Fail": 3}

func calledName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
