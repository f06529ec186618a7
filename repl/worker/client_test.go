package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/modules/compiled"
)

// The test program is its own worker.
func TestMain(m *testing.M) {
	if sum := os.Getenv("TEST_SOURCE_SUM"); sum != "" {
		compiled.Use("", sum)
	}
	if len(os.Args) > 1 && os.Args[1] == compiled.Command { // a test has imported slowly
		os.Exit(0)
	}
	if len(os.Args) == 2 && os.Args[1] == "serve-worker" {
		err := Serve()
		var exited Exited
		switch {
		case errors.As(err, &exited):
			os.Exit(int(exited))
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func startTest(t testing.TB) *Client {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Start(Options{Command: []string{self, "serve-worker"}, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// log collects events as text.
type log struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *log) sink(e repl.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e.Kind {
	case repl.Stream:
		l.b.WriteString(e.Text)
	case repl.Notice:
		fmt.Fprintf(&l.b, "<%s>\n", e.Text)
	default:
		fmt.Fprintf(&l.b, "[%s]\n", e.Data.Text())
	}
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func eval(t testing.TB, c *Client, code string) (repl.Reply, string) {
	t.Helper()
	var l log
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r := c.Eval(ctx, repl.Request{Code: code}, l.sink)
	return r, l.String()
}

func TestOutputInOrder(t *testing.T) {
	c := startTest(t)
	for _, tt := range []struct{ name, code, want string }{
		{"value", "1 + 1", "[2]\n"},
		{"print then value", `fmt.Println("a"); 7`, "a\n[7]\n"},
		{"os.Stdout", `fmt.Print("1 "); os.Stdout.WriteString("2 "); fmt.Print("3 "); os.Stdout.WriteString("4\n"); 5`,
			"1 2 3 4\n[5]\n"},
		{"raw descriptor", `syscall.Write(1, []byte("raw\n")); 6`, "raw\n[6]\n"},
		{"display between", `fmt.Println("x"); Display(1); fmt.Println("y")`, "x\n[1]\ny\n"},
		{"a program", `c := exec.Command("echo", "child"); c.Stdout = os.Stdout; c.Run(); fmt.Println("after")`,
			"child\nafter\n"},
		{"no newline", `fmt.Print("héé")`, "héé"},
		{"stderr that looks like a crash", `fmt.Fprintln(os.Stderr, "panic: not really"); 8`,
			"panic: not really\n[8]\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, out := eval(t, c, tt.code)
			if r.Err != nil {
				t.Fatal(r.Err.Text(false))
			}
			if out != tt.want {
				t.Errorf("got %q, want %q", out, tt.want)
			}
		})
	}
}

func TestLargeOutput(t *testing.T) {
	c := startTest(t)
	r, out := eval(t, c, `for i := range 20000 { fmt.Println("line", i) }; "end"`)
	if r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
	if n := strings.Count(out, "line"); n != 20000 || !strings.HasSuffix(out, "line 19999\n[end]\n") &&
		!strings.HasSuffix(out, "line 19999\n[\"end\"]\n") {
		t.Errorf("%d lines, end %q", n, out[max(len(out)-60, 0):])
	}
}

func TestCrash(t *testing.T) {
	thorough.Slow(t)
	for _, tt := range thorough.Sample([]struct{ name, code, want string }{
		{"panic in a compiled goroutine",
			`s := &http.Server{}; s.RegisterOnShutdown(func() { panic("lost") }); s.Shutdown(context.Background()); time.Sleep(time.Hour)`, "panic: "},
		{"signal", `syscall.Kill(syscall.Getpid(), syscall.SIGKILL); time.Sleep(time.Hour)`, "signal: killed"},
		{"stack of compiled code", "x := make([]any, 1); x[0] = x; fmt.Sprint(x)", "runtime: goroutine stack exceeds"},
		{"SIGSEGV", `syscall.Kill(syscall.Getpid(), syscall.SIGSEGV); time.Sleep(time.Hour)`,
			"SIGSEGV: segmentation violation"},
		{"SIGABRT", `syscall.Kill(syscall.Getpid(), syscall.SIGABRT); time.Sleep(time.Hour)`, "SIGABRT: abort"},
		{"SIGTERM", `syscall.Kill(syscall.Getpid(), syscall.SIGTERM); time.Sleep(time.Hour)`, "signal: terminated"},
		{"fatal error", "var mu sync.Mutex; mu.Unlock()", "fatal error: sync: unlock of unlocked mutex"},
	}, 1, 0) {
		t.Run(tt.name, func(t *testing.T) {
			c := startTest(t)
			eval(t, c, "kept, alsoKept := 1, 2")
			r, out := eval(t, c, tt.code)
			if r.Err == nil || r.Err.Name != "WorkerCrash" || !r.Lost {
				t.Fatalf("reply %+v, output %q", r, out)
			}
			if !strings.HasPrefix(r.Err.Message, tt.want) {
				t.Errorf("message %q, want it to begin with %q", r.Err.Message, tt.want)
			}
			if memory := strings.Contains(strings.Join(r.Err.Notes, "\n"),
				"no memory left"); memory != (tt.want == "signal: killed") {
				t.Errorf("notes %q", r.Err.Notes)
			}
			t.Logf("%s\n%s", r.Err.Message, strings.Join(r.Err.Notes, "\n"))
			if !strings.Contains(out, "kept, alsoKept") {
				t.Errorf("no notice of what is lost: %q", out)
			}
			r, out = eval(t, c, "2 + 3")
			if r.Err != nil || out != "[5]\n" || r.Lost || r.Count != 3 {
				t.Errorf("after the crash: %+v %q", r, out)
			}
		})
	}
}

func TestExit(t *testing.T) {
	c := startTest(t)
	for _, code := range []string{"os.Exit(3)", `go os.Exit(3); time.Sleep(time.Hour)`,
		"l := log.New(os.Stdout, \"\", 0); defer syscall.Exit(3); l.Print(1)"} {
		r, _ := eval(t, c, code)
		if r.Exit == nil || *r.Exit != 3 {
			t.Errorf("%s: %+v", code, r)
		}
	}
}

func TestInterrupt(t *testing.T) {
	thorough.Slow(t)
	c := startTest(t)
	// without a timer, some of them are deadlocks
	eval(t, c, "n := 1\nf := func() int { return n }\nawake := time.AfterFunc(time.Hour, func() {})")
	for _, code := range []string{"for {}", "select {}", "time.Sleep(time.Hour)", "<-make(chan int)",
		"var wg sync.WaitGroup; wg.Add(1); wg.Wait()"} {
		ctx, cancel := context.WithCancel(context.Background())
		r := c.Eval(ctx, repl.Request{Code: "fmt.Println()\n" + code}, func(repl.Event) { cancel() })
		if r.Err == nil || r.Err.Name != "Interrupted" || r.Lost {
			t.Errorf("%s: %+v", code, r)
		}
		if r, out := eval(t, c, "n++; f()"); r.Err != nil || out == "[0]\n" {
			t.Errorf("after %s: %+v %q", code, r, out)
		}
	}
}

// TestLimits: what would end the process ends the cell.
func TestLimits(t *testing.T) {
	thorough.Slow(t)
	if thorough.Race {
		t.Skip("the race detector takes memory of its own, and a cell that is slow to end writes what the next one assigns")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Start(Options{Command: []string{self, "serve-worker"}, Env: append(os.Environ(), "GOROCM_MEMORY=1GiB"),
		Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	eval(t, c, "n := 1")
	for _, tt := range []struct{ code, want string }{
		{"func f(n int) int { return f(n+1) + 1 }\nf(0)", "stack overflow"},
		{"s := [][]byte{}\nfor { s = append(s, make([]byte, 1<<20)) }", "out of memory"},
		{"s = nil\nstrings.Repeat(\"ab\", 1<<40)", "out of memory"},
	} {
		r, out := eval(t, c, tt.code)
		if r.Err == nil || r.Err.Name != "RuntimeError" || !strings.HasPrefix(r.Err.Message, tt.want) || r.Lost {
			t.Errorf("%s: %+v %q", tt.code, r.Err, out)
		}
		t.Log(r.Err.Text(false), out)
		if r, out := eval(t, c, "n"); r.Err != nil || out != "[1]\n" {
			t.Errorf("after %s: %+v %q", tt.code, r, out)
		}
	}
}

func TestAskWhileACellRuns(t *testing.T) {
	c := startTest(t)
	eval(t, c, "number := 5")
	started := make(chan struct{})
	var once sync.Once // a notice may come later
	done := make(chan repl.Reply)
	go func() {
		done <- c.Eval(context.Background(), repl.Request{Code: `fmt.Println("go"); for {}`},
			func(repl.Event) { once.Do(func() { close(started) }) })
	}()
	<-started
	if m := c.Complete("numb", 4).Matches; len(m) != 1 || m[0].Text != "number" {
		t.Errorf("completion %v", m)
	}
	if !c.Inspect("number", 3, 0).Found {
		t.Error("nothing inspected")
	}
	if s := c.IsComplete("func f() {").Status; s != "incomplete" {
		t.Error(s)
	}
	if c.Info().Version != "test" {
		t.Error(c.Info())
	}
	c.Interrupt()
	if r := <-done; r.Err == nil || r.Err.Name != "Interrupted" {
		t.Errorf("%+v", r)
	}
}

func TestNoCommand(t *testing.T) {
	if _, err := Start(Options{Command: []string{"/does/not/exist"}}); err == nil {
		t.Error("no error")
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	c := startTest(b)
	for b.Loop() {
		c.Eval(context.Background(), repl.Request{Code: "1"}, func(repl.Event) {})
	}
}

func BenchmarkStart(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c, err := Start(Options{Command: []string{self, "serve-worker"}})
		if err != nil {
			b.Fatal(err)
		}
		c.Eval(context.Background(), repl.Request{Code: "1 + 1"}, func(repl.Event) {})
		c.Close()
	}
}

// TestInterruptAtOnce: an interrupt that comes before the worker has begun with the cell is not lost.
func TestInterruptAtOnce(t *testing.T) {
	c := startTest(t)
	eval(t, c, "n := 1")
	for range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if r := c.Eval(ctx, repl.Request{Code: "for {}"}, func(repl.Event) {}); r.Err == nil ||
			r.Err.Name != "Interrupted" || r.Lost {
			t.Fatalf("%+v", r)
		}
	}
	if r, out := eval(t, c, "n"); r.Err != nil || out != "[1]\n" {
		t.Errorf("%+v %q", r, out)
	}
}

// TestLogLines: in a worker, too, loggers tell the lines of cells, at their place in the output.
func TestLogLines(t *testing.T) {
	c := startTest(t)
	r, out := eval(t, c, "log.SetFlags(log.Lshortfile)\nlog.Print(\"first\")\nfmt.Println(\"second\")\nslog.Info(\"third\")")
	if want := "cell[1]:2: first\nsecond\ncell[1]:4: INFO third\n"; r.Err != nil || out != want {
		t.Errorf("%+v, got %q, want %q", r.Err, out, want)
	}
}
