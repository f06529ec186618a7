package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// stdin is the standard input of a worker whose front end asks the user. Cells see it as os.Stdin, an *os.File, whose
// reads nothing can intercept. So it is a pipe, and while a cell runs we look whether somebody waits at it.
type stdin struct {
	raw syscall.RawConn

	mu    sync.Mutex
	w     *os.File      // the pipe's other end
	probe chan struct{} // closed when the last probe has got hold of the descriptor
}

// How often we look, and how often in a row a reader must be found waiting: a process that is short of time is slow
// with everything, so without a look at its threads it takes many.
const (
	stdinPoll   = 4 * time.Millisecond
	stdinSure   = 2
	stdinUnsure = 75
)

// waiting reports whether something waits for input. A read holds the file's lock, which a probe then cannot get.
func (in *stdin) waiting() bool {
	if in.probe != nil {
		select {
		case <-in.probe:
		default:
			return in.empty()
		}
	}
	in.probe = make(chan struct{})
	go func(got chan struct{}) {
		_ = in.raw.Read(func(uintptr) bool { return true }) // a file that a cell has closed has no readers
		close(got)
	}(in.probe)
	return false
}

// watch asks for a line whenever somebody waits for input, until ctx ends. refused is called when nobody can be asked.
func (in *stdin) watch(ctx context.Context, ask func(context.Context, repl.Prompt) (string, error),
	refused func(error)) {
	tick := time.NewTicker(stdinPoll)
	defer tick.Stop()
	asked := false // somebody waits, and the question had no answer
	for seen := 0; ; {
		select {
		case <-ctx.Done():
			if reads, _ := readsStdin(); errors.Is(context.Cause(ctx), errInterrupted) && (asked || reads) {
				in.end()
			}
			return
		case <-tick.C:
		}
		if ctx.Err() != nil {
			continue
		}
		if !in.waiting() {
			seen = 0
			continue
		}
		if seen++; seen < stdinSure {
			continue
		}
		if reads, known := readsStdin(); known && !reads || !known && seen < stdinUnsure {
			continue
		}
		line, err := ask(ctx, repl.Prompt{})
		asked = ctx.Err() != nil
		switch {
		case err == nil:
			in.mu.Lock()
			_, _ = in.w.WriteString(line + "\n") // the other end is ours
			in.mu.Unlock()
			seen = 0
		case ctx.Err() != nil: // the cell has ended, and a goroutine still waits; or it was interrupted
		case errors.Is(err, io.EOF):
			in.end()
			seen = 0
		default:
			refused(err)
			in.end()
			return
		}
	}
}

// errInterrupted is the cause of the end of a watch whose readers are to go on.
var errInterrupted = errors.New("interrupted")

// end gives the readers that wait an end of file. Later ones wait again.
func (in *stdin) end() {
	in.mu.Lock()
	in.w.Close()
	in.mu.Unlock()
	if in.probe != nil {
		select {
		case <-in.probe:
		case <-time.After(time.Second): // a reader that asks again and again is left with its ends of file for now
		}
	}
	if err := in.renew(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
