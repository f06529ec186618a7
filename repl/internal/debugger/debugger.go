package debugger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/golang/debug"
)

// Host is the session whose cells are debugged.
type Host struct {
	Engine func() *golang.Engine
	// Cells are the texts of the cells that have run, by their names.
	Cells func() map[string]string
	// Emit tells clients of an event, a message of the debug adapter protocol.
	Emit func(event json.RawMessage)
	// Print writes to the output of the running cell.
	Print func(text string)
	// Ask asks the user for a line. An error says that nobody can be asked.
	Ask func(prompt string) (string, error)
	// Interrupt ends the running cell.
	Interrupt func()
	// Leaf reports whether a value has no parts that users look at; Summary shows it on a line.
	Leaf    func(any) bool
	Summary func(any) string
	// Render shows a value as a cell does.
	Render func([]golang.Value) (display.Bundle, error)
}

// Debugger is the debugger of a session.
type Debugger struct {
	host Host
	lab  atomic.Bool // the client is JupyterLab

	mu       sync.Mutex
	seq      int
	attached bool // a client
	kept     bool // on without a client: %debug on, or a breakpoint of %break
	stop     *debug.Stop
	frames   []*debug.Frame // of the stop, by the numbers that clients know, from 1
	refs     []reference    // that clients know, from 1
	sources  map[string]string
	filters  []string // of exceptions
	repeat   string   // the last step at the prompt
}

// New makes a debugger that is off.
func New(host Host) *Debugger {
	return &Debugger{host: host, sources: map[string]string{}}
}

// Begin is called before a cell runs.
func (d *Debugger) Begin(name, code string) {
	if core := d.core(); core.On() {
		d.addSource(core, name, code)
	}
}

func (d *Debugger) core() *debug.Debugger { return d.host.Engine().Debugging().Debugger() }

// addSource gives a cell its path.
func (d *Debugger) addSource(core *debug.Debugger, name, code string) {
	path := Path(code)
	d.mu.Lock()
	d.sources[path] = code
	d.mu.Unlock()
	core.Alias(name, path)
}

// On reports whether functions have hooks.
func (d *Debugger) On() bool { return d.core().On() }

// Keep turns the debugger on or off for the prompt. Off, it stays on for a client that is attached.
func (d *Debugger) Keep(on bool) error {
	d.mu.Lock()
	d.kept = on
	d.mu.Unlock()
	return d.turn()
}

// Moved is called when the session has a new engine, with the debugger of the one before: breakpoints stay.
func (d *Debugger) Moved(before *debug.Debugger) error {
	core := d.core()
	for source, list := range before.Breakpoints() {
		if isClients(source) {
			core.SetBreakpoints(source, list)
		}
	}
	d.mu.Lock()
	core.BreakOnPanic(slices.Contains(d.filters, panicFilter))
	d.mu.Unlock()
	return d.turn()
}

// turn turns hooks on where somebody wants them, and off otherwise.
func (d *Debugger) turn() error {
	d.mu.Lock()
	on := d.attached || d.kept
	d.mu.Unlock()
	core := d.core()
	if on {
		core.Handlers(d.stopped, d.holds, d.logged)
		for name, code := range d.host.Cells() {
			d.addSource(core, name, code)
		}
	}
	if f := d.host.Engine().Debugging().Turn(on); f != nil {
		return fmt.Errorf("%s: %s", f.Name, f.Message)
	}
	return nil
}

// stopped is called on a goroutine that has stopped.
func (d *Debugger) stopped(s *debug.Stop) {
	d.mu.Lock()
	attached := d.attached
	d.stop, d.frames, d.refs = s, s.Frames, nil
	d.mu.Unlock()
	if !attached {
		d.prompt(s)
		d.resumed(s, debug.Continue)
		return
	}
	body := map[string]any{"reason": s.Reason, "threadId": s.Thread.ID, "allThreadsStopped": true}
	if s.Text != "" {
		body["text"], body["description"] = s.Text, s.Text
	}
	d.emit("stopped", body)
	continued := func() {
		d.forget(s)
		d.emit("continued", map[string]any{"threadId": s.Thread.ID, "allThreadsContinued": true})
	}
	if !s.BeforeResume(continued) { // an interrupt has ended it
		continued()
	}
}

// resumed lets a goroutine go on.
func (d *Debugger) resumed(s *debug.Stop, how debug.How) {
	d.forget(s)
	s.Resume(how)
}

// forget drops what clients know of a stop.
func (d *Debugger) forget(s *debug.Stop) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stop == s {
		d.stop, d.frames, d.refs = nil, nil, nil
	}
}

// How long an evaluation may take: of a user, and of a condition.
const (
	evaluationTime = 10 * time.Second
	conditionTime  = 2 * time.Second
)

// evaluate runs Go where a frame is; nil stands for the session itself.
func (d *Debugger) evaluate(ctx context.Context, f *debug.Frame, src string) ([]golang.Value, error) {
	ctx, cancel := context.WithTimeout(ctx, evaluationTime)
	defer cancel()
	d.mu.Lock()
	s := d.stop
	d.mu.Unlock()
	if s != nil {
		go func() { // it ends with the stop
			select {
			case <-s.Done():
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	return d.evaluateIn(ctx, d.from(f), src)
}

// evaluateIn runs Go where the first of the frames is.
func (d *Debugger) evaluateIn(ctx context.Context, frames []*debug.Frame, src string) ([]golang.Value, error) {
	out := d.host.Engine().Debugging().EvalIn(ctx, frames, src)
	if out.Failure != nil {
		return nil, errors.New(firstMessage(out.Failure))
	}
	return out.Values, nil
}

// firstMessage is a failure on a line.
func firstMessage(f *golang.Failure) string {
	text, _, _ := strings.Cut(f.Message, "\n")
	return f.Name + ": " + strings.TrimSuffix(text, " ")
}

// from lists the frames of the stop from one on.
func (d *Debugger) from(f *debug.Frame) []*debug.Frame {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, g := range d.frames {
		if g == f {
			return d.frames[i:]
		}
	}
	if f == nil {
		return nil
	}
	return []*debug.Frame{f}
}

// holds reports whether the condition of a breakpoint is true.
func (d *Debugger) holds(f *debug.Frame, src string) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), conditionTime)
	defer cancel()
	values, err := d.evaluateIn(ctx, []*debug.Frame{f}, src)
	if err != nil {
		return false, err
	}
	if len(values) == 1 {
		if b, ok := values[0].V.(bool); ok {
			return b, nil
		}
	}
	return false, errors.New("it is no bool")
}

// logged prints the text of a breakpoint, with the values of what it has in braces.
func (d *Debugger) logged(f *debug.Frame, text string) {
	ctx, cancel := context.WithTimeout(context.Background(), conditionTime)
	defer cancel()
	var b strings.Builder
	for text != "" {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			break
		}
		src, after, closed := strings.Cut(rest, "}")
		if !closed {
			b.WriteString("{" + rest)
			break
		}
		text = after
		values, err := d.evaluateIn(ctx, []*debug.Frame{f}, src)
		if err != nil {
			fmt.Fprintf(&b, "{%s: %v}", src, err)
			continue
		}
		for i, v := range values {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(d.text(valueOf("", "", "", v.V).v))
		}
	}
	d.host.Print(b.String() + "\n")
}
