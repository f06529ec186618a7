package programs

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/processes"
)

// TestOwn: programs that gorocm starts for itself are not listed, and end with the session as others do.
func TestOwn(t *testing.T) {
	s := New("own-test.0")
	start := func(own bool) int {
		cmd := exec.Command("sleep", "1000")
		cmd.Env = append(without(os.Environ()), Variable+"=own-test.0")
		if own {
			processes.Own(cmd)
		}
		if err := cmd.Start(); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd.Process.Pid
	}
	own, other := start(true), start(false)
	for len(s.find()) < 2 { // a process that has just started may have no environment yet
		time.Sleep(time.Millisecond)
	}
	if list := s.Running(); len(list) != 1 || list[0].PID != other {
		t.Errorf("%d is a cell's and %d is gorocm's: %v", other, own, list)
	}
}
