package compile

import "syscall"

// dyingWithUs has a child process end when the thread that started it does, whatever ends that.
func dyingWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
