//go:build !linux && !windows

package worker

import "syscall"

// childAttributes has nothing to add: the worker ends when its requests end.
func childAttributes() *syscall.SysProcAttr { return nil }

func offerToKernel() {}

// readsStdin reports whether a thread of this process is in a read of descriptor 0. It is not known here.
func readsStdin() (reads, known bool) { return false, false }

// isStopped reports whether a process was stopped by a signal. It is not known here.
func isStopped(int) bool { return false }
