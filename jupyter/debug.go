package jupyter

import (
	"context"
	"encoding/json"

	"github.com/gorocm/gorocm/repl"
)

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
