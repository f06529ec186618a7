package golang

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/debug"
)

// maxStops is how often stepped stops.
const maxStops = 500

// stepped turns the debugger on and has a session stop at the first statements of its cells. At each stop all variables
// are looked at.
func stepped(e *Engine) {
	if f := e.Debugging().Turn(true); f != nil {
		panic(f.Message)
	}
	stops := 0
	e.Debugging().Debugger().Handlers(func(s *debug.Stop) {
		for _, f := range s.Frames {
			for _, v := range e.Debugging().FrameVariables(f) {
				_ = fmt.Sprintf("%s %s %T", v.Name, v.Type, v.Value)
			}
		}
		if stops++; stops < maxStops {
			s.Resume(debug.StepIn)
		} else {
			s.Resume(debug.Continue)
		}
	}, nil, nil)
	e.Debugging().Debugger().Pause()
}

// stepCell has every kind of statement.
const stepCell = `type shape interface{ area() int }
type square struct{ side int }

func (s square) area() int {
	return s.side * s.side
}

func Max[T int | string](a, b T) T {
	if a > b {
		return a
	}
	return b
}

func all(n int) (out []int, err error) {
	defer func() {
		err = nil
	}()
	add := func(x int) {
		out = append(out, x)
	}
	for i := 0; i < 2; i++ {
		add(i)
	}
	if n > 10 {
		add(10)
	} else if x := n * 2; x > 5 {
		add(x)
	} else {
		add(-1)
	}
	switch y := n; y {
	case 1, 2:
		add(100)
	case 3:
		add(200)
		fallthrough
	default:
		add(300)
	}
	var s shape = square{n}
	switch v := s.(type) {
	case square:
		add(v.area())
	}
	c := make(chan int, 1)
	select {
	case c <- 5:
		add(5)
	default:
	}
	select {
	case got, ok := <-c:
		_ = ok
		add(got)
	}
outer:
	for _, a := range []int{1, 2} {
		for b := range 2 {
			if b == 1 {
				continue outer
			}
			add(a * b)
		}
	}
	for r := range "é" {
		add(r)
	}
	for v := range func(yield func(int) bool) { yield(7) } {
		add(v)
	}
	done := make(chan bool)
	go func() { done <- true }()
	<-done
	i := 0
again:
	if i < 1 {
		i++
		goto again
	}
	{
		var m = map[string]int{"a": 1}
		m["a"]++
	}
	add(Max(2, n))
	return out, nil
}`

// stepLines are the lines of stepCell at which steps over statements stop.
const stepLines = "16 19 22 23 22 23 25 27 28 32 36 37 39 41 42 44 46 47 49 52 54 55 58 59 60 63 59 60 61 58 59 60 63 59 60 " +
	"61 66 67 69 70 72 73 74 75 77 78 79 77 82 83 85 86 2"

// TestSteps steps over every statement of a function, and compares the lines with those that are written down: of one
// that is declared while the debugger is on, and of one that was declared before.
func TestSteps(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprintf("late=%v", late), func(t *testing.T) {
			e, err := New(Options{})
			if err != nil {
				t.Fatal(err)
			}
			turn := func(on bool) {
				if f := e.Debugging().Turn(on); f != nil {
					t.Fatal(f.Message)
				}
			}
			turn(!late)
			if out := e.Eval(t.Context(), 1, stepCell); out.Failure != nil {
				t.Fatal(out.Failure)
			}
			turn(true)
			d := e.Debugging().Debugger()
			d.SetBreakpoints("cell[1]", []debug.Breakpoint{{Line: 16}})
			var lines []string
			d.Handlers(func(s *debug.Stop) {
				lines = append(lines, strconv.Itoa(s.Frames[0].Place().Line))
				d.SetBreakpoints("cell[1]", nil)
				s.Resume(debug.StepOver)
			}, nil, nil)
			for _, cell := range []int{2, 3} {
				out := e.Eval(t.Context(), cell, "list, _ := all(3)\nlist")
				if out.Failure != nil {
					t.Fatal(out.Failure)
				}
				if got := fmt.Sprint(out.Values[0].V); got != "[0 1 6 200 300 9 5 5 0 0 0 7 3]" {
					t.Errorf("the function returned %s", got)
				}
				turn(false)
			}
			if got := strings.Join(lines, " "); got != stepLines {
				t.Errorf("stopped at\n%s, want\n%s", got, stepLines)
			}
			if n := len(d.Threads()); n > 0 {
				t.Errorf("%d goroutines are left", n)
			}
		})
	}
}

// TestHooks: lowered code has hooks while the debugger is on, and nothing of them otherwise.
func TestHooks(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	lowered := func() string {
		c, f := e.parse("cell[9]", "func f(n int) int {\n\tdefer func() {}()\n\tfor i := range n {\n\t\tn += i\n\t}\n\treturn n\n}\nf(3)")
		if f != nil {
			t.Fatal(f)
		}
		e.scope.Mu.Lock()
		defer e.scope.Mu.Unlock()
		ck, _, problems := e.scope.Check(c)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		code := e.state.Lower(ck)
		return regexp.MustCompile(`ʹ\d*|\bF\d+`).ReplaceAllString(code.Source(), "")
	}
	before := lowered()
	for _, on := range []bool{true, false} {
		if f := e.Debugging().Turn(on); f != nil {
			t.Fatal(f.Message)
		}
		if code := lowered(); (code != before) != on || strings.Contains(code, ".At(") != on {
			t.Errorf("with the debugger on = %v:\n%s", on, code)
		}
	}
}

// TestFrames: what can be seen and set of variables where a goroutine stops, also those of enclosing functions, of
// generic functions, and of a function that was declared before the debugger was on.
func TestFrames(t *testing.T) {
	tests := []struct {
		name, cell string
		line       int
		want       string   // the variables of the innermost function
		eval       []string // pairs of Go and what it gives
		result     string
	}{
		{"closure", "func outer(a int) func(int) int {\n\tb := a * 2\n\treturn func(c int) int {\n\t\tb += c\n\t\treturn a + b + c\n\t}\n}\n" +
			"outer(3)(4)", 5, "a=3 b=10 c=4", []string{"a + b", "13", "b = 100; b", "100"}, "107"},
		{"generic", "func Sum[K comparable, V int | float64](m map[K]V) (s V) {\n\tfor _, v := range m {\n\t\ts += v\n\t}\n\treturn s\n}\n" +
			"Sum(map[string]float64{\"a\": 1.5})", 3, "m=map[a:1.5] s=0 v=1.5", []string{"s + v*2", "3", `m["a"]`, "1.5"}, "1.5"},
		{"method", "type acc struct{ n int }\nfunc (a *acc) add(k int) {\n\ta.n += k\n}\nx := &acc{1}\nx.add(2)\nx.n", 3,
			"a=&{1} k=2", []string{"a.n", "1", "k = 10; a.n = 5; a.n + k", "15"}, "15"},
		{"shadow", "func f(x int) int {\n\tif x := x + 1; x > 0 {\n\t\tx := \"inner\"\n\t\treturn len(x)\n\t}\n\treturn x\n}\nf(1)", 4,
			"x=inner", []string{`x + "!"`, "inner!", `x = "ab"; len(x)`, "2"}, "2"},
		{"loop variables", "fs := []func() int{}\nfor i := range 3 {\n\tfs = append(fs, func() int {\n\t\treturn i * 10\n\t})\n}\nfs[2]()", 4,
			"fs=… i=2", []string{"i", "2", "i = 7; i", "7"}, "70"},
		{"interface", "func show(v any, e error) string {\n\treturn fmt.Sprint(v, e)\n}\nshow(time.Second, io.EOF)", 2, "v=1s e=EOF",
			[]string{"v.(time.Duration).Seconds()", "1", "e == io.EOF", "true", `v = "new"; v`, "new"}, "newEOF"},
		{"results", "func div(a, b int) (q, r int, err error) {\n\tq = a / b\n\tr = a % b\n\tdefer func() {\n\t\tq *= 10\n\t}()\n\treturn\n}\n" +
			"q, _, _ := div(7, 2)\nq", 5, "a=7 b=2 q=3 r=1 err=<nil>", []string{"q = 4; q", "4"}, "40"},
		{"cell", "n := 4\nm := n + 1\nn * m", 3, "n=4 m=5", []string{"n*m", "20", "m = 6; m", "6"}, "24"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e, err := New(Options{})
			if err != nil {
				t.Fatal(err)
			}
			if f := e.Debugging().Turn(true); f != nil {
				t.Fatal(f.Message)
			}
			d := e.Debugging().Debugger()
			d.SetBreakpoints("cell[1]", []debug.Breakpoint{{Line: test.line}})
			d.Handlers(func(s *debug.Stop) {
				defer s.Resume(debug.Continue)
				d.SetBreakpoints("cell[1]", nil)
				var list []string
				for _, v := range e.Debugging().FrameVariables(s.Frames[0]) {
					text := fmt.Sprint(v.Value)
					if v.Name == "fs" {
						text = "…"
					}
					list = append(list, v.Name+"="+text)
				}
				if got := strings.Join(list, " "); got != test.want {
					t.Errorf("variables %s, want %s", got, test.want)
				}
				for i := 0; i < len(test.eval); i += 2 {
					out := e.Debugging().EvalIn(t.Context(), s.Frames, test.eval[i])
					if out.Failure != nil || len(out.Values) != 1 || fmt.Sprint(out.Values[0].V) != test.eval[i+1] {
						t.Errorf("%s is %v %v, want %s", test.eval[i], out.Values, out.Failure, test.eval[i+1])
					}
				}
			}, nil, nil)
			out := e.Eval(t.Context(), 1, test.cell)
			if out.Failure != nil || fmt.Sprint(out.Values[0].V) != test.result {
				t.Errorf("the cell gives %v %v, want %s", out.Values, out.Failure, test.result)
			}
		})
	}
}

// TestLoopClosures: a function literal made in a loop has the variables of the iteration that made it, to look at, in
// conditions, and to assign to. Those that it does not use are not shown.
func TestLoopClosures(t *testing.T) {
	const calls = "\nfor _, f := range fs {\n\tf()\n}\nfs[0]()*10000 + fs[1]()*100 + fs[2]()"
	tests := []struct{ name, cell, want string }{
		{"range int", "for k := range 3 {\n\tfs = append(fs, func() int {\n\t\ty := k * 10\n\t\treturn y\n\t})\n}", "k=0 y=0, k=1 y=10, k=2 y=20"},
		{"for", "for k := 0; k < 3; k++ {\n\tfs = append(fs, func() int {\n\t\ty := k * 10\n\t\treturn y\n\t})\n}", "k=0 y=0, k=1 y=10, k=2 y=20"},
		{"slice", "for _, k := range []int{0, 1, 2} {\n\tfs = append(fs, func() int {\n\t\ty := k * 10\n\t\treturn y\n\t})\n}", "k=0 y=0, k=1 y=10, k=2 y=20"},
		{"function", "for k := range slices.Values([]int{0, 1, 2}) {\n\tfs = append(fs, func() int {\n\t\ty := k * 10\n\t\treturn y\n\t})\n}", "k=0 y=0, k=1 y=10, k=2 y=20"},
		{"body", "for i := range 3 {\n\tk := i; fs = append(fs, func() int {\n\t\ty := k * 10\n\t\treturn y\n\t})\n}", "k=0 y=0, k=1 y=10, k=2 y=20"},
		{"nested", "for k := range 3 {\n\tfs = append(fs, func() int { return func() int {\n\t\ty := k * 10\n\t\treturn y\n\t}() })\n}", "k=0 y=0, k=1 y=10, k=2 y=20"},
		{"goto", "i := 0\nagain: { k := i; fs = append(fs, func() int { y := k * 10;\n\t\treturn y\n\t})\n}\nif i++; i < 3 { goto again }", "k=0 y=0, k=1 y=10, k=2 y=20"},
		{"unused", "for k := range 3 {\n\tx := k; _ = x; j := k; fs = append(fs, func() int {\n\t\ty := j * 10\n\t\treturn y\n\t})\n}", "j=0 y=0, j=1 y=10, j=2 y=20"},
	}
	for _, test := range tests {
		for _, in := range []string{"%s", "func make() (fs []func() int) {\n%s\nreturn\n}\nfs := make()"} {
			t.Run(test.name, func(t *testing.T) {
				e, err := New(Options{})
				if err != nil {
					t.Fatal(err)
				}
				if f := e.Debugging().Turn(true); f != nil {
					t.Fatal(f.Message)
				}
				cell := fmt.Sprintf(in, test.cell) + calls
				if in == "%s" {
					cell = "var fs []func() int\n" + cell
				}
				cell = "k := -1\n" + cell
				line := 1 + strings.Count(cell[:strings.Index(cell, "return y")], "\n")
				d := e.Debugging().Debugger()
				d.SetBreakpoints("cell[1]", []debug.Breakpoint{{Line: line}})
				var stops []string
				d.Handlers(func(s *debug.Stop) {
					defer s.Resume(debug.Continue)
					var list []string
					for _, v := range e.Debugging().FrameVariables(s.Frames[0]) {
						if !v.Global && !strings.HasPrefix(v.Name, "fs") && v.Name != "i" {
							list = append(list, fmt.Sprint(v.Name, "=", v.Value))
						}
					}
					if stops = append(stops, strings.Join(list, " ")); len(stops) == 3 {
						d.SetBreakpoints("cell[1]", nil)
					}
					if out := e.Debugging().EvalIn(t.Context(), s.Frames, list[0][:1]+" += 5"); out.Failure != nil {
						t.Error(out.Failure)
					}
					if out := e.Debugging().EvalIn(t.Context(), s.Frames, "k"); test.name == "unused" && (out.Failure == nil || len(out.Failure.Notes) == 0) {
						t.Errorf("k is %v %v", out.Values, out.Failure)
					}
				}, nil, nil)
				out := e.Eval(t.Context(), 1, cell)
				if out.Failure != nil || fmt.Sprint(out.Values[0].V) != "506070" {
					t.Errorf("the cell gives %v %v", out.Values, out.Failure)
				}
				if got := strings.Join(stops, ", "); got != test.want {
					t.Errorf("stops with %s, want %s", got, test.want)
				}
			})
		}
	}
}

// TestStoppedGoroutines: one goroutine stops, others wait at their next statement, and an interrupt ends the cell.
func TestStoppedGoroutines(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f := e.Debugging().Turn(true); f != nil {
		t.Fatal(f.Message)
	}
	d := e.Debugging().Debugger()
	d.SetBreakpoints("cell[1]", []debug.Breakpoint{{Line: 3}})
	threads := map[int]int{}
	var mu sync.Mutex
	running := 0
	d.Handlers(func(s *debug.Stop) {
		mu.Lock()
		defer mu.Unlock()
		if running++; running > 1 {
			t.Error("two goroutines are stopped")
		}
		threads[s.Thread.ID]++
		if !s.BeforeResume(func() { running-- }) {
			t.Error("it is resumed already")
		}
		s.Resume(debug.Continue)
		if s.BeforeResume(func() { t.Error("it is resumed twice") }) {
			t.Error("it is not resumed")
		}
	}, nil, nil)
	cell := "var wg sync.WaitGroup\nwork := func(n int) {\n\tn++\n\twg.Done()\n}\nfor i := range 4 {\n\twg.Add(1)\n\tgo work(i)\n}\nwg.Wait()"
	if out := e.Eval(t.Context(), 1, cell); out.Failure != nil {
		t.Fatal(out.Failure)
	}
	if len(threads) != 4 {
		t.Errorf("threads %v, want four", threads)
	}
	ctx, cancel := context.WithCancel(t.Context())
	d.SetBreakpoints("cell[2]", []debug.Breakpoint{{Line: 2}})
	d.Handlers(func(s *debug.Stop) { cancel() }, nil, nil)
	out := e.Eval(ctx, 2, "n := 1\nn = 2\nn = 3")
	if out.Failure == nil || out.Failure.Name != "Interrupted" {
		t.Errorf("interrupted: %v", out.Failure)
	}
	d.Handlers(func(s *debug.Stop) { t.Error("it stops again") }, nil, nil)
	if out := e.Eval(t.Context(), 3, "n"); out.Failure != nil || out.Values[0].V != 1 {
		t.Errorf("%v %v", out.Values, out.Failure)
	}
}
