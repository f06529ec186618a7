package golang

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/check"
	"golang.org/x/tools/txtar"
)

// lateModule has functions that are called in every way that there is, and more that are never called.
const lateModule = `
-- go.mod --
module example.com/late

go 1.26
-- late.go --
package late

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"
	"sync"
)

var started = initial("a")

var table = [5]uint16{1: 7, 3: 9}
var names = map[string][]Pair{"x": {{1, "one"}, {N: 2}}, "y": nil}
var ranges = &struct{ lo, hi []float32 }{lo: []float32{1, 0.1}}

var bytes = []byte("by\x00tes")

type Pair struct {
	N    int8
	text string
}

func initial(s string) string { return s + second }

var second = strings.Repeat("b", three())

func three() int { return 3 }

func unused() { unusedToo() }

func unusedToo() { panic("unused") }

type Shape interface{ Area() float64 }

type Square struct{ side float64 }

func (s Square) Area() float64   { return s.side * s.side }
func (s *Square) Grow(n float64) { s.side += n }
func (s Square) String() string  { return fmt.Sprintf("square of %v", s.side) }
func (s Square) Never() string   { return "never" }

type List[T any] struct{ items []T }

func (l *List[T]) Push(x ...T) *List[T] { l.items = append(l.items, x...); return l }
func (l *List[T]) Len() int              { return len(l.items) }

func Map[T, U any](l *List[T], f func(T) U) (r List[U]) {
	for _, x := range l.items {
		r.Push(f(x))
	}
	return r
}

func Fib(n int) int {
	if n < 2 {
		return n
	}
	return Fib(n-1) + Fib(n-2)
}

func Even(n int) bool { return n == 0 || Odd(n-1) }
func Odd(n int) bool  { return n != 0 && Even(n-1) }

func Join(sep string, s ...string) string { return strings.Join(s, sep) }

func Sign(x float64) bool { return math.Signbit(x) }

var errBad = errors.New("bad")

func Safe(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("safe: %v", r)
		}
	}()
	f()
	return errBad
}

func Fail(n int) int {
	s := []int{1}
	return s[n]
}

func less(a, b string) bool { return len(a) < len(b) }

func Sorted(s ...string) []string {
	sort.Slice(s, func(i, j int) bool { return less(s[i], s[j]) })
	return s
}

func State() string { return fmt.Sprint(string(bytes[3:]), cap(bytes) >= len(bytes), started, table, names, ranges.lo, ranges.hi == nil, names["x"][0].text) }

func one(n int) int { return two(n) + 1 }
func two(n int) int { return n * 2 }

func Together(n int) (sum int) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			v := one(i)
			mu.Lock()
			defer mu.Unlock()
			sum += v
		}()
	}
	wg.Wait()
	return sum
}

func background(done chan<- string, s string) { done <- s }

func Background(s string) string {
	c := make(chan string)
	go background(c, s)
	return <-c
}

func Deferred() (s string) {
	defer func() { s += late("!") }()
	defer note(&s, "x")
	return "r"
}

func note(s *string, x string) { *s += x }
func late(s string) string     { return s }

func Closure() func() int {
	n := 0
	return func() int { n = add(n, 1); return n }
}

func add(a, b int) int { return a + b }

var Hook func(string) string = strings.ToUpper

func init() { fmt.Fprintln(os.Stdout, "init", three()) }
`

const lateCells = `import "example.com/late"
fmt.Println(late.State())
%%
s := &late.Square{}
s.Grow(3)
var shape late.Shape = s
fmt.Println(shape.Area(), s, *s)
%%
l := (&late.List[int]{}).Push(1, 2).Push()
fmt.Println(l.Len(), late.Map(l, func(n int) string { return fmt.Sprint("n", n) }), l.Len())
%%
fmt.Println(late.Fib(15), late.Even(7), late.Odd(7), late.Join("-", "a", "b"), late.Join("-"))
%%
zero := 0.0
fmt.Println(late.Sign(-zero), late.Sign(math.Copysign(0, -1)), late.Sign(math.Copysign(0, -1)))
%%
fmt.Println(late.Safe(func() { panic("p") }), late.Safe(func() {}), late.Safe(func() { late.Fail(0) }))
%%
fmt.Println(late.Sorted("ccc", "a", "bb"), late.Together(20), late.Background("there"), late.Deferred())
%%
f, g := late.Closure(), late.Fib
f()
fmt.Println(f(), g(10), late.Hook("up"), reflect.ValueOf(late.Square{}).MethodByName("Area").Call(nil)[0], reflect.TypeOf(late.Square{}).NumMethod())
`

const lateOutput = `init 3
testrueabbb[0 7 0 9 0] map[x:[{1 one} {2 }] y:[]] [1 0.1] trueone
9 square of 3 square of 3
2 {[n1 n2]} 2
610 false true a-b 
true true true
safe: p bad bad
[a bb ccc] 400 there rx!
2 55 UP 0 3
`

// lateEngine has the module in a folder.
func lateEngine(t *testing.T, archive string) (e *Engine, out *bytes.Buffer, dir string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	dir = t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, f.Name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out = &bytes.Buffer{}
	e, err := New(Options{Stdout: out, Stderr: out, Modules: filepath.Join(t.TempDir(), "session")})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.Get(t.Context(), dir, nil); err != nil {
		t.Fatal(err)
	}
	return e, out, dir
}

// TestLateFunctions: functions of modules are lowered when they are first called, in whatever way, and then do what
// they do when they are compiled.
func TestLateFunctions(t *testing.T) {
	e, out, _ := lateEngine(t, lateModule)
	for i, cell := range strings.Split(lateCells, "%%\n") {
		if f := e.Eval(context.Background(), i+1, cell).Failure; f != nil {
			t.Fatalf("%s: %s %v %v\n%s", f.Name, f.Message, f.Frames, f.Notes, out.String())
		}
		if got := e.state.Types.Lowered("example.com/late"); i == 0 && strings.Join(got, " ") != "State initial three" {
			t.Errorf("after the import these are lowered: %q", got)
		}
	}
	if out.String() != lateOutput {
		t.Errorf("got\n%swant\n%s", out.String(), lateOutput)
	}
	for _, name := range e.state.Types.Lowered("example.com/late") {
		if strings.Contains(name, "unused") || strings.Contains(name, "Never") {
			t.Errorf("%s is lowered", name)
		}
	}
	f := e.Eval(context.Background(), 20, "x := 1\nlate.Fail(x)").Failure
	if f == nil || f.Name != "RuntimeError" || len(f.Frames) == 0 || f.Frames[0].Line != 2 {
		t.Errorf("%+v", f)
	}
}

// TestLateFailure: a function that cannot be lowered when it is called is an error of the cell.
func TestLateFailure(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for want, compile := range map[string]func() *check.Failure{
		"Unsupported": func() *check.Failure {
			return &check.Failure{Name: "Unsupported", Message: "why", Notes: []string{"note"}, Trace: "code"}
		},
		"InternalError": func() *check.Failure { panic("a bug") },
	} {
		f := e.Call(t.Context(), func() { e.rt.Apart(compile) })
		if f == nil || f.Name != want || want == "Unsupported" && (f.Message != "why" || f.Trace != "code" || len(f.Notes) != 1) {
			t.Errorf("%s: %+v", want, f)
		}
	}
}

const reloaded = `
-- go.mod --
module example.com/re

go 1.26
-- a.go --
package re

import "example.com/re/low"

type T struct{ N int }

func (t T) Name() string { return "old " + low.Text() }

func Make() T { return T{low.N} }
-- low/low.go --
package low

const N = 1

var made = "made once"

func Text() string { return made }

func Unused() string { return "unused" }
`

// TestReload: a local package whose files have changed is loaded again when it is imported again, with those that
// import it. Values and functions from before keep the older one, functions that were never called among them.
func TestReload(t *testing.T) {
	e, out, dir := lateEngine(t, reloaded)
	n := 0
	run := func(cell, want string) {
		t.Helper()
		n++
		out.Reset()
		o := e.Eval(context.Background(), n, cell)
		if o.Failure != nil {
			out.WriteString(o.Failure.Name + ": " + o.Failure.Message + "\n")
		}
		if out.String() != want {
			t.Errorf("%s\ngot\n%swant\n%s", cell, out.String(), want)
		}
	}
	write := func(name, old, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(data), old, text)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("import \"example.com/re\"\nold := re.Make()\nfunc made() re.T { return re.Make() }\nfmt.Println(old.N)", "1\n")
	run("import \"example.com/re\"\nfmt.Println(re.Make().N)", "1\n")
	write("low/low.go", "N = 1", "N = 22222")
	run("fmt.Println(re.Make().N)", "1\n") // not imported again
	const again = " has changed and is loaded again; what was made before keeps the older version\n"
	run("import \"example.com/re\"\nfmt.Println(re.Make().N, old.Name(), made().N)",
		"example.com/re/low"+again+"example.com/re"+again+"22222 old made once 1\n")
	write("a.go", "old", "newer")
	run("import \"example.com/re\"\nfmt.Println(re.Make().Name(), old.Name())", "example.com/re"+again+"newer made once old made once\n")
	write("a.go", "newer", `newest" + 1 + "`)
	run("import \"example.com/re\"", "ImportError: example.com/re cannot be interpreted: "+filepath.Join(dir, "a.go")+
		":7:35: invalid operation: \"newest\" + 1 (mismatched types untyped string and untyped int)\n")
	run("fmt.Println(re.Make().Name())", "newer made once\n")
	write("a.go", `newest" + 1 + "`, "fixed")
	run("import \"example.com/re\"\nfmt.Println(re.Make().Name())", "example.com/re"+again+"fixed made once\n")
	run("import \"example.com/re\"\nfmt.Println(re.Make() == re.T{22222})", "true\n")
}
