package run

import (
	"os"
	"os/exec"
)

// Programs follows the programs that cells start.
type Programs interface {
	// Starting returns the environment to start a program with that would have env, and what is to be called with its process ID, if that becomes known.
	Starting(env []string) (marked []string, started func(pid int))
	// Released is told of a program that is to outlive the session.
	Released(pid int)
	// Interrupt ends the programs of the running cell.
	Interrupt()
}

// starting calls a method that starts a command, with the environment that Programs wants. The command's own comes back: cells may look at it.
func (e *Runtime) starting(c *exec.Cmd, start func()) {
	if e.opt.Programs == nil {
		start()
		return
	}
	env := c.Env
	defer func() { c.Env = env }()
	if env == nil {
		c.Env = c.Environ()
	}
	var started func(int)
	c.Env, started = e.opt.Programs.Starting(c.Env)
	if start(); c.Process != nil {
		started(c.Process.Pid)
	}
}

func (e *Runtime) cmdStart(c *exec.Cmd) (err error) {
	e.starting(c, func() { err = c.Start() })
	return err
}

func (e *Runtime) cmdRun(c *exec.Cmd) (err error) {
	e.starting(c, func() { err = c.Run() })
	return err
}

func (e *Runtime) cmdOutput(c *exec.Cmd) (out []byte, err error) {
	e.starting(c, func() { out, err = c.Output() })
	return out, err
}

func (e *Runtime) cmdCombinedOutput(c *exec.Cmd) (out []byte, err error) {
	e.starting(c, func() { out, err = c.CombinedOutput() })
	return out, err
}

// startProcess is os.StartProcess.
func (e *Runtime) startProcess(name string, argv []string, attr *os.ProcAttr) (*os.Process, error) {
	if e.opt.Programs == nil || attr == nil {
		return os.StartProcess(name, argv, attr)
	}
	a := *attr
	if a.Env == nil {
		a.Env = os.Environ()
	}
	var started func(int)
	a.Env, started = e.opt.Programs.Starting(a.Env)
	p, err := os.StartProcess(name, argv, &a)
	if err == nil {
		started(p.Pid)
	}
	return p, err
}

// releaseProcess is (*os.Process).Release.
func (e *Runtime) releaseProcess(p *os.Process) error {
	if e.opt.Programs != nil {
		e.opt.Programs.Released(p.Pid)
	}
	return p.Release()
}
