package repl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
)

// run returns what a cell shows as text.
func run(t testing.TB, s Session, code string) (string, Reply) {
	t.Helper()
	var out strings.Builder
	r := s.Eval(context.Background(), Request{Code: code}, func(e Event) { out.WriteString(e.Text + e.Data.Text()) })
	return out.String(), r
}

func TestTimeAndTimeit(t *testing.T) {
	thorough.Slow(t)
	s := newSession(t)
	for _, tt := range []struct {
		code  string
		lines []string // what each line begins with, or has after ...
	}{
		{"%time x := 40 + 2\nx", []string{"CPU times: user ", "Wall time: ", "42"}},
		{"%%time\ny := x\ny + 1", []string{"CPU times: user ", "Wall time: ", "43"}},
		{"%timeit -n 10 -r 3 x + 1", []string{"... per loop (mean ± std. dev. of 3 runs, 10 loops each), best "}},
		{"%timeit -n 1 -r 1 x + 1", []string{"... per loop (mean ± std. dev. of 1 run, 1 loop each), best "}},
		{"%timeit -r 1 time.Sleep(time.Millisecond)", []string{"... per loop (mean ± std. dev. of 1 run, 1"}},
	} {
		out, r := run(t, s, tt.code)
		if r.Err != nil {
			t.Errorf("%s: %s", tt.code, r.Err.Text(false))
			continue
		}
		var lines []string
		for l := range strings.Lines(out) {
			// depends on the machine, and on what other tests have opened
			if !strings.HasPrefix(l, "The slowest run took") && !strings.HasPrefix(l, "in the best run: ") {
				lines = append(lines, l)
			}
		}
		for i, want := range tt.lines {
			in, anywhere := strings.CutPrefix(want, "...")
			if i >= len(lines) || !anywhere && !strings.HasPrefix(lines[i], want) ||
				anywhere && !strings.Contains(lines[i], in) {
				t.Errorf("%s: %q", tt.code, out)
				break
			}
		}
	}
	if _, r := run(t, s, "%timeit -n 1 -r 1 os.Exit(3)"); r.Exit == nil || *r.Exit != 3 {
		t.Errorf("os.Exit in a measurement: %+v", r)
	}
}

// TestTimeBegins checks that %time counts from where a cell begins to run: compiling it does not ask whether it is
// interrupted.
func TestTimeBegins(t *testing.T) {
	s := newSession(t)
	for code, want := range map[string]int{"x := 1": 1, "undefined": 0, "type T struct{}": 0} {
		asked := 0
		s.current().EvalNamed(&begun{Context: context.Background(), note: func() { asked++ }}, "cell[1]", code)
		if asked != want {
			t.Errorf("%s: %d times, want %d", code, asked, want)
		}
	}
}

func TestTimeOnDevice(t *testing.T) {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Skip("no rocm device, not even an emulated one: ", err)
	}
	s := newSession(t)
	mustRun(t, s, "dev := Device(\"rocm\")\nx := dev.Ones(tensor.F32, 64, 64)")
	want := ", rocm:0 "
	if dev.Emulated() {
		want = "emulated rocm:0 "
	}
	for _, code := range []string{"%time y := x.MatMul(x)", "%timeit -n 2 -r 2 x.MatMul(x)"} {
		if out, r := run(t, s, code); r.Err != nil || !strings.Contains(out, want) ||
			strings.Contains(out, want+"0 ns") {
			t.Errorf("%s: %v %q", code, r.Err, out)
		}
	}
	mustRun(t, s, "y.Sum()")
}

// TestTimeitLeavesNothing: what measured code has made on a device is collected.
func TestTimeitLeavesNothing(t *testing.T) {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Skip("no rocm device, not even an emulated one: ", err)
	}
	s := newSession(t)
	mustRun(t, s, "dev := Device(\"rocm\")\nx := dev.Ones(tensor.F32, 8, 8)")
	before := dev.Memory().Buffers
	mustRun(t, s, "%timeit -q -n 50 -r 2 y := x.MatMul(x)")
	alive := 0
	for range 3000 {
		runtime.GC()
		time.Sleep(2 * time.Millisecond) // cleanups run on a goroutine of their own
		if alive = dev.Memory().Buffers - before; alive <= 2 {
			return
		}
	}
	t.Errorf("%d buffers are alive", alive)
}

func TestTimeitText(t *testing.T) {
	runs := func(ms ...float64) (r []spent) {
		for _, x := range ms {
			r = append(r, spent{wall: time.Duration(x * float64(time.Millisecond))})
		}
		return r
	}
	for _, tt := range []struct {
		runs  []spent
		loops int
		want  string
	}{
		{runs(3), 1, "3 ms ± 0 ns per loop (mean ± std. dev. of 1 run, 1 loop each), best 3 ms\n"},
		{runs(1, 3), 1000, "2 µs ± 1 µs per loop (mean ± std. dev. of 2 runs, 1,000 loops each), best 1 µs\n"},
		{runs(1, 1, 1, 13), 10, "The slowest run took 13.00 times longer than the fastest. This could mean that an intermediate result is being cached.\n" +
			"400 µs ± 520 µs per loop (mean ± std. dev. of 4 runs, 10 loops each), best 100 µs\n"},
	} {
		if got := timeitText(tt.runs, tt.loops); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestSplit(t *testing.T) {
	ms := time.Millisecond
	for _, tt := range []struct {
		devices []deviceTime
		loops   int
		want    string
	}{
		{nil, 1, ""},
		{[]deviceTime{{"rocm:0", false, 40 * ms}}, 1, "host 2 ms, rocm:0 40 ms"},
		{[]deviceTime{{"rocm:0", false, 40 * ms}, {"rocm:1", false, 0}}, 10, "host 200 µs, rocm:0 4 ms"},
		{[]deviceTime{{"rocm:0", true, 1}}, 1, "emulated rocm:0 1 ns"},
		{[]deviceTime{{"rocm:0", true, 1}, {"cuda:0", false, ms}}, 1, "host 2 ms, cuda:0 1 ms, emulated rocm:0 1 ns"},
	} {
		if got := (spent{host: 2 * ms, devices: tt.devices}).split(tt.loops); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.devices, got, tt.want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for in, want := range map[float64]string{0: "0 ns", -1: "0 ns", 1.234e-9: "1.23 ns", 9.999e-7: "1000 ns",
		4.5e-6: "4.5 µs", 0.0123456: "12.3 ms", 1.5: "1.5 s", 59.94: "59.9 s",
		60: "1min", 61.6: "1min 2s", 3600: "1h", 90061: "1d 1h 1min 1s"} {
		if got := seconds(in); got != want {
			t.Errorf("%v: %q, want %q", in, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 loops", 1: "1 loop", 999: "999 loops", 1000: "1,000 loops",
		1234567: "1,234,567 loops"} {
		if got := count(n, "loop"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	for in, want := range map[string]string{"tiemit": "timeit", "hlep": "help", "Vars": "vars", "whoo": "vars",
		"reste": "reset", "restrat": "restart", "x": "", "nothinglikeit": "", "": ""} {
		if got := nearest(in); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range [][2]string{{"", ""}, {"one two", "one two"}, {"one two three", "one two\nthree"},
		{"a\nb", "a\nb"}, {"longerthanthewidth x", "longerthanthewidth\nx"}} {
		if got := wrap(tt[0], 8); got != tt[1] {
			t.Errorf("%q: %q, want %q", tt[0], got, tt[1])
		}
	}
}

func TestSpans(t *testing.T) {
	for in, want := range map[string]string{"": "[]", "3": "[{3 3}]", "1-3,5 7:9": "[{1 3} {5 5} {7 9}]", "0": "error",
		"3-1": "error", "a": "error", "2-x": "error", "-3": "error"} {
		list, err := spans(in)
		got := fmt.Sprint(list)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	if list, err := spans("4-"); err != nil || !within(list, 1<<40) || within(list, 3) {
		t.Errorf("an open range: %v, %v", list, err)
	}
}

// TestShellInterrupt: interrupting a cell ends what its command has started.
func TestShellInterrupt(t *testing.T) {
	thorough.Slow(t)
	s := newSession(t)
	file := filepath.Join(t.TempDir(), "pid")
	for _, line := range []string{
		fmt.Sprintf("!sleep 600 & echo $! > %s; echo started; wait", file),
		fmt.Sprintf("!trap '' INT; sleep 600 & echo $! > %s; echo started; while :; do sleep 1; done", file),
	} {
		r := s.Eval(context.Background(), Request{Code: line}, func(e Event) {
			if strings.Contains(e.Text, "started") {
				s.Interrupt()
			}
		})
		if r.Err == nil || r.Err.Name != "Interrupted" {
			t.Errorf("%s: %+v", line, r.Err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		for !dead(pid) { // the test's own limit ends a wait in vain
			time.Sleep(time.Millisecond)
		}
	}
	if out, r := run(t, s, "!echo next"); r.Err != nil || out != "next\n" {
		t.Errorf("afterwards: %v %q", r.Err, out)
	}
}

// dead reports whether a process is gone, or waits to be noticed by its parent.
func dead(pid int) bool {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && strings.HasPrefix(state, "Z")
}

// TestShellLeavesProcesses: a command ends when its shell does, whatever holds its output.
func TestShellLeavesProcesses(t *testing.T) {
	thorough.Slow(t)
	s := newSession(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out strings.Builder
	r := s.Eval(ctx, Request{Code: "!sleep 600 & echo $!"}, func(e Event) { out.WriteString(e.Text) })
	if r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
	pid, err := strconv.Atoi(strings.TrimSpace(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the process in the background: %v", err)
	}
}

func TestRestart(t *testing.T) {
	home := t.TempDir()
	t.Chdir(home)
	if err := os.Mkdir("sub", 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOROCM_TEST_SET", "before")
	s := newSession(t)
	mustRun(t, s, "x := 1\n%cd -q sub\n%env GOROCM_TEST_SET=after\n%env GOROCM_TEST_NEW=new")
	_, r := run(t, s, "%restart")
	if r.Err != nil || !r.Restart || r.Count != 2 {
		t.Fatalf("%+v", r)
	}
	if dir, err := os.Getwd(); err != nil || filepath.Base(dir) != filepath.Base(home) {
		t.Errorf("the working directory is %s, %v", dir, err)
	}
	if got := os.Getenv("GOROCM_TEST_SET"); got != "before" {
		t.Errorf("the variable is %q", got)
	}
	if _, ok := os.LookupEnv("GOROCM_TEST_NEW"); ok {
		t.Error("the new variable is still there")
	}
	if _, r := run(t, s, "x"); r.Err == nil || r.Count != 3 {
		t.Errorf("afterwards: %+v", r)
	}
}

// TestForgetFreesMemory: %reset NAME makes a tensor's device memory free.
func TestForgetFreesMemory(t *testing.T) {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Skip("no rocm device, not even an emulated one: ", err)
	}
	s := newSession(t)
	mustRun(t, s, "dev := Device(\"rocm\")")
	before := dev.Memory().Buffers
	mustRun(t, s, "x := dev.Ones(tensor.F32, 64)")
	held := dev.Memory().Buffers
	mustRun(t, s, "%reset x")
	for range 3000 {
		runtime.GC()
		time.Sleep(2 * time.Millisecond) // see TestTimeitLeavesNothing
		if dev.Memory().Buffers <= before {
			return
		}
	}
	t.Errorf("%d buffers before, %d with x, %d after", before, held, dev.Memory().Buffers)
}

func TestFields(t *testing.T) {
	for in, want := range map[string]string{"": "[]", "a b": `["a" "b"]`, ` a  "b c" 'd "e'f `: `["a" "b c" "d \"ef"]`,
		`""`: `[""]`, `"a`: "error"} {
		list, err := fields(in)
		got := fmt.Sprintf("%q", list)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// FuzzParts: every line of a cell ends up in one part, and Go keeps its lines.
func FuzzParts(f *testing.F) {
	for _, s := range []string{"a := 1\n%vars\n!ls\nb", "%%time x\ny", "`\n%x\n`", "%time for {\n}\nz", "!a\\\nb", "x?",
		"\n\n% \n!", "%%", "!", "%", "A00=!08"} {
		f.Add(s)
	}
	s, err := New(Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, code string) {
		lines := strings.Split(code, "\n")
		for _, p := range s.parts(code) {
			for i, l := range strings.Split(p.code, "\n") {
				if l != "" && (i >= len(lines) || lines[i] != l && !strings.Contains(l, "session.Shell(")) { // x = !ls
					t.Errorf("line %d of %q is %q", i+1, code, l)
				}
			}
		}
		s.completeness(code)
		for i := range len(code) {
			s.completeCommandLine(code, i)
		}
	})
}
