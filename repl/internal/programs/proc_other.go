//go:build !linux && !windows

package programs

import "syscall"

// process is a process that was found: none is where there is no /proc.
type process struct {
	pid, number int
	own         bool
}

func (process) signal(syscall.Signal) {}

func (process) command() string { return "" }

func follow(session string, number, pid int) {}

func find(string, int, func(number int) bool) []process { return nil }

func sessionOf(int) int { return 0 }
