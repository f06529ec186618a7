//go:build !linux && !windows

package compile

import "syscall"

// killWithParent is nil: a child process continues when its parent is killed.
func killWithParent() *syscall.SysProcAttr { return nil }

// lowerPriority does nothing.
func lowerPriority(int) {}
