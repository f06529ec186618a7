package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scriptFile writes a script.
func scriptFile(t *testing.T, code string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script.go")
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLaunch: every process gets its place in the job, and its lines begin with its rank.
func TestLaunch(t *testing.T) {
	file := scriptFile(t, `for _, name := range []string{"LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "GOROCM_EMULATED_DEVICES"} {
	fmt.Print(name, "=", os.Getenv(name), " ")
}
fmt.Println(os.Getenv("MASTER_PORT") != "0", os.Args[1:])
fmt.Fprint(os.Stderr, "no end")
var input string
_, err := fmt.Scan(&input)
fmt.Println(err)
`)
	t.Setenv("GOROCM_EMULATED_DEVICES", "")
	os.Unsetenv("GOROCM_EMULATED_DEVICES")
	r := gorocm(t, t.TempDir(), "not for them", "launch", "--nproc", "2", "--nnodes", "2", "--node-rank", "1",
		"--master-addr", "node1", "--master-port", "4711", file, "-x", "a b")
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	slices.Sort(lines)
	const rest = "WORLD_SIZE=4 LOCAL_WORLD_SIZE=2 MASTER_ADDR=node1 GOROCM_EMULATED_DEVICES=2 true [-x a b]"
	want := []string{"[2] EOF", "[2] LOCAL_RANK=0 " + rest, "[3] EOF", "[3] LOCAL_RANK=1 " + rest}
	errors := strings.Split(strings.TrimSpace(r.stderr), "\n")
	slices.Sort(errors)
	if r.status != 0 || !slices.Equal(lines, want) || !slices.Equal(errors, []string{"[2] no end", "[3] no end"}) {
		t.Errorf("%+v, want the lines %q", r, want)
	}
}

// TestLaunchFails: when a process fails, the others end, and the status is its own.
func TestLaunchFails(t *testing.T) {
	file := scriptFile(t, `if os.Getenv("RANK") == "1" {
	os.Exit(7)
}
defer fmt.Println("deferred")
time.Sleep(time.Hour)
`)
	r := gorocm(t, t.TempDir(), "", "launch", "--nproc", "2", file)
	if r.status != 7 || !strings.Contains(r.stderr, "gorocm: rank 1 failed: exit status 7\n") {
		t.Errorf("%+v", r)
	}
	if r := gorocm(t, t.TempDir(), "", "launch", "--nproc", "2", file+"x"); r.status != 1 ||
		strings.Count(r.stderr, "no such file") != 1 {
		t.Errorf("a file that does not exist: %+v", r)
	}
}

// TestLaunchEnds: the processes get the signals of the launcher, and end with it, also when it is killed in a way that
// it cannot notice.
func TestLaunchEnds(t *testing.T) {
	file := scriptFile(t, `defer fmt.Println("deferred")
fmt.Println(os.Getpid())
time.Sleep(time.Hour)
`)
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		cmd := program(t, "launch", "--nproc", "2", file)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(out)
		var pids []int
		for range 2 {
			line, err := r.ReadString('\n')
			_, pid, _ := strings.Cut(strings.TrimSpace(line), "] ")
			n, bad := strconv.Atoi(pid)
			if err != nil || bad != nil {
				t.Fatal(line, err, bad)
			}
			pids = append(pids, n)
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		var rest bytes.Buffer
		_, _ = rest.ReadFrom(r) // a killed program has no more to say
		_ = cmd.Wait()
		if s == syscall.SIGTERM && (cmd.ProcessState.ExitCode() != 128+int(s) ||
			strings.Count(rest.String(), "deferred") != 2) {
			t.Errorf("%v: %v, %q", s, cmd.ProcessState, rest.String())
		}
		for _, pid := range pids {
			for ended := false; !ended; { // the test's own limit ends a wait in vain
				stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
				ended = err != nil || strings.Contains(string(stat), ") Z ")
				time.Sleep(time.Millisecond)
			}
		}
	}
}

// TestJobKills: a process that does not end when it is asked to is killed, and what could not be started ends the job.
func TestJobKills(t *testing.T) {
	var out, errOut bytes.Buffer
	j := job{out: &out, errOut: &errOut, patience: 50 * time.Millisecond}
	ready := filepath.Join(t.TempDir(), "ready")
	j.add(0, exec.Command("sh", "-c", `trap "" TERM; echo begun; : >"$0"; while :; do sleep 0.01; done`, ready))
	j.add(1, exec.Command("sh", "-c", `while ! test -e "$0"; do sleep 0.01; done; kill -KILL $$`, ready))
	status, err := j.run()
	want := "gorocm: rank 1 failed: signal: killed\ngorocm: rank 0 did not end when it was asked to: killed\n"
	if status != 128+int(syscall.SIGKILL) || err != nil || out.String() != "[0] begun\n" ||
		errOut.String() != want {
		t.Errorf("status %d, %v, output %q, errors %q", status, err, out.String(), errOut.String())
	}

	j = job{out: &out, errOut: &errOut, patience: time.Hour}
	j.add(0, exec.Command("sleep", "1000"))
	j.add(1, exec.Command("/no/such/program"))
	if _, err := j.run(); !os.IsNotExist(err) {
		t.Errorf("a program that does not exist: %v", err)
	}
}

// TestRankLines: lines come out whole, however their parts come in; one without an end gets one.
func TestRankLines(t *testing.T) {
	var j job
	var out bytes.Buffer
	l := &rankLines{out: &out, writing: &j.writing, prefix: "[3] "}
	for _, part := range []string{"a", "b\nc\n\n", "d"} {
		fmt.Fprint(l, part)
	}
	if got := out.String(); got != "[3] ab\n[3] c\n[3] \n" {
		t.Errorf("%q", got)
	}
	fmt.Fprint(l, strings.Repeat("x", longestLine))
	l.flush()
	l.flush()
	if lines := strings.Split(out.String(), "\n"); len(lines) != 6 || lines[3] != "[3] d"+strings.Repeat("x", longestLine-1) ||
		lines[4] != "[3] x" {
		t.Errorf("a long line gives %d lines", len(lines))
	}
}
