package repl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// How long an interrupted command may take to end before it is killed, and for how long output is read that processes
// which it left behind still write.
const shellPatience = 500 * time.Millisecond

func (c *Call) sh() *Error {
	s := c.session
	script := strings.TrimSpace(c.Args + "\n" + c.Body)
	if script == "" {
		return c.wrong("there is nothing to run")
	}
	return s.shell(c.ctx, script)
}

// shell runs a line in the system's shell, with the session's directory and environment. What it writes is the cell's
// output: its errors too, in one pipe, which alone keeps the order in which they are written.
func (s *Local) shell(ctx context.Context, line string) *Error {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	out := s.opt.Stdout
	if o, ok := out.(interface{ File() *os.File }); ok { // which needs no copying, and outlives this call
		if f := o.File(); f != nil {
			out = f
		}
	}
	cmd.Stdout, cmd.Stderr = out, out
	if s.opt.Programs != nil {
		cmd.Env, _ = s.opt.Programs.Starting(os.Environ())
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that all that it starts can be ended together
	cmd.Cancel = func() error {
		group := -cmd.Process.Pid
		err := syscall.Kill(group, syscall.SIGINT)
		time.AfterFunc(shellPatience, func() { _ = syscall.Kill(group, syscall.SIGKILL) }) // gone already, mostly
		return err
	}
	cmd.WaitDelay = 2 * shellPatience
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return &Error{Name: "Interrupted", Message: "the cell was interrupted"}
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return nil
	case errors.As(err, &exit):
		status, _ := exit.Sys().(syscall.WaitStatus)
		if status.Signaled() {
			return &Error{Name: "ShellError", Message: fmt.Sprintf("signal: %v", status.Signal())}
		}
		return &Error{Name: "ShellError", Message: fmt.Sprintf("exit status %d", exit.ExitCode())}
	}
	return &Error{Name: "ShellError", Message: err.Error()}
}
