package worker

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// openStdin makes os.Stdin a pipe.
func openStdin(*os.File) (*stdin, error) {
	in := &stdin{}
	return in, in.renew()
}

// renew makes os.Stdin, and what C libraries take for it, another pipe: a handle cannot get another file. So what
// still reads from the file that os.Stdin was is at its end for good.
func (in *stdin) renew() error {
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("worker: standard input: %w", err)
	}
	raw, err := r.SyscallConn()
	if err == nil {
		err = raw.Control(func(h uintptr) { _ = windows.SetStdHandle(windows.STD_INPUT_HANDLE, windows.Handle(h)) })
	}
	if err != nil {
		return fmt.Errorf("worker: standard input: %w", err)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	os.Stdin, in.w, in.raw, in.probe = r, w, raw, nil
	return nil
}

// empty reports whether there is nothing to read. It is not known here: a question while somebody reads would wait for
// that read. One who has something to read does not wait for long (see stdinUnsure).
func (in *stdin) empty() bool { return true }
