//go:build !windows

package compile

import (
	"os"
	"os/exec"
)

// giveReplyFile gives a child the end of a pipe that it writes its reply to: descriptor 3.
func giveReplyFile(cmd *exec.Cmd, to *os.File) { cmd.ExtraFiles = []*os.File{to} }

// replyFile is what this child was given.
func replyFile() *os.File { return os.NewFile(3, "reply") }
