package kernels_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/gen/kernels/build"
	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
)

func input(i uint8) kernels.FusedRef {
	return kernels.FusedRef{From: kernels.FromInput, Index: i}
}
func made(i uint8) kernels.FusedRef  { return kernels.FusedRef{From: kernels.FromStep, Index: i} }
func given(i uint8) kernels.FusedRef { return kernels.FusedRef{From: kernels.FromNumber, Index: i} }

// geluChain is gelu(tanh(x·2 + 1)·y + b) with a b that lies as walk says.
func geluChain(b kernels.FusedWalk, t kernels.DType, pack int) *kernels.Fused {
	step := func(kind kernels.FusedKind, op string, args ...kernels.FusedRef) kernels.FusedStep {
		s := kernels.FusedStep{Kind: kind, Op: op, In: t, Out: t}
		copy(s.Args[:], args)
		return s
	}
	f := &kernels.Fused{
		Inputs:  []kernels.FusedInput{{Type: t}, {Type: t}, {Type: t, Walk: b}},
		Numbers: []kernels.DType{t, t},
		Steps: []kernels.FusedStep{
			step(kernels.FusedBinary, "mul", input(0), given(0)),
			step(kernels.FusedBinary, "add", made(0), given(1)),
			step(kernels.FusedUnary, "tanh", made(1)),
			step(kernels.FusedBinary, "mul", made(2), input(1)),
			step(kernels.FusedBinary, "add", made(3), input(2)),
			step(kernels.FusedUnary, "gelu", made(4)),
		},
		Pack: pack,
	}
	if b != kernels.FusedDense {
		f.Rank = 2
	}
	return f
}

// everyStep has a step of every kind and, between them, operands of every type.
func everyStep(walk kernels.FusedWalk, wide bool, pack int) *kernels.Fused {
	f := &kernels.Fused{Wide: wide, Pack: pack}
	if walk != kernels.FusedDense {
		f.Rank = 3
	}
	last := func() kernels.FusedRef { return made(uint8(len(f.Steps) - 1)) }
	add := func(s kernels.FusedStep, args ...kernels.FusedRef) {
		copy(s.Args[:], args)
		f.Steps = append(f.Steps, s)
	}
	number := func(t kernels.DType) uint8 {
		f.Numbers = append(f.Numbers, t)
		return uint8(len(f.Numbers) - 1)
	}
	for i, t := range kernels.Numbers {
		f.Inputs = append(f.Inputs, kernels.FusedInput{Type: t, Walk: walk})
		x, former := input(uint8(i)), last()
		parameter := kernels.I64
		if t.IsFloat() {
			parameter = kernels.F64
			add(kernels.FusedStep{Kind: kernels.FusedUnary, Op: "exp", In: t, Out: t}, x)
			add(kernels.FusedStep{Kind: kernels.FusedParam, Op: "elu", In: t, Out: t,
				Params: [2]uint8{number(kernels.F64)}}, last())
		} else {
			add(kernels.FusedStep{Kind: kernels.FusedUnary, Op: "neg", In: t, Out: t}, x)
		}
		add(kernels.FusedStep{Kind: kernels.FusedAffine, In: t, Out: t,
			Params: [2]uint8{number(parameter), number(parameter)}}, last())
		add(kernels.FusedStep{Kind: kernels.FusedBinary, Op: "div", In: t, Out: t}, last(), given(number(t)))
		if i > 0 {
			before := last()
			add(kernels.FusedStep{Kind: kernels.FusedCast, In: kernels.Numbers[i-1], Out: t}, former)
			add(kernels.FusedStep{Kind: kernels.FusedCompare, Op: "le", In: t, Out: kernels.U8}, last(), before)
			add(kernels.FusedStep{Kind: kernels.FusedWhere, In: kernels.U8, Out: t}, last(), before, x)
		}
	}
	return f
}

func fusedSource(t *testing.T, f *kernels.Fused) string {
	t.Helper()
	source, err := f.Source()
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// TestFusedArchitectures compiles fused kernels for every architecture.
func TestFusedArchitectures(t *testing.T) {
	thorough.Slow(t)
	archs := []string{"gfx1100", "nvidia", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx1030", "gfx1151", "gfx1201"}
	for _, arch := range thorough.Sample(archs, 8, 0) {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			for _, f := range []*kernels.Fused{everyStep(kernels.FusedStrided, true, 1),
				everyStep(kernels.FusedRepeated, false, 2)} {
				if _, err := build.Compile(f.Symbol(), fusedSource(t, f), arch); errors.Is(err, build.ErrNoClang) {
					t.Skip(err)
				} else if err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestFusedKeys: kernels with other source have other keys, and those that differ in names and numbers alone have the
// same.
func TestFusedKeys(t *testing.T) {
	seen := map[string]string{}
	for _, walk := range []kernels.FusedWalk{kernels.FusedDense, kernels.FusedStrided, kernels.FusedRepeated} {
		for _, dt := range []kernels.DType{kernels.F32, kernels.BF16} {
			for _, pack := range []int{1, 4} {
				for _, f := range []*kernels.Fused{geluChain(walk, dt, pack), everyStep(walk, pack == 4, pack)} {
					key, source := string(f.AppendKey(nil)), fusedSource(t, f)
					if other, ok := seen[key]; ok && other != source {
						t.Errorf("one key for two kernels: %s", f.Symbol())
					}
					seen[key] = source
				}
			}
		}
	}
	if len(seen) != 12+6 {
		t.Errorf("%d keys, want 18", len(seen))
	}
	a, b := geluChain(kernels.FusedDense, kernels.F32, 4), geluChain(kernels.FusedDense, kernels.F32, 4)
	b.Steps[4].Args[0] = made(2)
	if string(a.AppendKey(nil)) == string(b.AppendKey(nil)) {
		t.Error("one key for other operands")
	}
}

func TestFusedSymbol(t *testing.T) {
	if got, want := geluChain(kernels.FusedDense, kernels.F32, 4).Symbol(),
		"fused_mul_add_tanh_mul_add_gelu"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	single := &kernels.Fused{Inputs: []kernels.FusedInput{{Type: kernels.F16}}, Pack: 8}
	for _, c := range []struct {
		step kernels.FusedStep
		want string
	}{
		{kernels.FusedStep{Kind: kernels.FusedUnary, Op: "exp", In: kernels.F16, Out: kernels.F16}, "exp_f16"},
		{kernels.FusedStep{Kind: kernels.FusedCast, In: kernels.F16, Out: kernels.U8}, "cast_f16_u8"},
		{kernels.FusedStep{Kind: kernels.FusedWhere, In: kernels.U8, Out: kernels.F16}, "where_u8_f16"},
	} {
		single.Steps = []kernels.FusedStep{c.step}
		if got := single.Symbol(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	f := everyStep(kernels.FusedDense, false, 1)
	if got, want := f.Symbol(), fmt.Sprintf("fused_neg_affine_div_neg_affine_div_i8_and_%d_more",
		len(f.Steps)-7); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestFusedWide runs a kernel with indices of 64 bits, with packs and without, beside those of 32.
func TestFusedWide(t *testing.T) {
	thorough.Slow(t)
	const rows, cols = 3, 8
	x := make([]float64, rows*cols)
	for i := range x {
		x[i] = float64(i) - 7
	}
	b := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	for _, wide := range []bool{false, true} {
		for _, pack := range []int{1, 4} {
			t.Run(fmt.Sprintf("wide %v, pack %d", wide, pack), func(t *testing.T) {
				f := &kernels.Fused{
					Inputs:  []kernels.FusedInput{{Type: kernels.F32}, {Type: kernels.F32, Walk: kernels.FusedStrided}},
					Numbers: []kernels.DType{kernels.F32},
					Steps: []kernels.FusedStep{
						{Kind: kernels.FusedBinary, Op: "mul", In: kernels.F32, Out: kernels.F32,
							Args: [3]kernels.FusedRef{input(0), given(0)}},
						{Kind: kernels.FusedBinary, Op: "add", In: kernels.F32, Out: kernels.F32,
							Args: [3]kernels.FusedRef{made(0), input(1)}},
					},
					Rank: 2, Wide: wide, Pack: pack,
				}
				object, err := build.Compile(f.Symbol(), fusedSource(t, f), build.Arch)
				if errors.Is(err, build.ErrNoClang) {
					t.Skip(err)
				} else if err != nil {
					t.Fatal(err)
				}
				d := newDevice(t)
				m, err := d.gpu().Load(object)
				if err != nil {
					t.Fatal(err)
				}
				k, err := m.Kernel(f.Symbol())
				if err != nil {
					t.Fatal(err)
				}
				px, pb := d.put(encode(kernels.F32, x), 0), d.put(encode(kernels.F32, b), 0)
				out := d.put(make([]byte, 4*len(x)), 0)
				args := pack8(px, pb, out)
				word := func(n uint64) {
					if wide {
						args = append(args, pack8(n)...)
					} else {
						args = append(args, pack8(n)[:4]...)
					}
				}
				for _, n := range []uint64{rows, cols, 0, 1, rows * cols} { // dims, strides, count
					word(n)
				}
				for len(args)%8 != 0 {
					args = append(args, 0)
				}
				args = append(args, pack8(uint64(math.Float32bits(0.5)))...)
				if err := d.gpu().Launch(k, [3]uint32{2, 1, 1}, [3]uint32{256, 1, 1}, 0, args); err != nil {
					t.Fatal(err)
				}
				for i, got := range decode[float64](kernels.F32, d.get(out, 4*len(x))) {
					if want := x[i]*0.5 + b[i%cols]; got != want {
						t.Fatalf("element %d is %v, want %v", i, got, want)
					}
				}
			})
		}
	}
}

func pack8(words ...uint64) []byte {
	args := make([]any, len(words))
	for i, w := range words {
		args[i] = w
	}
	return pack(args)
}

// TestFusedSource: what the kernel of a chain looks like.
func TestFusedSource(t *testing.T) {
	source := fusedSource(t, geluChain(kernels.FusedRepeated, kernels.F16, 8))
	for _, line := range []string{
		"UNARY_OP(gelu, f16, gelu<Stored>(x))\n",
		"    const f16 s0 = stored_mul(x0, n0.value());\n",
		"    const f16 s5 = stored<f16>(gelu_f16_op()(Element<f16>::load(s4)));\n",
		"Walk<1, 2, u32> w, u32 n, Number<f16> n0, Number<f16> n1) {\n",
		"      x1[u] = pack_at<V>(p1, i);\n",
		"      x2[u] = pack_of<V>(p2 + at[0], ONE_VALUE);\n",
	} {
		if !strings.Contains(source, line) {
			t.Errorf("no line %q", line)
		}
	}
}
