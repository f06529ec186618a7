//go:build unix

package linked

import (
	_ "syscall"
	_ "unsafe" // for go:linkname
)

func init() {
	functions["syscall.getsockopt"] = at(syscallGetsockopt)
	functions["syscall.setsockopt"] = at(syscallSetsockopt)
}

//go:linkname syscallGetsockopt syscall.getsockopt
func syscallGetsockopt(s, level, name int, val pointer, vallen *uint32) error

//go:linkname syscallSetsockopt syscall.setsockopt
func syscallSetsockopt(s, level, name int, val pointer, vallen uintptr) error
