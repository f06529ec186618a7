package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// twice is how soon a second Ctrl-C counts as impatience.
const twice = 2 * time.Second

// eval runs a cell and acts on Ctrl-C meanwhile. The error says that the session cannot go on.
func (f *front) eval(ctx context.Context, req repl.Request) (repl.Reply, error) {
	select {
	case <-f.greeted:
	case <-time.After(time.Second): // a session that does not even say what it is
	}
	session, done := f.current(), make(chan repl.Reply, 1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	running, abandoned := true, false // guarded by f.drawing; abandoned: the session was given up
	defer f.draw(func() { running = false })
	sink := func(e repl.Event) {
		f.draw(func() {
			switch {
			case abandoned:
			case running:
				f.printer.Event(e)
			default: // from a goroutine that the cell left behind
				f.printer.Aside(e)
			}
		})
	}
	f.draw(func() { f.printer.Begin(f.number) })
	asked := make(chan inquiry)
	req.Input, req.Timed, req.Columns = asker(asked), f.prompts, f.printer.Columns()
	go func() { done <- session.Eval(ctx, req, sink) }()
	waiting := f.waiting(session)
	defer waiting.stop()
	var last time.Time
	for {
		select {
		case <-waiting.tick():
			waiting.show()
		case reply := <-done:
			f.draw(func() { f.printer.Reply(reply) })
			return reply, nil
		case q := <-asked:
			if err := f.answer(ctx, q); err != nil {
				session.Interrupt()
				if errors.Is(err, errEnd) {
					exit := f.exitStatus(1)
					return repl.Reply{Exit: &exit}, nil
				}
			}
		case s := <-f.signals:
			if s != os.Interrupt || !f.prompts {
				f.end(s)
			}
			if s != os.Interrupt || !f.prompts && !last.IsZero() {
				session.Interrupt()
				f.settle(done)
				exit := f.exitStatus(1)
				return repl.Reply{Exit: &exit}, nil
			}
			if f.prompts {
				f.draw(f.printer.interrupted)
			}
			if f.editor != nil {
				f.editor.keepAhead()
			}
			session.Interrupt()
			if now := time.Now(); now.Sub(last) < twice && f.prompts {
				if f.restartWanted(ctx, done) {
					f.draw(func() { abandoned = true })
					return repl.Reply{Restart: true}, f.restart()
				}
				last = time.Time{}
				f.draw(func() { f.printer.Notice("Waiting for the cell to end.") })
				continue
			}
			last = time.Now()
		}
	}
}

// settling is how long a process that was asked to end waits for its cell, whose deferred functions run, to end. On a
// busy machine that takes a while; who sends SIGTERM mostly waits for ten seconds and more.
const settling = 5 * time.Second

// OneSignal is for how long signals that ask the process to end count as the first of them: timeout of GNU sends each
// to the process and to its group, and so do a terminal that closes and its shell.
const OneSignal = time.Second

// settle waits for an interrupted cell to end, or for another signal. What the cell still writes is shown.
func (f *front) settle(done <-chan repl.Reply) {
	begun, end := time.Now(), time.After(settling)
	for {
		select {
		case <-done:
			return
		case <-f.signals:
			if time.Since(begun) >= OneSignal {
				return
			}
		case <-end:
			return
		}
	}
}

// restartWanted asks whether to give the session up; a cell that ends meanwhile answers by itself, through done.
func (f *front) restartWanted(ctx context.Context, done chan repl.Reply) bool {
	const question = "The cell is still running. Restart the session? Its variables are lost. [y/N] "
	answer, err := f.read(ctx, func() (string, error) { return f.lines.Ask(question, false) })
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
	_ = f.current().Close() // it is given up either way
	session, err := f.start()
	if err != nil {
		return fmt.Errorf("the session cannot be restarted: %w", err)
	}
	f.mu.Lock()
	f.session = session
	f.mu.Unlock()
	f.number = 1
	f.draw(func() { f.printer.Notice("The session was restarted: its variables are gone.") })
	return nil
}
