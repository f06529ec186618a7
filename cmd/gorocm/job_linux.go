package main

import "syscall"

// jobAttributes keep the terminal's signals from a process, which get to it from the job, and make the kernel end it
// when the job is killed.
func jobAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
