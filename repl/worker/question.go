package worker

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// The worker's side of questions to the user.

// ask asks the front end for a line. What the cell has written is shown before.
func (s *server) ask(ctx context.Context, p repl.Prompt) (string, error) {
	if _, ok := s.ownerBeside(); ok {
		return "", repl.ErrInputBeside
	}
	answer := make(chan inputReply, 1)
	s.mu.Lock()
	s.asked++
	id := s.asked
	s.asking[id] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.asking, id)
		s.mu.Unlock()
	}()
	s.tell(nil)
	if err := s.out.send(kindInput, id, p); err != nil {
		return "", err
	}
	select {
	case a := <-answer:
		switch {
		case a.End:
			return "", io.EOF
		case a.Err != "":
			return "", errors.New(a.Err)
		}
		return a.Text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (s *server) answered(f frame) {
	var a inputReply
	if json.Unmarshal(f.Body, &a) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer := s.asking[f.ID]; answer != nil {
		answer <- a
		delete(s.asking, f.ID)
	}
}

// interruptDelay lets the interruption reach the cell before its reads come back with nothing.
const interruptDelay = 5 * time.Millisecond

// interruptInput ends what the running cell waits for.
func (s *server) interruptInput() {
	s.mu.Lock()
	cancel := s.cancel
	s.mu.Unlock()
	if cancel != nil {
		time.AfterFunc(interruptDelay, func() { cancel(errInterrupted) })
	}
}

// The front end's side.

// asking is how the running cell's questions are asked, one at a time.
type asking struct {
	one sync.Mutex

	mu  sync.Mutex
	ctx context.Context // ends with the cell
	ask func(context.Context, repl.Prompt) (string, error)
}

// asks says how questions are asked from now on.
func (p *process) asks(ctx context.Context, ask func(context.Context, repl.Prompt) (string, error)) {
	p.asking.mu.Lock()
	defer p.asking.mu.Unlock()
	p.asking.ctx, p.asking.ask = ctx, ask
}

// question asks the user what the cell that runs now wants to know. A question that waits for its turn until the next
// cell runs is not put to that one.
func (p *process) question(f frame) {
	p.asking.mu.Lock()
	ctx, ask := p.asking.ctx, p.asking.ask
	p.asking.mu.Unlock()
	go func() {
		p.asking.one.Lock()
		defer p.asking.one.Unlock()
		var a inputReply
		if ask == nil {
			a.Err = repl.ErrNoInput.Error()
		} else {
			var prompt repl.Prompt
			decode(f.Body, &prompt)
			text, err := "", ctx.Err()
			if err == nil {
				text, err = ask(ctx, prompt)
			}
			switch {
			case ctx.Err() != nil:
				return // nobody waits any more
			case errors.Is(err, io.EOF):
				a.End = true
			case err != nil:
				a.Err = err.Error()
			}
			a.Text = text
		}
		_ = p.out.send(kindInputReply, f.ID, a) // a worker that is gone needs none
	}()
}
