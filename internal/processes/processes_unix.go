//go:build unix

package processes

import (
	"os/exec"
	"syscall"
)

// Group is a program and what it has started: a process group, which has the number of its first process.
type Group struct{ cmd *exec.Cmd }

func (g *Group) prepare() { g.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Start starts the command.
func (g *Group) Start() error { return g.cmd.Start() }

// Interrupt asks all processes of the group to end. They can ignore it.
func (g *Group) Interrupt() error { return syscall.Kill(-g.cmd.Process.Pid, syscall.SIGINT) }

// Kill ends all processes of the group.
func (g *Group) Kill() error { return syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) }

// Close gives up what the system keeps for the group. The processes that are left go on.
func (g *Group) Close() {}
