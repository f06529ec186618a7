package repl

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/internal/opened"
	"github.com/gorocm/gorocm/rocm"
)

// Eval runs one cell.
func (s *Local) Eval(ctx context.Context, req Request, emit func(Event)) Reply {
	s.cells.Lock()
	defer s.cells.Unlock()
	start := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	past, counted := s.begin(req, cancel)
	reply := Reply{Count: past.Number}
	before, busy := s.connect(ctx, req, emit)
	if busy != nil {
		reply.Err = busy
		s.end(&reply, past, counted)
		return reply
	}

	name := cellLabel(reply.Count)
	defer rocm.Range(name)() // for the system's profilers
	s.number, s.silent, s.pages, s.asks = reply.Count, req.Silent, req.Pages, req.Input != nil
	if req.Silent || req.NoHistory {
		name, s.number = "cell[-]", 0
	}
	s.current().SetOrigin(name, req.File, req.Line)
	s.debugger.Begin(name, req.Code)
	var devices func() []DeviceTime
	if req.Timed {
		devices = timeDevices()
	}
	if reply.Exit = s.tellLate(ctx); reply.Exit == nil {
		skip := 0
		if req.Moved != nil {
			skip = req.Moved.Done
			reply.Err = s.moving.resume(req.Moved, func(p Past) *Error {
				s.number = p.Number
				return toError(s.eval(ctx, cellLabel(p.Number), p.Code).Failure)
			})
			s.number = reply.Count
			s.checkpoints.moved()
		}
		if reply.Err == nil {
			s.cell(ctx, name, req.Code, skip, &reply)
		}
	}
	if req.Timed && time.Since(start) >= timedFrom && reply.Exit == nil {
		reply.Devices = devices()
	}
	if reply.Err == nil && reply.Exit == nil && len(req.UserExpressions) > 0 {
		reply.UserExpressions = s.expressions(ctx, req.UserExpressions)
	}
	if reply.Exit == nil && !req.Silent {
		s.checkpoints.afterCell()
	}
	s.disconnect(req, before)
	asTyped(reply.Err, name, req.Code)
	s.end(&reply, past, counted)
	reply.Elapsed = time.Since(start)
	return reply
}

// begin notes a cell in the history, unless it is not to be counted.
func (s *Local) begin(req Request, cancel context.CancelFunc) (past Past, counted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel, s.stopped = cancel, nil
	if counted = !req.Silent && !req.NoHistory && strings.TrimSpace(req.Code) != ""; counted {
		s.count++
	}
	past = Past{Number: s.count, Code: req.Code, Life: s.life}
	if counted {
		s.history.Add(past)
	}
	return past, counted
}

// end notes what became of a cell.
func (s *Local) end(reply *Reply, past Past, counted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel = nil
	if counted {
		s.history.Last().Failed = reply.Err != nil || s.life != past.Life
		if !s.history.Last().Failed {
			s.ran.Add(ran{Number: past.Number, Cell: true})
		}
	}
	if s.stopped != nil && reply.Err != nil {
		s.stopped.Frames = reply.Err.Frames
		reply.Err = s.stopped
	}
	if reply.Err != nil && reply.Err.Trace != "" {
		s.trace = reply.Err.Trace
	}
}

// tellLate tells of a goroutine that has panicked since the last cell; exit is set when one has called os.Exit.
func (s *Local) tellLate(ctx context.Context) (exit *int) {
	out := s.current().Late(ctx)
	if out.Failure != nil {
		s.late = out.Failure
	}
	if s.late != nil && !s.silent {
		s.sink.event(Event{Kind: Notice, Name: "stderr", Text: "since the last cell: " + toError(s.late).Text(false)})
		s.late = nil
	}
	return out.Exit
}

// goPanic shows the panic of a goroutine that an earlier cell has started, when it happens: as output of that
// goroutine, which front ends put under its cell.
func (s *Local) goPanic(f *golang.Failure) {
	e := toError(f)
	s.mu.Lock()
	if e.Trace != "" {
		s.trace = e.Trace
	}
	s.mu.Unlock()
	fmt.Fprintln(s.opt.Stderr, e.Text(false))
}

// noteDevices shows, once in a session, that a device which cells have opened is emulated, and which device auto is. It
// is called when a cell opens a device, so that the notice comes before the first result.
func (s *Local) noteDevices() {
	if d := opened.TakeAuto(); d != nil && s.notedAuto.CompareAndSwap(false, true) {
		text := fmt.Sprintf(`Device("auto") is %s (%s)`, d, d.Arch())
		if d.IsCPU() {
			text = `Device("auto") is the CPU: no AMD or NVIDIA GPU was found (gorocm doctor says more)`
		}
		s.sink.event(Event{Kind: Notice, Text: text})
	}
	for _, d := range opened.Devices() {
		if d.Emulated() && !slices.Contains(s.earlier, d) && s.noted.CompareAndSwap(false, true) {
			s.sink.event(Event{Kind: Notice, Text: fmt.Sprintf(
				`%s is an emulated %s: the same results, but 5 to 40 times slower than Device("cpu")`, d, d.Arch())})
		}
	}
}

// eval runs Go and notes it for %save.
func (s *Local) eval(ctx context.Context, name, code string) golang.Outcome {
	out := s.current().EvalNamed(ctx, name, code)
	if s.moving.to != nil {
		return out
	}
	s.moving.ranGo(s.number, code)
	if out.Failure == nil {
		if out.Failure = lateFailure(); out.Failure != nil {
			out.Values = nil
		}
	}
	commandInBlock(out.Failure)
	failed := s.unbuilt.Swap(nil)
	locateKernel(out.Failure, failed, name, code)
	s.locateFault(out.Failure, failed)
	s.record(code, out.Failure != nil)
	return out
}

// blockedCommand is a line that can only be meant for the shell, or for the session.
var blockedCommand = regexp.MustCompile(`^(?:%{1,2}[a-z]+\b.*|!\s*[^=\s].*[^\s,{(|&])$`)

// commandInBlock words the error of a command in a block, where there is only Go.
func commandInBlock(f *golang.Failure) {
	if f == nil || len(f.Frames) == 0 || f.Name != "SyntaxError" && f.Name != "TypeError" {
		return
	}
	line := strings.TrimSpace(f.Frames[0].Source)
	if !blockedCommand.MatchString(line) || line[0] == '!' && f.Name == "TypeError" &&
		!strings.HasPrefix(f.Message, "undefined: ") && !strings.HasSuffix(f.Message, " is not used") {
		return
	}
	f.Name, f.Message = "SyntaxError", "a command cannot stand in a block"
	f.Notes = []string{"commands and lines for the shell stand between the statements of a cell"}
	if text := strings.TrimSpace(strings.TrimLeft(line, "!")); line[0] == '!' && text != "" {
		f.Notes = append(f.Notes, fmt.Sprintf("session.Shell(%q) runs a command in a block", text))
	}
}

// recordAside notes Go that does what a command does, for programs that %save writes.
func recordAside(s *Local, code string) {
	if !s.silent {
		s.ran.Add(ran{Number: s.number, Code: code, Aside: true})
	}
}

func (s *Local) record(code string, failed bool) {
	if !s.silent {
		s.ran.Add(ran{Number: s.number, Code: code, Failed: failed})
	}
}

// conclude shows what a cell has left and puts its end into the reply.
func (s *Local) conclude(out golang.Outcome, reply *Reply) {
	for _, n := range out.Notes {
		s.sink.event(Event{Kind: Notice, Text: n})
	}
	reply.Err, reply.Exit = toError(out.Failure), out.Exit
	if s.moving.to != nil {
		reply.Moved, reply.Err = s.moving.to, nil
	}
	if len(out.Values) == 0 {
		return
	}
	values := slices.Clone(out.Values)
	for i := range values {
		values[i].V = named(s, values[i].V)
	}
	data, err := render(values)
	if err != nil {
		reply.Err = err
		return
	}
	s.sink.event(Event{Kind: Result, Data: data})
}

// render makes one bundle of a cell's values. A value's own methods may panic.
func render(vs []golang.Value) (b display.Bundle, err *Error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(error)
			if !ok {
				e = fmt.Errorf("%v", r)
			}
			err = &Error{Name: "Panic", Message: "while the value was shown: " + e.Error()}
			if name, msg, notes, ok := describe(e); ok {
				err = &Error{Name: name, Message: msg, Notes: notes}
			}
		}
	}()
	if len(vs) == 1 {
		return display.Render(vs[0].V), nil
	}
	var texts []string
	for _, v := range vs {
		texts = append(texts, display.Render(v.V).Text())
	}
	sep := ", "
	if strings.Contains(strings.Join(texts, ""), "\n") {
		sep = "\n"
	}
	return display.Bundle{display.MIMEText: strings.Join(texts, sep)}, nil
}

func toError(f *golang.Failure) *Error {
	if f == nil {
		return nil
	}
	e := &Error{Name: f.Name, Message: f.Message, Notes: f.Notes, Trace: f.Trace}
	for _, fr := range f.Frames {
		e.Frames = append(e.Frames, Frame{Cell: fr.Cell, Line: fr.Line, Column: fr.Column, Func: fr.Func,
			Source: fr.Source})
	}
	return e
}

// asTyped has an error show lines NAME := !COMMAND of its cell as they are there: see shellValue.
func asTyped(e *Error, cell, code string) {
	if e == nil || !strings.Contains(code, "!") {
		return
	}
	lines := strings.Split(code, "\n")
	for i, f := range e.Frames {
		at := strings.Index(f.Source, shellCall)
		if f.Cell != cell || f.Line < 1 || f.Line > len(lines) || at < 0 {
			continue
		}
		if strings.Contains(lines[f.Line-1], shellCall) {
			continue
		}
		e.Frames[i].Source, e.Frames[i].Column = strings.TrimSpace(lines[f.Line-1]), min(f.Column, at+1)
	}
}

func (s *Local) expressions(ctx context.Context, exprs map[string]string) map[string]Value {
	r := map[string]Value{}
	for name, src := range exprs {
		out := s.current().Expr(ctx, "expression", src)
		switch {
		case out.Failure != nil:
			r[name] = Value{Err: toError(out.Failure)}
		case len(out.Values) == 0:
			r[name] = Value{Err: &Error{Name: "TypeError", Message: src + " has no value"}}
		default:
			data, err := render(out.Values)
			r[name] = Value{Data: data, Err: err}
		}
	}
	return r
}
