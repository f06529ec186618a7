package worker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestOutputLikeACrash: what looks like a crash report is output, on both streams, and nothing after it is lost.
func TestOutputLikeACrash(t *testing.T) {
	thorough.Slow(t)
	c := startTest(t)
	const lines = 20_000 // more than is ever held
	for i, begin := range []string{"panic: ", "fatal error: ", "runtime: ", "SIGSEGV", "SIGABRT", "SIGILL", "SIGQUIT",
		"unexpected fault address", "half a line, and runtime: "} {
		for _, stream := range thorough.Sample([]string{"os.Stdout", "os.Stderr"}, 2, i) {
			code := fmt.Sprintf("fmt.Fprintln(%s, %q)\nfor i := range %d { fmt.Fprintln(%s, \"some more of the output, line\", i) }", stream, begin+"12.3 s", lines, stream)
			r, out := eval(t, c, code)
			if r.Err != nil {
				t.Fatal(r.Err.Text(false))
			}
			if n := strings.Count(out, "\n"); n != lines+1 || !strings.HasPrefix(out, begin+"12.3 s\n") {
				t.Errorf("%q on %s: %d of %d lines, the first is %.40q", begin, stream, n, lines+1, out)
			}
		}
	}
}

// TestUnannouncedEnd: a worker that ends without saying that a cell has called os.Exit has crashed, whatever its exit
// status and whether or not its standard error is still there. The session goes on with another.
func TestUnannouncedEnd(t *testing.T) {
	thorough.Slow(t)
	for _, tt := range thorough.Sample([]struct{ name, code, want string }{
		{"SIGQUIT", `syscall.Kill(syscall.Getpid(), syscall.SIGQUIT); time.Sleep(time.Hour)`, "SIGQUIT: quit"},
		{"exit 0 of a C library", `syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)`, "without a call of os.Exit"},
		{"exit 1 of a C library", `syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 1, 0, 0)`, "without a call of os.Exit"},
		{"exit 2 of a C library", `syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 2, 0, 0)`, "without a call of os.Exit"},
		{"standard error is closed", `syscall.Close(2); s := &http.Server{}; s.RegisterOnShutdown(func() { panic("lost") }); s.Shutdown(context.Background()); time.Sleep(time.Hour)`, "lost"},
		{"standard error is redirected",
			`f, err := os.OpenFile("/dev/null", os.O_WRONLY, 0); syscall.Dup2(int(f.Fd()), 2); s := &http.Server{}; s.RegisterOnShutdown(func() { panic("lost") }); s.Shutdown(context.Background()); time.Sleep(time.Hour)`, "lost"},
		{"a fatal error without standard error", `syscall.Close(2); x := make([]any, 1); x[0] = x; fmt.Sprint(x)`,
			"fatal error of the Go runtime"},
		{"the session's descriptors are closed", "for fd := 3; fd < 12; fd++ { syscall.Close(fd) }; time.Sleep(time.Hour)",
			"descriptors that are the session's own were closed"},
		{"the connection is closed", `syscall.Close(4); time.Sleep(time.Hour)`, "closed its connection"},
	}, 2, 0) {
		t.Run(tt.name, func(t *testing.T) {
			c := startTest(t)
			eval(t, c, "kept := 1")
			r, out := eval(t, c, tt.code)
			if r.Exit != nil || r.Err == nil || r.Err.Name != "WorkerCrash" || !r.Lost {
				t.Fatalf("%+v %q", r, out)
			}
			if text := r.Err.Text(false); !strings.Contains(text, tt.want) {
				t.Errorf("%q does not tell of %q", text, tt.want)
			}
			if !strings.HasSuffix(out, "<the session was restarted; these variables are gone: kept; %replay runs its cells again>\n") || strings.Contains(out, "goroutine ") {
				t.Errorf("output %q", out)
			}
			if r, out := eval(t, c, "2 + 3"); r.Err != nil || out != "[5]\n" || r.Count != 3 {
				t.Errorf("afterwards: %+v %q", r, out)
			}
		})
	}
}

// TestWorkerThatCannotStart: cells are not sent to new workers for ever, and what the worker has said is told, whether
// it has ended before Start or after it.
func TestWorkerThatCannotStart(t *testing.T) {
	var said string
	c, err := Start(Options{Command: []string{"/bin/sh", "-c", "echo no such library >&2; exit 7"}})
	if err != nil {
		said = err.Error()
	} else {
		defer c.Close()
		r, out := eval(t, c, "1")
		if r.Err == nil {
			t.Fatalf("%+v", r)
		}
		said = out + r.Err.Text(false)
	}
	for _, want := range []string{"no such library", "exit status 7", "the worker ended before its session had begun"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q does not tell %q", said, want)
		}
	}
}

// TestExitInACompiledGoroutine: os.Exit ends the session where a panic would be recovered by compiled code, too.
func TestExitInACompiledGoroutine(t *testing.T) {
	const serve = `ln, err := net.Listen("tcp", "127.0.0.1:0")
go http.Serve(ln, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { os.Exit(3) }))
`
	c := startTest(t)
	if r, out := eval(t, c, serve+`fmt.Println("bye"); http.Get("http://" + ln.Addr().String()); time.Sleep(time.Hour)`); r.Exit == nil || *r.Exit != 3 || out != "bye\n" {
		t.Errorf("%+v %q", r, out)
	}
}

// TestExitsOfPackages: functions of compiled packages that call os.Exit end the session as os.Exit does.
func TestExitsOfPackages(t *testing.T) {
	thorough.Slow(t)
	for _, tt := range []struct {
		code, out string
		exit      int
	}{
		{`syscall.Exit(3)`, "", 3},
		{`l := log.New(os.Stderr, "l: ", 0); l.Fatal("no ", 1)`, "l: no 1\n", 1},
		{`l := log.New(os.Stderr, "l: ", 0); l.Fatalf("no %d", 1)`, "l: no 1\n", 1},
		{`l := log.New(os.Stderr, "l: ", 0); a := []any{"no", 1}; l.Fatalln(a...)`, "l: no 1\n", 1},
		{`f := flag.NewFlagSet("f", flag.ExitOnError); f.Parse([]string{"-x"})`,
			"flag provided but not defined: -x\nUsage of f:\n", 2},
		{`f := flag.NewFlagSet("f", flag.ExitOnError); f.Parse([]string{"-h"})`, "Usage of f:\n", 0},
		{`os.Args = []string{"prog", "-x"}; flag.CommandLine.Init("prog", flag.ExitOnError); flag.Usage = func() { fmt.Fprintln(flag.CommandLine.Output(), "usage") }; flag.Parse()`, "flag provided but not defined: -x\nusage\n", 2},
	} {
		c := startTest(t)
		if r, out := eval(t, c, tt.code); r.Exit == nil || *r.Exit != tt.exit || out != tt.out {
			t.Errorf("%s: %+v %q", tt.code, r, out)
		}
	}
}
