// Package session is what a cell can ask of the front end that it runs in.
//
//	name := session.Input("Your name: ")
//	key := session.Password("Key: ")
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
	"strings"
	"sync"

	"golang.org/x/term"
)

// Asker asks the user for a line. A secret one must not be shown while it is typed.
type Asker func(prompt string, secret bool) (string, error)

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
