package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/display/comm"
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/golang/symbols"
	"github.com/gorocm/gorocm/repl/internal/opened"
	"github.com/gorocm/gorocm/repl/modules"
	"github.com/gorocm/gorocm/repl/session"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// Options configure a session. The zero value is a complete session.
type Options struct {
	// Version is gorocm's version, for Info and %version.
	Version string
	// Count is the number of cells that earlier workers of the same session have run.
	Count int
	// Past are the cells that earlier workers of the same session have run, and Life is how often it has begun anew.
	Past []Past
	Life int
	// Modules is the folder of the module that %get adds third-party modules to; empty for a new one: see modules.NewDir.
	Modules string
	// Stdout and Stderr take what cells print, instead of Stream events. A worker sets them to its captured descriptors, so
	// that everything that writes there keeps its order.
	Stdout, Stderr io.Writer
	// Exit ends the process, for a call of os.Exit in a goroutine of compiled code, which Reply.Exit cannot tell of. A worker sets it.
	Exit func(code int)
	// Programs follows the programs that cells start, those of commands among them. A worker sets it.
	Programs golang.Programs
}

// Local is a session inside this process. A front end that must survive what user code can do uses a worker.Client.
type Local struct {
	opt Options

	cells   sync.Mutex       // one cell at a time; guards what follows up to engine
	noted   bool             // that a device is emulated
	earlier []*tensor.Device // opened by other sessions of this process
	ran     []ran            // since the last reset
	number  int              // of the running cell, 0 for one that is not counted
	silent  bool             // the running cell
	pages   bool             // the front end shows Reply.Pages
	late    *golang.Failure  // of a goroutine, since the last cell; not told yet
	engine  *golang.Engine
	sink    *sink

	home        string             // the working directory before the first %cd, "" before that
	before      string             // and before the last one
	environment map[string]*string // variables that %env has changed, as they were; nil for one that was not set

	mu      sync.Mutex
	count   int
	history []Past
	life    int                // how often the session has begun anew
	trace   string             // of the last failure
	cancel  context.CancelFunc // of the running cell
	stopped *Error             // why Stop has ended it

	unbuilt atomic.Pointer[rocm.Error] // the last kernel that did not compile or that failed, for its place in the cell
}

// Past is a cell as it was typed, and what became of it.
type Past struct {
	Number int    `json:"number"`
	Code   string `json:"code"`
	Failed bool   `json:"failed,omitempty"` // or it made the session begin anew
	Life   int    `json:"life,omitempty"`   // how often the session had begun anew before
}

// ran is Go that the session has run: a cell, or a part of one.
type ran struct {
	number int // of its cell; 0 of one that was not counted
	code   string
	failed bool
}

var _ Session = (*Local)(nil)

const modulePath = "github.com/gorocm/gorocm"

// New starts a session in this process.
func New(opt Options) (*Local, error) {
	s := &Local{opt: opt, sink: newSink(), count: opt.Count, history: opt.Past, life: opt.Life - 1, earlier: opened.Devices()}
	if s.opt.Stdout == nil {
		s.opt.Stdout = s.sink.stream("stdout")
	}
	if s.opt.Stderr == nil {
		s.opt.Stderr = s.sink.stream("stderr")
	}
	if s.opt.Modules == "" {
		s.opt.Modules = modules.NewDir()
	}
	if s.opt.Version == "" {
		s.opt.Version = buildVersion()
	}
	if err := s.restart(); err != nil {
		return nil, err
	}
	return s, nil
}

// restart gives the session a new engine without variables.
func (s *Local) restart() error {
	e, err := s.newEngine(s.opt.Stdout, s.opt.Stderr)
	if err != nil {
		return err
	}
	s.ran = nil
	s.mu.Lock()
	s.engine = e
	s.life++
	s.mu.Unlock()
	return nil
}

func (s *Local) newEngine(stdout, stderr io.Writer) (*golang.Engine, error) {
	return golang.New(golang.Options{
		Stdout: stdout, Stderr: stderr,
		Symbols: symbols.Symbols,
		Modules: s.opt.Modules,
		Dots:    []string{modulePath + "/repl/prelude"},
		Prefer: map[string]string{"tensor": modulePath + "/tensor", "nn": modulePath + "/tensor/nn", "rocm": modulePath + "/rocm", "display": modulePath + "/display",
			"kernels": modulePath + "/kernels", "quant": modulePath + "/tensor/quant", "formats": modulePath + "/tensor/formats", "models": modulePath + "/tensor/models", "tokenizers": modulePath + "/tensor/tokenizers", "session": modulePath + "/repl/session", "comm": modulePath + "/display/comm", "widgets": modulePath + "/display/widgets"},
		Interrupt: func() {
			for _, d := range opened.Devices() {
				d.Interrupt()
			}
			if s.opt.Programs != nil {
				s.opt.Programs.Interrupt()
			}
		},
		Programs: s.opt.Programs,
		Exit:     s.opt.Exit,
		Wakes:    comm.Awaits,
		Describe: s.describe,
		Summary:  summary,
		Holding:  holding,
		Input:    s.input,
	})
}

// buildVersion is the version that the go command has stamped into the program.
func buildVersion() string {
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "(devel)" {
		return b.Main.Version
	}
	return ""
}

// describe names the error of a tensor, a kernel or a device and takes its notes.
func (s *Local) describe(err error) (name, message string, notes []string, ok bool) {
	var re *rocm.Error
	if errors.As(err, &re) && (re.Kind == rocm.ErrCompile || re.Line > 0) {
		s.unbuilt.Store(re)
	}
	return describe(err)
}

func describe(err error) (name, message string, notes []string, ok bool) {
	var te *tensor.Error
	if !errors.As(err, &te) {
		return describeDevice(err)
	}
	return "TensorError", err.Error(), te.Notes, true
}

func (s *Local) current() *golang.Engine {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.engine
}

// Eval runs one cell.
func (s *Local) Eval(ctx context.Context, req Request, emit func(Event)) Reply {
	s.cells.Lock()
	defer s.cells.Unlock()
	start := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.cancel, s.stopped = cancel, nil
	counted := !req.Silent && !req.NoHistory && strings.TrimSpace(req.Code) != ""
	if counted {
		s.count++
		s.history = append(s.history, Past{Number: s.count, Code: req.Code, Life: s.life})
	}
	reply := Reply{Count: s.count}
	life := s.life
	s.mu.Unlock()
	if req.Silent {
		show := emit
		emit = func(e Event) {
			if e.Kind == Comm { // widgets of other cells go on
				show(e)
			}
		}
	}
	before := s.sink.open(emit)
	display.SetPublisher(s.publish)
	session.SetAsker(asker(ctx, req.Input))
	comm.SetSender(s.sender(req.Comms))

	name := fmt.Sprintf("cell[%d]", reply.Count)
	defer rocm.Range(name)() // for the system's profilers
	s.number, s.silent, s.pages = reply.Count, req.Silent, req.Pages
	if req.Silent || req.NoHistory {
		name, s.number = "cell[-]", 0
	}
	s.current().SetOrigin(name, req.File, req.Line)
	var devices func() []DeviceTime
	if req.Timed {
		devices = timeDevices()
	}
	if reply.Exit = s.tellLate(); reply.Exit == nil {
		s.cell(ctx, name, req.Code, &reply)
	}
	if req.Timed && time.Since(start) >= timedFrom && reply.Exit == nil {
		reply.Devices = devices()
	}
	if reply.Err == nil && reply.Exit == nil && len(req.UserExpressions) > 0 {
		reply.UserExpressions = s.expressions(ctx, req.UserExpressions)
	}
	comm.Flush()
	if req.Silent {
		s.sink.open(before) // what goroutines print goes on to the last cell that shows something
	} else {
		s.noteEmulated()
		s.sink.close()
	}
	s.mu.Lock()
	s.cancel = nil
	if counted {
		s.history[len(s.history)-1].Failed = reply.Err != nil || s.life != life
	}
	if s.stopped != nil && reply.Err != nil {
		s.stopped.Frames = reply.Err.Frames
		reply.Err = s.stopped
	}
	if reply.Err != nil && reply.Err.Trace != "" {
		s.trace = reply.Err.Trace
	}
	s.mu.Unlock()
	reply.Elapsed = time.Since(start)
	return reply
}

// tellLate tells of a goroutine that has panicked since the last cell; exit is set when one has called os.Exit.
func (s *Local) tellLate() (exit *int) {
	out := s.current().Late()
	if out.Failure != nil {
		s.late = out.Failure
	}
	if s.late != nil && !s.silent {
		s.sink.event(Event{Kind: Notice, Name: "stderr", Text: "since the last cell: " + toError(s.late).Text(false)})
		s.late = nil
	}
	return out.Exit
}

// noteEmulated tells, once in a session, that a device which cells have opened is emulated.
func (s *Local) noteEmulated() {
	if s.noted {
		return
	}
	for _, d := range opened.Devices() {
		if d.Emulated() && !slices.Contains(s.earlier, d) {
			s.noted = true
			s.sink.event(Event{Kind: Notice, Text: fmt.Sprintf("%s is an emulated %s: the same results, not the same speed", d, d.Arch())})
			return
		}
	}
}

// eval runs Go and notes it for %save.
func (s *Local) eval(ctx context.Context, name, code string) golang.Outcome {
	out := s.current().EvalNamed(ctx, name, code)
	if out.Failure == nil {
		if out.Failure = lateFailure(); out.Failure != nil {
			out.Values = nil
		}
	}
	failed := s.unbuilt.Swap(nil)
	locateKernel(out.Failure, failed, name, code)
	s.locateFault(out.Failure, failed)
	s.record(code, out.Failure != nil)
	return out
}

func (s *Local) record(code string, failed bool) {
	if !s.silent {
		s.ran = append(s.ran, ran{number: s.number, code: code, failed: failed})
	}
}

// conclude shows what a cell has left and puts its end into the reply.
func (s *Local) conclude(out golang.Outcome, reply *Reply) {
	for _, n := range out.Notes {
		s.sink.event(Event{Kind: Notice, Text: n})
	}
	reply.Err, reply.Exit = toError(out.Failure), out.Exit
	if len(out.Values) == 0 {
		return
	}
	data, err := render(out.Values)
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
		e.Frames = append(e.Frames, Frame{Cell: fr.Cell, Line: fr.Line, Column: fr.Column, Func: fr.Func, Source: fr.Source})
	}
	return e
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

// publish passes on what display shows in the middle of a cell.
func (s *Local) publish(m display.Message) {
	s.sink.event(Event{Kind: EventKind(m.Kind), Data: m.Data, Meta: m.Meta, ID: m.ID, Wait: m.Wait})
}

// sender is how packets of cells reach a front end that knows comms.
func (s *Local) sender(known bool) func(comm.Packet) {
	if !known {
		return nil
	}
	return func(p comm.Packet) { s.sink.event(Event{Kind: Comm, Packet: &p}) }
}

// Deliver takes a packet for a comm of the session's cells.
func (s *Local) Deliver(p comm.Packet) { comm.Deliver(p) }

// Last is the session's last cell; one that is not counted changes nothing.
func (s *Local) Last() (p Past) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.history) > 0 {
		p = s.history[len(s.history)-1]
	}
	return p
}

// Life is how often the session has begun anew.
func (s *Local) Life() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.life
}

// Defined returns the variables that cells have defined since the last call, for the notice after a crash. After a reset it
// begins anew.
func (s *Local) Defined() []string { return s.current().Defined() }

// Interrupt stops the running cell and keeps every variable.
func (s *Local) Interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel()
	}
}

// Stop ends the running cell as Interrupt does, with an error that says why.
func (s *Local) Stop(why *Error) {
	s.mu.Lock()
	s.stopped = why
	s.mu.Unlock()
	s.Interrupt()
}

// asker is how cells ask for input: with nil, as the process does.
func asker(ctx context.Context, input func(context.Context, Prompt) (string, error)) session.Asker {
	if input == nil {
		return nil
	}
	return func(prompt string, secret bool) (string, error) { return input(ctx, Prompt{prompt, secret}) }
}

// Complete lists what may stand at the cursor.
func (s *Local) Complete(code string, cursor int) Completion {
	cursor = min(max(cursor, 0), len(code))
	if c, ok := s.completeCommandLine(code, cursor); ok {
		return c
	}
	return s.completeCell(code, cursor)
}

// Inspect tells what is known of the name or call at the cursor.
func (s *Local) Inspect(code string, cursor int, detail int) Inspection {
	return s.inspect(code, min(max(cursor, 0), len(code)), detail)
}

// IsComplete says whether a cell can run as it stands.
func (s *Local) IsComplete(code string) Completeness { return s.completeness(code) }

// Info describes the session. Device is empty until it is known.
func (s *Local) Info() Info {
	i := about(s.opt.Version, deviceLabel())
	i.Memory, i.Busy = deviceMemory(), busyDevice()
	return i
}

// About is what is known of a session that has not begun.
func About(version string) Info { return about(version, "") }

func about(version, device string) Info {
	i := Info{Version: version, Go: "go1.26", Device: device}
	i.Banner = strings.TrimSpace("gorocm "+version) + " · Go 1.26 · "
	if device != "" {
		i.Banner += device + " · "
	}
	i.Banner += "%help"
	return i
}

// labelWait bounds how long Info waits for the GPU's driver, which may take long to start.
const labelWait = 300 * time.Millisecond

// foundDevice holds the label of the device that "rocm" opens, once it is known. Looking for it starts with the first question.
var foundDevice = sync.OnceValue(func() chan string {
	c := make(chan string, 1)
	go func() { c <- rocm.Default() }()
	return c
})

// deviceLabel describes the device that "rocm" opens, or is empty when that is not known yet.
func deviceLabel() string {
	c := foundDevice()
	select {
	case label := <-c:
		c <- label
		return label
	case <-time.After(labelWait):
		return ""
	}
}

// Close ends the session and interrupts its cell.
func (s *Local) Close() error {
	s.Interrupt()
	return nil
}
