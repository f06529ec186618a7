//go:build !linux

package main

import "syscall"

// jobAttributes has nothing to add: the terminal signals the processes, too.
func jobAttributes() *syscall.SysProcAttr { return nil }
