//go:build !unix

package owned

import "os"

// owner is not known here.
func owner(os.FileInfo) (uid int, ok bool) { return 0, false }

// everybodyWrites is not known here: modes say nothing of access control lists. The folders of a user's profile are the
// user's alone.
func everybodyWrites(os.FileInfo) bool { return false }
