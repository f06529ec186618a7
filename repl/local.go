package repl

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/display/comm"
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/golang/symbols"
	"github.com/gorocm/gorocm/repl/internal/checkpoint"
	"github.com/gorocm/gorocm/repl/internal/opened"
	"github.com/gorocm/gorocm/repl/internal/packed"
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
	// Modules is the folder of the module that %get adds third-party modules to; empty for a new one: see
	// modules.NewDir.
	Modules string
	// Stdout and Stderr take what cells print, instead of Stream events. A worker sets them to its captured
	// descriptors, so that everything that writes there keeps its order.
	Stdout, Stderr io.Writer
	// Exit ends the process, for a call of os.Exit in a goroutine of compiled code, which Reply.Exit cannot tell of. A
	// worker sets it.
	Exit func(code int)
	// Beside returns where events of the calling goroutine go that belong to a cell of a subshell, and nil for any other
	// goroutine. A worker sets it; without it such events go to the main shell's cell.
	Beside func() func(Event)
	// Signals are those that do not end this process, even if a cell calls signal.Reset. A worker sets them.
	Signals []os.Signal
	// Programs follows the programs that cells start, those of commands among them. A worker sets it.
	Programs golang.Programs
	// Moves says that the front end can have the session go on in another program: Reply.Moved. It is called with one that
	// the session may soon go on in, so that it can be started before, and with "" when that is no longer so.
	Moves func(program string)
}

// Local is a session inside this process. A front end that must survive what user code can do uses a worker.Client.
type Local struct {
	opt Options
	debugging
	besides

	cells       sync.Mutex       // one cell at a time; guards what follows up to engine
	noted       atomic.Bool      // that a device is emulated
	notedAuto   atomic.Bool      // which device auto is
	earlier     []*tensor.Device // opened by other sessions of this process
	ran         packed.List[ran] // since the last reset
	number      int              // of the running cell, 0 for one that is not counted
	silent      bool             // the running cell
	asks        bool             // the running cell can ask for input: it is not a script's
	running     int              // files that %run runs inside one another
	reloads     bool             // packages of local modules that have changed are loaded again before each cell
	pages       bool             // the front end shows Reply.Pages
	late        *golang.Failure  // of a goroutine, since the last cell; not told yet
	engine      *golang.Engine
	sink        *sink
	stdout      *redirect // opt.Stdout and opt.Stderr
	stderr      *redirect
	checkpoints checkpoints
	moving      moving

	home        string             // the working directory before the first %cd, "" before that
	before      string             // and before the last one
	environment map[string]*string // variables that %env has changed, as they were; nil for one that was not set

	mu      sync.Mutex
	count   int
	history packed.List[Past]
	life    int                // how often the session has begun anew
	trace   string             // of the last failure
	cancel  context.CancelFunc // of the running cell
	stopped *Error             // why Stop has ended it

	ask atomic.Pointer[session.Asker] // of the running cell, or of the last one
	// the last kernel that did not compile or that failed, for its place in the cell
	unbuilt atomic.Pointer[rocm.Error]
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
	Number int // of its cell; 0 of one that was not counted
	Code   string
	Failed bool
	Aside  bool // it stands for a line of the shell or a file
	Cell   bool // no code: the whole cell has run
}

var _ Session = (*Local)(nil)

const modulePath = "github.com/gorocm/gorocm"

// New starts a session in this process.
func New(opt Options) (*Local, error) {
	s := &Local{opt: opt, sink: newSink(), count: opt.Count, life: opt.Life - 1,
		earlier: opened.Devices()}
	if s.opt.Stdout == nil {
		s.opt.Stdout = s.sink.stream("stdout")
	}
	if s.opt.Stderr == nil {
		s.opt.Stderr = s.sink.stream("stderr")
	}
	for _, p := range opt.Past {
		s.history.Add(p)
	}
	s.opt.Past = nil
	s.checkpoints.session, s.besides.session, s.moving.session = s, s, s
	checkpoint.Begin()
	s.debugger = newDebugger(s)
	s.stdout, s.stderr = &redirect{Writer: s.opt.Stdout}, &redirect{Writer: s.opt.Stderr}
	s.opt.Stdout, s.opt.Stderr = s.stdout, s.stderr
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
	s.ran = packed.List[ran]{}
	s.moving.imports, s.moving.roots = nil, nil
	s.mu.Lock()
	before := s.engine
	s.engine = e
	s.life++
	s.mu.Unlock()
	golang.SetShells(e, int(s.besides.shells.Load()))
	if before != nil {
		return s.debugger.Moved(before.Debugging().Debugger())
	}
	return nil
}

func (s *Local) newEngine(stdout, stderr io.Writer) (*golang.Engine, error) {
	return golang.New(golang.Options{
		Stdout: stdout, Stderr: stderr,
		Symbols: symbols.Symbols,
		Modules: s.opt.Modules, Elsewhere: s.moving.elsewhere, Imported: s.moving.imported,
		Dots: []string{modulePath + "/repl/prelude"},
		Prefer: map[string]string{"tensor": modulePath + "/tensor", "nn": modulePath + "/tensor/nn",
			"rocm": modulePath + "/rocm", "display": modulePath + "/display",
			"kernels": modulePath + "/kernels", "quant": modulePath + "/tensor/quant",
			"formats": modulePath + "/tensor/formats", "models": modulePath + "/tensor/models",
			"tokenizers": modulePath + "/tensor/tokenizers", "stats": modulePath + "/tensor/stats",
			"autograd": modulePath + "/tensor/autograd", "distributed": modulePath + "/tensor/distributed",
			"cluster":       modulePath + "/tensor/cluster",
			"fft":           modulePath + "/tensor/fft",
			"frame":         modulePath + "/tensor/frame",
			"integrate":     modulePath + "/tensor/integrate",
			"interpolate":   modulePath + "/tensor/interpolate",
			"linalg":        modulePath + "/tensor/linalg",
			"limits":        modulePath + "/tensor/limits",
			"ndimage":       modulePath + "/tensor/ndimage",
			"onnx":          modulePath + "/tensor/onnx",
			"optim":         modulePath + "/tensor/nn/optim",
			"optimize":      modulePath + "/tensor/optimize",
			"random":        modulePath + "/tensor/random",
			"signal":        modulePath + "/tensor/signal",
			"spatial":       modulePath + "/tensor/spatial",
			"sparse":        modulePath + "/tensor/sparse",
			"train":         modulePath + "/tensor/nn/train",
			"speech":        modulePath + "/tensor/models/speech",
			"finetune":      modulePath + "/tensor/models/finetune",
			"diffusion":     modulePath + "/tensor/models/diffusion",
			"vision":        modulePath + "/tensor/models/vision",
			"special":       modulePath + "/tensor/special",
			"distributions": modulePath + "/tensor/stats/distributions",
			"session":       modulePath + "/repl/session",
			"comm":          modulePath + "/display/comm", "widgets": modulePath + "/display/widgets"},
		Interrupt: func() {
			for _, d := range opened.Devices() {
				d.Interrupt()
			}
			if s.opt.Programs != nil {
				s.opt.Programs.Interrupt()
			}
		},
		Programs: s.opt.Programs,
		GoPanic:  s.goPanic,
		Exit:     s.opt.Exit,
		Wakes:    comm.Awaits,
		Signals:  s.opt.Signals,
		Describe: s.describe,
		Summary:  summary,
		Holding:  holding,
		Input:    s.input,
	})
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

// Last is the session's last cell; one that is not counted changes nothing.
func (s *Local) Last() (p Past) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.history.Last(); last != nil {
		p = *last
	}
	return p
}

// Life is how often the session has begun anew.
func (s *Local) Life() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.life
}

// Defined returns the variables that cells have defined since the last call, for the notice after a crash. After a
// reset it begins anew.
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

// Close ends the session and interrupts its cell, of which it receives nothing any more.
func (s *Local) Close() error {
	s.Interrupt()
	if s.cells.TryLock() {
		s.checkpoints.flush()
		s.cells.Unlock()
	}
	process.leave(s)
	return nil
}
