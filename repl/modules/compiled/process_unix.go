//go:build unix

package compiled

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// background gives this process, and those that it starts, the lowest priority.
func background() { _ = unix.Setpriority(unix.PRIO_PROCESS, 0, 19) }

// detach has a program go on when this one, or its terminal, ends.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// lock waits until no other process holds the lock of a file.
func lock(file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
