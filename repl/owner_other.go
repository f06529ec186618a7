//go:build !unix

package repl

import "os"

// isOurs reports whether a file belongs to this user, which is not known here.
func isOurs(*os.File) bool { return true }
