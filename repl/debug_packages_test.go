package repl

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// debuggedModule is a module of two packages that a test debugs.
var debuggedModule = map[string]string{
	"go.mod": "module example.com/shapes\n\ngo 1.26\n",
	"shape.go": `package shapes

import "example.com/shapes/inner"

type Shape struct {
	W, H int
	name string
}

// New makes a shape.
func New(w, h int) *Shape {
	s := &Shape{W: w, H: h}
	s.name = "shape"
	return s
}

func (s *Shape) Area() int {
	a := inner.Product(s.W, s.H)
	return a
}

func Each[T any](xs []T, do func(T) string) (all string) {
	for _, x := range xs {
		all += do(x)
	}
	return all
}

type Areaer interface{ Area() int }

func Total(list ...Areaer) (sum int) {
	for _, x := range list {
		sum += x.Area()
	}
	return sum
}
`,
	"inner/inner.go": `package inner

func Product(x, y int) int {
	p := 1

	p = x * y
	return p
}
`,
}

// writeModule writes a module and returns its folder.
func writeModule(t *testing.T, files map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // for the session's modules
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestDebugPackages: breakpoints and steps at the prompt in packages of a module, whose functions have run before the
// debugger was on and run without hooks when it is off.
func TestDebugPackages(t *testing.T) {
	dir := writeModule(t, debuggedModule)
	s := newSession(t)
	for _, c := range []struct{ code, typed, want string }{
		{"%get " + dir, "", "example.com/shapes in DIR: 2 packages, example.com/shapes, example.com/shapes/inner\n"},
		{"import \"example.com/shapes\"\nx := shapes.New(2, 3)\nshapes.Total(x)", "", "=> 6\n"},
		{"%break inner.go:5\n%break shapes.Shape.Area\n%break", "",
			"DIR/inner/inner.go, line 6\nDIR/shape.go, line 18\n"},
		{"shapes.Total(x)", "bt\np s.W + 1\nlocals\nc\nlocals\no\na\nc\n", `breakpoint
shapes.(*Shape).Area (DIR/shape.go, line 18)
>  18      a := inner.Product(s.W, s.H)
(debug) bt
> 0  shapes.(*Shape).Area (DIR/shape.go, line 18)
  1  shapes.Total (DIR/shape.go, line 33)
  2  cell[4], line 1
(debug) p s.W + 1
3
(debug) locals
s *shapes.Shape = &{W: 2, H: 3, name: "shape"}
(debug) c
breakpoint
inner.Product (DIR/inner/inner.go, line 6)
>   6      p = x * y
(debug) locals
x int = 2
y int = 3
p int = 1
(debug) o
step
shapes.(*Shape).Area (DIR/shape.go, line 19)
>  19      return a
(debug) a
6
(debug) c
=> 6
`},
		{"%break -d\n%break 6:2\n%break", "", "CommandError: %break: there is no Go in cell[6]\n  note: usage: %break [-d] [NAME[:LINE]|CELL:LINE|FILE:LINE] [if CONDITION]\n"},
		{"shapes.Each([]int{1, 2}, func(i int) string {\n\treturn fmt.Sprint(i)\n})", "", "=> \"12\"\n"},
		{"%break 6:1", "", ""},
		{"%break shapes.Each:3 if x == 2", "", ""},
		{"shapes.Each([]int{1, 2}, func(i int) string {\n\treturn fmt.Sprint(i)\n})", "s\nbt\no\nc\n", `breakpoint
shapes.Each[...] (DIR/shape.go, line 24)
>  24          all += do(x)
(debug) s
step
func literal (cell[9], line 2)
>   2      return fmt.Sprint(i)
(debug) bt
> 0  func literal (cell[9], line 2)
  1  shapes.Each[...] (DIR/shape.go, line 24)
  2  cell[9], line 1
(debug) o
step
shapes.Each[...] (DIR/shape.go, line 26)
>  26      return all
(debug) c
=> "12"
`},
		{"%break nothing.go:3", "", "CommandError: %break: no package that has been imported has a file nothing.go\n" +
			"  note: usage: %break [-d] [NAME[:LINE]|CELL:LINE|FILE:LINE] [if CONDITION]\n"},
		{"%break shape.go:99", "", "CommandError: %break: no statement begins on line 99 of DIR/shape.go or below\n" +
			"  note: usage: %break [-d] [NAME[:LINE]|CELL:LINE|FILE:LINE] [if CONDITION]\n"},
		{"%break -d", "", ""},
		{"shapes.Total(x, shapes.New(1, 1))", "", "=> 7\n"},
	} {
		got := strings.ReplaceAll(runScript(s, "cell", c.code, c.typed), dir, "DIR")
		if got != c.want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", c.code, got, c.want)
		}
	}
}

// TestNamesInPackages: package runtime knows functions and methods of a package by the names of the compiler.
func TestNamesInPackages(t *testing.T) {
	dir := writeModule(t, map[string]string{"go.mod": "module example.com/who\n\ngo 1.26\n", "who.go": `package who

import "runtime"

type T struct{}
type L[A any] struct{}
type who struct{}

func name() string {
	pc, _, _, _ := runtime.Caller(1)
	return runtime.FuncForPC(pc).Name()
}
func F() string          { return name() }
func (T) M() string      { return name() }
func (*T) P() string     { return name() }
func (*L[A]) Q() string  { return name() }
func (who) same() string { return name() }
func Same() string       { return who{}.same() }
func G[A any](A) string  { return name() }
func Lit() string        { return func() string { return name() }() }
func (*T) PL() string    { return func() string { return name() }() }

var V = func() string { return name() }()
`})
	s := newSession(t)
	runScript(s, "cell", "%get "+dir, "")
	got := runScript(s, "cell", `import "example.com/who"
fmt.Println(who.F(), who.T{}.M(), new(who.T).P(), new(who.L[int]).Q(), who.Same())
fmt.Println(who.G(1), who.Lit(), new(who.T).PL(), who.V)`, "")
	want := "example.com/who.F example.com/who.T.M example.com/who.(*T).P example.com/who.(*L[...]).Q " +
		"example.com/who.who.same\n" +
		"example.com/who.G[...] example.com/who.Lit.func1 example.com/who.(*T).PL.func1 example.com/who.init.func1\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
