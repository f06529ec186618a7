package main

import (
	"os"

	"golang.org/x/term"

	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/worker"
)

// startSession starts a session in a worker process.
func startSession() (repl.Session, error) { return startScript("gorocm", nil, nil, false) }

// startScript is startSession with cells that see name and args as os.Args, and read input; with nil they ask the front
// end. asBytes says that output is passed on as it is, also where it is no text.
func startScript(name string, args []string, input *os.File, asBytes bool) (repl.Session, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := append([]string{self, "worker", "--", name}, args...)
	client, err := worker.Start(worker.Options{Command: command, Version: version, Stdin: input, Bytes: asBytes})
	if err != nil {
		return nil, err
	}
	return client, nil
}

// interactive reports whether somebody sits at standard input and output.
func interactive() bool { return isTerminal(os.Stdin) && isTerminal(os.Stdout) }

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
