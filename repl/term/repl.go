package term

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/history"
)

// Options of Run. The zero value uses the process's standard files, keeps no history and shows hints.
type Options struct {
	In          *os.File // nil: standard input
	Out, Err    *os.File // nil: standard output, standard error
	HistoryFile string   // of package history; empty: this session only
	// cells that run before the first prompt, and again in every session that takes this one's place
	Startup []string
	Settings
}

// Settings are what users choose. The zero value is what most want.
type Settings struct {
	Colour  string // "always", "never", or whatever the terminal and NO_COLOR say
	NoHints bool   // nothing is shown below the cell but what is asked for
	Status  bool   // a line below the cell tells the memory of the devices
	// how long a cell takes before that is told; 0 stands for half a second, less than 0 for never
	Elapsed time.Duration
	Editor  string // the program of %edit; empty: $VISUAL, $EDITOR, or one that is installed
	History int    // how many cells of earlier sessions the arrow keys reach; 0 stands for 10,000
}

// historyShown is how many cells of earlier sessions the arrow keys reach.
const historyShown = 10_000

// errEnd is how reading says that the user leaves.
var errEnd = errors.New("end of session")

// front is one run of the terminal front end.
type front struct {
	start   func() (repl.Session, error)
	options Options
	lines   reader
	editor  *editor    // lines, where it is one
	drawing sync.Mutex // held while printer is used
	printer *Printer
	signals chan os.Signal
	greeted chan struct{} // closed when the banner is there
	number  int           // of the next cell
	past    *history.Store
	next    string         // what stands in it already
	prompts bool           // somebody sits there
	ended   syscall.Signal // the signal that ends the session, 0 without one

	mu      sync.Mutex // guards session, which the editor asks while it is replaced
	session repl.Session
}

// Run reads cells and runs them on a session that start makes, until the input ends, the user leaves or a cell calls
// os.Exit. On a terminal there are prompts, a line editor with history and completion, and Ctrl-C interrupts the
// running cell; input from a pipe is run cell by cell, without prompts, up to the first cell that fails. The code is
// what the process should exit with: 0, 1 after a failed cell on a pipe or when output could not be written, os.Exit's
// code, or 128 and the number of the signal that ended the session. The error is one of start, of reading, or of
// writing output that is not a terminal.
func Run(ctx context.Context, start func() (repl.Session, error), o Options) (code int, err error) {
	in, out, errOut := or(o.In, os.Stdin), or(o.Out, os.Stdout), or(o.Err, os.Stderr)
	written := &Output{W: out}
	f := &front{start: start, options: o, printer: o.Settings.printer(out, errOut), number: 1,
		signals: make(chan os.Signal, 4), greeted: make(chan struct{})}
	f.prompts = isTerminal(in) && isTerminal(out)
	f.printer.Labels = f.prompts
	if f.printer.Out = written; !f.prompts {
		defer func() { code, err = lostOutput(code, errors.Join(err, written.Err())) }()
	}
	watched := make(chan *guard, 1)
	if f.prompts && !dumb(out) {
		go func() { watched <- startGuard(in) }() // beside the start of the session
	} else {
		watched <- nil
	}
	session, err := start()
	if err != nil {
		(<-watched).dismiss()
		return 1, err
	}
	f.session = session
	defer func() { <-f.greeted }()
	defer func() { err = errors.Join(err, f.current().Close()) }()
	if f.prompts {
		f.past = history.Open(o.HistoryFile, slog.New(slog.NewTextHandler(errOut, nil)))
		defer f.past.Close()
	}
	if err = f.open(in, out, <-watched); err != nil {
		close(f.greeted)
		return 1, err
	}
	defer func() { f.lines.Close() }()
	signal.Notify(f.signals, EndSignals()...)
	defer signal.Stop(f.signals)
	if f.editor != nil {
		go f.banner() // it appears above the prompt
	} else {
		f.banner()
	}
	if reply, err := f.startUp(ctx); err != nil || reply.Exit != nil {
		return f.exit(reply, err)
	}
	return f.loop(ctx)
}

// lostOutput is the exit status of a run with that of its cells, some of whose output may be lost.
func lostOutput(code int, err error) (int, error) {
	if err != nil && code == 0 {
		code = 1
	}
	return code, err
}

// printer draws as the settings want it.
func (s Settings) printer(out, errOut *os.File) *Printer {
	p := NewPrinter(out, errOut)
	switch s.Colour {
	case "always":
		p.Colour = true
	case "never":
		p.Colour, p.TrueColour, p.Graphics = false, false, display.NoGraphics
	}
	if p.Slow = s.Elapsed; p.Slow == 0 {
		p.Slow = slow
	}
	return p
}

func or(f, standard *os.File) *os.File {
	if f == nil {
		return standard
	}
	return f
}

func (f *front) open(in, out *os.File, watched *guard) error {
	switch {
	case !f.prompts:
		f.lines = &plain{in: bufio.NewReader(in), asks: f}
		return nil
	case dumb(out):
		f.lines = &plain{in: bufio.NewReader(in), prompts: out, asks: f}
		return nil
	}
	size := func() (int, int) { return terminalSize(out) }
	e, err := newEditor(in, out, size, f.printer.look(), f, !f.options.NoHints)
	if err != nil {
		watched.dismiss()
		return err
	}
	e.tty.guard = watched
	e.edit = f.edit
	e.status = f.status
	limit := f.options.History
	if limit <= 0 {
		limit = historyShown
	}
	e.past.load = func() (cells []string) {
		earlier, err := f.past.Before(limit)
		if err != nil {
			e.message = err.Error()
		}
		for _, c := range earlier {
			cells = append(cells, strings.TrimRight(c.Input, "\n"))
		}
		return cells
	}
	f.lines, f.editor = e, e
	f.printer.Out, f.printer.Err = e.screen, e.screen // above the cell that is being edited, if one is
	return nil
}

// current is the session, which a restart replaces.
func (f *front) current() repl.Session {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.session
}

// Complete, Inspect and IsComplete ask the session that is there now.
func (f *front) Complete(code string, cursor int) repl.Completion {
	return f.current().Complete(code, cursor)
}

func (f *front) Inspect(code string, cursor, detail int) repl.Inspection {
	return f.current().Inspect(code, cursor, detail)
}

func (f *front) IsComplete(code string) repl.Completeness { return f.current().IsComplete(code) }

// draw calls f alone.
func (f *front) draw(do func()) {
	f.drawing.Lock()
	defer f.drawing.Unlock()
	do()
}

// banner says what session this is. The first prompt does not wait for it: the session may still be starting, and can
// be typed to.
func (f *front) banner() {
	defer close(f.greeted)
	if !f.prompts {
		return
	}
	if text := f.current().Info().Banner; text != "" {
		f.draw(func() { f.printer.document(display.Bundle{display.MIMEText: text}) })
	}
}

// startUp runs the cells that every session begins with. They are not counted, and one that fails leaves out those
// after it.
func (f *front) startUp(ctx context.Context) (reply repl.Reply, err error) {
	for _, cell := range f.options.Startup {
		reply, err = f.eval(ctx, repl.Request{Code: cell, NoHistory: true})
		if err != nil || reply.Exit != nil || reply.Err != nil {
			return reply, err
		}
	}
	return reply, nil
}

// exit is what the process ends with after a cell that ended the session.
func (f *front) exit(reply repl.Reply, err error) (int, error) {
	switch {
	case err != nil:
		return 1, err
	case reply.Exit != nil:
		return *reply.Exit, nil
	}
	return 0, nil
}

// loop runs cells until something ends the session.
func (f *front) loop(ctx context.Context) (code int, err error) {
	for {
		cell, err := f.readCell(ctx)
		switch {
		case errors.Is(err, errInterrupt):
			continue
		case errors.Is(err, errEnd), errors.Is(err, io.EOF):
			return f.exitStatus(0), nil
		case err != nil:
			return 1, err
		}
		if strings.TrimSpace(cell) == "" {
			continue
		}
		f.lines.Remember(cell)
		if f.prompts && isLeave(cell) {
			return 0, nil
		}
		if name, detail, ok := question(cell); ok {
			f.inspect(name, detail)
			continue
		}
		if f.past != nil {
			f.past.Add(f.number, cell, "")
		}
		reply, err := f.eval(ctx, repl.Request{Code: cell})
		switch {
		case err != nil || reply.Exit != nil:
			return f.exit(reply, err)
		case reply.Err != nil && !f.prompts:
			return f.exitStatus(reply.Err.Status()), nil
		}
		f.number, f.next = max(f.number, reply.Count+1), reply.Next
		if reply.Edit && f.editor != nil {
			f.next = f.edited(reply.Next)
		}
		if reply.Restart || reply.Lost {
			if reply, err := f.startUp(ctx); err != nil || reply.Exit != nil {
				return f.exit(reply, err)
			}
		}
	}
}

// EndSignals are the signals that ask the process to end. Those that it was started to ignore, as nohup does it with
// SIGHUP, are not among them.
func EndSignals() []os.Signal {
	return append(slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGHUP}, signal.Ignored), syscall.SIGTERM)
}

// end notes the signal that ends the session.
func (f *front) end(s os.Signal) { f.ended, _ = s.(syscall.Signal) }

// exitStatus is that of a session that has ended with code, or by a signal.
func (f *front) exitStatus(code int) int {
	if f.ended != 0 {
		return 128 + int(f.ended)
	}
	return code
}

func isLeave(cell string) bool {
	switch strings.TrimSpace(cell) {
	case "exit", "quit":
		return true
	}
	return false
}

// question recognises ?name, ??name, name? and name??.
func question(cell string) (name string, detail int, ok bool) {
	name = strings.TrimSpace(cell)
	trimmed := strings.Trim(name, "?")
	marks := len(name) - len(trimmed)
	if marks == 0 || trimmed == "" || strings.ContainsAny(trimmed, "\n\"`'") {
		return "", 0, false
	}
	return strings.TrimSpace(trimmed), min(marks-1, 1), true
}

func (f *front) inspect(name string, detail int) {
	found := f.current().Inspect(name, len(name), detail)
	f.draw(func() {
		if found.Found {
			f.printer.document(found.Data)
		} else {
			f.printer.Notice(fmt.Sprintf("Nothing is known of %s.", name))
		}
	})
}

// readCell reads the next cell.
func (f *front) readCell(ctx context.Context) (string, error) {
	f.draw(func() { f.printer.Begin(f.number) })
	initial := f.next
	f.next = ""
	if f.options.Status && f.editor != nil {
		text := f.status()
		f.editor.mu.Lock()
		f.editor.footer = text
		f.editor.mu.Unlock()
	}
	return f.read(ctx, func() (string, error) {
		return f.lines.Cell(f.printer.prompt(), f.printer.continuation(),
			initial)
	})
}

// read reads and watches for the signals that end the process meanwhile.
func (f *front) read(ctx context.Context, from func() (string, error)) (string, error) {
	type result struct {
		line string
		err  error
	}
	read := make(chan result, 1)
	go func() {
		line, err := from()
		read <- result{line, err}
	}()
	for {
		select {
		case r := <-read:
			return r.line, r.err
		case <-ctx.Done():
			return "", errEnd
		case s := <-f.signals:
			if s != os.Interrupt || f.editor == nil { // Ctrl-C on a pipe or a dumb terminal
				f.end(s)
				return "", errEnd
			}
		}
	}
}
