package main

import (
	"os"
	"path/filepath"

	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/worker"
)

// startSession starts a session in a worker process.
func startSession() (repl.Session, error) { return startScript("gorocm", nil, nil) }

// startScript is startSession with cells that see name and args as os.Args, and read input; with nil they ask the front end.
func startScript(name string, args []string, input *os.File) (repl.Session, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := append([]string{self, "worker", "--", name}, args...)
	client, err := worker.Start(worker.Options{Command: command, Version: version, Stdin: input})
	if err != nil {
		return nil, err
	}
	return client, nil
}

// stateFile is the path of a file that keeps things between sessions, or empty where there is no place for it.
func stateFile(name string) string {
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		base = filepath.Join(home, ".local", "state")
	}
	folder := filepath.Join(base, "gorocm")
	if os.MkdirAll(folder, 0o700) != nil {
		return ""
	}
	path := filepath.Join(folder, name)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600) // what was typed is nobody else's
	if err != nil {
		return ""
	}
	if f.Close() != nil {
		return ""
	}
	return path
}
