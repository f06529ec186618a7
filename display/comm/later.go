package comm

import (
	"fmt"
	"os"
	"sync"
)

// line is a queue of calls, made one after the other on a goroutine of its own.
type line struct {
	mu      sync.Mutex
	queue   []func()
	running bool
}

// Messages that have arrived, and the queued callbacks.
var arrivals, callbacks line

// Later calls f after the callbacks that are already queued, on their goroutine.
func Later(f func()) { callbacks.add(f) }

func (l *line) add(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, f)
	if !l.running {
		l.running = true
		go l.run()
	}
}

func (l *line) run() {
	for {
		l.mu.Lock()
		if len(l.queue) == 0 {
			l.running = false
			l.mu.Unlock()
			return
		}
		f := l.queue[0]
		l.queue = l.queue[1:]
		l.mu.Unlock()
		protected(f)
	}
}

func protected(f func()) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "panic in a callback: %v\n", p)
		}
	}()
	f()
}
