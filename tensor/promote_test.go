package tensor_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// promotions are the types of results: those of PyTorch (torch.promote_types), and below them what PyTorch refuses.
const promotions = `
      bool u8   i8   i16  i32  i64  bf16 f16  f32  f64  c64  c128
bool  bool u8   i8   i16  i32  i64  bf16 f16  f32  f64  c64  c128
u8    u8   u8   i16  i16  i32  i64  bf16 f16  f32  f64  c64  c128
i8    i8   i16  i8   i16  i32  i64  bf16 f16  f32  f64  c64  c128
i16   i16  i16  i16  i16  i32  i64  bf16 f16  f32  f64  c64  c128
i32   i32  i32  i32  i32  i32  i64  bf16 f16  f32  f64  c64  c128
i64   i64  i64  i64  i64  i64  i64  bf16 f16  f32  f64  c64  c128
bf16  bf16 bf16 bf16 bf16 bf16 bf16 bf16 f32  f32  f64  c64  c128
f16   f16  f16  f16  f16  f16  f16  f32  f16  f32  f64  c64  c128
f32   f32  f32  f32  f32  f32  f32  f32  f32  f32  f64  c64  c128
f64   f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  c128 c128
c64   c64  c64  c64  c64  c64  c64  c64  c64  c64  c128 c64  c128
c128  c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128
u16   u16  u16  i32  i32  i32  i64  bf16 f16  f32  f64  c64  c128
u32   u32  u32  i64  i64  i64  i64  bf16 f16  f32  f64  c64  c128
u64   u64  u64  -    -    -    -    bf16 f16  f32  f64  c64  c128
f8e4m3 f8e4m3 - -    -    -    -    -    -    -    -    -    -
`

func TestPromote(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(promotions), "\n")
	columns := strings.Fields(lines[0])
	for _, line := range lines[1:] {
		row := strings.Fields(line)
		for i, want := range row[1:] {
			a, b := dtypeOf(t, row[0]), dtypeOf(t, columns[i])
			for _, pair := range [][2]tensor.DType{{a, b}, {b, a}} {
				got, err := tensor.Promote(pair[0], pair[1])
				if text := fmt.Sprint(got); err == nil && text != want || (err != nil) != (want == "-") {
					t.Errorf("%v and %v: got %v, %v, want %s", pair[0], pair[1], text, err, want)
				}
			}
		}
	}
}

func dtypeOf(t *testing.T, name string) tensor.DType {
	dt, err := tensor.ParseDType(name)
	if err != nil {
		t.Fatal(err)
	}
	return dt
}

// TestWeakOperands computes with numbers and tensors of rank 0, which change the type only by their kind.
func TestWeakOperands(t *testing.T) {
	cpu := tensor.CPU()
	vector := func(dt tensor.DType) *tensor.Tensor { return cpu.Ones(dt, 2) }
	scalar := func(dt tensor.DType) *tensor.Tensor { return cpu.Ones(dt) }
	for _, c := range []struct {
		what string
		got  *tensor.Tensor
		want tensor.DType
	}{
		{"a float beside a smaller one", vector(tensor.F16).Add(1.5), tensor.F16},
		{"a float beside integers", vector(tensor.I32).Mul(0.5), tensor.F32},
		{"a whole float beside integers", vector(tensor.I32).Mul(2.0), tensor.F32},
		{"an int beside integers", vector(tensor.U8).Add(1), tensor.U8},
		{"an int beside Bool", vector(tensor.Bool).Add(1), tensor.I64},
		{"a float beside Bool", vector(tensor.Bool).Mul(0.5), tensor.F32},
		{"a bool beside integers", vector(tensor.I16).Add(true), tensor.I16},
		{"a bool beside Bool", vector(tensor.Bool).Mul(true), tensor.Bool},
		{"a scalar of F64 beside F16", vector(tensor.F16).Add(scalar(tensor.F64)), tensor.F16},
		{"a scalar of I64 beside U8", scalar(tensor.I64).Add(vector(tensor.U8)), tensor.U8},
		{"a scalar of F64 beside I32", vector(tensor.I32).Add(scalar(tensor.F64)), tensor.F64},
		{"scalars", scalar(tensor.F16).Add(scalar(tensor.F64)), tensor.F64},
		{"a choice", vector(tensor.Bool).WhereCond(vector(tensor.I32), 0.5), tensor.F32},
		{"a choice of two", vector(tensor.Bool).WhereCond(vector(tensor.I32), vector(tensor.F16)), tensor.F16},
		{"joined", tensor.Cat([]*tensor.Tensor{vector(tensor.U8), vector(tensor.I8)}, 0), tensor.I16},
		{"fractions of integers", vector(tensor.I64).Sqrt(), tensor.F32},
		{"powers of integers", vector(tensor.I64).Pow(0.5), tensor.F32},
		{"a sum of Bool", vector(tensor.Bool).Sum(), tensor.I64},
		{"a sum of U64", vector(tensor.U64).Sum(), tensor.U64},
		{"a mean of Bool", vector(tensor.Bool).Mean(), tensor.F32},
		{"a maximum of Bool", vector(tensor.Bool).Max(), tensor.Bool},
		{"cumulative sums of U64", vector(tensor.U64).CumSum(0), tensor.U64},
		{"cumulative sums of Bool", vector(tensor.Bool).CumSum(0), tensor.I64},
	} {
		if c.got.DType() != c.want {
			t.Errorf("%s: got %v, want %v", c.what, c.got.DType(), c.want)
		}
	}
}

// TestIntegersOfRankZero: an integer of rank 0 that the other operand's type does not hold wraps where the result has
// that type, but not in comparisons, nor where floats are computed.
func TestIntegersOfRankZero(t *testing.T) {
	for _, dev := range []*tensor.Device{tensor.CPU(), device(t, "rocm")} {
		x, s := dev.New([]int8{-5, -127, -1}), dev.New([]uint8{174}).Reshape()
		for _, c := range []struct {
			what      string
			got, want *tensor.Tensor
		}{
			{"less", x.Lt(s), dev.New([]bool{true, true, true})},
			{"greater, from the other side", s.Gt(x), dev.New([]bool{true, true, true})},
			{"equal", dev.New([]uint8{0, 44}).Eq(dev.New([]int64{300}).Reshape()), dev.New([]bool{false, false})},
			{"hypotenuses", x.Hypot(s), x.Hypot(s.Reshape(1))},
			{"angles", x.Atan2(s), x.Atan2(s.Reshape(1))},
			{"a sum", dev.New([]uint8{250, 2}).Add(dev.New([]int64{252}).Reshape()), dev.New([]uint8{246, 254})},
			{"bools without NaN", dev.New([]bool{true, false}).NanToNum(), dev.New([]bool{true, false})},
		} {
			if fmt.Sprint(c.got) != fmt.Sprint(c.want) {
				t.Errorf("%v: %s: got %v, want %v", dev, c.what, c.got, c.want)
			}
		}
	}
}

// TestIndicesBelowZero: what is computed of indices, which have type U32, does not wrap below zero.
func TestIndicesBelowZero(t *testing.T) {
	for _, dev := range []*tensor.Device{tensor.CPU(), device(t, "rocm")} {
		x := dev.New([]float32{3, 1, 2})
		ids, one := x.ArgSort(0, true), dev.New([]uint32{1})
		minus := dev.New([]int32{-1}).Reshape()
		for _, c := range []struct {
			what string
			got  *tensor.Tensor
			want []int64
		}{
			{"minus a number", ids.Sub(1), []int64{0, 1, -1}},
			{"an index minus a number", x.ArgMax().Sub(2), []int64{-2}},
			{"minus a negative number", ids.Sub(-1), []int64{2, 3, 1}},
			{"plus a negative number", ids.Add(-1), []int64{0, 1, -1}},
			{"times a negative number", ids.Mul(-2), []int64{-2, -4, 0}},
			{"minus indices", one.Sub(ids), []int64{0, -1, 1}},
			{"minus smaller integers", ids.Sub(one.ToDType(tensor.U8)), []int64{0, 1, -1}},
			{"minus a scalar of U32", ids.Sub(one.Get(0)), []int64{0, 1, -1}},
			{"plus a signed scalar", ids.Add(minus), []int64{0, 1, -1}},
			{"minus a signed scalar", ids.Sub(minus), []int64{2, 3, 1}},
			{"negative", ids.Neg(), []int64{-1, -2, 0}},
			{"differences", ids.Diff(1, 0), []int64{1, -2}},
			{"a choice", ids.Gt(0).WhereCond(ids, -1), []int64{1, 2, -1}},
			{"the largest of U32", dev.New([]uint32{math.MaxUint32}).Neg(), []int64{-math.MaxUint32}},
			{"none", dev.Zeros(tensor.U32, 0).Sub(1), []int64{}},
		} {
			if got := c.got.FlattenAll(); got.DType() != tensor.I64 || !slices.Equal(tensor.ToVec1[int64](got), c.want) {
				t.Errorf("%v: %s: got %v, want %v", dev, c.what, got, c.want)
			}
		}
		if dt := ids.Add(1).DType(); dt != tensor.U32 {
			t.Errorf("%v: indices plus 1 are %v", dev, dt)
		}
	}
}

// TestMatMulPromotes: operands of matrix products are converted as those of elementwise operations are.
func TestMatMulPromotes(t *testing.T) {
	types := []tensor.DType{tensor.Bool, tensor.U8, tensor.I32, tensor.U32, tensor.F16, tensor.BF16, tensor.F32,
		tensor.F64, tensor.C64}
	for _, dev := range []*tensor.Device{tensor.CPU(), device(t, "rocm")} {
		m, v := dev.New([][]float64{{1, 0, 1}, {0, 1, 1}}), dev.New([]float64{1, 0, 1})
		for i, a := range types {
			for _, b := range types[i+1:] {
				dt, _ := tensor.Promote(a, b)
				want := m.ToDType(dt).MatMul(v.ToDType(dt))
				for _, got := range []*tensor.Tensor{m.ToDType(a).MatMul(v.ToDType(b)), m.ToDType(b).Mv(v.ToDType(a))} {
					if !got.Equal(want) || got.DType() != dt {
						t.Errorf("%v: %v × %v: got %v, want %v", dev, a, b, got, want)
					}
				}
			}
		}
		x, w := tensor.NewVar(v.ToDType(tensor.F32)), tensor.NewVar(m)
		g := w.MatMul(x).Sqr().Sum().Backward()
		if dx, dw := g.Get(x), g.Get(w); dx.DType() != tensor.F32 || dw.DType() != tensor.F64 ||
			!slices.Equal(dx.ToVec1(), []float64{4, 2, 6}) || !slices.Equal(dw.Get(1).ToVec1(), []float64{2, 0, 2}) {
			t.Errorf("%v: gradients %v and %v", dev, dx, dw)
		}
		if _, err := tensor.Try(func() *tensor.Tensor {
			return m.ToDType(tensor.U64).MatMul(v.ToDType(tensor.I8))
		}); err == nil || !strings.Contains(fmt.Sprintf("%+v", err), "f64 holds the values of both") {
			t.Errorf("%v: U64 × I8: %v", dev, err)
		}
	}
}

func TestDefaults(t *testing.T) {
	defer tensor.SetDefaultDType(tensor.F32)
	defer tensor.SetDefaultDevice(tensor.CPU())
	rocm := device(t, "rocm")
	tensor.SetDefaultDType(tensor.F64)
	tensor.SetDefaultDevice(rocm)
	if x := tensor.Of(1, 2); x.DType() != tensor.F64 || x.Device() != rocm {
		t.Errorf("got %v", x)
	}
	if dt := rocm.New([]int{4}).Sqrt().DType(); dt != tensor.F64 {
		t.Errorf("a root of integers is %v", dt)
	}
	if _, err := tensor.Try(func() *tensor.Tensor { tensor.SetDefaultDType(tensor.I64); return nil }); err == nil {
		t.Error("I64 became the default")
	}
}

// TestBool does with Bool what bytes of 0 and 1 might do otherwise.
func TestBool(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		dev := device(t, spec)
		a := dev.New([]bool{false, false, true, true})
		b := dev.New([]bool{false, true, false, true})
		for _, c := range []struct {
			what string
			got  *tensor.Tensor
			want string
		}{
			{"or", a.Add(b), "[false,  true,  true,  true]"},
			{"and", a.Mul(b), "[false, false, false,  true]"},
			{"equal", a.Eq(b), "[ true, false, false,  true]"},
			{"from numbers", dev.New([]float32{0, float32(math.Copysign(0, -1)), 0.5, float32(math.NaN())}).ToDType(tensor.Bool),
				"[false, false,  true,  true]"},
			{"from bytes", dev.FromBytes(tensor.Bool, []byte{0, 1, 2, 255}, 4),
				"[false,  true,  true,  true]"},
			{"with a number", a.And(2), "[false, false,  true,  true]"},
			{"with a fraction", a.Or(0.5), "[true, true, true, true]"},
			{"with -0", a.Or(math.Copysign(0, -1)), "[false, false,  true,  true]"},
			{"integers with NaN", a.ToDType(tensor.I64).And(math.NaN()), "[false, false,  true,  true]"},
			{"to numbers", a.ToDType(tensor.I8).Neg(), "[ 0,  0, -1, -1]"},
			{"positions", a.Nonzero().FlattenAll(), "[2, 3]"},
			{"selected", b.I(a), "[false,  true]"},
			{"sorted", b.Sub(0).ToDType(tensor.Bool).ArgSort(0, true), "[0, 2, 1, 3]"},
		} {
			if got, _, _ := strings.Cut(c.got.String(), "\n"); got != c.want {
				t.Errorf("%s on %s: got %s, want %s", c.what, spec, got, c.want)
			}
		}
		x := a.ToDType(tensor.U8)
		x.ConstSet(1)
		if a.ToDType(tensor.I64).Sum().ToScalar() != 2 {
			t.Errorf("writing to a conversion on %s changed the Bool", spec)
		}
	}
	if _, err := tensor.Try(func() *tensor.Tensor {
		return tensor.CPU().Ones(tensor.Bool, 1).Sub(tensor.CPU().Ones(tensor.Bool, 1))
	}); err == nil || !strings.Contains(err.Error(), "not defined for bool") {
		t.Errorf("a difference of Bool: %v", err)
	}
}

// TestLargeUnsigned computes with elements beyond the range of I64.
func TestLargeUnsigned(t *testing.T) {
	const top = uint64(1) << 63
	for _, spec := range []string{"cpu", "rocm"} {
		dev := device(t, spec)
		x, y := dev.New([]uint64{top + 5, 3, math.MaxUint64}), dev.New([]uint64{2, top, 1})
		for _, c := range []struct {
			what string
			got  *tensor.Tensor
			want []uint64
		}{
			{"abs", x.Abs(), []uint64{top + 5, 3, math.MaxUint64}},
			{"sign", x.Sign(), []uint64{1, 1, 1}},
			{"div", x.Div(y), []uint64{(top + 5) / 2, 0, math.MaxUint64}},
			{"maximum", x.Maximum(y), []uint64{top + 5, top, math.MaxUint64}},
			{"minimum", x.Minimum(y), []uint64{2, 3, 1}},
			{"max", x.MaxKeepDim(0), []uint64{math.MaxUint64}},
			{"sum", x.SumKeepDim(0), []uint64{top + 7}},
			{"where greater", x.Gt(y).WhereCond(x, y), []uint64{top + 5, top, math.MaxUint64}},
			{"sorted", x.I([]int{2, 1, 0}).Sub(0).Add(0).MaskedSelect(x.Ge(0)), []uint64{math.MaxUint64, 3, top + 5}},
			{"from floats", dev.New([]float64{1e30, -1, 0x1p63}).ToDType(tensor.U64),
				[]uint64{math.MaxUint64, 0, top}},
			{"filled", dev.Full(tensor.U64, uint64(math.MaxUint64), 1), []uint64{math.MaxUint64}},
		} {
			if got := tensor.ToVec1[uint64](c.got); len(got) != len(c.want) {
				t.Errorf("%s on %s: %d elements", c.what, spec, len(got))
			} else {
				for i := range got {
					if got[i] != c.want[i] {
						t.Errorf("%s on %s: element %d is %d, want %d", c.what, spec, i, got[i], c.want[i])
					}
				}
			}
		}
		sorted, ids := x.Sort(0, true)
		if s := sorted.String(); !strings.Contains(s, "18446744073709551615") || tensor.ToVec1[uint32](ids)[0] != 1 {
			t.Errorf("sorted on %s: %s", spec, s)
		}
		f := x.ToDType(tensor.F64).ToVec1()
		if f[0] != 0x1p63 || f[2] != 0x1p64 {
			t.Errorf("to floats on %s: %v", spec, f)
		}
		for _, small := range []tensor.DType{tensor.F32, tensor.BF16} {
			odd := dev.New([]uint64{1<<63 + 1<<55 + 1, 1<<63 + 1<<39 + 1}).ToDType(small)
			want := kernels.Round(small, 0x1p63+0x1p55)
			if small == tensor.BF16 {
				want = 0x1p63 + 0x1p56
			}
			if got := odd.ToVec1(); got[0] != want {
				t.Errorf("to %v on %s: %v, want %v", small, spec, got[0], want)
			}
		}
	}
}

// TestAllClose: which elements are close, and which tensors equal.
func TestAllClose(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		dev := device(t, spec)
		x := dev.New([]float64{1, -2, math.Inf(1)})
		for _, c := range []struct {
			y         *tensor.Tensor
			all, same bool
		}{
			{x, true, true},
			{x.Mul(1 + 1e-9), true, false},
			{x.Mul(1.001), false, false},
			{dev.New([]float64{1, -2, math.Inf(-1)}), false, false},
			{dev.New([]float64{1, -2, math.NaN()}), false, false},
			{x.ToDType(tensor.F32), true, true},
		} {
			if all, same := x.AllClose(c.y, 1e-5, 1e-8), x.Equal(c.y); all != c.all || same != c.same {
				t.Errorf("%v and %v on %s: %v, %v", x, c.y, spec, all, same)
			}
		}
		none := dev.Zeros(tensor.F32, 0, 2)
		if !none.AllClose(none, 0, 0) || !none.Equal(none) || none.Equal(x) {
			t.Errorf("tensors without elements on %s", spec)
		}
	}
}
