package repl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/parser"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/gorocm/gorocm/internal/processes"
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/session"
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
	return s.shellLine(c.ctx, script)
}

// shellLine runs a line for the shell, and notes Go that does the same for %save.
func (s *Local) shellLine(ctx context.Context, line string) *Error {
	if err := s.shell(ctx, line); err != nil {
		if err.Message == notFound {
			err.Notes = negated(s, line)
		}
		return err
	}
	recordAside(s, fmt.Sprintf(`func() {
	c := exec.Command("/bin/sh", "-c", %q)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		log.Fatal(err)
	}
}();`, line))
	return nil
}

// shell runs a line in the system's shell, with the session's directory and environment. What it writes is the cell's
// output: its errors too, in one pipe, which alone keeps the order in which they are written.
func (s *Local) shell(ctx context.Context, line string) *Error {
	out := s.opt.Stdout
	if o, ok := out.(interface{ File() *os.File }); ok { // which needs no copying, and outlives this call
		if f := o.File(); f != nil {
			out = f
		}
	}
	return s.runShell(ctx, line, out, out)
}

// runner is how cells run commands whose output they want.
func (s *Local) runner(ctx context.Context) session.Runner {
	return func(command string) (string, error) {
		var out bytes.Buffer
		if err := s.runShell(ctx, command, &out, s.opt.Stderr); err != nil {
			return out.String(), errors.New("!" + command + ": " + err.Message)
		}
		return out.String(), nil
	}
}

func (s *Local) runShell(ctx context.Context, line string, stdout, stderr io.Writer) *Error {
	cmd, cleanUp, err := shellCommand(ctx, line)
	if err != nil {
		return &Error{Name: "ShellError", Message: err.Error()}
	}
	defer cleanUp()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	started := func(int) {}
	if s.opt.Programs != nil {
		cmd.Env, started = s.opt.Programs.Starting(os.Environ())
	}
	all := processes.NewGroup(cmd)
	cmd.Cancel = func() error {
		err := all.Interrupt()
		time.AfterFunc(shellPatience, func() { _ = all.Kill() }) // gone already, mostly
		return err
	}
	cmd.WaitDelay = 2 * shellPatience
	if err = all.Start(); err == nil {
		started(cmd.Process.Pid)
		err = cmd.Wait()
		all.Close()
	}
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

// assigned is a line such as files := !ls.
var assigned = regexp.MustCompile(`^((?:var\s+)?[\pL_][\pL\pN_]*\s*:?=\s*)!\s*([^=\s].*)$`)

// shellValue makes Go of a line NAME := !COMMAND of a cell. What is an expression of Go's stays: b := !ok.
func (s *Local) shellValue(line, cell string) (text string, ok bool) {
	if !strings.Contains(line, "!") {
		return "", false
	}
	m := assigned.FindStringSubmatch(line)
	if m == nil || isNegation(s.current(), m[2], cell) {
		return "", false
	}
	return m[1] + shellCall + strconv.Quote(m[2]) + ")", true
}

// notFound is how a shell ends that knows no such program.
const notFound = "exit status 127"

// negated notes what the Go of a line is that names a tensor of the session: x.Not() for !x.
func negated(s *Local, line string) []string {
	if kind, f := s.current().TypeOf(line); f != nil || kind != "*tensor.Tensor" {
		return nil
	}
	return []string{"a line that begins with ! is for the shell: did you mean " + line + ".Not()?"}
}

// shellCall begins the Go of such a line.
const shellCall = "session.Shell("

// isNegation reports whether ! and text are Go: an expression whose first name the session or the cell has, or that no
// program is called.
func isNegation(e *golang.Engine, text, cell string) bool {
	if _, err := parser.ParseExpr("!" + text); err != nil {
		return false
	}
	if _, f := e.TypeOf("!" + text); f == nil {
		return true
	}
	name := strings.TrimLeft(text, "!(")
	end := strings.IndexFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end >= 0 {
		name = name[:end]
	}
	if name == "" || len(regexp.MustCompile(`\b`+name+`\b`).FindAllString(cell, 2)) > 1 {
		return true
	}
	_, err := exec.LookPath(name)
	return err != nil
}
