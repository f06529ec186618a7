package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/worker"
)

// startSession starts a session in a worker process.
func startSession() (repl.Session, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	client, err := worker.Start(worker.Options{Command: []string{self, "worker"}})
	if err != nil {
		return nil, err
	}
	return client, nil
}

// setArguments gives the cells an os.Args of their own.
func setArguments(ctx context.Context, session repl.Session, name string, args []string) error {
	quoted := []string{strconv.Quote(name)}
	for _, a := range args {
		quoted = append(quoted, strconv.Quote(a))
	}
	cell := "import \"os\"\nos.Args = []string{" + strings.Join(quoted, ", ") + "}"
	if reply := session.Eval(ctx, repl.Request{Code: cell, Silent: true, NoHistory: true}, func(repl.Event) {}); reply.Err != nil {
		return reply.Err
	}
	return nil
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
