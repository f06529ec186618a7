package golang

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/check"
)

// TestLargeTypes: types and values that no session has memory for are errors of their cell, before it runs.
func TestLargeTypes(t *testing.T) {
	thorough.Slow(t)
	const memory, space = "RuntimeError: out of memory: ", "is larger than the address space"
	for _, tt := range []struct{ code, want string }{
		{"var a [1<<40]byte", memory + "[1099511627776]byte takes 1 TiB; the limit is "},
		{"x := [1<<40]int{5: 1}\nx[0]", memory + "[1099511627776]int takes 8 TiB"},
		{"type T [1<<62]int", "TypeError: type [4611686018427387904]int " + space},
		{"type T [1<<50]int\nvar t *T", space},
		{"type A [1<<40]byte\ntype B [1<<20]A", "TypeError: type [1048576]A " + space},
		{"type S struct { a [1<<49]byte; b [1<<49]byte; c int }", space},
		{"x := new([1<<40]byte)", memory},
		{"new([1<<40]byte)", memory},
		{"[...]int{1<<40: 3}", memory + "[1099511627777]int"},
		{"len([]int{1<<40: 3})", memory + "a literal of 1099511627777 elements takes 8 TiB"},
		{"type S struct { a int; b [1<<40]byte }\nvar s S", memory + "S takes 1 TiB"},
		{"type S struct { a int; b [1<<40]byte }\ns := &S{a: 1}", memory + "S takes"},
		{"var a [1<<20][1<<20]byte", memory + "[1048576][1048576]byte"},
		{"func f() { var a [1<<40]byte; _ = a }", memory},
		{"func f(a [1<<40]byte) int { return int(a[3]) }", memory},
		{"func f() (a [1<<40]byte) { return }", memory},
		{"type T struct{}\nfunc (T) m() (a [1<<40]byte) { return }", memory},
		{"func() { var a [1<<40]byte; _ = a }()", memory},
		{"var f func() [1<<40]byte\nf()", memory},
		{"var f func() ([1<<40]byte, error)\nx := f()", memory},
		{"type A [1<<40]byte\nvar p *[1<<40]byte\n_ = A(*p)", memory},
		{"var p *[1<<40]byte\n*p", memory},
		{"var p *[1<<40]byte\nfor _, b := range *p { _ = b; break }", memory},
		{"var x any\ny, ok := x.([1<<40]byte)", memory},
		{"var x any\nswitch v := x.(type) { case [1<<40]byte: _ = v }", memory},
		{"var x any = [1<<40]byte{}", memory},
		{"m := map[int][1<<40]byte{}\nm[3]", memory},
		{"var c chan [1<<16]byte", "TypeError: elements of channels have less than 64 KiB"},
		{"func g[T any]() int { var t T; _ = t; return 1 }\ng[[1<<40]byte]()", memory},
		{"func g[T any]() int { var t [1<<20]T; _ = t; return 1 }\ng[[1<<20]byte]()", memory},
		{"type P[T any] struct{ a [1<<20]T }\nvar p P[[1<<20]byte]", memory + "P[[1048576]byte] takes 1 TiB"},
		{"reflect.New(reflect.ArrayOf(1<<40, reflect.TypeFor[byte]()))", "out of memory: the session's values take "},
		{"reflect.MakeSlice(reflect.TypeFor[[]byte](), 0, 1<<40)", "this allocation 1 TiB"},
		{"reflect.Zero(reflect.ArrayOf(1<<40, reflect.TypeFor[byte]()))", "this allocation 1 TiB"},
		// What allocates nothing is Go's own.
		{"var p *[1<<40]byte\nlen(p)", "1099511627776"},
		{"unsafe.Sizeof([1<<40]byte{})", "1099511627776"},
		{"b := byte(7)\n(*[1<<40]byte)(unsafe.Pointer(&b))[:1:1][0]", "7"},
		{"b := byte(7)\np := (*[1<<40]byte)(unsafe.Pointer(&b))\n(*p)[0] + p[0]", "14"},
		{"type S struct { n int; rest [1<<40]byte }\nn := 7\n(*S)(unsafe.Pointer(&n)).n", "7"},
		{"n := 0\nvar p *[1<<40]byte\nfor i := range p { if n++; i == 3 { break } }\nn", "4"},
		{"len(make([][1<<40]byte, 0))", "0"},
		{"type List struct { next *List; rest map[string]*List }\nvar l List\nl.rest == nil", "true"},
	} {
		e, _ := newEngine(t)
		runCell(t, e, 1, "keep := 7")
		out := e.Eval(t.Context(), 2, tt.code)
		got := ""
		switch {
		case out.Failure != nil:
			got = out.Failure.Name + ": " + out.Failure.Message
			if len(out.Failure.Frames) != 1 {
				t.Errorf("%s: frames %v", tt.code, out.Failure.Frames)
			}
		case len(out.Values) == 1:
			got = fmt.Sprint(out.Values[0].V)
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s\nis %q, want %q", tt.code, got, tt.want)
		}
		if got := value(t, e, "keep"); got != "7 int" {
			t.Errorf("%s: keep is %s", tt.code, got)
		}
	}
}

// TestVariablesTogether: variables of a cell that fit one by one, and not together.
func TestVariablesTogether(t *testing.T) {
	e, _ := newEngine(t)
	e.rt.Memory.Limit = 1 << 30
	out := e.Eval(t.Context(), 1, "var a, b, c [400<<20]byte")
	if out.Failure == nil || !strings.Contains(out.Failure.Message, "the variables of this cell 1.2 GiB; the limit is 1 GiB") {
		t.Errorf("%+v", out.Failure)
	}
}

// nested is a chain of declarations, each of which is made of the one before it.
func nested(first, next string, n int) string {
	list := []string{first}
	for i := 1; i < n; i++ {
		list = append(list, strings.NewReplacer("#", fmt.Sprint(i), "$", fmt.Sprint(i-1)).Replace(next))
	}
	return strings.Join(list, "\n") + "\n"
}

// TestHugeSyntax: types, constants and expressions whose check would take minutes are errors.
func TestHugeSyntax(t *testing.T) {
	thorough.Slow(t)
	const deep, levels, parts = "SyntaxError: more than 1000 expressions, types or blocks inside one another",
		"TypeError: a type with more than 100 types inside one another",
		"TypeError: a type that is made of more than 100000 types"
	many := strings.Repeat
	for _, tt := range []struct{ name, code, want string }{
		{"slices", "var x " + many("[]", 5000) + "int", deep},
		{"pointers", "var x " + many("*", 5000) + "int", deep},
		{"functions", "type F " + many("func() ", 5000), deep},
		{"structs", "var x " + many("struct{ a ", 1000) + "int" + many("}", 1000), deep},
		{"parentheses", "x := " + many("(", 5000) + "1" + many(")", 5000), deep},
		{"negations", "y := true\nx := " + many("!", 5000) + "y", deep},
		{"a sum", "y := 1\nx := y" + many("+y", 5000), deep},
		{"calls", "func f(a int) int { return a }\n" + many("f(", 1500) + "1" + many(")", 1500), deep},
		{"blocks", many("{", 5000) + many("}", 5000), deep},
		{"literals", "x := " + many("func() int { return ", 600) + "1" + many("}()", 600), deep},
		{"a sum of literals", `x := "a"` + many(` + "b"`, 5000) + "\nlen(x)", "5001"},
		{"slices that fit", "var x " + many("[]", 100) + "int\nx == nil", "true"},
		{"slices that nearly fit", "var x " + many("[]", 102) + "int", levels},
		{"aliases", nested("type T0 = []int", "type T# = []T$", 200), levels},
		{"instances", "type P[T any] struct{ a []T }\nvar p " + many("P[", 200) + "int" + many("]", 200), levels},
		{"structs of two", nested("type T0 struct{ a, b int }", "type T# struct{ a, b T$ }", 60) + "var t *T59", parts},
		{"arrays of structs", nested("type T0 struct{ a, b int }", "type T# [2]struct{ a, b T$ }", 60), parts},
		{"functions of two", nested("type T0 = func(int) int", "type T# = func(T$) T$", 40), parts},
		{"instances of two", "type P[T any] struct{ a, b T }\nvar p " + many("P[", 60) + "int" + many("]", 60), parts},
		{"a constant string", nested(`const s0 = "abcdefgh"`, "const s# = s$ + s$", 60) + "len(s59)",
			"TypeError: constant string of 32 MiB: the limit is 16 MiB"},
		{"a repeated one", "const (\n\ts0 = \"abcdefgh\"\n" + nested("", "s# = string(s$) + s$", 60) + ")",
			"TypeError: constant string of 32 MiB"},
		{"a string of variables", nested(`s0 := "abcdefgh"`, "s# := s$ + s$", 22) + "len(s21)", "16777216"},
		{"large numbers", "const n = 1<<500\nconst m = n*n", "TypeError: constant multiplication overflow"},
		{"shifts", "const n = 1<<(1<<20)", "TypeError: invalid operation: invalid shift count"},
		{"floats", "const n = 1e100000000\nn > 1", "true"},
		{"instances of functions", nested("func g0[T any](x T) {}",
			"func g#[T any](x T) { g$([]T{x}); g$(map[int]T{}) }", 20) + "g19(1)",
			"TypeError: more than 4096 instances of generic functions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, _ := newEngine(t)
			runCell(t, e, 1, "keep := 7")
			out := e.Eval(t.Context(), 2, tt.code)
			got := ""
			if out.Failure != nil {
				got = out.Failure.Name + ": " + out.Failure.Message
			} else if len(out.Values) == 1 {
				got = fmt.Sprint(out.Values[0].V)
			}
			if !strings.HasPrefix(got, tt.want) {
				t.Errorf("is %q, want %q", got, tt.want)
			}
			if got := value(t, e, "keep"); got != "7 int" {
				t.Errorf("keep is %s", got)
			}
		})
	}
}

// TestInterruptedCheck: a cell that is checked or lowered when it is interrupted ends, and changes nothing.
func TestInterruptedCheck(t *testing.T) {
	for _, code := range []string{
		"m := []int{" + strings.Repeat("1, ", 1000) + "}",
		"y := 0\n" + strings.Repeat("y++\n", 1000),
		"type T struct{}\nfunc (T) Get() int { return 1 }",
	} {
		e, _ := newEngine(t)
		runCell(t, e, 1, "keep := 7\ntype K struct{ n int }\nfunc (k K) String() string { return \"K\" }\nkeep")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		out := e.Eval(ctx, 2, code+"\n_1")
		if out.Failure == nil || out.Failure.Name != "Interrupted" {
			t.Errorf("%.30s: %+v", code, out.Failure)
		}
		if got := value(t, e, "keep"); got != "7 int" {
			t.Errorf("keep is %s", got)
		}
		if out := e.Eval(t.Context(), 3, "_1 + 1"); out.Failure != nil || fmt.Sprint(out.Values[0].V) != "8" {
			t.Errorf("%.30s: %+v", code, out)
		}
	}
}

// interruptedAt is cancelled when it is asked for the nth time.
type interruptedAt struct {
	context.Context
	cancel func()
	n      int
}

func (c *interruptedAt) Err() error {
	if c.n--; c.n == 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// TestInterruptedCompilation: wherever a cell is interrupted before it runs, nothing of the session has changed.
func TestInterruptedCompilation(t *testing.T) {
	for _, way := range []string{"always", "1", "0"} {
		t.Run("GOROCM_NATIVE="+way, func(t *testing.T) {
			t.Setenv("GOROCM_NATIVE", way)
			interruptCompilation(t)
		})
	}
}

// interruptCompilation interrupts a cell that redefines what there is at every place, one after another.
func interruptCompilation(t *testing.T) {
	const before = "keep := 7\ntype K struct{ n int }\nfunc (k K) Get() int { return k.n }\nfunc f() int { return 1 }\n" +
		"ran := false\nkeep"
	const code = "type K struct{ n, m int }\nfunc (k K) Get() int { return k.m + _1 }\nfunc f() int { return 2 }\nran = true\n" +
		"keep := map[string]int{\"a\": 3}\nfor i := range 3 { keep[\"a\"] += i }\nfmt.Sprint(K{1, 2}.Get(), f(), keep)"
	e, _ := newEngine(t)
	runCell(t, e, 1, before)
	for n := 1; ; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		out := e.Eval(&interruptedAt{ctx, cancel, n}, 2, code)
		if cancel(); value(t, e, "ran") == "true bool" {
			if n < 40 {
				t.Errorf("it has run at %d", n)
			}
			return
		}
		if out.Failure == nil || out.Failure.Name != "Interrupted" {
			t.Fatalf("interrupted at %d: %+v", n, out.Failure)
		}
		if got := value(t, e, "fmt.Sprint(keep, K{5}.Get(), f(), _1)"); got != "7 5 1 7 string" {
			t.Fatalf("interrupted at %d: %s", n, got)
		}
	}
}

// TestLargeNote: where no limit of this machine's would help, the note does not propose one.
func TestLargeNote(t *testing.T) {
	e, _ := newEngine(t)
	f := e.Eval(context.Background(), 1, "var a [1<<40]byte").Failure
	if f == nil || len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "a slice takes memory") {
		t.Errorf("%+v", f)
	}
}

// TestLeftCell: an interrupt does not wait for a long step of a cell's compilation, whose cell changes nothing.
func TestLeftCell(t *testing.T) {
	thorough.Slow(t)
	e, _ := newEngine(t)
	runCell(t, e, 1, "keep := 7\nfunc f() int { return 1 }\nkeep")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	long := "keep = 8\nfunc f() int { return 2 }\nmore := 1\n" + strings.Repeat("keep++\n", leavable/7)
	func() {
		e.scope.Mu.Lock() // the step
		defer e.scope.Mu.Unlock()
		for n := 2; n < 4; n++ { // the second waits for the first, and can be interrupted, too
			f := e.Eval(ctx, n, long).Failure
			if f == nil || f.Name != "Interrupted" || n == 2 && len(f.Notes) != 1 {
				t.Fatalf("%d: %+v", n, f)
			}
		}
		if f := EvalBeside(ctx, e, "cell[4]", long).Failure; f == nil || f.Name != "Interrupted" {
			t.Fatalf("%+v", f)
		}
	}()
	if got := value(t, e, "fmt.Sprint(keep, f(), _1)"); got != "7 1 7 string" {
		t.Error(got)
	}
	if out := e.Eval(t.Context(), 5, "more"); out.Failure == nil {
		t.Error("a variable of the cell is there")
	}
	if out := e.Eval(t.Context(), 6, long+"keep + f()"); out.Failure != nil ||
		fmt.Sprint(out.Values[0].V) != fmt.Sprint(10+leavable/7) {
		t.Errorf("%+v", out.Failure)
	}
}

// TestChangingCell: a cell that has begun to change the session is waited for.
func TestChangingCell(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := &check.Leavable{Context: ctx}
	sc := &check.Scope{}
	check.Interruptible(sc, l)
	if f := check.Changing(sc); f != nil {
		t.Fatal(f)
	}
	cancel()
	if l.Leave() {
		t.Error("it is left")
	}
	l = &check.Leavable{Context: ctx}
	check.Interruptible(sc, l)
	if !l.Leave() || check.Changing(sc) == nil {
		t.Error("it is not left")
	}
}
