package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// input is the pending input request. Cells run one at a time and ask one thing at a time.
type input struct {
	mu    sync.Mutex
	link  *link
	id    string // of the input_request
	reply chan string
}

// ask asks the client that sent a cell, on its stdin socket.
func (k *kernel) ask(ctx context.Context, r *request, p repl.Prompt) (string, error) {
	l := k.stdinOf(ctx, r.link.peer)
	if l == nil {
		return "", errors.New("the cell asks for input, and the client that runs it has no stdin connection")
	}
	k.pub.flushNow()
	frames, err := k.codec.encode(nil, "input_request", r.message, nil, inputRequest{p.Text, p.Secret})
	if err != nil {
		return "", err
	}
	answer := k.input.expect(l, messageID(frames[2]))
	defer k.input.forget(answer)
	l.send(frames)
	select {
	case line := <-answer:
		return line, nil
	case <-l.over:
		return "", errors.New("the client has gone away without an answer")
	case <-ctx.Done():
		return "", ctx.Err()
	case <-k.ended:
		return "", errClosed
	}
}

// connecting is how long a client that runs a cell may take until its stdin socket is connected, too: its sockets
// connect side by side.
const connecting = time.Second

// stdinOf is the stdin connection of a client, nil if it has none.
func (k *kernel) stdinOf(ctx context.Context, peer string) *link {
	for end := time.Now().Add(connecting); ; {
		l := k.sockets.stdin.linkOf(peer)
		if l != nil || ctx.Err() != nil || time.Now().After(end) {
			return l
		}
		time.Sleep(connecting / 100)
	}
}

func (in *input) expect(l *link, id string) <-chan string {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.link, in.id, in.reply = l, id, make(chan string, 1)
	return in.reply
}

// forget ends a question, unless another has taken its place.
func (in *input) forget(answer <-chan string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.reply == answer {
		in.link, in.reply = nil, nil
	}
}

// answer takes an input_reply. One from another client, or to an earlier question, is dropped: older clients do not say
// which question they answer.
func (in *input) answer(r *request) error {
	var reply inputReply
	if r.Type != "input_reply" {
		return fmt.Errorf("a message of type %s on the stdin socket", r.Type)
	}
	if err := parse(r, &reply); err != nil {
		return err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	switch id := messageID(r.parent); {
	case in.reply == nil:
		return errors.New("an input_reply that nothing waits for")
	case in.link != r.link:
		return errors.New("an input_reply of a client that was not asked")
	case id != "" && id != in.id:
		return errors.New("an input_reply to an earlier question")
	}
	in.reply <- reply.Value
	in.reply = nil
	return nil
}

// messageID is the id in a header; empty where there is none.
func messageID(header json.RawMessage) string {
	var h struct {
		ID string `json:"msg_id"`
	}
	if json.Unmarshal(header, &h) != nil {
		return ""
	}
	return h.ID
}
