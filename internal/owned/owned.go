// Package owned refuses folders in which another user could put files for this one, and paths that a file must not
// take.
package owned

import (
	"fmt"
	"os"
)

// Check returns an error when a folder exists and another user can put files there: when it belongs to somebody else
// than this user or root, or when everybody may write to it.
func Check(folder string) error {
	info, err := os.Stat(folder)
	if err != nil {
		return nil // what uses it tells what is wrong
	}
	if everybodyWrites(info) {
		return fmt.Errorf("%s is not used: everybody may write to it (chmod o-w ends that)", folder)
	}
	if owner, ok := owner(info); ok && owner != 0 && owner != os.Getuid() {
		return fmt.Errorf("%s is not used: it belongs to another user, with the number %d", folder, owner)
	}
	return nil
}

// IsOurs reports whether an open file belongs to this user, or to root.
func IsOurs(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	owner, ok := owner(info)
	return !ok || owner == 0 || owner == os.Getuid()
}

// Replaceable returns an error when path names a device, a pipe or a socket: a new file that is renamed to it would
// take its place.
func Replaceable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // what uses it tells what is wrong
	}
	kind := ""
	switch mode := info.Mode(); {
	case mode&os.ModeDevice != 0:
		kind = "a device"
	case mode&os.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&os.ModeSocket != 0:
		kind = "a socket"
	default:
		return nil
	}
	return fmt.Errorf("%s is %s: a file would take its place", path, kind)
}
