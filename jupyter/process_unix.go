//go:build unix

package jupyter

import (
	"errors"
	"syscall"
)

// processGroup is the number of this process's group.
func processGroup() int { return syscall.Getpgrp() }

// gone reports whether there is no process of a number.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
