package jupyter

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gorocm/gorocm/repl"
)

var errClosed = errors.New("the session is closed")

// sessionHolder starts the session once, and again after a start that failed when a cell is to run.
type sessionHolder struct {
	start func() (repl.Session, error)

	mu      sync.Mutex
	session repl.Session
	err     error
	closed  bool
}

func (h *sessionHolder) get(retry bool) (repl.Session, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, errClosed
	case h.session != nil:
		return h.session, nil
	case h.err != nil && !retry:
		return nil, h.err
	}
	h.session, h.err = h.start()
	if h.err != nil {
		h.session, h.err = nil, fmt.Errorf("the session cannot start: %w", h.err)
	}
	return h.session, h.err
}

// failure is why the session could not start; nil while it is not known to have failed.
func (h *sessionHolder) failure() error {
	if !h.mu.TryLock() {
		return nil // it starts now
	}
	defer h.mu.Unlock()
	return h.err
}

// close closes the session. It gives up waiting after the limit, so that a session that hangs cannot keep the kernel.
func (h *sessionHolder) close(limit time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.session != nil && !h.closed {
			h.session.Close()
		}
		h.closed = true
	}()
	select {
	case <-done:
	case <-time.After(limit):
	}
}

// ask calls a method of the session that answers beside a running cell. The session could be in any state, so a panic
// becomes an error and so does an answer that does not come.
func ask[T any](k *kernel, what string, f func(repl.Session) T) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if p := recover(); p != nil {
				a.err = fmt.Errorf("%s: internal error: %v", what, p)
			}
			done <- a
		}()
		var s repl.Session
		if s, a.err = k.session.get(false); a.err == nil {
			a.value = f(s)
		}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-time.After(askTime):
		var none T
		return none, fmt.Errorf("%s: no answer from the session within %v", what, askTime)
	}
}
