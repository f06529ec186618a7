package term

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// twice is how soon a second Ctrl-C counts as impatience.
const twice = 3 * time.Second

// eval runs a cell and acts on Ctrl-C meanwhile. The error says that the session cannot go on.
func (f *front) eval(ctx context.Context, cell string) (repl.Reply, error) {
	var drawing sync.Mutex // events, and what eval itself says
	abandoned := false     // the session was restarted: what its cell still shows is not shown
	f.printer.Begin(f.number)
	session, done := f.session, make(chan repl.Reply, 1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		done <- session.Eval(ctx, repl.Request{Code: cell}, func(e repl.Event) {
			drawing.Lock()
			defer drawing.Unlock()
			if !abandoned {
				f.printer.Event(e)
			}
		})
	}()
	var last time.Time
	for {
		select {
		case reply := <-done:
			drawing.Lock()
			defer drawing.Unlock()
			f.printer.Reply(reply)
			return reply, nil
		case s := <-f.signals:
			if s != os.Interrupt || !f.prompts && !last.IsZero() {
				session.Interrupt()
				exit := 1
				return repl.Reply{Exit: &exit}, nil
			}
			if f.prompts {
				drawing.Lock()
				f.printer.write(f.printer.Out, "\n") // after the terminal's ^C
				drawing.Unlock()
			}
			session.Interrupt()
			if now := time.Now(); now.Sub(last) < twice && f.prompts {
				if f.restartWanted(ctx, done) {
					drawing.Lock()
					abandoned = true
					drawing.Unlock()
					return repl.Reply{}, f.restart()
				}
				last = time.Time{}
				drawing.Lock()
				f.printer.Notice("Waiting for the cell to end.")
				drawing.Unlock()
				continue
			}
			last = time.Now()
		}
	}
}

// restartWanted asks whether to give the session up; a cell that ends meanwhile answers by itself, through done.
func (f *front) restartWanted(ctx context.Context, done chan repl.Reply) bool {
	answer, err := f.readLine(ctx, "The cell is still running. Restart the session? Its variables are lost. [y/N] ", "")
	if err != nil || !strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y") {
		return false
	}
	select {
	case reply := <-done:
		done <- reply
		return false
	default:
		return true
	}
}

// restart replaces the session. The old one is closed, which ends its cell.
func (f *front) restart() error {
	_ = f.session.Close() // it is given up either way
	session, err := f.start()
	if err != nil {
		return fmt.Errorf("the session cannot be restarted: %w", err)
	}
	f.session, f.number = session, 1
	f.printer.Notice("The session was restarted: its variables are gone.")
	return nil
}
