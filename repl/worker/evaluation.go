package worker

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// evaluation is one cell in one worker.
type evaluation struct {
	c     *Client
	p     *process
	id    uint64 // of the request
	req   repl.Request
	sink  func(repl.Event)
	reply repl.Reply
}

// run runs the cell. It reports whether the worker has answered, or was given up; otherwise the worker is gone, and the
// reply says why.
func (e *evaluation) run(ctx context.Context) (answered bool) {
	e.p.direct(e.id, e.sink, e.req.Silent)
	asking, done := context.WithCancel(ctx)
	defer done()
	e.p.asks(asking, e.req.Input)
	defer e.c.begin()()
	if isStopped(e.p.cmd.Process.Pid) {
		e.sink(e.p.stopNotice())
	}
	answer, err := e.p.requestAs(e.id, kindEval, e.req)
	switch {
	case errors.Is(err, errTooLarge):
		e.reply.Err = &repl.Error{Name: "SyntaxError", Message: "the cell is too large: " + err.Error()}
		return true
	case err != nil:
		<-e.p.done
		e.crashed()
		return false
	}
	return e.wait(ctx, answer)
}

// begin says that a cell runs, and forgets an interrupt that was meant for the cell before.
func (c *Client) begin() (end func()) {
	select {
	case <-c.interru:
	default:
	}
	set := func(running bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.running = running
	}
	set(true)
	return func() { set(false) }
}

// wait waits for the answer and passes on interrupts. A cell that does not stop is offered to be given up; a second
// interrupt takes the offer, and so does time if the cell's context was cancelled.
func (e *evaluation) wait(ctx context.Context, answer <-chan frame) (answered bool) {
	var stuck, tooLong <-chan time.Time
	interrupt := func() {
		resume(e.p)
		_ = e.p.out.send(kindInterrupt, 0, nil) // a worker that is gone needs none
		if stuck == nil {
			stuck = time.After(interruptPatience)
		}
	}
	cancelled, offered := ctx.Done(), false
	for {
		select {
		case f, ok := <-answer:
			if !ok {
				e.crashed()
				return false
			}
			e.answered(f)
			return true
		case <-cancelled:
			cancelled = nil
			interrupt()
			if offered {
				tooLong = time.After(cancelPatience)
			}
		case <-e.c.interru:
			if offered {
				e.giveUp()
				return true
			}
			interrupt()
		case <-stuck:
			offered = true
			offer := trouble(stuckText)
			offer.Meta = map[string]any{MetaStuck: true}
			e.sink(offer)
			if ctx.Err() != nil && cancelled == nil {
				tooLong = time.After(cancelPatience)
			}
		case <-tooLong:
			e.giveUp()
			return true
		}
	}
}

// answered takes the worker's answer.
func (e *evaluation) answered(f frame) {
	var a evalAnswer
	if !decode(f.Body, &a) {
		e.reply.Err = &repl.Error{Name: "InternalError", Message: "the worker's answer could not be read"}
		return
	}
	e.p.settle()
	if a.Value != nil {
		e.p.emitTo(e.id, *a.Value)
	}
	a.Lost = a.Lost || e.reply.Lost
	e.reply = a.Reply
	if a.Moved != nil {
		return // the cell goes on
	}
	e.c.note(a, e.req.Code)
	if a.Restart { // the worker has begun anew; a new process forgets what it could not
		e.p.kill()
		e.c.replace(e.sink)
	}
}

// note keeps what an answer tells of the session.
func (c *Client) note(a evalAnswer, code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count, a.Past.Code = a.Count, code
	if !a.Restart {
		c.life = a.Life
	}
	c.remember(a.Past)
	c.define(a.Defined)
	if a.Restart {
		c.vars = nil
	}
}

// noteDefined keeps which variables the worker holds.
func (c *Client) noteDefined(names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.define(names)
}

// define is noteDefined where c.mu is held.
func (c *Client) define(names []string) {
	for _, v := range names {
		if i := slices.Index(c.vars, v); i >= 0 {
			c.vars = slices.Delete(c.vars, i, i+1)
		}
		c.vars = append(c.vars, v)
	}
}

// giveUp ends a worker whose cell cannot be stopped, and starts a new one.
func (e *evaluation) giveUp() {
	e.p.kill()
	e.reply.Err = &repl.Error{Name: "Interrupted", Message: "the cell was interrupted",
		Notes: []string{"the cell did not stop, so the session was restarted"}}
	e.reply.Lost = true
	e.c.replace(e.sink)
	e.sink(e.c.lostNotice())
}

// crashed makes the reply of a cell whose worker is gone. If the cell had begun, a new one is started.
func (e *evaluation) crashed() {
	e.reply.Lost = true
	exit, begun := e.p.exited(), e.p.began(e.id)
	text, notes := e.p.reason()
	switch {
	case e.c.isClosed():
		e.reply.Err = &repl.Error{Name: "Interrupted", Message: "the session was closed"}
		return
	case exit != nil:
		e.reply.Exit = exit
	case !begun:
		e.reply.Err = &repl.Error{Name: "WorkerCrash", Message: "the worker ended before it could run the cell: " +
			text, Notes: notes, Trace: e.p.said}
		return
	default:
		e.reply.Err = &repl.Error{Name: "WorkerCrash", Message: text, Notes: notes, Trace: e.p.said}
	}
	e.reply.Count = e.c.fail(e.req)
	e.c.replace(e.sink)
	if exit == nil {
		e.sink(e.c.lostNotice())
	}
}

// fail counts a cell that has ended with its worker.
func (c *Client) fail(req repl.Request) (count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !req.Silent && !req.NoHistory {
		c.count++
		c.remember(repl.Past{Number: c.count, Code: req.Code, Failed: true, Life: c.life})
	}
	return c.count
}

// replace starts a worker in place of one that is gone.
func (c *Client) replace(sink func(repl.Event)) {
	if _, _, err := c.worker(); err != nil && !errors.Is(err, errClosed) {
		sink(trouble("no new worker could be started: " + err.Error()))
	}
}
