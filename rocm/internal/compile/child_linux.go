package compile

import "syscall"

// lowerPriority gives a process the lowest priority of those that share processors.
func lowerPriority(pid int) {
	const lowest = 19
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, pid, lowest) // without it, it is in the way of others
}

// killWithParent has the kernel kill a child process when the thread that started it ends.
func killWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
