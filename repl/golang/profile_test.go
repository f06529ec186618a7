package golang

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/gorocm/gorocm/internal/thorough"
)

// burn is a session whose functions use the processor until as much time of it has been used as a few samples need.
const burn = `import "syscall"
func used() int64 { var u syscall.Rusage; syscall.Getrusage(syscall.RUSAGE_SELF, &u); return u.Utime.Nano() }
func spin(n int) (s float64) { for i := range n { s += math.Sqrt(float64(i)) }; return s }
func interpreted(c chan float64) { for i := range 2000 { select { case c <- float64(i): <-c; default: } } }
func compiled() { for range 20 { strings.Repeat("some text", 100000) } }
type T struct{}
func (T) Method(f func()) { f() }
func until(f func()) { for end := used() + 150_000_000; used() < end; { T{}.Method(f) } }`

// stacksOf lists the stacks of a profile, outer functions first.
func stacksOf(p *profile.Profile) (list []string) {
	for _, s := range p.Sample {
		var names []string
		for _, l := range slices.Backward(s.Location) {
			names = append(names, l.Line[0].Function.Name)
		}
		list = append(list, strings.Join(names, " > "))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestProfile: samples are told by the functions of cells, interpreted or of machine code, in goroutines too, and by the
// compiled functions that they call; never by those of the interpreter.
func TestProfile(t *testing.T) {
	thorough.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("its cells call syscall.Getrusage")
	}
	e, _ := newEngine(t)
	runCell(t, e, 1, burn)
	for i, tt := range []struct{ code, want string }{
		{"until(func() { spin(100000) })", "spin"},
		{"c := make(chan float64, 1)\nuntil(func() { interpreted(c) })", "interpreted"},
		{"until(compiled)", "compiled > strings.Repeat"},
		{"until(func() { done := make(chan bool); go func() { defer close(done); compiled() }(); <-done })", "compiled > strings.Repeat"},
	} {
		cell := fmt.Sprintf("cell[%d]", i+2)
		wanted := func(s string) bool {
			return strings.HasPrefix(s, cell+" > until > T.Method > ") && strings.Contains(s, tt.want)
		}
		// The few samples may all be of the collector, which uses the processor too: not every time.
		var list []string
		for tries := 0; tries < 20 && !slices.ContainsFunc(list, wanted); tries++ {
			list = profiled(t, e, cell, tt.code)
			for _, s := range list {
				if strings.Contains(s, "yaegi") || strings.HasPrefix(s, cell) && strings.Contains(s, "repl/golang") {
					t.Errorf("%s: %s", tt.code, s)
				}
			}
		}
		if !slices.ContainsFunc(list, wanted) {
			t.Errorf("%s: no %s in\n%s", tt.code, tt.want, strings.Join(list, "\n"))
		}
	}
}

// profiled runs code as a cell and returns the stacks of its profile.
func profiled(t *testing.T, e *Engine, cell, code string) []string {
	t.Helper()
	p, err := StartProfile(e, cell)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := StartProfile(e, cell); err == nil {
		t.Error("two profiles at once")
	}
	out := e.EvalNamed(t.Context(), cell, code)
	prof, err := p.Stop()
	if err != nil || out.Failure != nil {
		t.Fatalf("%v %v", err, out.Failure)
	}
	if err := prof.CheckValid(); err != nil {
		t.Error(err)
	}
	return stacksOf(prof)
}
