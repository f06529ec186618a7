//go:build !linux

package compile

import "syscall"

// dyingWithUs is nil: a child process goes on when this one is killed.
func dyingWithUs() *syscall.SysProcAttr { return nil }
