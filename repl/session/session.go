// Package session is what a cell can ask of the front end that it runs in.
//
//	name := session.Input("Your name: ")
//	key := session.Password("Key: ")
//
// Shell runs a command as a line !command does, and returns its output; files := !ls in a cell is
// files := session.Shell("ls").
//
// fmt.Scan and reads of os.Stdin ask in the same way, without a prompt of their own: what the cell has printed is the
// prompt.
package session

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/display"
	"golang.org/x/term"
)

// Asker asks the user for a line. A secret one must not be shown while it is typed.
type Asker func(prompt string, secret bool) (string, error)

// Runner runs a command and returns what it has written to standard output.
type Runner func(command string) (output string, err error)

var runner struct {
	sync.Mutex
	run Runner
}

// SetRunner says how Shell runs commands: a session sets it for its cells. With nil, as in a program that is no
// session, /bin/sh runs them.
func SetRunner(run Runner) {
	runner.Lock()
	defer runner.Unlock()
	runner.run = run
}

// Shell runs a command in /bin/sh and returns the lines that it writes to standard output, without their newlines. What
// it writes to standard error is shown. The error tells of a command that ended with another status than 0; the lines
// are returned nevertheless.
func Shell(command string) ([]string, error) {
	runner.Lock()
	run := runner.run
	runner.Unlock()
	if run == nil {
		run = runShell
	}
	text, err := run(command)
	text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if text == "" {
		return nil, err
	}
	return strings.Split(text, "\n"), err
}

func runShell(command string) (string, error) {
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	return string(out), err
}

// Captured is what a cell has shown below %%capture NAME, which makes NAME a variable of this type.
type Captured struct {
	Stdout, Stderr string
	// Shown are the values that were displayed, in order, as representations by MIME type.
	Shown []display.Bundle
}

// String returns the output and the values as text.
func (c Captured) String() string {
	text := c.Stdout + c.Stderr
	for _, b := range c.Shown {
		text += b.Text() + "\n"
	}
	return strings.TrimSuffix(text, "\n")
}

// Show prints the output again and displays the values again.
func (c Captured) Show() {
	captured.Lock()
	stdout, stderr := captured.stdout, captured.stderr
	captured.Unlock()
	fmt.Fprint(stdout, c.Stdout)
	fmt.Fprint(stderr, c.Stderr)
	for _, b := range c.Shown {
		display.Show(b)
	}
}

var captured = struct {
	sync.Mutex
	last           Captured
	stdout, stderr io.Writer
}{stdout: os.Stdout, stderr: os.Stderr}

// SetOutput says where Captured.Show prints: a session sets it for its cells.
func SetOutput(stdout, stderr io.Writer) {
	captured.Lock()
	defer captured.Unlock()
	captured.stdout, captured.stderr = stdout, stderr
}

// SetCaptured says what LastCaptured returns: the session calls it.
func SetCaptured(c Captured) {
	captured.Lock()
	defer captured.Unlock()
	captured.last = c
}

// LastCaptured returns what the last %%capture command has captured.
func LastCaptured() Captured {
	captured.Lock()
	defer captured.Unlock()
	return captured.last
}

var asker struct {
	sync.Mutex
	ask Asker
}

// SetAsker says how Input and Password ask: a session sets it for its cells. With nil, as in a program that is no
// session, they read standard input.
func SetAsker(ask Asker) {
	asker.Lock()
	defer asker.Unlock()
	asker.ask = ask
}

// Input shows a prompt, waits for a line and returns it without its newline. The error is io.EOF at the end of the
// input, and tells of a front end that cannot ask, as when a notebook is run from the command line.
func Input(prompt string) (string, error) { return ask(prompt, false) }

// Password is Input for a line that is not shown while it is typed.
func Password(prompt string) (string, error) { return ask(prompt, true) }

func ask(prompt string, secret bool) (string, error) {
	asker.Lock()
	ask := asker.ask
	asker.Unlock()
	if ask == nil {
		ask = standardInput
	}
	return ask(prompt, secret)
}

// standardInput reads a line from the process's own input, byte by byte, so that what follows stays for other readers.
func standardInput(prompt string, secret bool) (string, error) {
	fmt.Fprint(os.Stdout, prompt)
	if fd := int(os.Stdin.Fd()); secret && term.IsTerminal(fd) {
		b, err := term.ReadPassword(fd)
		fmt.Fprintln(os.Stdout)
		return string(b), err
	}
	line, err := bufio.NewReaderSize(oneByte{os.Stdin}, 16).ReadString('\n')
	if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
		return "", err
	}
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), nil
}

// oneByte gives a reader's bytes one at a time.
type oneByte struct{ r io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(len(p), 1)]) }
