package run

import (
	"os"
	"os/exec"
)

// Programs follows the programs that cells start.
type Programs interface {
	// Starting returns the environment to start a program with that would have env, and what is to be called with its
	// process ID, if that becomes known.
	Starting(env []string) (marked []string, started func(pid int))
	// Released is told of a program that is to outlive the session.
	Released(pid int)
	// Interrupt ends the programs of the running cell.
	Interrupt()
}

// starting calls a method that starts a command, with the environment that Programs wants. The command's own comes
// back: cells may look at it.
func (cs *commands) starting(c *exec.Cmd, start func()) {
	if cs.follow == nil {
		start()
		return
	}
	env := c.Env
	defer func() { c.Env = env }()
	if env == nil {
		c.Env = c.Environ()
	}
	var started func(int)
	c.Env, started = cs.follow.Starting(c.Env)
	if start(); c.Process != nil {
		started(c.Process.Pid)
	}
}

func (cs *commands) cmdStart(c *exec.Cmd) (err error) {
	cs.starting(c, func() { err = c.Start() })
	return err
}

// cmdRun is (*exec.Cmd).Run, which follows the command from its start on.
func (cs *commands) cmdRun(c *exec.Cmd) error {
	if err := cs.cmdStart(c); err != nil {
		return err
	}
	return c.Wait()
}

func (cs *commands) cmdOutput(c *exec.Cmd) (out []byte, err error) {
	cs.starting(c, func() { out, err = c.Output() })
	return out, err
}

func (cs *commands) cmdCombinedOutput(c *exec.Cmd) (out []byte, err error) {
	cs.starting(c, func() { out, err = c.CombinedOutput() })
	return out, err
}

// startProcess is os.StartProcess.
func (cs *commands) startProcess(name string, argv []string, attr *os.ProcAttr) (*os.Process, error) {
	if cs.follow == nil || attr == nil {
		return os.StartProcess(name, argv, attr)
	}
	a := *attr
	if a.Env == nil {
		a.Env = os.Environ()
	}
	var started func(int)
	a.Env, started = cs.follow.Starting(a.Env)
	p, err := os.StartProcess(name, argv, &a)
	if err == nil {
		started(p.Pid)
	}
	return p, err
}

// releaseProcess is (*os.Process).Release.
func (cs *commands) releaseProcess(p *os.Process) error {
	if cs.follow != nil {
		cs.follow.Released(p.Pid)
	}
	return p.Release()
}

// commands stand in for what starts programs.
type commands struct{ follow Programs }
