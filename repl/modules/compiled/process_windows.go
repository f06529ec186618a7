package compiled

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// background gives this process, and those that it starts, the lowest priority.
func background() {
	_ = windows.SetPriorityClass(windows.CurrentProcess(), windows.IDLE_PRIORITY_CLASS)
}

// detach has a program go on when this one, or its console, ends.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

// lock waits until no other process holds the lock of a file.
func lock(file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	var at windows.Overlapped
	if err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &at); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
