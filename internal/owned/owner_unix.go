//go:build unix

package owned

import (
	"os"
	"syscall"
)

// owner is the number of the user to whom a file belongs.
func owner(info os.FileInfo) (uid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// everybodyWrites reports whether all users may write to a folder.
func everybodyWrites(folder os.FileInfo) bool { return folder.Mode().Perm()&0o002 != 0 }
