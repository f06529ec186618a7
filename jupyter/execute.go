package jupyter

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// abortWindow is how long the reply to a failed cell waits for the cells that a client sent along with it. Without it,
// whether "run all" stops at an error would depend on which of two packets is read first.
const abortWindow = 10 * time.Millisecond

// cells holds the queued execute requests and the running one.
type cells struct {
	mu          sync.Mutex
	queue       []*request
	wake        chan struct{} // holds one token while the queue may have something
	running     *request      // nil when none runs
	interrupted bool          // running has been cancelled
	ended       bool
	count       int // of the last cell, as the session counts; used by runCells alone
}

func newCells() *cells { return &cells{wake: make(chan struct{}, 1)} }

func (c *cells) add(r *request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.aborted = c.ended
	c.queue = append(c.queue, r)
	c.signal()
}

func (c *cells) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// next removes the next cell from the queue and makes it the running one.
func (c *cells) next() *request {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return nil
	}
	r := c.queue[0]
	c.queue[0] = nil
	c.queue = c.queue[1:]
	r.ctx, r.cancel = context.WithCancel(context.Background())
	c.running, c.interrupted = r, false
	return r
}

// done ends a cell. The next one may run already.
func (c *cells) done(r *request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.cancel()
	if c.running == r {
		c.running = nil
	}
}

// abort prevents the queued cells from running. They are answered in their turn.
func (c *cells) abort() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.queue {
		r.aborted = true
	}
}

func (c *cells) isAborted(r *request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return r.aborted
}

// interrupt ends the running cell, if there is one. again is true when that has been tried before and the cell still
// runs.
func (c *cells) interrupt() (again, runs bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil {
		return false, false
	}
	again, c.interrupted = c.interrupted, true
	c.running.cancel()
	return again, true
}

// end prevents further cells from running.
func (c *cells) end() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.abort()
	c.interrupt()
}

// runCells runs cells, one at a time and in order. After one that ended well the next runs at once; clients are
// informed of both meanwhile.
func (k *kernel) runCells() {
	reports := make(chan *execution, 1)
	defer close(reports)
	k.workers.Go(func() {
		for c := range reports {
			k.report(c)
		}
	})
	for {
		for c := k.nextCell(); c != nil; c = k.nextCell() {
			reports <- c
			if c.runs {
				_, c.err = k.guarded(func(k *kernel, _ *request) (any, error) {
					c.reply = k.eval(c)
					return nil, nil
				}, c.r)
			}
			close(c.done)
			if !c.endedWell() {
				<-c.told
			}
		}
		select {
		case <-k.cells.wake:
		case <-k.ended:
			return
		}
	}
}

// report informs clients of a cell, from its start to its end.
func (k *kernel) report(c *execution) {
	c.r.started = k.codec.now()
	k.pub.status(c.r.message, "busy")
	c.show.count = k.cells.count
	if c.counted() {
		c.show.count++ // as the session will count
	}
	if c.runs && !c.req.Silent {
		k.pub.publish(c.r.message, "execute_input", executeInput{c.req.Code, c.show.count})
	}
	close(c.begun)
	<-c.done
	content, err := any(okReply{statusAborted}), c.err
	if c.runs && err == nil {
		content, err = k.guarded(func(k *kernel, _ *request) (any, error) { return k.executed(c), nil }, c.r)
	}
	if err != nil {
		content = k.failure(c.r, err)
	}
	k.reply(c.r, content)
	k.pub.status(c.r.message, "idle")
	k.cells.done(c.r)
	close(c.told)
	if c.r.last {
		k.stop()
	}
}

// execution is an execute request in progress.
type execution struct {
	r     *request
	req   executeRequest
	show  *cellView
	runs  bool          // it was neither aborted nor malformed
	begun chan struct{} // closed when clients know that it runs: then they are told what it shows
	done  chan struct{} // closed when the session has ended it
	told  chan struct{} // closed when clients know that, too
	reply repl.Reply
	err   error // why there is no reply
}

// stored reports whether the cell goes into the history.
func (c *execution) stored() bool {
	return !c.req.Silent && (c.req.StoreHistory == nil || *c.req.StoreHistory)
}

func (c *execution) counted() bool { return c.stored() && strings.TrimSpace(c.req.Code) != "" }

// endedWell reports whether nothing about the cell keeps the next one from running at once.
func (c *execution) endedWell() bool {
	return c.runs && c.err == nil && c.reply.Err == nil && c.reply.Exit == nil && !c.reply.Lost && !c.reply.Restart
}

// nextCell removes the next cell from the queue; nil if it is empty.
func (k *kernel) nextCell() *execution {
	r := k.cells.next()
	if r == nil {
		return nil
	}
	c := &execution{r: r, begun: make(chan struct{}), done: make(chan struct{}), told: make(chan struct{})}
	if !k.cells.isAborted(r) && r.ctx.Err() == nil {
		c.err = parse(r, &c.req)
		c.runs = c.err == nil
	}
	c.show = &cellView{pub: k.pub, comms: &k.comms, parent: r.message, silent: c.req.Silent}
	return c
}

// interrupt stops the running cell and the cells behind it, or, where none runs, those of subshells.
func (k *kernel) interrupt() {
	k.cells.abort()
	again, runs := k.cells.interrupt()
	if !runs {
		k.interruptSubshells()
	}
	if again {
		// Cancelling the cell's context was not enough. Interrupt lets the session try harder.
		go func() {
			if s, err := k.session.get(false); err == nil {
				s.Interrupt()
			}
		}()
	}
}

// executed notes a cell of the main shell, and tells of it.
func (k *kernel) executed(c *execution) any {
	if c.reply.Count > 0 {
		k.cells.count, c.show.count = c.reply.Count, c.reply.Count
	}
	if c.counted() {
		k.history.open().Add(c.show.count, c.req.Code, c.show.result)
	}
	return k.told(c, k.cells.abort)
}

// told displays the error of a cell, aborts the queued cells of its shell if requested, and makes the reply.
func (k *kernel) told(c *execution, abort func()) any {
	r, reply, count := c.r, c.reply, c.show.count
	if reply.Lost || reply.Restart {
		k.comms.lost(k.pub, r.message)
	}
	if reply.Err != nil {
		failure := errorOf(reply.Err)
		if !c.req.Silent {
			k.pub.publish(r.message, "error", errorContent{failure.Name, failure.Value, failure.Traceback})
		}
		if c.req.StopOnError == nil || *c.req.StopOnError {
			time.Sleep(abortWindow)
			abort()
		}
	}
	payload := []any{}
	if reply.Exit != nil {
		payload = append(payload, askExit{Source: "ask_exit"})
		r.last = true
		abort()
	}
	for _, data := range reply.Pages {
		payload = append(payload, page{Source: "page", Data: mime(data)})
	}
	if reply.Next != "" {
		payload = append(payload, nextInput{Source: "set_next_input", Text: reply.Next, Replace: true})
	}
	if reply.Err != nil {
		return executeError{errorOf(reply.Err), count, map[string]any{}, payload}
	}
	return executeReply{statusOK, count, userExpressions(reply.UserExpressions), payload}
}

// eval runs a cell. A session that could not start shows as an error of the cell.
func (k *kernel) eval(c *execution) repl.Reply {
	s, err := k.session.get(true)
	if err != nil {
		return repl.Reply{Err: &repl.Error{Name: "StartError", Message: err.Error()}}
	}
	k.comms.begin()
	req := c.req
	return s.Eval(c.r.ctx, repl.Request{
		Code:            req.Code,
		Silent:          req.Silent,
		NoHistory:       !c.stored(),
		UserExpressions: req.UserExpressions,
		Comms:           true,
		Pages:           true,
		Input: func(ctx context.Context, p repl.Prompt) (string, error) {
			if !req.AllowStdin {
				return "", repl.ErrNoInput
			}
			<-c.begun
			return k.ask(ctx, c.r, p)
		},
	}, func(e repl.Event) {
		<-c.begun
		c.show.event(e)
	})
}

// errorOf is a session's error as clients expect it: a name, a message, and coloured lines.
func errorOf(e *repl.Error) errorReply {
	return errorReply{statusError, e.Name, e.Message, e.Traceback()}
}

func userExpressions(values map[string]repl.Value) map[string]any {
	out := map[string]any{}
	for name, v := range values {
		if v.Err != nil {
			out[name] = errorOf(v.Err)
			continue
		}
		out[name] = map[string]any{"status": statusOK, "data": mime(v.Data), "metadata": map[string]any{}}
	}
	return out
}

// cellView publishes the events of one cell on iopub.
type cellView struct {
	pub    *iopub
	comms  *comms
	parent *message
	count  int
	silent bool
	result string // text/plain of the cell's value, for the history
}

func (v *cellView) event(e repl.Event) {
	if v.silent && e.Kind != repl.Comm && e.Kind != repl.Debug {
		return
	}
	switch e = e.Notebook(); e.Kind {
	case repl.Comm:
		v.comms.send(v.pub, v.parent, *e.Packet)
	case repl.Debug:
		v.pub.announce(v.parent, "debug_event", e.Message)
	case repl.Stream:
		v.pub.stream(v.parent, e.Name, e.Text)
	case repl.Display:
		v.pub.publish(v.parent, "display_data", displayContent{mime(e.Data), orEmpty(e.Meta), transient{e.ID}})
	case repl.Update:
		v.pub.publish(v.parent, "update_display_data", displayContent{mime(e.Data), orEmpty(e.Meta), transient{e.ID}})
	case repl.Result:
		v.result = e.Data.Text()
		v.pub.publish(v.parent, "execute_result", resultContent{v.count, mime(e.Data), orEmpty(e.Meta)})
	case repl.Clear:
		v.pub.publish(v.parent, "clear_output", clearContent{e.Wait})
	default:
		v.pub.log.Warn("unknown event", "kind", e.Kind)
	}
}
