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
	"strings"
	"sync"
	"syscall"

	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/history"
)

// Options of Run. The zero value uses the process's standard files and keeps no history.
type Options struct {
	In          *os.File // nil: standard input
	Out, Err    *os.File // nil: standard output, standard error
	HistoryFile string   // of package history; empty: this session only
}

// historyShown is how many cells of earlier sessions the arrow keys reach.
const historyShown = 1000

// errEnd is how readCell says that the user leaves.
var errEnd = errors.New("end of session")

// front is one run of the terminal front end.
type front struct {
	start   func() (repl.Session, error)
	session repl.Session
	lines   lineReader
	drawing sync.Mutex // held while printer is used
	printer *Printer
	signals chan os.Signal
	number  int // of the next cell
	past    *history.Store
	next    string // what stands in it already
	prompts bool   // somebody sits there
}

// Run reads cells and runs them on a session that start makes, until the input ends, the user leaves or a cell calls os.Exit.
// On a terminal there are prompts, a line editor with history and completion, and Ctrl-C interrupts the running cell;
// input from a pipe is run cell by cell, without prompts, up to the first cell that fails. The code is what the process should
// exit with: 0, 1 after a failed cell on a pipe, or os.Exit's code. The error is one of start or of reading.
func Run(ctx context.Context, start func() (repl.Session, error), o Options) (code int, err error) {
	in, out, errOut := or(o.In, os.Stdin), or(o.Out, os.Stdout), or(o.Err, os.Stderr)
	session, err := start()
	if err != nil {
		return 1, err
	}
	f := &front{start: start, session: session, printer: NewPrinter(out, errOut), number: 1, signals: make(chan os.Signal, 4)}
	defer func() { err = errors.Join(err, f.session.Close()) }()
	f.prompts = isTerminal(in) && isTerminal(out)
	f.printer.Labels = f.prompts
	if f.prompts {
		f.past = history.Open(o.HistoryFile, slog.New(slog.NewTextHandler(errOut, nil)))
		defer f.past.Close()
	}
	if f.lines, err = f.open(in, out); err != nil {
		return 1, err
	}
	defer func() { f.lines.Close() }()
	signal.Notify(f.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(f.signals)
	if f.prompts {
		f.banner(out)
	}
	return f.loop(ctx)
}

func or(f, standard *os.File) *os.File {
	if f == nil {
		return standard
	}
	return f
}

func (f *front) open(in, out *os.File) (lineReader, error) {
	switch {
	case !f.prompts:
		return &plain{in: bufio.NewReader(in)}, nil
	case dumb():
		return &plain{in: bufio.NewReader(in), prompts: out}, nil
	}
	complete := completer{complete: func(code string, cursor int) repl.Completion { return f.session.Complete(code, cursor) }}
	e, err := newEditor(in, out, f.printer.Colour, complete)
	if err != nil {
		return nil, err
	}
	earlier, err := f.past.Tail(historyShown)
	if err != nil {
		f.printer.Notice(err.Error())
	}
	for _, cell := range earlier {
		e.Remember(cell.Input)
	}
	f.printer.Out, f.printer.Err = e.rl.Stdout(), e.rl.Stderr() // above the line that is being edited, if one is
	return e, nil
}

// draw calls f alone.
func (f *front) draw(do func()) {
	f.drawing.Lock()
	defer f.drawing.Unlock()
	do()
}

func (f *front) banner(out io.Writer) {
	info := f.session.Info()
	if info.Banner != "" {
		fmt.Fprintln(out, strings.TrimRight(info.Banner, "\n"))
	}
}

// loop runs cells until something ends the session.
func (f *front) loop(ctx context.Context) (code int, err error) {
	for {
		cell, err := f.readCell(ctx)
		switch {
		case errors.Is(err, errInterrupt):
			continue
		case errors.Is(err, errEnd), errors.Is(err, io.EOF):
			return 0, nil
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
		reply, err := f.eval(ctx, cell)
		switch {
		case err != nil:
			return 1, err
		case reply.Exit != nil:
			return *reply.Exit, nil
		case reply.Err != nil && !f.prompts:
			return 1, nil
		}
		f.number, f.next = max(f.number, reply.Count+1), reply.Next
	}
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
	found := f.session.Inspect(name, len(name), detail)
	f.draw(func() {
		if found.Found {
			f.printer.document(found.Data)
		} else {
			f.printer.Notice(fmt.Sprintf("Nothing is known of %s.", name))
		}
	})
}

// readCell reads lines until the session calls them a whole cell.
func (f *front) readCell(ctx context.Context) (string, error) {
	f.draw(func() { f.printer.Begin(f.number) })
	prompt := f.printer.prompt()
	cell, indent := "", f.next
	f.next = ""
	for {
		if e, ok := f.lines.(*editor); ok {
			e.before, e.further = cell, f.printer.continuation()
		}
		line, err := f.readLine(ctx, prompt, indent)
		if errors.Is(err, io.EOF) && cell != "" {
			return cell, nil // on a pipe the rest is a cell, with the error that it deserves
		}
		if err != nil {
			return "", err
		}
		cell += line
		if _, _, ok := question(cell); ok || strings.TrimSpace(cell) == "" {
			return cell, nil
		}
		state := f.session.IsComplete(cell)
		if state.Status != "incomplete" {
			return cell, nil
		}
		cell += "\n"
		prompt, indent = f.printer.continuation(), state.Indent
	}
}

// readLine reads a line of a cell.
func (f *front) readLine(ctx context.Context, prompt, indent string) (string, error) {
	return f.read(ctx, func() (string, error) { return f.lines.ReadLine(prompt, indent) })
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
			if s != os.Interrupt {
				return "", errEnd
			}
			if _, editing := f.lines.(*editor); !editing {
				return "", errEnd // Ctrl-C on a pipe or a dumb terminal
			}
		}
	}
}
