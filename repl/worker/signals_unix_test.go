//go:build unix

package worker

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl"
)

// freeze stops a process and returns when it has stopped.
func freeze(pid int) {
	syscall.Kill(pid, syscall.SIGSTOP)
	for { // the test's own limit ends a wait in vain
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if _, state, ok := strings.Cut(string(b), ") "); err != nil || ok && strings.HasPrefix(state, "T") {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestStuck: a worker that does not react to an interrupt is replaced when the user asks for it again.
func TestStuck(t *testing.T) {
	thorough.Slow(t)
	stayStopped(t)
	defer func(a, b time.Duration) { interruptPatience, cancelPatience = a, b }(interruptPatience, cancelPatience)
	interruptPatience, cancelPatience = 50*time.Millisecond, time.Hour
	const hang = `fmt.Println("go"); for {}`
	for _, way := range []string{"Interrupt", "context", "context alone"} {
		t.Run(way, func(t *testing.T) {
			c := startTest(t)
			eval(t, c, "kept := 1")
			if way == "context alone" {
				cancelPatience = time.Millisecond // after the notice
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var l log
			r := c.Eval(ctx, repl.Request{Code: hang}, func(e repl.Event) {
				l.sink(e)
				if e.Kind == repl.Stream {
					freeze(c.p.cmd.Process.Pid)
				}
				switch {
				case e.Kind == repl.Stream && way == "Interrupt":
					c.Interrupt()
				case e.Kind == repl.Stream:
					cancel()
				case e.Meta[MetaStuck] == true && way != "context alone":
					c.Interrupt()
				}
			})
			if r.Err == nil || r.Err.Name != "Interrupted" || !r.Lost {
				t.Errorf("%+v", r)
			}
			if out := l.String(); !strings.Contains(out, "interrupt it again") ||
				!strings.Contains(out, "these variables are gone: kept") {
				t.Errorf("output %q", out)
			}
			if r, out := eval(t, c, "2 + 3"); r.Err != nil || out != "[5]\n" {
				t.Errorf("afterwards: %+v %q", r, out)
			}
		})
	}
}

// TestStuckForAWhile: a cell that stops after all keeps its variables.
func TestStuckForAWhile(t *testing.T) {
	stayStopped(t)
	defer func(d time.Duration) { interruptPatience = d }(interruptPatience)
	interruptPatience = 20 * time.Millisecond
	c := startTest(t)
	eval(t, c, "kept := 1")
	pid := c.p.cmd.Process.Pid
	var l log
	r := c.Eval(context.Background(), repl.Request{Code: `fmt.Println("go"); for {}`}, func(e repl.Event) {
		l.sink(e)
		if e.Kind == repl.Stream {
			freeze(pid)
			c.Interrupt()
		}
		if e.Meta[MetaStuck] == true {
			syscall.Kill(pid, syscall.SIGCONT)
		}
	})
	if r.Err == nil || r.Err.Name != "Interrupted" || r.Lost {
		t.Errorf("%+v", r)
	}
	r, out := eval(t, c, "kept")
	if r.Err != nil || !strings.HasSuffix(out, "[1]\n") { // it may begin with the notice of the stop
		t.Errorf("afterwards: %+v %q", r, out)
	}
}

func TestWorkerEndsWithItsClient(t *testing.T) {
	c := startTest(t)
	pid := c.p.cmd.Process.Pid
	go c.Eval(context.Background(), repl.Request{Code: "for {}"}, func(repl.Event) {})
	c.Close()
	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("worker %d is still there: %v", pid, err)
	}
	if r := c.Eval(context.Background(), repl.Request{Code: "1"}, func(repl.Event) {}); r.Err == nil {
		t.Error("a closed session runs cells")
	}
}

// TestDyingWorker: a cell that was sent to a worker which is dead before it begins with the cell is not blamed for
// that, and runs in the next one.
func TestDyingWorker(t *testing.T) {
	c := startTest(t)
	eval(t, c, "kept := 1")
	pid := c.p.cmd.Process.Pid
	freeze(pid)
	p, done := c.p, make(chan string)
	go func() {
		var l log
		r := c.Eval(context.Background(), repl.Request{Code: "2 + 3"}, l.sink)
		if r.Err != nil {
			l.sink(repl.Event{Kind: repl.Notice, Text: r.Err.Text(false)})
		}
		if !r.Lost || r.Count != 2 {
			t.Errorf("%+v", r)
		}
		done <- l.String()
	}()
	for sent := false; !sent; { // the request is in the pipe, or about to be
		p.mu.Lock()
		sent = len(p.waiting) > 0
		p.mu.Unlock()
	}
	syscall.Kill(pid, syscall.SIGKILL)
	out := <-done
	const want = "<the worker died between two cells: signal: killed; the kernel ends a process like this when the machine, or the container, has no memory left>\n" +
		"<the session was restarted; these variables are gone: kept; %replay runs its cells again>\n[5]\n"
	if !strings.HasSuffix(out, want) { // it may begin with the notice of a stopped worker
		t.Errorf("%q, want %q", out, want)
	}
}

func TestBesideEnds(t *testing.T) {
	c := startTest(t)
	c.SetShells(2)
	eval(t, c, "begun := make(chan int)")
	ctx, cancel := context.WithCancel(t.Context())
	main, side := make(chan repl.Reply), make(chan repl.Reply)
	none := func(repl.Event) {}
	go func() {
		side <- c.Beside(ctx, repl.Request{Code: "begun <- 1\nexec.Command(\"sleep\", \"1000\").Run()"}, none)
	}()
	go func() { main <- c.Eval(t.Context(), repl.Request{Code: "begun <- 1\nselect {}"}, none) }()
	c.Beside(t.Context(), repl.Request{Code: "<-begun\n<-begun"}, none)
	cancel()
	if r := <-side; r.Err == nil || r.Err.Name != "Interrupted" {
		t.Errorf("interrupted: %+v", r.Err)
	}
	go func() {
		side <- c.Beside(t.Context(), repl.Request{Code: "import \"syscall\"\nsyscall.Kill(os.Getpid(), syscall.SIGKILL)\nselect {}"}, none)
	}()
	for _, r := range []repl.Reply{<-side, <-main} {
		if r.Err == nil || r.Err.Name != "WorkerCrash" || !r.Lost {
			t.Errorf("killed: %+v", r)
		}
	}
	if r := c.Beside(t.Context(), repl.Request{Code: "1 + 1"}, none); r.Err != nil {
		t.Errorf("after the crash: %+v", r.Err)
	}
}

func TestSignalsThatCellsReset(t *testing.T) {
	c := startTest(t)
	const send = "syscall.Kill(os.Getpid(), syscall.SIGINT); time.Sleep(10*time.Millisecond); kept"
	eval(t, c, "import \"os/signal\"\nkept := 7")
	for _, code := range []string{"signal.Reset()", "signal.Reset(os.Interrupt)",
		"signal.Ignore(os.Interrupt); signal.Reset(os.Interrupt)"} {
		if r, out := eval(t, c, code+"\n"+send); r.Err != nil || out != "[7]\n" {
			t.Errorf("%s: %+v %q", code, r, out)
		}
	}
}

// TestStoppedWorker: a stopped worker is told of, questions do not wait for it, and an interrupt lets it go on.
func TestStoppedWorker(t *testing.T) {
	thorough.Slow(t)
	c := startTest(t)
	var l log
	told := make(chan bool, 2)
	c.Eval(t.Context(), repl.Request{Code: "kept := 1"}, func(e repl.Event) {
		l.sink(e)
		if strings.Contains(e.Text, "was stopped") {
			told <- true
		}
	})
	freeze(c.p.cmd.Process.Pid)
	<-told
	if r := c.IsComplete("kept"); r.Status != "unknown" {
		t.Errorf("%+v", r)
	}
	interrupt := sync.OnceFunc(c.Interrupt)
	r := c.Eval(t.Context(), repl.Request{Code: "for kept > 0 {}"}, func(e repl.Event) {
		l.sink(e)
		interrupt()
	})
	if r.Err == nil || r.Err.Name != "Interrupted" || r.Lost {
		t.Errorf("%+v", r)
	}
	if out := l.String(); strings.Count(out, "an interrupt lets it go on, and so does kill -CONT") != 2 {
		t.Errorf("%q", out)
	}
	freeze(c.p.cmd.Process.Pid)
	<-c.p.stopped()
	c.Interrupt() // while no cell runs
	if r, out := eval(t, c, "kept"); r.Err != nil || !strings.Contains(out, "[1]\n") {
		t.Errorf("%+v %q", r, out)
	}
}

func stayStopped(t *testing.T) {
	was := resume
	resume = func(*process) {}
	t.Cleanup(func() { resume = was })
}

// TestReplacedProgram: a worker that comes after an upgrade is of the version of its front end.
func TestReplacedProgram(t *testing.T) {
	if os.Getenv("TEST_REPLACED") != "" { // the front end
		c := startTest(t)
		path, err := os.Executable()
		if err != nil || os.Remove(path) != nil || os.WriteFile(path, []byte("#!/bin/sh\nexit 3\n"), 0o700) != nil {
			t.Fatal("the program could not be replaced:", err)
		}
		eval(t, c, "syscall.Kill(os.Getpid(), syscall.SIGKILL); time.Sleep(time.Hour)")
		if r, out := eval(t, c, "2 + 3"); r.Err != nil || out != "[5]\n" {
			t.Errorf("%+v %q", r, out)
		}
		return
	}
	if thorough.Short() || runtime.GOOS != "linux" {
		t.Skip("takes seconds, and Linux, where the file of a program that was replaced is still there")
	}
	path := filepath.Join(t.TempDir(), "program")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-test.run", "TestReplacedProgram")
	cmd.Env = append(os.Environ(), "TEST_REPLACED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestOutOfTime: a worker that the limit of processor time ends has not run out of memory.
func TestOutOfTime(t *testing.T) {
	thorough.Slow(t)
	defer func(f func() time.Duration) { timeLimit = f }(timeLimit)
	timeLimit = func() time.Duration { return time.Second }
	c := startTest(t)
	r, _ := eval(t, c, "syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: 1, Max: 1}); for {}")
	if r.Err == nil || !strings.Contains(r.Err.Text(false), "the processor time that its limit allows: 1s (ulimit -t)") {
		t.Errorf("%+v", r.Err)
	}
}

// TestDyingWorker: a cell that was sent to a worker which is dead before it begins with the cell is not blamed for
// that, and runs in the next one.

// TestSoftTimeLimit: the soft limit of processor time interrupts the running cell, and the session stays.
func TestSoftTimeLimit(t *testing.T) {
	thorough.Slow(t)
	c := startTest(t)
	const limit = `var l syscall.Rlimit
syscall.Getrlimit(syscall.RLIMIT_CPU, &l)
var used syscall.Rusage
syscall.Getrusage(syscall.RUSAGE_SELF, &used)
l.Cur = uint64(used.Utime.Sec+used.Stime.Sec) + 1
syscall.Setrlimit(syscall.RLIMIT_CPU, &l)
`
	eval(t, c, "kept := 1")
	r, out := eval(t, c, limit+"for {}")
	if r.Err == nil || r.Err.Name != "Interrupted" || r.Lost {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(out, "the limit of processor time is reached (ulimit -St)") {
		t.Errorf("%q", out)
	}
	if r, out := eval(t, c, "kept"); r.Err != nil || !strings.HasSuffix(out, "[1]\n") { // it may begin with a late notice
		t.Errorf("afterwards: %+v %q", r, out)
	}
}
