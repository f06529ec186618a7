//go:build unix || windows

package processes

import "os/exec"

// NewGroup returns the group of a command that is not started yet. It sets what the system needs of cmd.SysProcAttr.
func NewGroup(cmd *exec.Cmd) *Group {
	g := &Group{cmd: cmd}
	g.prepare()
	return g
}
