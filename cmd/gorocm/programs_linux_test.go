package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestProgramsEndWithTheFrontEnd: the programs of cells end with the front end, also when it is killed in a way that it
// cannot notice.
func TestProgramsEndWithTheFrontEnd(t *testing.T) {
	thorough.Slow(t)
	const cell = `c := exec.Command("sleep", "1000"); c.Start(); fmt.Println(c.Process.Pid)`
	for _, tt := range []struct {
		name string
		args []string
		end  func(front *os.Process) error
	}{
		{"the script ends", []string{"-e", cell}, nil},
		{"kill -9", []string{"-e", cell, "-e", "time.Sleep(time.Hour)"}, (*os.Process).Kill},
		{"SIGTERM", []string{"-e", cell, "-e", "time.Sleep(time.Hour)"},
			func(p *os.Process) error { return p.Signal(syscall.SIGTERM) }},
		{"kill -9 of a session on a pipe", nil, (*os.Process).Kill},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := program(t, tt.args...)
			cmd.Stdin = strings.NewReader(cell + "\ntime.Sleep(time.Hour)\n")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			if tt.end != nil {
				if err := tt.end(cmd.Process); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait()                // it was killed, in most cases
			for ended := false; !ended; { // the test's own limit ends a wait in vain
				stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
				ended = err != nil || strings.Contains(string(stat), ") Z ")
				time.Sleep(time.Millisecond)
			}
		})
	}
}

// TestDeadlockAfterProgram: what waits for the end of programs does not hide a deadlock of later cells.
func TestDeadlockAfterProgram(t *testing.T) {
	thorough.Slow(t)
	for _, first := range []string{"!true", `exec.Command("true").Run()`} {
		out, _ := program(t, "-e", first, "-e", "make(chan int) <- 1").CombinedOutput()
		if !strings.Contains(string(out), "all goroutines are asleep - deadlock!") {
			t.Errorf("after %s: %s", first, out)
		}
	}
}
