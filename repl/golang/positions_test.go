package golang

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

var everyPosition = flag.Bool("positions", false,
	"try every expression in every position, not one in 27, or one in nine of a thorough test")

// positionTypes and positionVars are what the expressions use: the variables are a session's, or a function's.
const (
	positionTypes = `
type inner struct{ n int }

type point struct {
	x, y int
	next *point
	in   inner
}

func (p point) sum() int                 { return p.x + p.y }
func (p *point) twice() int              { return 2 * p.x }
func (p *point) add(n int) int           { return p.x + n }
func (p point) with(x int) point         { p.x = x; return p }
func (p point) pair() (int, string)      { return p.x, "pair" }

type celsius int

func (c celsius) kelvin() int { return int(c) + 273 }

type summer interface{ sum() int }

type box[T any] struct{ v T }

func (b box[T]) get() T { return b.v }

func ident[T any](x T) T      { return x }
func one() chan int           { c := make(chan int, 1); c <- 11; return c }
func count(xs ...int) int     { return len(xs) }
func sum2(a, b int) int       { return a + b }
func plus(n int) func() int   { return func() int { return n + 1 } }
`
	positionVars = `
var buf = bytes.NewBufferString("hello")
var text strings.Builder
var dur = 3 * time.Second
var big6 = big.NewInt(6)
var p = &point{1, 2, &point{x: 8}, inner{4}}
var v = point{3, 4, p, inner{5}}
var ps = []*point{p, {5, 6, nil, inner{7}}}
var vs = []point{v, {9, 1, nil, inner{2}}}
var byName = map[string]point{"a": {7, 1, nil, inner{3}}}
var ptrs = map[string]*point{"a": p}
var array = [3]int{3, 1, 4}
var toArray = &array
var list = []int{2, 7, 1, 8}
var number = 6
var toNumber = &number
var any7 any = 7
var anyPoint any = v
var iface summer = p
var err error = os.ErrNotExist
var warm = celsius(20)
var boxed = box[int]{12}
var call = func(n int) int { return n * 2 }
var word = "häuser"
var z = complex(3, 4)
var nested = [][]int{{1}, {2, 3}}
var small = uint8(200)
var half = float32(2.5)
`
)

// positionExprs are ints.
var positionExprs = []string{
	"buf.Len()", "text.Len()", "int(dur.Seconds())", "int(dur)", "int(big6.Int64())", "len(big6.String())",
	"p.sum()", "p.twice()", "v.sum()", "v.twice()", "p.x", "v.y", "(*p).x", "p.next.x", "v.next.in.n", "p.in.n",
	"v.in.n", "p.with(9).sum()", "v.with(2).in.n",
	"ps[1].x", "ps[1].sum()", "ps[0].next.x", "vs[1].twice()", "vs[1].in.n", `byName["a"].x`, `byName["a"].sum()`,
	`ptrs["a"].twice()`, `len(byName)`,
	"array[1]", "toArray[2]", "(*toArray)[0]", "len(toArray)", "list[len(list)-1]", "list[number-4]", "len(list[1:])",
	"cap(list[:2:3])", "nested[1][0]", "len(nested[1])",
	"number", "*toNumber", "-number", "number * p.x", "number << 2", "number &^ p.y", "^number", "number % list[1]",
	"+p.x",
	"any7.(int)", "anyPoint.(point).x", "anyPoint.(summer).sum()", "iface.sum()", "iface.(*point).x",
	"len(err.Error())", "int(warm)", "warm.kelvin()", "celsius(5).kelvin()",
	"boxed.get()", "box[int]{4}.get()", "ident(p.x)", "ident[int](3)", "call(4)", "call(p.sum())",
	"func() int { return p.x + number }()", "plus(p.x)()", "count(list...)", "count(1, p.x)", "<-one()",
	"len(word)", "int(word[1])", "len([]rune(word))", "len(word[2:])", "int(real(z))", "int(small)", "int(small + 100)",
	"int(half * 2)",
	"point{1, 2, nil, inner{}}.sum()", "(&point{x: 5}).twice()", "point.sum(v)", "(*point).twice(p)", "p.sum()",
	"[]int{9, p.x}[1]", `map[string]int{"k": p.x}["k"]`, "[...]int{1, number}[1]",
	"min(p.x, number)", "max(list[0], list[1], 3)", "copy(make([]int, 2), list)", "len(append(list, 1, 2))",
	`strings.Index(word, "u")`, `len(fmt.Sprint(p.x, v.y))`, "int(time.Duration(number).Nanoseconds())",
}

// positionStmts are where an int can stand; E is the expression.
var positionStmts = []string{
	"fmt.Println(E)",
	"x := E; fmt.Println(x)",
	"var x int = E; fmt.Println(x)",
	"var x, y = E, E; fmt.Println(x, y)",
	"x, y := E, 2; x, y = y, E; fmt.Println(x, y)",
	"x := 1; x += E; x++; x -= E - 1; fmt.Println(x)",
	"fmt.Println([]int{E, 1, E})",
	"fmt.Println([...]int{2: E, 4})",
	`fmt.Println(map[string]int{"k": E})`,
	`fmt.Println(map[int]string{E: "v"})`,
	"q := point{E, 2, nil, inner{E}}; fmt.Println(q.x, q.in)",
	"q := &point{y: E, in: inner{n: E}}; fmt.Println(q.y, q.in)",
	`fmt.Println([]any{E, "x", E})`,
	"fmt.Println([][]int{{E}, {1, E}}, []inner{{E}, {1}}, map[string]inner{\"a\": {E}}, map[inner]int{{E}: E})",
	"fmt.Println([]*inner{{E}, {2}}[0].n, struct{ n int }{E})",
	"fmt.Println(func() int { return E }())",
	`fmt.Println(func() (int, string) { return E, "s" }())`,
	"fmt.Println(func() (n int) { n = E; return }())",
	"fmt.Println(func() (n int) { defer func() { n += E }(); return E }())",
	"fmt.Println(sum2(E, E), count(1, E), count(E))",
	"fmt.Println(list[(E)&3], \"abcdef\"[(E)&3:], array[(E)&1])",
	"fmt.Println(list[:(E)&3], nested[(E)&1])",
	"if (E) > 2 { fmt.Println(1) } else { fmt.Println(2) }",
	"if x := (E); x != 3 { fmt.Println(x) }",
	"switch (E) { case 3, 4: fmt.Println(34); default: fmt.Println(0) }",
	"switch x := (E); { case x > 2: fmt.Println(x); case (E) == 1: fmt.Println(1) }",
	"switch 3 { case (E): fmt.Println(true); default: fmt.Println(false) }",
	"for i := (E) & 7; i < (E)&7+2; i++ { fmt.Println(i) }",
	"for i := range (E) & 3 { fmt.Println(i) }",
	"for i, x := range ([]int{E, E}) { fmt.Println(i, x) }",
	"c := make(chan int, 1); c <- E; fmt.Println(<-c)",
	"c := make(chan int, 1); select { case c <- E: fmt.Println(<-c); default: fmt.Println(0) }",
	"func() { defer fmt.Println(E) }()",
	"c := make(chan int); go func(n int) { c <- n }(E); fmt.Println(<-c)",
	"c := make(chan int); go func() { c <- E }(); fmt.Println(<-c)",
	"fmt.Println(append([]int{}, E, E), append(list, E))",
	"fmt.Println(len(make([]int, (E)&3)), cap(make([]int, 0, (E)&3)))",
	"fmt.Println(E == E, E&1 == 0 && E > 1 || E < -5, !(E > 3))",
	`m := map[string]int{}; m["k"] = E; m["k"] += E; fmt.Println(m)`,
	"a := [3]int{}; a[1] = E; a[(E)&1] += E; fmt.Println(a)",
	"n := 1; q := &n; *q = E; *q *= E; fmt.Println(n)",
	"s := inner{}; s.n = E; s.n |= E; fmt.Println(s)",
	"fmt.Println(float64(E)/2, uint8(E), 1<<((E)&7), time.Duration(E)*time.Second, celsius(E))",
	"fmt.Println(any(E).(int), fmt.Sprint(E, \"x\"), fmt.Sprintf(\"%d %v\", E, E))",
	"var x any = E; n, ok := x.(int); fmt.Println(n, ok)",
	"g := func() int { return E }; fmt.Println(g() + g())",
	"var g func() int; g = func() int { if (E) > 1<<60 { return g() }; return E }; fmt.Println(g())",
	"_ = E; x := E; x = x*2 + E; fmt.Println(x)",
	"fmt.Println(min(E, 3), max(E, E))",
	"fmt.Println(slices.Index([]int{-1, E}, E), slices.ContainsFunc(list, func(n int) bool { return n == E }))",
	"fmt.Println(ident(E), box[int]{E}.get(), box[any]{E}, ident[any](E))",
	"fmt.Println([]func() int{func() int { return E }}[0]())",
	"fmt.Println(p.add(E), p.with(E).sum(), strings.Repeat(\"a\", (E)&3))",
	"fmt.Println(-(E), ^(E), E-(-(E)), (E), (E)*(E))",
	"func() { defer func() { fmt.Println(recover()) }(); panic(E) }()",
	"for _, f := range ([]func(int) int{call, func(n int) int { return n + E }}) { fmt.Println(f(E)) }",
	"var q *point = p.next; for range 2 { q = &point{E, E, q, inner{}} }; fmt.Println(q.next.x, q.next.next.x)",
	"type local struct{ n int }; fmt.Printf(\"%v\\n\", []local{{E}})",
	"const c = 2; fmt.Println(c + E, c*(E))",
	"w := word; w += string(rune('a' + (E)&7)); fmt.Println(w, w[len(w)-1])",
	"x := []int{1, 2, 3}; x[(E)&1], x[2] = E, x[(E)&1]; fmt.Println(x)",
	"if n, ok := (map[int]int{E: 1})[(E)]; ok { fmt.Println(n) }",
	"x, s := p.with(E).pair(); fmt.Println(x, s)",
	"label: for i := range 3 { for { if i < (E)&3 { continue label }; break label } }; fmt.Println(1)",
}

// TestPositions tries expressions of many forms in all places where one can stand, with variables of the session used
// at its top and in a function, and with variables of a function, and compares what is printed with compiled Go.
func TestPositions(t *testing.T) {
	if testing.Short() || thorough.Race {
		t.Skip("it builds a program with the go command")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	type combination struct{ stmt, expr string }
	var all []combination
	imports := "bytes fmt math/big os slices strings time"
	var src strings.Builder
	src.WriteString("package main\n\nimport (\n")
	for name := range strings.FieldsSeq(imports) {
		fmt.Fprintf(&src, "\t%q\n", name)
	}
	src.WriteString(")\n" + positionTypes + positionVars)
	var calls strings.Builder
	n := 0
	for _, e := range positionExprs {
		for _, s := range positionStmts {
			if n++; !*everyPosition && n%9 != 0 || !*everyPosition && !thorough.On() && n%54 != 0 {
				continue
			}
			fmt.Fprintf(&src, "func f%d() { %s }\n", len(all), strings.ReplaceAll(s, "E", e))
			fmt.Fprintf(&calls, "\tf%d()\n\tfmt.Println(%q)\n", len(all), separator)
			all = append(all, combination{s, e})
		}
	}
	src.WriteString("var _ = slices.Max[[]int]\n\nfunc main() {\n" + calls.String() + "}\n")
	outs, err := compiled(t.TempDir(), []string{src.String()})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(outs[0], separator+"\n")
	f, err := os.Create(t.TempDir() + "/stdout")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	saved := os.Stdout
	os.Stdout = f
	defer func() { os.Stdout = saved }()
	at := int64(0)
	printed := func() string {
		b := make([]byte, 1<<16)
		n, _ := f.ReadAt(b, at)
		at += int64(n)
		return string(b[:n])
	}
	session := func() *Engine {
		e, err := New(Options{Stdout: f})
		if err != nil {
			t.Fatal(err)
		}
		if out := e.Eval(t.Context(), 1, positionTypes+positionVars); out.Failure != nil {
			t.Fatal(out.Failure.Message, out.Failure.Frames)
		}
		return e
	}
	for _, mode := range []struct{ name, begin, end string }{
		{"session", "", ""},
		{"function", "func() {\n", "\n}()"},
		{"locals", "func() {\n" + positionVars + usedVars() + "\n", "\n}()"},
	} {
		t.Run(mode.name, func(t *testing.T) {
			var e *Engine
			failures := 0
			for i, c := range all {
				if i%200 == 0 { // cells define x, y and others again
					e = session()
				}
				code := mode.begin + strings.ReplaceAll(c.stmt, "E", c.expr) + mode.end
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				out := e.Eval(ctx, 2+i, code)
				cancel()
				got := printed()
				if out.Failure != nil {
					got += out.Failure.Name + ": " + out.Failure.Message
				}
				if got != want[i] {
					if failures++; failures > 40 {
						t.Fatal("and more")
					}
					t.Errorf("%s\ngot %q, want %q", strings.ReplaceAll(c.stmt, "E", c.expr), got, want[i])
				}
			}
		})
	}
}

const separator = "----"

// usedVars is a statement that uses each of positionVars.
func usedVars() string {
	var b strings.Builder
	for line := range strings.Lines(positionVars) {
		if f := strings.Fields(line); len(f) > 1 {
			fmt.Fprintf(&b, "_ = &%s; ", f[1])
		}
	}
	return b.String()
}
