// Package self finds the file of the running program.
package self

import (
	"os"
	"runtime"
)

// File is the file of the running program. One that was removed or replaced since the program was started, as an
// upgrade does, is still there on Linux, and a process that runs it has the version of this one.
func File() (string, error) {
	path, err := os.Executable()
	if runtime.GOOS != "linux" {
		return path, err
	}
	const running = "/proc/self/exe"
	is, failed := os.Stat(running)
	if failed != nil {
		return path, err
	}
	if at, err := os.Stat(path); err != nil || !os.SameFile(at, is) {
		return running, nil
	}
	return path, nil
}

// started is the file that the program was started from.
var started, _ = os.Executable() // "" is no path

// Is reports whether a path is the file that the running program was started from, whatever is there now.
func Is(path string) bool { return path != "" && path == started }
