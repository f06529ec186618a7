package compile

import "syscall"

// killWithParent has a child process end when the thread that started it does, whatever ends that.
func killWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
