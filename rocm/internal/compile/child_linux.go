package compile

import "syscall"

// killWithParent has the kernel kill a child process when the thread that started it ends.
func killWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
