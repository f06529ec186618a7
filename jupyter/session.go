package jupyter

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gorocm/gorocm/repl"
)

var errClosed = errors.New("the session is closed")

// sessionHolder starts the session once. After a failed start, the next cell tries again.
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

// close closes the session. It gives up waiting after the limit, so that a hanging session cannot keep the kernel
// alive.
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

// ask calls a method of the session that works while a cell runs. The session could be in any state, so a panic or a
// missing answer becomes an error.
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
