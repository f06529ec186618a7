package worker

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// Cells of subshells run beside the main shell's cell, each on a goroutine of its own. What they print is told apart by
// the profiler's label of the goroutine, as output of goroutines that a cell has left behind is (see owners).

// The worker's side.

// beside are the cells of subshells that run, by their requests.
type beside struct {
	cancel map[uint64]context.CancelFunc // used by the reader of requests, and guarded by server.mu
}

// startBeside runs a cell of a subshell. It can be interrupted from now on.
func (s *server) startBeside(f frame) {
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	if s.beside.cancel == nil {
		s.beside.cancel = map[uint64]context.CancelFunc{}
	}
	s.beside.cancel[f.ID] = cancel
	s.mu.Unlock()
	go func() {
		defer cancel()
		a := s.evalBeside(ctx, f)
		s.mu.Lock()
		delete(s.beside.cancel, f.ID)
		s.mu.Unlock()
		if err := s.out.send(kindAnswer, f.ID, a); errors.Is(err, errTooLarge) {
			a.Pages, a.UserExpressions = nil, nil
			a.Err = &repl.Error{Name: "InternalError", Message: err.Error()}
			_ = s.out.send(kindAnswer, f.ID, a) // without a front end the next read ends the worker
		}
	}()
}

func (s *server) evalBeside(ctx context.Context, f frame) (a evalAnswer) {
	var req repl.Request
	if err := json.Unmarshal(f.Body, &req); err != nil {
		return a
	}
	s.order.Lock()
	s.owners.pin(f.ID)
	s.order.Unlock()
	defer func() {
		s.order.Lock()
		defer s.order.Unlock()
		s.flushLate()
		s.owners.unpin(f.ID)
	}()
	a.Reply = s.session.Beside(ctx, req, s.tellOf(f.ID))
	s.programs.Ended(f.ID, 0)
	a.Defined = s.session.Defined()
	return a
}

// interruptBeside interrupts the cell of a request.
func (s *server) interruptBeside(id uint64) {
	s.mu.Lock()
	cancel := s.beside.cancel[id]
	s.mu.Unlock()
	if cancel != nil {
		cancel()
		s.programs.Interrupt(id)
	}
}

// tellOf tells events of the cell of a request, in their place between what is written.
func (s *server) tellOf(id uint64) func(repl.Event) {
	return func(e repl.Event) {
		s.order.Lock()
		defer s.order.Unlock()
		s.flushLate()
		s.tellLocked(&e, id)
	}
}

// emitBeside is where events of the calling goroutine go, if a cell of a subshell has started it.
func (s *server) emitBeside() func(repl.Event) {
	if id, ok := s.ownerBeside(); ok {
		return s.tellOf(id)
	}
	return nil
}

// ownerBeside is the request of the cell of a subshell that the calling goroutine comes from.
func (s *server) ownerBeside() (id uint64, ok bool) {
	s.order.Lock()
	defer s.order.Unlock()
	if len(s.owners.pinned) == 0 {
		return 0, false
	}
	id = s.owners.cell()
	return id, slices.ContainsFunc(s.owners.pinned, func(o owner) bool { return o.cell == id })
}

// pin is own for a cell that runs beside others: its label stays until unpin is called. s.order is held.
func (o *owners) pin(cell uint64) { o.pinned = append(o.pinned, owner{setLabel(cell), cell}) }

// unpin has the label of a cell that has ended among those of the last cells. s.order is held.
func (o *owners) unpin(cell uint64) {
	i := slices.IndexFunc(o.pinned, func(x owner) bool { return x.cell == cell })
	o.list[o.next] = o.pinned[i]
	o.next = (o.next + 1) % len(o.list)
	o.pinned = slices.Delete(o.pinned, i, i+1)
}

// The front end's side.

var _ repl.Shells = (*Client)(nil)

// Beside runs one cell beside those that run in the worker. Where the worker is gone a new one is started.
func (c *Client) Beside(ctx context.Context, req repl.Request, sink func(repl.Event)) (reply repl.Reply) {
	start := time.Now()
	defer func() { reply.Elapsed = time.Since(start) }()
	p, died, err := c.worker()
	if err != nil {
		reply.Err = &repl.Error{Name: "WorkerCrash", Message: "no worker could be started: " + err.Error()}
		return reply
	}
	if died != nil {
		if reply.Exit = died.exited(); reply.Exit != nil {
			return reply
		}
		sink(trouble("the worker died between two cells: " + died.inShort()))
		sink(c.lostNotice())
	}
	id := p.id()
	defer p.directBeside(id, sink)()
	answer, err := p.requestAs(id, kindBeside, req)
	switch {
	case errors.Is(err, errTooLarge):
		reply.Err = &repl.Error{Name: "SyntaxError", Message: "the cell is too large: " + err.Error()}
		return reply
	case err != nil:
		<-p.done
		return c.crashedBeside(p, sink)
	}
	a, ok := waitBeside(ctx, p, id, answer)
	if !ok {
		return c.crashedBeside(p, sink)
	}
	c.noteDefined(a.Defined)
	a.Lost = a.Lost || died != nil
	return a.Reply
}

// waitBeside waits for the answer, and passes an interrupt on.
func waitBeside(ctx context.Context, p *process, id uint64, answer <-chan frame) (a evalAnswer, ok bool) {
	cancelled := ctx.Done()
	for {
		select {
		case f, ok := <-answer:
			if ok && !decode(f.Body, &a) {
				a.Err = &repl.Error{Name: "InternalError", Message: "the worker's answer could not be read"}
			}
			p.settle()
			return a, ok
		case <-cancelled:
			cancelled = nil
			_ = p.out.send(kindStop, id, nil) // a worker that is gone needs none
		}
	}
}

// crashedBeside is the reply of a cell whose worker is gone.
func (c *Client) crashedBeside(p *process, sink func(repl.Event)) (reply repl.Reply) {
	if c.isClosed() {
		reply.Err = &repl.Error{Name: "Interrupted", Message: "the session was closed"}
		return reply
	}
	reply.Lost = true
	if reply.Exit = p.exited(); reply.Exit != nil {
		return reply
	}
	text, notes := p.reason()
	reply.Err = &repl.Error{Name: "WorkerCrash", Message: text, Notes: notes, Trace: p.said}
	c.replace(sink)
	return reply
}

// SetShells says how many shells there are beside the main one.
func (c *Client) SetShells(n int) {
	c.mu.Lock()
	c.shells = n
	p := c.p
	c.mu.Unlock()
	_ = p.out.send(kindShells, 0, n) // a worker to come is told when it starts
}

// directBeside sends events of a cell of a subshell to a sink. Those that come after what it returns is called go
// there, too, until many other cells have run.
func (p *process) directBeside(cell uint64, events func(repl.Event)) (ended func()) {
	p.evMu.Lock()
	defer p.evMu.Unlock()
	p.pinned = append(p.pinned, sink{cell, events})
	return func() {
		p.evMu.Lock()
		defer p.evMu.Unlock()
		p.pinned = slices.DeleteFunc(p.pinned, func(s sink) bool { return s.cell == cell })
		p.keepSink(sink{cell, events})
	}
}

// keepSink notes where output of a cell goes that comes late. p.evMu is held.
func (p *process) keepSink(s sink) {
	if len(p.sinks) == keptSinks {
		p.sinks = append(p.sinks[:0], p.sinks[1:]...)
	}
	p.sinks = append(p.sinks, s)
}
