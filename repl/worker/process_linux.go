package worker

import "syscall"

// childAttributes make the kernel end a worker whose front end is gone.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
