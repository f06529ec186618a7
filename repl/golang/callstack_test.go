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
