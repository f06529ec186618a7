package jupyter

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/gorocm/gorocm/repl"
)

// subshells are the shells beside the main one (JEP 91). Requests on the shell socket whose header names one are
// answered by it, in their order, while the main shell and the other subshells are busy.
type subshells struct {
	mu    sync.Mutex
	list  []*subshell // in the order in which they were made
	ended bool
}

// maxSubshells is how many there may be: each has a goroutine and a queue.
const maxSubshells = 256

// subshell is a queue of requests and a goroutine that answers them.
type subshell struct {
	id string

	mu      sync.Mutex
	queue   []*request
	wake    chan struct{} // holds one token while the queue may have something
	over    chan struct{} // closed when it is deleted, or the kernel ends
	running *request      // a cell
	count   int           // of its cells
	closed  bool          // nothing is queued any more
}

// find is the subshell of an ID, nil where there is none.
func (s *subshells) find(id string) *subshell {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.list, func(x *subshell) bool { return x.id == id }); i >= 0 {
		return s.list[i]
	}
	return nil
}

// all is a copy of the list.
func (s *subshells) all() []*subshell {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

// end ends them all, and keeps new ones from being made.
func (s *subshells) end() {
	s.mu.Lock()
	list := s.list
	s.list, s.ended = nil, true
	s.mu.Unlock()
	for _, x := range list {
		x.end()
	}
}

func (k *kernel) createSubshell(*request) (any, error) {
	s := &subshell{id: uuid.NewString(), wake: make(chan struct{}, 1), over: make(chan struct{})}
	k.subshells.mu.Lock()
	defer k.subshells.mu.Unlock()
	switch {
	case k.subshells.ended:
		return nil, errClosed
	case len(k.subshells.list) >= maxSubshells:
		return nil, fmt.Errorf("there are %d subshells already: delete some that are not used", maxSubshells)
	}
	k.subshells.list = append(k.subshells.list, s)
	k.tellShells(len(k.subshells.list))
	k.workers.Go(func() { k.serveSubshell(s) })
	return subshellReply{statusOK, s.id}, nil
}

// deleteSubshell ends a subshell: its running cell is interrupted, and what waits in its queue is answered as aborted.
func (k *kernel) deleteSubshell(r *request) (any, error) {
	var req subshellRequest
	if err := parse(r, &req); err != nil {
		return nil, err
	}
	k.subshells.mu.Lock()
	i := slices.IndexFunc(k.subshells.list, func(x *subshell) bool { return x.id == req.ID })
	var s *subshell
	if i >= 0 {
		s = k.subshells.list[i]
		k.subshells.list = slices.Delete(k.subshells.list, i, i+1)
		k.tellShells(len(k.subshells.list))
	}
	k.subshells.mu.Unlock()
	if s == nil {
		return nil, noSubshell(req.ID)
	}
	s.end()
	return okReply{statusOK}, nil
}

func noSubshell(id string) error {
	return fmt.Errorf("there is no subshell %.64q: list_subshell_request lists those that there are", id)
}

func (k *kernel) listSubshells(*request) (any, error) {
	reply := subshellList{statusOK, []string{}}
	for _, s := range k.subshells.all() {
		reply.IDs = append(reply.IDs, s.id)
	}
	return reply, nil
}

// tellShells tells the session how many subshells there are, without waiting for one that is still to start.
func (k *kernel) tellShells(n int) {
	k.shells.Store(int32(n))
	k.workers.Go(func() {
		if s, err := k.session.get(false); err == nil {
			if to, ok := s.(repl.Shells); ok {
				to.SetShells(int(k.shells.Load()))
			}
		}
	})
}

func (s *subshell) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// add queues a request, unless the subshell has ended.
func (s *subshell) add(r *request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.queue = append(s.queue, r)
	s.signal()
	return true
}

// next removes the next request from the queue. A cell can be interrupted from now on.
func (s *subshell) next() *request {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return nil
	}
	r := s.queue[0]
	s.queue = s.queue[1:]
	if r.Type == "execute_request" {
		r.ctx, r.cancel = context.WithCancel(context.Background())
		s.running = r
		select {
		case <-s.over:
			r.cancel()
			r.aborted = true
		default:
		}
	}
	return r
}

// done ends a cell.
func (s *subshell) done(r *request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.cancel()
	s.running = nil
}

// abort keeps the queued cells from running. They are answered in their turn.
func (s *subshell) abort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.queue {
		r.aborted = true
	}
}

// interrupt ends the running cell and reports whether there was one.
func (s *subshell) interrupt() bool {
	s.abort()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return false
	}
	s.running.cancel()
	return true
}

// end ends the subshell once its queue is answered.
func (s *subshell) end() {
	s.interrupt()
	close(s.over)
	s.interrupt() // a cell that has begun meanwhile
}

// answerSubshell answers the requests of a subshell, in their order.
func (k *kernel) answerSubshell(s *subshell) {
	for {
		for r := s.next(); r != nil; r = s.next() {
			if r.Type == "execute_request" {
				k.runBeside(s, r)
			} else {
				k.dispatch(r)
			}
		}
		select {
		case <-s.wake:
		case <-s.over:
			if s.close() {
				return
			}
		case <-k.ended:
			return
		}
	}
}

// close keeps requests from being queued, once all are answered.
func (s *subshell) close() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = len(s.queue) == 0
	return s.closed
}

// isAborted reports whether a cell must not run.
func (s *subshell) isAborted(r *request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return r.aborted
}

// runBeside runs a cell of a subshell, and informs clients of it.
func (k *kernel) runBeside(s *subshell, r *request) {
	defer s.done(r)
	defer k.busy(r)()
	content, err := k.guarded(func(k *kernel, r *request) (any, error) { return k.executeBeside(s, r) }, r)
	if err != nil {
		content = k.failure(r, err)
	}
	k.reply(r, content)
}

func (k *kernel) executeBeside(s *subshell, r *request) (any, error) {
	if s.isAborted(r) {
		return okReply{statusAborted}, nil
	}
	var req executeRequest
	if err := parse(r, &req); err != nil {
		return nil, err
	}
	show := &cellView{pub: k.pub, comms: &k.comms, parent: r.message, silent: req.Silent, count: s.count}
	if !req.Silent {
		s.count++
		show.count = s.count
		k.pub.publish(r.message, "execute_input", executeInput{req.Code, s.count})
	}
	reply := k.evalBeside(r, req, show.event)
	c := &execution{r: r, req: req, show: show, reply: reply}
	return k.told(c, s.abort), nil
}

// evalBeside runs a cell in the session, beside those that run there.
func (k *kernel) evalBeside(r *request, req executeRequest, show func(repl.Event)) repl.Reply {
	session, err := k.session.get(true)
	if err != nil {
		return repl.Reply{Err: &repl.Error{Name: "StartError", Message: err.Error()}}
	}
	to, ok := session.(repl.Shells)
	if !ok {
		return repl.Reply{Err: &repl.Error{Name: "NotSupported", Message: "this session runs no cells beside others"}}
	}
	k.comms.begin()
	return to.Beside(r.ctx, repl.Request{Code: req.Code, Silent: req.Silent, NoHistory: true,
		UserExpressions: req.UserExpressions, Comms: true, Pages: true}, show)
}

// interruptSubshells interrupts the cells of all subshells.
func (k *kernel) interruptSubshells() {
	for _, s := range k.subshells.all() {
		s.interrupt()
	}
}

// receiveBeside queues a request for a subshell.
func (k *kernel) receiveBeside(r *request) {
	if s := k.subshells.find(r.Subshell); s != nil && s.add(r) {
		return
	}
	defer k.busy(r)()
	k.reply(r, k.failure(r, noSubshell(r.Subshell)))
}
