//go:build unix

package worker

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openStdin makes file, which is descriptor 0, a pipe.
func openStdin(file *os.File) (*stdin, error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	in := &stdin{raw: raw}
	return in, in.renew()
}

// renew puts a new pipe in place of the old one.
func (in *stdin) renew() error {
	var p [2]int
	syscall.ForkLock.RLock()
	err := syscall.Pipe(p[:])
	if err == nil {
		syscall.CloseOnExec(p[0])
		syscall.CloseOnExec(p[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return fmt.Errorf("worker: standard input: %w", err)
	}
	err = unix.Dup2(p[0], 0)
	syscall.Close(p[0])
	if err != nil {
		syscall.Close(p[1])
		return fmt.Errorf("worker: standard input: %w", err)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.w = os.NewFile(uintptr(p[1]), "input")
	return nil
}

// empty reports whether there is nothing to read.
func (in *stdin) empty() bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: 0, Events: unix.POLLIN}}, 0)
	return err == nil && n == 0
}
