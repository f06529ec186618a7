//go:build unix

package repl

import (
	"os"
	"syscall"
)

// lock locks an open file until it is closed, unless another has done so.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
