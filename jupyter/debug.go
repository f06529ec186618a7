package jupyter

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// debugs knows the client that debugs.
type debugs struct {
	last atomic.Pointer[link]
	away time.Duration // as limits.away
}

// from notes the link of a request. When it ends and no other one debugs soon, what is stopped goes on.
func (d *debugs) from(l *link, ended <-chan struct{}, detach func()) {
	if d.last.Swap(l) == l {
		return
	}
	go func() {
		select {
		case <-l.over:
		case <-ended:
			return
		}
		select {
		case <-time.After(d.away):
		case <-ended:
			return
		}
		if d.last.Load() == l {
			detach()
		}
	}()
}

// debug answers a debug_request: its content is a request of the debug adapter protocol, which the session answers.
// What follows the response is published as debug_event.
func (k *kernel) debug(r *request) (any, error) {
	var req debugRequest
	if err := parse(r, &req); err != nil {
		return nil, err
	}
	fail := func(text string) (any, error) {
		return debugFailure{errorReply: errorReply{statusError, "NotSupported", text, []string{text}}, Type: "response",
			RequestSeq: req.Seq, Command: req.Command, Message: text}, nil
	}
	s, err := k.session.get(true)
	if err != nil {
		return fail(err.Error())
	}
	to, ok := s.(repl.Debuggable)
	if !ok {
		return fail("this session has no debugger")
	}
	k.debugs.from(r.link, k.ended, to.Detach)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-k.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	messages := to.Debug(ctx, json.RawMessage(r.content))
	if len(messages) == 0 {
		return fail("the session does not answer")
	}
	for _, e := range messages[1:] {
		k.pub.announce(r.message, "debug_event", e)
	}
	return messages[0], nil
}
