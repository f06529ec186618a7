package worker

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl"
)

// lives reports whether a process runs: one that waits to be noticed by its parent does not.
func lives(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(state, "Z")
}

// awaitEnd waits until a process has ended. The test's own limit ends a wait in vain.
func awaitEnd(pid int) {
	for lives(pid) {
		time.Sleep(time.Millisecond)
	}
}

// script is a shell script that tells its process ID in a file and goes on as a program that does not end by itself.
type script struct{ file string }

func newScript(t *testing.T) script { return script{filepath.Join(t.TempDir(), "pid")} }

// text is the script; begin are commands that come first.
func (s script) text(begin string) string {
	return fmt.Sprintf("%s echo $$ > %s; exec sleep 1000", begin, s.file) // it starts no other program
}

// pid waits for the script to have become that program.
func (s script) pid(t *testing.T) int {
	t.Helper()
	for {
		text, err := os.ReadFile(s.file)
		if line, whole := strings.CutSuffix(string(text), "\n"); err == nil && whole {
			pid, err := strconv.Atoi(line)
			if err != nil {
				t.Fatal(err)
			}
			for command := ""; !strings.HasPrefix(command, "sleep\x00"); time.Sleep(time.Millisecond) {
				read, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				if err != nil {
					t.Fatal(err)
				}
				command = string(read)
			}
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
			return pid
		}
		time.Sleep(time.Millisecond)
	}
}

// TestProgramsEndWithTheirCell: an interrupt ends the programs that the cell has started, in whatever way, and no other
// cell's.
func TestProgramsEndWithTheirCell(t *testing.T) {
	thorough.Slow(t)
	for _, tt := range thorough.Sample([]struct{ name, begin, cell string }{
		{"Run", "", `exec.Command("sh", "-c", %q).Run()`},
		{"Output", "", `exec.Command("sh", "-c", %q).Output()`},
		{"CombinedOutput of its child", "", `exec.Command("sh", "-c", "sh -c '"+%q+"'; true").CombinedOutput()`},
		{"Start", "", `c := exec.Command("sh", "-c", %q); c.Start(); time.Sleep(time.Hour)`},
		{"StartProcess", "", `os.StartProcess("/bin/sh", []string{"sh", "-c", %q}, &os.ProcAttr{}); time.Sleep(time.Hour)`},
		{"an empty environment", "", `c := exec.Command("/bin/sh", "-c", %q); c.Env = []string{}; c.Run()`},
		{"in a goroutine", "", `go func() { exec.Command("sh", "-c", %q).Run() }(); time.Sleep(time.Hour)`},
		{"in the background of a shell", "",
			`exec.Command("sh", "-c", "sh -c '"+%q+"' &").Run(); time.Sleep(time.Hour)`},
		{"a program that ignores the interrupt", "trap '' INT TERM;", `exec.Command("sh", "-c", %q).Run()`},
		{"a command", "", `!%s`},
	}, 2, 0) {
		t.Run(tt.name, func(t *testing.T) {
			c := startTest(t)
			other, own := newScript(t), newScript(t)
			if r, _ := eval(t, c, fmt.Sprintf(`exec.Command("sh", "-c", %q).Start()`, other.text(""))); r.Err != nil {
				t.Fatal(r.Err.Text(false))
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			done := make(chan repl.Reply)
			go func() {
				done <- c.Eval(ctx, repl.Request{Code: fmt.Sprintf(tt.cell, own.text(tt.begin))}, func(repl.Event) {})
			}()
			pid := own.pid(t)
			cancel()
			if r := <-done; r.Err == nil || r.Err.Name != "Interrupted" || r.Lost {
				t.Errorf("%+v", r)
			}
			awaitEnd(pid)
			if !lives(other.pid(t)) {
				t.Error("a program of an earlier cell has ended, too")
			}
		})
	}
}

// TestDeferredPrograms: an interrupt does not end the programs that clean up after the cell.
func TestDeferredPrograms(t *testing.T) {
	thorough.Slow(t)
	c := startTest(t)
	own := newScript(t)
	var l log
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan repl.Reply)
	go func() {
		done <- c.Eval(ctx, repl.Request{Code: fmt.Sprintf(`defer func() {
	clean := exec.Command("sh", "-c", "sleep 0.7; echo cleaned")
	clean.Stdout = os.Stdout
	fmt.Println(clean.Run())
}()
exec.Command("sh", "-c", %q).Run()`, own.text(""))}, l.sink)
	}()
	own.pid(t)
	cancel()
	if r := <-done; r.Err == nil || r.Err.Name != "Interrupted" || l.String() != "cleaned\n<nil>\n" {
		t.Errorf("%+v %q", r, l.String())
	}
}

// TestProgramsEndWithTheWorker: programs end with the worker, however it ends; those that were set free live on.
func TestProgramsEndWithTheWorker(t *testing.T) {
	thorough.Slow(t)
	for _, tt := range thorough.Sample([]struct {
		name string
		end  func(c *Client)
	}{
		{"Close", func(c *Client) { c.Close() }},
		{"kill", func(c *Client) { syscall.Kill(c.p.cmd.Process.Pid, syscall.SIGKILL) }},
		{"restart", func(c *Client) {
			c.Eval(context.Background(), repl.Request{Code: "%restart"},
				func(repl.Event) {})
		}},
		{"exit", func(c *Client) {
			c.Eval(context.Background(), repl.Request{Code: "syscall.Kill(os.Getpid(), syscall.SIGTERM)"},
				func(repl.Event) {})
		}},
	}, 2, 0) {
		t.Run(tt.name, func(t *testing.T) {
			c := startTest(t)
			worker := c.p.cmd.Process.Pid
			session := ""
			for session == "" { // a process that has just begun shows no environment yet
				session = variable(worker, "GOROCM_PROGRAM")
			}
			bound := map[string]string{
				"Start":      `exec.Command("sh", "-c", %q).Start()`,
				"background": `exec.Command("sh", "-c", "sh -c '"+%q+"' &").Run()`,
				"stubborn":   `exec.Command("sh", "-c", "trap '' INT TERM HUP; "+%q).Start()`,
				"command":    `!sh -c '%s' &`,
				"unseen":     `run := exec.Command("sh", "-c", %q).Start; run()`,
			}
			free := map[string]string{
				"setsid":   `exec.Command("setsid", "sh", "-c", %q).Start()`,
				"Setsid":   `d := exec.Command("sh", "-c", %q); d.SysProcAttr = &syscall.SysProcAttr{Setsid: true}; d.Start()`,
				"released": `r := exec.Command("sh", "-c", "sh -c '"+%q+"' & wait"); r.Start(); r.Process.Release()`,
			}
			start := func(cells map[string]string) map[string]int {
				pids := map[string]int{}
				for name, cell := range cells {
					s := newScript(t)
					if r, _ := eval(t, c, fmt.Sprintf(cell, s.text(""))); r.Err != nil {
						t.Fatalf("%s: %s", name, r.Err.Text(false))
					}
					pids[name] = s.pid(t)
				}
				return pids
			}
			boundPids, freePids := start(bound), start(free)
			tt.end(c)
			awaitEnd(worker)
			for name, pid := range boundPids {
				t.Log("waiting for", name)
				awaitEnd(pid)
			}
			for keeping := true; keeping; {
				keeping = false
				for _, pid := range processes(t) {
					keeping = keeping ||
						strings.HasPrefix(variable(pid, "GOROCM_KEEPER"), strings.TrimSuffix(session, "0"))
				}
			}
			for name, pid := range freePids {
				if !lives(pid) {
					t.Errorf("%s: a program that was set free has ended", name)
				}
			}
		})
	}
}

// TestForkedWorker: a process that a cell forks from the one that runs cells, with all its pipes, does not keep the front
// end waiting when that one is gone, and ends, too.
func TestForkedWorker(t *testing.T) {
	thorough.Slow(t)
	for _, how := range []string{"%restart", "syscall.Kill(os.Getpid(), syscall.SIGKILL)"} {
		c := startTest(t)
		r, out := eval(t, c, `parent := os.Getpid()
pid, _, _ := syscall.RawSyscall(syscall.SYS_FORK, 0, 0, 0)
for os.Getpid() != parent { // never the scheduler, which would take requests of the front end from the parent
	syscall.RawSyscall(syscall.SYS_PAUSE, 0, 0, 0)
}
fmt.Print(pid)`)
		pid, err := strconv.Atoi(out)
		if err != nil || r.Err != nil {
			t.Fatal(out, r.Err)
		}
		t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
		if r, _ := eval(t, c, how); r.Err != nil && r.Err.Name != "WorkerCrash" {
			t.Errorf("%s: %+v", how, r.Err)
		}
		if r, out := eval(t, c, "fmt.Println(1+1)"); r.Err != nil || out != "2\n" {
			t.Errorf("%s: %+v %q", how, r.Err, out)
		}
		awaitEnd(pid)
	}
}

// variable is an environment variable of a process.
func variable(pid int, name string) string {
	env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	for _, v := range bytes.Split(env, []byte{0}) {
		if value, ok := strings.CutPrefix(string(v), name+"="); ok {
			return value
		}
	}
	return ""
}

func processes(t *testing.T) (pids []int) {
	t.Helper()
	list, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
