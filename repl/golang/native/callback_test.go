package native

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

const valuesSource = `
import "sort"
func adder(n int) func(int) int { return func(x int) int { return x + n } }
func apply(f func(int) int, n int) int { return f(n) + 1 }
func twice(n int) int { return apply(func(x int) int { return 2*x + n }, n) }
func double(x int) int { return 2 * x }
func named(n int) int { return apply(double, n) }
func less(list []int) func(i, j int) bool { return func(i, j int) bool { return list[i] < list[j] } }
func lessText(list []string) func(i, j int) bool { return func(i, j int) bool { return list[i] < list[j] } }
func counter() func() int { n := 0; return func() int { n++; return n } }
func fibs(n int) int {
	var fib func(int) int
	fib = func(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
	return fib(n)
}
func inc(p *int) func() { return func() { *p++ } }
func text(s string) func(string, []int, *int) (string, *int) {
	return func(t string, list []int, p *int) (string, *int) { *p += len(s); list = append(list, *p); return s + t, &list[len(list)-1] }
}
func relay(f func()) func() { return func() { f() } }
func rows(n int) func() [][]int {
	return func() [][]int { t := make([][]int, n); for i := range t { t[i] = make([]int, n); t[i][i] = i }; return t }
}
func narrow(k int) func(int8, uint16, bool, float32, uint8, int32, uint32) (int, int8, uint32) {
	return func(a int8, b uint16, c bool, d float32, e uint8, f int32, g uint32) (int, int8, uint32) {
		n := k + int(a)*3 + int(b)*5 + int(d) + int(e)*7 + int(f)*11 + int(g)*13
		if c { n = -n }
		return n, a - 100, g + 1
	}
}
func wide(k int) func(a, b, c, d, e, f, g, h, i int, x, y, z float64) (int, float64, float32) {
	return func(a, b, c, d, e, f, g, h, i int, x, y, z float64) (int, float64, float32) {
		return a + 2*b + 3*c + 4*d + 5*e + 6*f + 7*g + 8*h + 9*i + k, x - y*z, float32(z)
	}
}
func nested(n int) func(int) bool {
	return func(i int) bool { s := sort.Search(n, func(j int) bool { return j*j >= n+i }); return i+s >= n }
}
func sink(n int) int { return sort.Search(1, func(i int) bool { return sink(n+1) > i }) }
func forever(n int) func(int) int { return func(x int) int { for { x += n } } }
func vals(n int, f []func(int) int) (s int) { for i := range n { s += f[i%len(f)](i) }; return s }
func chain(n int) func(int) int { f := func(x int) int { return x }; for i := range n { g := f; f = func(x int) int { return g(x) + i } }; return f }
type pt struct { X, Y float64; Name string }
func points(p pt) func(pt) pt { return func(q pt) pt { return pt{p.X + q.X, p.Y * q.Y, p.Name + q.Name} } }
func three(x float64) func(float64) (float64, float64, float64) { return func(y float64) (float64, float64, float64) { return x, y, x*y } }
`

// outOf is what calling f gives, or its panic.
func outOf(f func() any) (s string) { return outcome(func() string { return fmt.Sprint(f()) }) }

// TestFunctionValues calls function values of generated code from Go code, and the other way round.
func TestFunctionValues(t *testing.T) {
	thorough.Slow(t)
	r := compileAll(t, valuesSource)
	list, texts := []int{5, 2, 8, 1}, []string{"pear", "fig", "apple"}
	n := 1
	p := &n
	double := func(x int) int { return x * 100 }
	next := as[func() func() int](t, r, "counter")()
	inc := as[func(*int) func()](t, r, "inc")(p)
	for i, c := range []struct {
		got  func() any
		want string
	}{
		{func() any { return as[func(int) func(int) int](t, r, "adder")(3)(4) }, "7"},
		{func() any { return as[func(int) int](t, r, "twice")(5) }, "16"},
		{func() any { return as[func(int) int](t, r, "named")(5) }, "11"},
		{func() any { return as[func(func(int) int, int) int](t, r, "apply")(double, 5) }, "501"},
		{func() any { return as[func(func(int) int, int) int](t, r, "apply")(nil, 5) },
			"panic: runtime error: invalid memory address or nil pointer dereference"},
		{func() any { sort.Slice(list, as[func([]int) func(i, j int) bool](t, r, "less")(list)); return list }, "[1 2 5 8]"},
		{func() any {
			sort.Slice(texts, as[func([]string) func(i, j int) bool](t, r, "lessText")(texts))
			return texts
		},
			"[apple fig pear]"},
		{func() any { sort.Slice(list, as[func([]int) func(i, j int) bool](t, r, "less")(list[:2])); return list },
			"panic: runtime error: index out of range [2] with length 2"},
		{func() any { return []int{next(), next(), next()} }, "[1 2 3]"},
		{func() any { return as[func(int) int](t, r, "fibs")(20) }, "6765"},
		{func() any { inc(); inc(); return n }, "3"},
		{func() any {
			f := as[func(string) func(string, []int, *int) (string, *int)](t, r, "text")("abc")
			s, q := f("de", []int{7}, p)
			return fmt.Sprint(s, *q, n)
		}, "abcde6 6"},
		{func() any { return len(as[func(int) func() [][]int](t, r, "rows")(90)()) }, "90"},
		{func() any {
			type narrow = func(int8, uint16, bool, float32, uint8, int32, uint32) (int, int8, uint32)
			a, b, c := as[func(int) narrow](t, r, "narrow")(1)(-128, 65535, true, 2.5, 255, math.MinInt32, math.MaxUint32)
			return fmt.Sprint(a, b, c)
		}, "-32212583786 28 0"},
		{func() any {
			type wide = func(a, b, c, d, e, f, g, h, i int, x, y, z float64) (int, float64, float32)
			a, b, c := as[func(int) wide](t, r, "wide")(1000)(1, 2, 3, 4, 5, 6, 7, 8, 9, 1.5, 2, 0.25)
			return fmt.Sprint(a, b, c)
		}, "1285 1 0.25"},
		{func() any { return sort.Search(50, as[func(int) func(int) bool](t, r, "nested")(40)) }, "31"},
		{func() any {
			f := []func(int) int{double, as[func(int) func(int) int](t, r, "adder")(3), func(x int) int { return -x }}
			return as[func(int, []func(int) int) int](t, r, "vals")(100, f)
		}, "168366"},
		{func() any { return as[func(int) func(int) int](t, r, "chain")(1000)(1) }, "499501"},
		{func() any {
			type pt = struct {
				XX, XY float64
				XName  string
			}
			f := as[func(pt) func(pt) pt](t, r, "points")(pt{1, 2, "a"})
			return f(pt{3, 4, "b"})
		}, "{4 8 ab}"},
		{func() any {
			x, y, z := as[func(float64) func(float64) (float64, float64, float64)](t, r, "three")(2)(5)
			return []float64{x, y, z}
		}, "[2 5 10]"},
	} {
		if got := outOf(c.got); got != c.want {
			t.Errorf("%d: %s, not %s", i, got, c.want)
		}
	}
}

// TestCaptured: what a function value keeps alive is listed.
func TestCaptured(t *testing.T) {
	r := compileAll(t, valuesSource)
	n := 5
	for i, c := range []struct {
		fn   any
		want string
	}{
		{as[func([]int) func(i, j int) bool](t, r, "less")([]int{1, 2}), "[[1 2]]"},
		{as[func(*int) func()](t, r, "inc")(&n), "[5]"},
		{as[func() func() int](t, r, "counter")(), "[0]"},
		{strings.ToUpper, ""},
		{(func())(nil), ""},
	} {
		id, list := Captured(reflect.ValueOf(c.fn))
		got := ""
		if id != 0 {
			var values []any
			for _, v := range list {
				if v.Kind() == reflect.Pointer {
					v = v.Elem()
				}
				values = append(values, v.Interface())
			}
			got = fmt.Sprint(values)
		}
		if got != c.want {
			t.Errorf("%d: %s, not %s", i, got, c.want)
		}
	}
}

// TestResultForms: every form of results comes back from code that has left, and from code that has not.
func TestResultForms(t *testing.T) {
	word := map[rune][2]string{'n': {"int16", "int16(k + %d)"}, 'p': {"*int", "&list[(k+%d)&7]"}, 'x': {"float32", "float32(k + %d)"}}
	var src strings.Builder
	for form := range resultForms.index {
		var kinds, values []string
		for i, c := range form {
			kinds, values = append(kinds, word[c][0]), append(values, fmt.Sprintf(word[c][1], i))
		}
		for name, leave := range map[string]string{"quick": "", "leaves": "s := make([]int, k&1+1); k += s[0]\n"} {
			ret := ""
			if form != "" {
				ret = "return " + strings.Join(values, ", ")
			}
			fmt.Fprintf(&src, "func %s_%s(list []int) func(int) (%s) { return func(k int) (%s) { list[0]++; %s%s } }\n", name, form,
				strings.Join(kinds, ", "), strings.Join(kinds, ", "), leave, ret)
		}
	}
	r := compileAll(t, src.String())
	for form := range resultForms.index {
		for _, name := range []string{"quick_", "leaves_"} {
			list := make([]int, 8)
			fn := r[name+form]
			if fn.Reason != nil {
				t.Errorf("%s%s: %v", name, form, fn.Reason)
				continue
			}
			out := reflect.New(fn.Proc.results[0])
			fn.Proc.Code().Run(testHost(), 0, pointers(reflect.ValueOf(&list)), pointers(out))
			got := ""
			for i, v := range out.Elem().Call([]reflect.Value{reflect.ValueOf(5)}) {
				want := fmt.Sprint(5 + i)
				if v.Kind() == reflect.Pointer {
					v, want = reflect.ValueOf(v.Pointer()), fmt.Sprint(reflect.ValueOf(&list[(5+i)&7]).Pointer())
				}
				if s := fmt.Sprint(v); s != want {
					got += fmt.Sprintf(" %d: %s, not %s", i, s, want)
				}
			}
			if got != "" || list[0] != 1 {
				t.Errorf("%s%s: %s, %v", name, form, got, list)
			}
		}
	}
}

// TestCallbackStack: a function value is called with much of Go's stack in use, and its recursion through Go code ends.
func TestCallbackStack(t *testing.T) {
	r := compileAll(t, valuesSource)
	f := as[func(string) func(string, []int, *int) (string, *int)](t, r, "text")("abc")
	var deep func(n int) string
	deep = func(n int) string {
		var frame [64]int
		if n > 0 {
			frame[n&63] = n
			return deep(n - frame[n&63]/n)
		}
		k := 1
		s, p := f("x", []int{1}, &k)
		return fmt.Sprint(s, *p, k)
	}
	if got := deep(3000); got != "abcx4 4" {
		t.Error(got)
	}
	if got := outOf(func() any { return as[func(int) int](t, r, "sink")(0) }); got != "panic: stack overflow" {
		t.Error(got)
	}
}

// TestCallbackStop: a function value returns at once where its goroutine is to stop, and a goroutine ends in one.
func TestCallbackStop(t *testing.T) {
	stops := 0
	h := testHost()
	h.Stopped = func() bool { stops++; return stops > 3 }
	p := New(plainType)
	r := compileHosted(t, valuesSource, p, h)
	if got := asWith[func(int) func(int) int](t, r, "forever", h)(1)(5); got != 0 || stops != 4 {
		t.Error(got, stops)
	}
	h.Stopped = func() bool { runtime.Goexit(); return true }
	ended := make(chan bool)
	go func() {
		defer close(ended)
		asWith[func(int) func(int) int](t, r, "forever", h)(1)(5)
	}()
	<-ended
	if got := asWith[func(int) func(int) int](t, r, "adder", h)(1)(5); got != 6 {
		t.Error(got)
	}
}

// TestCallbackGoroutines: goroutines begin with function values, also while the collector looks at their stacks.
func TestCallbackGoroutines(t *testing.T) {
	r := compileAll(t, valuesSource)
	relay, add := as[func(func()) func()](t, r, "relay"), as[func(int) func(int) int](t, r, "adder")
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Add(3)
		go relay(wg.Done)()
		time.AfterFunc(0, relay(wg.Done))
		f := add(i)
		go func() {
			defer wg.Done()
			if f(1) != i+1 {
				t.Error(i)
			}
		}()
		if i%50 == 0 {
			runtime.GC()
		}
	}
	wg.Wait()
}

func BenchmarkLess(b *testing.B) {
	list := []int{1, 2}
	b.Run("compiled", func(b *testing.B) {
		less := func(i, j int) bool { return list[i] < list[j] }
		for b.Loop() {
			calledLess(less)
		}
	})
	b.Run("machine", func(b *testing.B) {
		less := as[func([]int) func(i, j int) bool](b, compileAll(b, valuesSource), "less")(list)
		contexts.openThread()
		for b.Loop() {
			calledLess(less)
		}
	})
}

//go:noinline
func calledLess(less func(i, j int) bool) bool { return less(0, 1) }
