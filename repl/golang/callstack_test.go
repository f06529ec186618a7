package golang

import (
	"runtime"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestCallersAfterDeepCalls: what earlier, deeper calls have left on the stack is not taken for callers.
func TestCallersAfterDeepCalls(t *testing.T) {
	thorough.Slow(t)
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the frames of a stack are not known on this processor")
	}
	e, _ := newEngine(t)
	got := value(t, e, `
func down(n int, way int) int {
	if n == 0 {
		return callers()
	}
	switch way % 3 {
	case 0:
		return down(n-1, way/3)
	case 1:
		defer func() { _ = n }()
		return down(n-1, way/3)
	}
	r := 0
	slices.SortFunc([]int{1, 2}, func(a, b int) int { r = down(n-1, way/3); return 0 })
	return r
}
func callers() (n int) {
	var pcs [200]uintptr
	fs := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for more := true; more; {
		var f runtime.Frame
		if f, more = fs.Next(); strings.HasSuffix(f.Function, "main.down") {
			n++
		}
	}
	return n
}
wrong := 0
for i := range 600 {
	if n := i * 7919 % 17; down(n, i*i) != n + 1 {
		wrong++
	}
}
wrong`)
	if got != "0 int" {
		t.Errorf("%s counts of callers are wrong", got)
	}
}

// TestCallersOfLiterals: a literal that calls a function value is among the callers of what that calls, and the last
// caller is that of every goroutine.
func TestCallersOfLiterals(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the frames of a stack are not known on this processor")
	}
	t.Setenv("GOROCM_NATIVE", "always")
	e, _ := newEngine(t)
	got := value(t, e, `
func callers() []string {
	var list []string
	c := func() {
		var pcs [20]uintptr
		fs := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
		for more := true; more; {
			var f runtime.Frame
			f, more = fs.Next()
			list = append(list, f.Function)
			if f.Function != "runtime.goexit" {
				list[len(list)-1] += fmt.Sprint(":", f.Line)
			}
		}
	}
	b := func() { c() }
	a := func() { b() }
	a()
	return list
}
strings.Join(callers(), " ")`)
	want := "main.callers.func1:6 main.callers.func2:16 main.callers.func3:17 main.callers:18 " +
		"main.main:21 runtime.goexit string"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestRecordSource: a record of package slog that a program makes with its own program counter has its source.
func TestRecordSource(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the frames of a stack are not known on this processor")
	}
	e, out := newEngine(t)
	value(t, e, `
func infof(l *slog.Logger, format string, args ...any) {
	var pcs [1]uintptr
	runtime.Callers(2, pcs[:])
	r := slog.NewRecord(time.Time{}, slog.LevelInfo, fmt.Sprintf(format, args...), pcs[0])
	_ = l.Handler().Handle(context.Background(), r)
	fmt.Println("by itself", r.Source().Line)
}
o := &slog.HandlerOptions{AddSource: true}
text := slog.New(slog.NewTextHandler(os.Stdout, o))
func wrapped() {
	infof(text, "hello %d", 1)
	infof(slog.New(slog.NewJSONHandler(os.Stdout, o)).With("k", 1), "json")
}
wrapped()
infof(text, "from the cell")
text.Info("its own")
_ = text.Handler().Handle(context.Background(), slog.NewRecord(time.Time{}, slog.LevelInfo, "none", 0))
1`)
	want := `level=INFO source=cell[1000]:12 msg="hello 1"
by itself 12
{"level":"INFO","source":{"function":"main.wrapped","file":"cell[1000]","line":13},"msg":"json","k":1}
by itself 13
level=INFO source=cell[1000]:16 msg="from the cell"
by itself 16
`
	got, rest, _ := strings.Cut(out.String(), "time=")
	if got != want || !strings.Contains(rest, `source=cell[1000]:17 msg="its own"`) {
		t.Errorf("got\n%s%s\nwant\n%s", got, rest, want)
	}
}

// TestFunctionNames: function values of cells have the names, files and lines that compiled ones have, also as machine
// code, and no two functions have one program counter.
func TestFunctionNames(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the frames of a stack are not known on this processor")
	}
	for _, native := range []string{"", "always", "off"} {
		t.Run(native, func(t *testing.T) {
			t.Setenv("GOROCM_NATIVE", native)
			testFunctionNames(t)
		})
	}
}

func testFunctionNames(t *testing.T) {
	e, _ := newEngine(t)
	value(t, e, `
type Server struct{ n int }
func (s *Server) Run(x int) error { return nil }
func (s Server) Get() int { return s.n }
type Base struct{ Server }
type Runner interface{ Run(int) error }
type List[T any] struct{ x T }
func (l *List[T]) Get() T { return l.x }
func add(a, b int) int { return a + b }
func list(xs ...string) {}
func same[T any](x T) T { return x }
func counter() func() int { x := 1; return func() int { x++; return x } }
func nested() any {
	return func() any { return func(a ...int) { defer add(1, 2) } }()
}
func deferring(a Server, b string, c map[string]int) (n int, err error) {
	defer func() { n++ }()
	return 1, nil
}
func name(f any) string {
	pc := reflect.ValueOf(f).Pointer()
	fn := runtime.FuncForPC(pc)
	if fn == nil {
		return "none"
	}
	file, line := fn.FileLine(pc)
	if strings.Contains(file, "/") {
		file, line = "", 0
	}
	return fmt.Sprint(fn.Name(), " ", file, ":", line, " ", fn.Entry() == pc)
}
s := &Server{}
0`)
	for _, c := range []struct{ code, want string }{
		{"name(add)", "main.add cell[1000]:9 true"},
		{"name(list)", "main.list cell[1000]:10 true"},
		{"name(same[int])", "main.same[...] cell[1000]:11 true"},
		{"name(deferring)", "main.deferring cell[1000]:16 true"},
		{"name(counter())", "main.counter.func1 cell[1000]:12 true"},
		{"name(nested())", "main.nested.func1.1 cell[1000]:14 true"},
		{"name(s.Run)", "main.(*Server).Run-fm <autogenerated>:1 true"},
		{"name(s.Get)", "main.Server.Get-fm <autogenerated>:1 true"},
		{"name((*Server).Run)", "main.(*Server).Run cell[1000]:3 true"},
		{"name(Server.Get)", "main.Server.Get cell[1000]:4 true"},
		{"name(Base{}.Get)", "main.Server.Get-fm <autogenerated>:1 true"},
		{"name(Runner(s).Run)", "main.Runner.Run-fm <autogenerated>:1 true"},
		{"name((&List[int]{}).Get)", "main.(*List[...]).Get-fm <autogenerated>:1 true"},
		{"name(new(bytes.Buffer).Len)", "bytes.(*Buffer).Len-fm <autogenerated>:1 true"},
		{"name(strings.ToUpper)", "strings.ToUpper :0 true"},
		{"name(func() { fmt.Print() })", "main.main.func1 cell[1]:1 true"},
		{"name(func(a, b int) int { return a * b })", "main.main.func1 cell[1]:1 true"},
		{"name(func() any { return func(x ...int) {} }())", "main.main.func1.1 cell[1]:1 true"},
		{"f, g := func() {}, func() {}; name(g)", "main.main.func2 cell[1]:1 true"},
		{"same := reflect.ValueOf(f).Pointer() == reflect.ValueOf(g).Pointer(); same", "false bool"},
		{"reflect.ValueOf(add).Pointer() == reflect.ValueOf(add).Pointer()", "true bool"},
		{"reflect.ValueOf(add).UnsafePointer() == unsafe.Pointer(reflect.ValueOf(add).Pointer())", "true bool"},
		{"h := map[string]any{`a`: add}; k := []func(int, int) int{add}; name(h[`a`]) == name(k[0])", "true bool"},
		{"name(sort.Slice)", "sort.Slice :0 true"},
		{"var none func(); reflect.ValueOf(none).Pointer()", "0 uintptr"},
		{"reflect.ValueOf(s).Pointer() == uintptr(unsafe.Pointer(s))", "true bool"},
	} {
		if strings.HasPrefix(c.want, "main.") || strings.Contains(c.want, " :0 ") || strings.HasPrefix(c.want, "bytes.") {
			c.want += " string"
		}
		got := value(t, e, c.code)
		if i := strings.Index(got, "cell["); i >= 0 && strings.Contains(c.want, "cell[1]") { // whatever its number
			got = got[:i] + "cell[1]" + got[i+strings.IndexByte(got[i:], ']')+1:]
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.code, got, c.want)
		}
	}
}
