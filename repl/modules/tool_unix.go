//go:build unix

package modules

import (
	"os/exec"
	"syscall"
)

// group makes the command the leader of a process group, all of which is killed when the command's context ends.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
