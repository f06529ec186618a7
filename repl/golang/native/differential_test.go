package native

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// operands are values at which operations of integers and floats differ.
func operands[T int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64]() (list []T) {
	for _, n := range []uint64{0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 1000, 32767, 32768, 65535,
		1 << 31, 1<<31 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<63 + 1} {
		list = append(list, T(n), -T(n))
	}
	return list
}

// sameFor compares an operation that generated code does with the same of Go, for all pairs of operands.
func sameFor[T int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64](t *testing.T) {
	name := reflect.TypeFor[T]().String()
	ops := map[string]func(x, y T) T{
		"+": func(x, y T) T { return x + y }, "-": func(x, y T) T { return x - y },
		"*": func(x, y T) T { return x * y }, "/": func(x, y T) T { return x / y },
		"%": func(x, y T) T { return x % y }, "&": func(x, y T) T { return x & y },
		"|": func(x, y T) T { return x | y }, "^": func(x, y T) T { return x ^ y },
		"&^": func(x, y T) T { return x &^ y }, "<<": func(x, y T) T { return x << y },
		">>": func(x, y T) T { return x >> y },
	}
	var src strings.Builder
	names := map[string]string{}
	for op := range ops {
		names[op] = fmt.Sprintf("f%d", len(names))
		fmt.Fprintf(&src, "func %s(x, y %s) %s { return x %s y }\n", names[op], name, name, op)
	}
	consts := map[string]T{}
	for i, n := range operands[T]() {
		for _, op := range []string{"+", "-", "*", "/", "%", "&", "|", "^", "&^", "<<", ">>"} {
			if n == 0 && (op == "/" || op == "%") || n < 0 && (op == "<<" || op == ">>") {
				continue
			}
			f := fmt.Sprintf("c%d_%s", i, names[op])
			if _, twice := consts[f]; !twice {
				consts[f] = n
				fmt.Fprintf(&src, "func %s(x %s) %s { return x %s %s(%d) }\n", f, name, name, op, name, n)
			}
		}
	}
	r := compileAll(t, src.String())
	try := func(f func() T) (v T, err string) {
		defer func() {
			if e := recover(); e != nil {
				err = fmt.Sprint(e)
			}
		}()
		return f(), ""
	}
	list := operands[T]()
	for op, want := range ops {
		got := as[func(x, y T) T](t, r, names[op])
		for _, x := range list {
			for _, y := range list {
				g, ge := try(func() T { return got(x, y) })
				w, we := try(func() T { return want(x, y) })
				if g != w || ge != we {
					t.Fatalf("%s: %v %s %v is %v %s, not %v %s", name, x, op, y, g, ge, w, we)
				}
			}
		}
	}
	for f, n := range consts {
		got := as[func(x T) T](t, r, f)
		_, fn, _ := strings.Cut(f, "_")
		for op, want := range ops {
			if names[op] != fn {
				continue
			}
			for _, x := range list {
				if g, w := got(x), want(x, n); g != w {
					t.Fatalf("%s: %v %s constant %v is %v, not %v", name, x, op, n, g, w)
				}
			}
		}
	}
}

func TestIntegers(t *testing.T) {
	thorough.Slow(t)
	sameFor[int](t)
	sameFor[int8](t)
	sameFor[int16](t)
	sameFor[int32](t)
	sameFor[uint](t)
	sameFor[uint8](t)
	sameFor[uint16](t)
	sameFor[uint32](t)
	sameFor[uint64](t)
}

var floats = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, -2.5, math.Pi, 1e10, -1e10, 1e300, 1e-300, 5e-324, math.MaxFloat64,
	math.Inf(1), math.Inf(-1), math.NaN(), 1 << 53, 1<<53 + 2, 1 << 62, 1 << 63, 1 << 64, math.MaxFloat32, 1e-45, 127, 128, -129, 255,
	256, 32768, 65536, 1 << 31, -1<<31 - 1, 1 << 32}

func TestFloats(t *testing.T) {
	r := compileAll(t, `
import "math"
func add(x, y float64) float64 { return x + y }
func sub(x, y float64) float64 { return x - y }
func mul(x, y float64) float64 { return x * y }
func div(x, y float64) float64 { return x / y }
func mix(x, y float64) float64 { return x*y + x - y*y/x }
func neg(x float64) float64 { return -x }
func lt(x, y float64) bool { return x < y }
func le(x, y float64) bool { return x <= y }
func eq(x, y float64) bool { return x == y }
func ne(x, y float64) bool { return x != y }
func gt(x, y float64) int { if x > y { return 1 }; return 0 }
func ge(x, y float64) int { if x >= y { return 1 }; return 0 }
func eqb(x, y float64) int { if x == y { return 1 }; return 0 }
func neb(x, y float64) int { if x != y { return 1 }; return 0 }
func sqrt(x float64) float64 { return math.Sqrt(x) }
func abs(x float64) float64 { return math.Abs(x) }
func sin(x float64) float64 { return math.Sin(x) + math.Floor(x) }
func bits(x float64) uint64 { return math.Float64bits(x) }
func narrow(x float64) float32 { return float32(x) * 1.1 }
func twice(x float64) float64 { return float64(float32(x)*float32(x)) }
func toInt(x float64) int { return int(x) }
func toInt32(x float64) int32 { return int32(x) }
func toInt16(x float64) int16 { return int16(x) }
func toInt8(x float64) int8 { return int8(x) }
func toInt32f(x float64) int32 { return int32(float32(x)) }
`)
	same := func(name string, g, w float64, in ...any) {
		if math.Float64bits(g) != math.Float64bits(w) && !(g != g && w != w) {
			t.Errorf("%s%v is %v, not %v", name, in, g, w)
		}
	}
	for name, w := range map[string]func(x, y float64) float64{
		"add": func(x, y float64) float64 { return x + y }, "sub": func(x, y float64) float64 { return x - y },
		"mul": func(x, y float64) float64 { return x * y }, "div": func(x, y float64) float64 { return x / y },
		"mix": func(x, y float64) float64 { return x*y + x - y*y/x }} {
		g := as[func(x, y float64) float64](t, r, name)
		for _, x := range floats {
			for _, y := range floats {
				same(name, g(x, y), w(x, y), x, y)
			}
		}
	}
	for name, w := range map[string]func(x, y float64) bool{
		"lt": func(x, y float64) bool { return x < y }, "le": func(x, y float64) bool { return x <= y },
		"eq": func(x, y float64) bool { return x == y }, "ne": func(x, y float64) bool { return x != y }} {
		g := as[func(x, y float64) bool](t, r, name)
		for _, x := range floats {
			for _, y := range floats {
				if g(x, y) != w(x, y) {
					t.Errorf("%s(%v, %v) is %v", name, x, y, !w(x, y))
				}
			}
		}
	}
	for name, w := range map[string]func(x, y float64) bool{
		"gt": func(x, y float64) bool { return x > y }, "ge": func(x, y float64) bool { return x >= y },
		"eqb": func(x, y float64) bool { return x == y }, "neb": func(x, y float64) bool { return x != y }} {
		g := as[func(x, y float64) int](t, r, name)
		for _, x := range floats {
			for _, y := range floats {
				if (g(x, y) == 1) != w(x, y) {
					t.Errorf("%s(%v, %v) is %v", name, x, y, !w(x, y))
				}
			}
		}
	}
	for name, w := range map[string]func(x float64) float64{
		"neg": func(x float64) float64 { return -x }, "sqrt": math.Sqrt, "abs": math.Abs,
		"sin":   func(x float64) float64 { return math.Sin(x) + math.Floor(x) },
		"twice": func(x float64) float64 { return float64(float32(x) * float32(x)) }} {
		g := as[func(x float64) float64](t, r, name)
		for _, x := range floats {
			same(name, g(x), w(x), x)
		}
	}
	for _, x := range floats {
		if g, w := as[func(float64) uint64](t, r, "bits")(x), math.Float64bits(x); g != w {
			t.Errorf("bits(%v) is %v", x, g)
		}
		if g, w := as[func(float64) float32](t, r, "narrow")(x), float32(x)*1.1; g != w && w == w {
			t.Errorf("narrow(%v) is %v, not %v", x, g, w)
		}
		if g, w := as[func(float64) int](t, r, "toInt")(x), int(x); g != w {
			t.Errorf("int(%v) is %v, not %v", x, g, w)
		}
		if g, w := as[func(float64) int32](t, r, "toInt32")(x), int32(x); g != w {
			t.Errorf("int32(%v) is %v, not %v", x, g, w)
		}
		if g, w := as[func(float64) int16](t, r, "toInt16")(x), int16(x); g != w {
			t.Errorf("int16(%v) is %v, not %v", x, g, w)
		}
		if g, w := as[func(float64) int8](t, r, "toInt8")(x), int8(x); g != w {
			t.Errorf("int8(%v) is %v, not %v", x, g, w)
		}
		if g, w := as[func(float64) int32](t, r, "toInt32f")(x), int32(float32(x)); g != w {
			t.Errorf("int32(float32(%v)) is %v, not %v", x, g, w)
		}
	}
}
