package worker

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorocm/gorocm/display/comm"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/internal/packed"
	"github.com/gorocm/gorocm/repl/modules"
	"github.com/gorocm/gorocm/repl/modules/compiled"
)

// Options say how to start workers.
type Options struct {
	// Command is the argument vector of a worker: a program that calls Serve, for example {self, "worker"}.
	Command []string
	// Env is the environment of the workers; nil means that of this process.
	Env []string
	// Dir is the working directory of the workers; empty means that of this process.
	Dir string
	// Version is gorocm's version, for Info and %version; empty means what the worker's build says.
	Version string
	// Stdin is what cells read as os.Stdin. With nil, they ask through Request.Input.
	Stdin *os.File
	// Bytes has the text of Stream events be what cells have written. Else what is no UTF-8 becomes U+FFFD.
	Bytes bool
	// Modules is the folder of the module that %get adds third-party modules to, which all workers of the session
	// share; empty for a new one.
	Modules string
}

// Client is a session in a worker process. When the worker dies, the running cell's Reply says why, Lost is true,
// and a new worker takes over.
type Client struct {
	opt   Options
	cells sync.Mutex // one cell at a time

	mu      sync.Mutex
	p       *process
	running bool // a cell
	count   int
	vars    []string // that the worker holds
	past    packed.List[repl.Past]
	bytes   int // in it
	shells  int // beside the main one
	life    int // how often the session has begun anew
	interru chan struct{}
	closed  bool
	spare   spare
	info    repl.Info
}

var (
	_ repl.Session    = (*Client)(nil)
	_ repl.Debuggable = (*Client)(nil)
)

// How long an interrupted worker may take to answer before it is offered to replace it, and how long it may take after
// that when the cell's context was cancelled, so that nobody may be there to take the offer. Tests shorten them.
var (
	interruptPatience = 5 * time.Second
	cancelPatience    = 30 * time.Second
)

var errClosed = errors.New("the session is closed")

// Start starts a worker and returns the session in it.
func Start(opt Options) (*Client, error) {
	if opt.Modules == "" {
		opt.Modules = modules.NewDir()
	}
	c := &Client{opt: opt, interru: make(chan struct{}, 1)}
	c.spare.opt = opt
	p, err := start(opt, hello{}, c.spare.expect)
	if err != nil {
		return nil, err
	}
	c.p = p
	return c, nil
}

// How much of the cells that have run is kept for a new worker.
const (
	pastCells = 10_000
	pastBytes = 4 << 20
)

// remember keeps a cell for a worker to come. c.mu is held.
func (c *Client) remember(p repl.Past) {
	if last := c.past.Last(); last != nil && last.Number >= p.Number {
		return // it was not counted
	}
	c.past.Add(p)
	c.bytes += len(p.Code)
	if c.bytes <= pastBytes && c.past.Len() <= pastCells {
		return
	}
	n := c.past.Len()
	c.past.Shorten((n + 1) / 2)
	c.bytes = c.bytes / n * c.past.Len() // as if all cells were as long
}

func decode(b json.RawMessage, to any) bool { return json.Unmarshal(b, to) == nil }

// worker returns the current process. It starts a new one when that is gone; lost tells of the variables that went with
// it.
func (c *Client) worker() (p *process, lost *process, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, errClosed
	}
	if c.p.alive() {
		return c.p, nil, nil
	}
	lost = c.p
	c.spare.expect("")
	h := hello{Count: c.count, Past: c.past.Values(), Life: c.life + 1, Shells: c.shells}
	p, err = start(c.opt, h, c.spare.expect)
	if err != nil {
		return nil, lost, err
	}
	c.p, c.life = p, c.life+1
	return p, lost, nil
}

// trouble is a notice of something that has gone wrong.
func trouble(text string) repl.Event {
	return repl.Event{Kind: repl.Notice, Name: "stderr", Text: text}
}

// lostNotice tells which variables a dead worker took along.
func (c *Client) lostNotice() repl.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := c.vars
	c.vars = nil
	again := ""
	if slices.ContainsFunc(c.past.Values(), func(p repl.Past) bool { return !p.Failed && p.Life == c.life-1 }) {
		again = "; %replay runs its cells again"
	}
	text := "the session was restarted; it had no variables"
	if len(names) > 0 {
		const most = 20
		list := names
		more := ""
		if len(list) > most {
			list, more = list[len(list)-most:], "earlier ones, "
		}
		text = "the session was restarted; these variables are gone: " + more + strings.Join(list, ", ") + again
	}
	if file := repl.AutoCheckpoint(c.past.Values(), c.life-1); file != "" {
		text += "; %checkpoint -a is off: %restore " + file + " brings back what the file has, and turns it on again"
	}
	return trouble(text)
}

// Eval runs one cell in the worker.
func (c *Client) Eval(ctx context.Context, req repl.Request, sink func(repl.Event)) repl.Reply {
	c.cells.Lock()
	defer c.cells.Unlock()
	start := time.Now()
	reply := c.eval(ctx, req, sink)
	reply.Elapsed = time.Since(start)
	return reply
}

// eval runs a cell. A worker that is dead, or that dies before it begins with the cell, is replaced first: it is not
// the cell's fault.
func (c *Client) eval(ctx context.Context, req repl.Request, sink func(repl.Event)) repl.Reply {
	lost := false
	for {
		p, died, err := c.worker()
		reply := repl.Reply{Count: c.cellCount(), Lost: lost || died != nil}
		if err != nil {
			reply.Err = &repl.Error{Name: "WorkerCrash", Message: "no worker could be started: " + err.Error()}
			return reply
		}
		if m := req.Moved; died != nil && m != nil && !m.Stay { // nothing was in it
			compiled.Reject(m.Program, died.inShort())
			m.Stay, reply.Lost, died = true, lost, nil
		}
		if died != nil {
			if reply.Exit = died.exited(); reply.Exit != nil {
				return reply // as when a goroutine calls os.Exit and the worker lives
			}
			sink(trouble("the worker died between two cells: " + died.inShort()))
			sink(c.lostNotice())
		}
		e := &evaluation{c: c, p: p, id: p.id(), req: req, sink: sink, reply: reply}
		answered := e.run(ctx)
		if answered && e.reply.Moved != nil {
			req.Moved = c.move(e.reply.Moved)
			continue
		}
		if m := req.Moved; m != nil && !m.Stay && !answered && !p.began(e.id) && !c.isClosed() {
			continue
		}
		if answered || lost || p.began(e.id) || p.exited() != nil || c.isClosed() {
			return e.reply
		}
		lost = true
	}
}

// move starts another program in place of the worker, which has done nothing that this one would not have.
func (c *Client) move(to *repl.Moved) *repl.Moved {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return to
	}
	h := hello{Count: c.count, Past: c.past.Values(), Life: c.life, Shells: c.shells}
	p := c.spare.take(to.Program, h)
	if p == nil {
		var err error
		if p, err = start(c.opt.of(to.Program), h, c.spare.expect); err != nil {
			compiled.Reject(to.Program, err.Error())
			to.Stay = true
			if p, err = start(c.opt, h, c.spare.expect); err != nil {
				return to // the worker that there is goes on
			}
		}
	}
	go c.p.kill()
	c.p = p
	return to
}

func (c *Client) cellCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

func (c *Client) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// MetaStuck is set in the Meta of the notice that an interrupted cell does not stop. A front end may take it to ask
// whether to restart the session; Interrupt then does so.
const MetaStuck = "stuck"

const stuckText = "the cell does not stop; interrupt it again to restart the session, which loses its variables"

// Interrupt stops the running cell and keeps every variable. When the cell has not ended after five seconds, a notice
// says so (its Meta has MetaStuck), and the next Interrupt replaces the worker: the variables are gone then, and Lost
// is true in the cell's reply. A cell whose context was cancelled is given half a minute more instead of a second
// Interrupt. A worker that was stopped goes on.
func (c *Client) Interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	resume(c.p)
	if c.running {
		select {
		case c.interru <- struct{}{}:
		default:
		}
	}
}

// ask sends a request that is answered while a cell runs. It reports whether an answer came.
func (c *Client) ask(kind kind, body, to any) bool {
	c.mu.Lock()
	p := c.p
	c.mu.Unlock()
	answer, err := p.request(kind, body)
	if err != nil {
		return false
	}
	select {
	case f, ok := <-answer:
		return ok && decode(f.Body, to)
	case <-p.stopped():
		return false
	}
}

// Complete lists what may stand at the cursor.
func (c *Client) Complete(code string, cursor int) repl.Completion {
	r := repl.Completion{Start: cursor, End: cursor}
	c.ask(kindComplete, codeBody{Code: code, Cursor: cursor}, &r)
	return r
}

// Inspect tells what is known of the name or call at the cursor.
func (c *Client) Inspect(code string, cursor int, detail int) repl.Inspection {
	var r repl.Inspection
	c.ask(kindInspect, codeBody{Code: code, Cursor: cursor, Detail: detail}, &r)
	return r
}

// IsComplete says whether a cell can run as it stands.
func (c *Client) IsComplete(code string) repl.Completeness {
	r := repl.Completeness{Status: "unknown"}
	c.ask(kindIsComplete, codeBody{Code: code}, &r)
	return r
}

// Debug answers a request of the debug adapter protocol. Cancelling ctx gives the answer up.
func (c *Client) Debug(ctx context.Context, request json.RawMessage) []json.RawMessage {
	c.mu.Lock()
	p := c.p
	c.mu.Unlock()
	answer, err := p.request(kindDebug, request)
	if err != nil {
		return nil
	}
	select {
	case f, ok := <-answer:
		var messages []json.RawMessage
		if ok && decode(f.Body, &messages) {
			return messages
		}
	case <-ctx.Done():
	}
	return nil
}

// Detach ends debugging for a client that has gone away.
func (c *Client) Detach() {
	c.mu.Lock()
	p := c.p
	c.mu.Unlock()
	_ = p.out.send(kindDetach, 0, nil) // a worker that is gone stops nothing
}

// Deliver takes a packet for a comm of the session's cells.
func (c *Client) Deliver(p comm.Packet) {
	c.mu.Lock()
	process := c.p
	c.mu.Unlock()
	_ = process.out.send(kindComm, 0, p) // a worker that is gone has no comms
}

// Info describes the session.
func (c *Client) Info() repl.Info {
	c.mu.Lock()
	r := c.info
	c.mu.Unlock()
	if c.ask(kindInfo, nil, &r) {
		c.mu.Lock()
		c.info = r
		c.mu.Unlock()
	}
	return r
}

// checkpointPatience is how long a worker has for its last checkpoint.
const checkpointPatience = time.Minute

// Close ends the worker, which writes the checkpoint first that %checkpoint -a has due.
func (c *Client) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	p, patience := c.p, time.Second
	if !c.running && repl.AutoCheckpoint(c.past.Values(), c.life) != "" {
		patience = checkpointPatience
	}
	c.mu.Unlock()
	c.spare.close()
	p.pipe.Close()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.kill()
	}
	return nil
}
