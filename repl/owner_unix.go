//go:build unix

package repl

import (
	"os"
	"syscall"
)

// isOurs reports whether a file belongs to this user, or to root.
func isOurs(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || st.Uid == 0 || int(st.Uid) == os.Getuid()
}
