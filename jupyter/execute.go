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

// cells are the execute requests that wait, and the one that runs.
type cells struct {
	mu          sync.Mutex
	queue       []*request
	wake        chan struct{}      // holds one token while the queue may have something
	cancel      context.CancelFunc // ends the running cell; nil when none runs
	interrupted bool               // cancel has been called
	ended       bool
	count       int // of the last cell, as the session counts
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

// next takes the next cell and a context that interrupts it.
func (c *cells) next() (*request, context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return nil, nil
	}
	r := c.queue[0]
	c.queue[0] = nil
	c.queue = c.queue[1:]
	var ctx context.Context
	ctx, c.cancel = context.WithCancel(context.Background())
	c.interrupted = false
	return r, ctx
}

func (c *cells) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancel()
	c.cancel = nil
}

// abort keeps the cells that wait now from running. They are answered in their turn.
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

// interrupt ends the running cell. again is true when that has been tried before and the cell still runs.
func (c *cells) interrupt() (again bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel == nil {
		return false
	}
	again, c.interrupted = c.interrupted, true
	c.cancel()
	return again
}

// end lets no further cell run.
func (c *cells) end() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.abort()
	c.interrupt()
}

// runCells answers execute requests, one at a time and in order.
func (k *kernel) runCells() {
	for {
		for {
			r, ctx := k.cells.next()
			if r == nil {
				break
			}
			r.ctx = ctx
			k.dispatch(r)
			k.cells.done()
		}
		select {
		case <-k.cells.wake:
		case <-k.ended:
			return
		}
	}
}

// interrupt stops the running cell and the cells behind it.
func (k *kernel) interrupt() {
	k.cells.abort()
	if k.cells.interrupt() {
		// Cancelling the cell's context was not enough. Interrupt lets the session try harder.
		go func() {
			if s, err := k.session.get(false); err == nil {
				s.Interrupt()
			}
		}()
	}
}

func (k *kernel) execute(r *request) (any, error) {
	if k.cells.isAborted(r) || r.ctx.Err() != nil {
		return okReply{statusAborted}, nil
	}
	var req executeRequest
	if err := parse(r, &req); err != nil {
		return nil, err
	}
	store := !req.Silent && (req.StoreHistory == nil || *req.StoreHistory)
	count := k.cells.count
	if store && strings.TrimSpace(req.Code) != "" { // as the session will count
		count++
	}
	show := &cellView{pub: k.pub, comms: &k.comms, parent: r.message, count: count, silent: req.Silent}
	if !req.Silent {
		k.pub.publish(r.message, "execute_input", executeInput{req.Code, count})
	}
	reply := k.eval(r, req, store, show.event)
	if reply.Lost || reply.Restart {
		k.comms.lost(k.pub, r.message)
	}
	if reply.Count > 0 {
		k.cells.count, count = reply.Count, reply.Count
	}
	if store && strings.TrimSpace(req.Code) != "" {
		k.history.Add(count, req.Code, show.result)
	}
	if reply.Err != nil {
		failure := errorOf(reply.Err)
		if !req.Silent {
			k.pub.publish(r.message, "error", errorContent{failure.Name, failure.Value, failure.Traceback})
		}
		if req.StopOnError == nil || *req.StopOnError {
			time.Sleep(abortWindow)
			k.cells.abort()
		}
	}
	payload := []any{}
	if reply.Exit != nil {
		payload = append(payload, askExit{Source: "ask_exit"})
		r.last = true
		k.cells.abort()
	}
	for _, data := range reply.Pages {
		payload = append(payload, page{Source: "page", Data: mime(data)})
	}
	if reply.Next != "" {
		payload = append(payload, nextInput{Source: "set_next_input", Text: reply.Next, Replace: true})
	}
	if reply.Err != nil {
		return executeError{errorOf(reply.Err), count, map[string]any{}, payload}, nil
	}
	return executeReply{statusOK, count, userExpressions(reply.UserExpressions), payload}, nil
}

// eval runs a cell. A session that could not start shows as an error of the cell.
func (k *kernel) eval(r *request, req executeRequest, store bool, sink func(repl.Event)) repl.Reply {
	s, err := k.session.get(true)
	if err != nil {
		return repl.Reply{Err: &repl.Error{Name: "StartError", Message: err.Error()}}
	}
	k.comms.begin()
	return s.Eval(r.ctx, repl.Request{
		Code:            req.Code,
		Silent:          req.Silent,
		NoHistory:       !store,
		UserExpressions: req.UserExpressions,
		Comms:           true,
		Pages:           true,
		Input: func(ctx context.Context, p repl.Prompt) (string, error) {
			if !req.AllowStdin {
				return "", repl.ErrNoInput
			}
			return k.ask(ctx, r, p)
		},
	}, sink)
}

// errorOf is a session's error as clients want it: a name, a message, and coloured lines.
func errorOf(e *repl.Error) errorReply {
	return errorReply{statusError, e.Name, e.Message, strings.Split(e.Text(true), "\n")}
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

// cellView draws the events of one cell on iopub.
type cellView struct {
	pub    *iopub
	comms  *comms
	parent *message
	count  int
	silent bool
	result string // text/plain of the cell's value, for the history
}

func (v *cellView) event(e repl.Event) {
	if v.silent && e.Kind != repl.Comm {
		return
	}
	switch e = e.Notebook(); e.Kind {
	case repl.Comm:
		v.comms.send(v.pub, v.parent, *e.Packet)
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
