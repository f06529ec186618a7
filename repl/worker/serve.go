package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/display/comm"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/internal/programs"
)

// gcPercent is GOGC of a worker. Small cells leave much garbage beside little that lives: with Go's 100 a session of
// them spends a quarter of its time on collections.
const gcPercent = 200

// kept are signals that do not end a worker.
var kept = []os.Signal{os.Interrupt}

// Serve is the worker's side: it serves one session on the pipes that the front end has handed over, and returns when
// the front end goes away, or, with the error Exited, when a cell has called os.Exit. The program should end then,
// whatever its goroutines still do.
func Serve() error {
	if programs.Keep() { // this process was started to end what a worker leaves
		return nil
	}
	requests, answers, crash, err := handedOver()
	if err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	if err := reportCrashes(crash); err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	offerToKernel()
	// Control-C goes to every process of the terminal. The front end decides what it means; programs that cells start
	// keep the default, which they would not if the signal were ignored.
	signal.Notify(make(chan os.Signal, 1), kept...)
	return serve(requests, answers, os.Stdout, os.Stderr)
}

type server struct {
	requests    io.Closer
	exited      atomic.Pointer[int] // a cell has called os.Exit, with this code
	session     *repl.Local
	programs    *programs.Set
	out         *frameWriter
	marks       [2]io.Writer   // the output pipes
	intact      [2]func() bool // whether they are still where they were
	prefix      string
	mark        uint64       // the last mark
	interrupted atomic.Int64 // when the front end has last asked for it, in Unix nanoseconds
	order       sync.Mutex   // held while something is written to the pipes
	wrote       int          // the one of marks that was written to last
	cell        uint64       // the request of the running cell, or of the last one
	request     uint64       // the last one, that of a silent cell, too
	owners      owners
	late        late
	beside      beside
	// a cell's value, which most often is the last thing that it tells: then it goes along with the answer
	held  *repl.Event
	stdin *stdin // nil when cells read what the front end was given

	mu     sync.Mutex
	asked  uint64 // the last question
	asking map[uint64]chan inputReply
	cancel context.CancelCauseFunc // ends the questions of the running cell
	stop   context.CancelFunc      // ends the running cell, or the last one
}

func serve(requests io.ReadCloser, answers io.Writer, stdout, stderr io.Writer) error {
	r := bufio.NewReader(requests)
	f, err := readFrame(r)
	if err != nil {
		return err
	}
	var h hello
	if err := json.Unmarshal(f.Body, &h); err != nil || f.Kind != kindHello {
		return errors.New("worker: the front end speaks another protocol")
	}
	s := &server{requests: requests, intact: [2]func() bool{intact(stdout), intact(stderr)},
		out: &frameWriter{w: answers}, marks: [2]io.Writer{stdout, stderr}, prefix: h.Mark,
		asking: map[uint64]chan inputReply{}, stop: func() {}}
	if h.Input {
		if s.stdin, err = openStdin(os.Stdin); err != nil {
			return err
		}
	}
	s.programs = programs.New(os.Getenv(programs.Variable))
	s.session, err = repl.New(repl.Options{Version: h.Version, Count: h.Count, Past: h.Past, Life: h.Life,
		Modules: h.Modules, Stdout: stream{s, 0}, Stderr: stream{s, 1}, Exit: s.exit,
		Moves: s.expects, Beside: s.emitBeside, Signals: kept, Programs: children{s, s.programs}})
	if err != nil {
		return err
	}
	s.session.SetShells(h.Shells)
	s.watchTime()
	s.delayEnds()
	_ = s.out.send(kindReady, 0, nil) // without a front end the next read ends the worker
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	cells := make(chan func(), 1)
	defer close(cells)
	go func() { // one goroutine for all: a new one would begin with a small stack each time
		for run := range cells {
			run()
		}
	}()
	if err := s.answer(r, cells); err != nil {
		return err
	}
	return s.session.Close() // it writes the checkpoint that is due
}

// expects tells the front end in which program the session may soon go on.
func (s *server) expects(program string) { _ = s.out.send(kindExpects, 0, program) } // see conclude

// answer takes the front end's requests until it goes away, or a cell has called os.Exit.
func (s *server) answer(r *bufio.Reader, cells chan<- func()) error {
	for {
		f, err := readFrame(r)
		if code := s.exited.Load(); code != nil {
			return Exited(*code)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch f.Kind {
		case kindEval: // from now on it can be interrupted, even if it has not begun
			ctx, cancel := context.WithCancel(context.Background())
			s.mu.Lock()
			s.stop = cancel
			s.mu.Unlock()
			cells <- func() {
				defer cancel()
				s.evaluate(ctx, f)
			}
			continue
		case kindInterrupt:
			s.interrupted.Store(time.Now().UnixNano())
			s.interrupt()
			continue
		case kindComm: // in their order
			var p comm.Packet
			if json.Unmarshal(f.Body, &p) == nil {
				s.session.Deliver(p)
			}
			continue
		case kindBeside:
			s.startBeside(f)
			continue
		case kindStop:
			s.interruptBeside(f.ID)
			continue
		case kindHello: // the session comes here
			var h hello
			if json.Unmarshal(f.Body, &h) == nil {
				repl.Continue(s.session, h.Count, h.Past, h.Life)
				s.session.SetShells(h.Shells)
			}
			continue
		case kindShells:
			var n int
			if json.Unmarshal(f.Body, &n) == nil {
				s.session.SetShells(n)
			}
			continue
		case kindInputReply:
			s.answered(f)
			continue
		case kindDetach:
			s.session.Detach()
			continue
		}
		go s.handle(f)
	}
}

// interrupt ends the running cell.
func (s *server) interrupt() {
	s.mu.Lock()
	stop := s.stop
	s.mu.Unlock()
	stop()
	s.interruptInput()
}

// tell sends an event, or nil, in its place between what was written before and what is written later.
func (s *server) tell(e *repl.Event) {
	s.order.Lock()
	defer s.order.Unlock()
	s.flushLate()
	if e == nil && s.held != nil {
		s.release()
		return
	}
	s.tellLocked(e, s.owners.cell())
}

// hold tells an event with the next mark.
func (s *server) hold(e *repl.Event) {
	s.order.Lock()
	defer s.order.Unlock()
	s.flushLate()
	s.release()
	s.held = e
}

// release tells what is held. s.order is held.
func (s *server) release() {
	if e := s.held; e != nil {
		s.held = nil
		s.tellLocked(e, s.cell)
	}
}

// tellLocked tells an event of a cell, or of the running one with 0. s.order is held.
func (s *server) tellLocked(e *repl.Event, cell uint64) {
	s.release()
	s.mark++
	n := s.mark
	text := fmt.Sprintf("%s%d\x00", s.prefix, n)
	body := markBody{Event: e, Cell: cell}
	for i, w := range s.marks {
		// the cell has closed its output, or has put a file in its place: there is nothing to wait for
		body.Skip[i] = true
		if s.intact[i]() {
			_, err := io.WriteString(w, text)
			body.Skip[i] = err != nil
		}
	}
	if err := s.out.send(kindMark, n, body); errors.Is(err, errTooLarge) {
		e := trouble(err.Error())
		body.Event = &e
		_ = s.out.send(kindMark, n, body) // without a front end the next read ends the worker
	}
}

// exit ends the process for a cell that has called os.Exit where its reply cannot tell of that. It does not return.
func (s *server) exit(code int) {
	s.tell(nil)
	_ = s.out.send(kindExit, 0, exitBody{code}) // see conclude
	s.exited.Store(&code)
	s.requests.Close() // Serve returns
	select {}
}

// Exited is the error of Serve when a cell has called os.Exit. The program is to end with that status.
type Exited int

func (e Exited) Error() string { return fmt.Sprintf("a cell has called os.Exit(%d)", int(e)) }

// children are the programs that cells start.
type children struct {
	s *server
	*programs.Set
}

// Starting is told that the calling goroutine's cell starts a program.
func (c children) Starting(env []string) ([]string, func(pid int)) {
	c.s.order.Lock()
	cell := c.s.owners.cell()
	c.s.order.Unlock()
	return c.Set.Starting(cell, env)
}

// Interrupt ends the programs of the running cell.
func (c children) Interrupt() {
	c.s.order.Lock()
	cell := c.s.request
	c.s.order.Unlock()
	c.Set.Interrupt(cell)
}

// evaluate answers the request to run a cell. The session runs one at a time.
func (s *server) evaluate(ctx context.Context, f frame) {
	var req repl.Request
	if err := json.Unmarshal(f.Body, &req); err != nil {
		return
	}
	_ = s.out.send(kindBegun, f.ID, nil) // see conclude
	reply := s.eval(ctx, f.ID, req)
	s.programs.Ended(f.ID, reply.Count)
	past := s.session.Last()
	past.Code = "" // the front end has it
	s.conclude(f.ID, evalAnswer{Reply: reply, Defined: s.session.Defined(), Past: past, Life: s.session.Life()})
}

// handle answers any other request. They are answered side by side.
func (s *server) handle(f frame) {
	if f.Kind == kindDebug {
		s.debug(f)
		return
	}
	var b codeBody
	if len(f.Body) > 0 {
		if err := json.Unmarshal(f.Body, &b); err != nil {
			return
		}
	}
	var body any
	switch f.Kind {
	case kindComplete:
		body = s.session.Complete(b.Code, b.Cursor)
	case kindInspect:
		body = s.session.Inspect(b.Code, b.Cursor, b.Detail)
	case kindIsComplete:
		body = s.session.IsComplete(b.Code)
	case kindInfo:
		body = s.session.Info()
	case kindSettle:
		s.tell(nil)
	default:
		return
	}
	_ = s.out.send(kindAnswer, f.ID, body) // see conclude
}

// debug answers a request of the debug adapter protocol.
func (s *server) debug(f frame) {
	messages := s.session.Debug(context.Background(), f.Body)
	if err := s.out.send(kindAnswer, f.ID, messages); errors.Is(err, errTooLarge) {
		_ = s.out.send(kindAnswer, f.ID, []json.RawMessage{}) // without a front end the next read ends the worker
	}
}

// eval runs a cell, and asks the front end for the input that it wants.
func (s *server) eval(ctx context.Context, id uint64, req repl.Request) repl.Reply {
	s.order.Lock()
	s.flushLate()
	s.owners.own(id)
	s.request = id
	if !req.Silent {
		s.cell = id
	}
	s.order.Unlock()
	sink := func(e repl.Event) {
		if e.Kind == repl.Result && !req.Silent {
			s.hold(&e)
		} else {
			s.tell(&e)
		}
	}
	if s.stdin == nil {
		return s.session.Eval(ctx, req, sink)
	}
	questions, cancel := context.WithCancelCause(context.Background())
	s.mu.Lock()
	s.cancel = cancel
	s.mu.Unlock()
	done := make(chan struct{})
	watch := time.AfterFunc(stdinPoll, func() { // most cells are over by then
		defer close(done)
		s.stdin.watch(questions, s.ask, func(err error) {
			s.session.Stop(&repl.Error{Name: "InputError",
				Message: err.Error()})
		})
	})
	req.Input = s.ask
	reply := s.session.Eval(ctx, req, sink)
	cancel(nil)
	if !watch.Stop() {
		<-done
	}
	return reply
}

// conclude answers the request of a cell, and tells its value along with the answer. The front end reads first what has
// been written before.
func (s *server) conclude(id uint64, a evalAnswer) {
	s.order.Lock()
	defer s.order.Unlock()
	s.flushLate()
	a.Value, s.held = s.held, nil
	if err := s.out.send(kindAnswer, id, a); errors.Is(err, errTooLarge) {
		e := trouble(err.Error())
		a.Value, a.Pages, a.UserExpressions, a.Next = &e, nil, nil, ""
		_ = s.out.send(kindAnswer, id, a) // without a front end the next read ends the worker
	}
}

// evalAnswer is a reply and the variables that are new, which the front end names when they are lost.
type evalAnswer struct {
	repl.Reply
	Defined []string  `json:"defined,omitempty"`
	Past    repl.Past `json:"past"`
	Life    int       `json:"life"`

	Value *repl.Event `json:"value,omitempty"` // the last event of the cell
}
