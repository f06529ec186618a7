package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

// program is this binary as gorocm, with a home folder of its own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), "GOROCM_TEST_MAIN=1", "HOME="+t.TempDir(), "XDG_STATE_HOME=", "XDG_CONFIG_HOME=",
		"XDG_CACHE_HOME=")
	return cmd
}

// TestFullDisk: output that could not be written is told, and the exit status says so.
func TestFullDisk(t *testing.T) {
	thorough.Slow(t)
	for _, tt := range []struct {
		stdin, args string
		status      int
	}{
		{"", "-e fmt.Println(4)", 1},
		{"", "-e 4", 1},
		{"", "--json -e 4", 1},
		{"", "-e fmt.Println(4);os.Exit(7)", 7},
		{"", "-e fmt.Println(4);os.Exit(0)", 1},
		{"fmt.Println(4)\n", "run -", 1},
		{"fmt.Println(4)\n", "", 1},
		{"4\n", "", 1},
		{"", "version", 1},
		{"", "--help", 1},
	} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip(err)
		}
		var errOut strings.Builder
		cmd := program(t, strings.Fields(tt.args)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(tt.stdin), full, &errOut
		_ = cmd.Run() // the status tells
		full.Close()
		if got := cmd.ProcessState.ExitCode(); got != tt.status ||
			!strings.HasSuffix(errOut.String(), "gorocm: write /dev/stdout: no space left on device\n") {
			t.Errorf("gorocm %s: exit status %d, want %d; errors %q", tt.args, got, tt.status, errOut.String())
		}
	}
}

// TestNobodyReads: a script whose output nobody reads any more ends by SIGPIPE, as other programs do.
func TestNobodyReads(t *testing.T) {
	thorough.Slow(t)
	const endless = "for i := 0; ; i++ { fmt.Println(i) }"
	for _, args := range [][]string{{"-e", endless}, {"--json", "-e", endless}, {"run", "-"}, {}} {
		cmd := program(t, args...)
		cmd.Stdin = strings.NewReader(endless + "\n")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		out.Close()
		_ = cmd.Wait() // the state tells
		if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); !ws.Signaled() || ws.Signal() != syscall.SIGPIPE {
			t.Errorf("%q: %v", args, cmd.ProcessState)
		}
	}
}

// begin starts a program, and returns the first line that it prints and what reads the others.
func begin(t *testing.T, cmd *exec.Cmd) (first string, rest *bufio.Reader) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	rest = bufio.NewReader(out)
	if first, err = rest.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return first, rest
}

// TestSignalledScript: a script that a signal has ended says which one, and its cell runs its deferred calls.
func TestSignalledScript(t *testing.T) {
	thorough.Slow(t)
	const cell = `defer fmt.Println("deferred"); fmt.Println("begun"); time.Sleep(time.Hour)`
	for _, args := range [][]string{{"-e", cell}, {"run", "-"}, {}} {
		for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
			if len(args) == 0 && s != syscall.SIGINT {
				continue // a session on a pipe does not wait for its cell
			}
			// as SIGINT is in the background of a shell without job control, and in what is started there
			if signal.Ignored(s) {
				continue
			}
			cmd := program(t, args...)
			cmd.Stdin = strings.NewReader(cell + "\n")
			begun, r := begin(t, cmd)
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			deferred, _ := r.ReadString('\n')
			_ = cmd.Wait() // the state tells
			if got := cmd.ProcessState.ExitCode(); got != 128+int(s) || begun+deferred != "begun\ndeferred\n" {
				t.Errorf("%q, %v: %v, output %q", args, s, cmd.ProcessState, begun+deferred)
			}
		}
	}
}

// TestSignalledTwice: a signal that comes to the process and to its group, as from timeout, is one: deferred calls run.
func TestSignalledTwice(t *testing.T) {
	thorough.Slow(t)
	const cell = `defer func() { for i := time.Now(); time.Since(i) < 300*time.Millisecond; {}; fmt.Println("deferred") }()
fmt.Println("begun")
time.Sleep(time.Hour)`
	cmd := program(t, "run", "-")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdin = strings.NewReader(cell + "\n")
	begun, r := begin(t, cmd)
	for _, to := range []int{cmd.Process.Pid, -cmd.Process.Pid} {
		if err := syscall.Kill(to, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond) // else the system makes one of them
	}
	deferred, _ := r.ReadString('\n')
	_ = cmd.Wait() // the state tells
	if got := cmd.ProcessState.ExitCode(); got != 128+int(syscall.SIGTERM) || begun+deferred != "begun\ndeferred\n" {
		t.Errorf("%v, output %q", cmd.ProcessState, begun+deferred)
	}
}

// TestMisuse: arguments that mean nothing are wrong usage, also to the commands that cobra adds.
func TestMisuse(t *testing.T) {
	for _, args := range []string{"lsp extra", "completion tcsh", "help nosuch", "help run nosuch"} {
		cmd := program(t, strings.Fields(args)...)
		out, err := cmd.Output()
		if got := cmd.ProcessState.ExitCode(); got != misuse || len(out) > 0 {
			t.Errorf("gorocm %s: %v, exit status %d, %q", args, err, got, out)
		}
	}
	for _, args := range []string{"completion bash", "completion", "help run", "help"} {
		if out, err := program(t, strings.Fields(args)...).Output(); err != nil || len(out) == 0 {
			t.Errorf("gorocm %s: %v", args, err)
		}
	}
}

// TestOutputAsBytes: what a script writes to a pipe or a file arrives as it was, also where it is no text.
func TestOutputAsBytes(t *testing.T) {
	const cell = `for i := range 70000 { os.Stdout.Write([]byte{byte(i), byte(i >> 8), 0xe2, 0x82}) }`
	out, err := program(t, "-e", cell).Output()
	if err != nil {
		t.Fatal(err)
	}
	if len(out) != 280000 {
		t.Fatalf("%d bytes", len(out))
	}
	for i := range 70000 {
		if want := []byte{byte(i), byte(i >> 8), 0xe2, 0x82}; !bytes.Equal(out[4*i:4*i+4], want) {
			t.Fatalf("%x in place of %x, as number %d", out[4*i:4*i+4], want, i)
		}
	}
}
