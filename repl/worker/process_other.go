//go:build !linux

package worker

import "syscall"

// childAttributes has nothing to add: the worker ends when its requests end.
func childAttributes() *syscall.SysProcAttr { return nil }

func offerToKernel() {}
