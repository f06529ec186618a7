//go:build unix

package term

import "golang.org/x/sys/unix"

// stopProcessGroup stops every process of the group until the shell continues it.
func stopProcessGroup() { _ = unix.Kill(0, unix.SIGTSTP) }
