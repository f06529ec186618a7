package repl

import (
	"io"
	"sync"
	"time"
)

// sink orders the events of a cell: output is gathered for a moment, and flushed before anything else is told.
type sink struct {
	mu    sync.Mutex
	emit  func(Event)
	name  string // of the gathered stream
	buf   []byte
	timer *time.Timer
}

const (
	gatherTime = 10 * time.Millisecond
	gatherSize = 16 << 10
)

func newSink() *sink {
	s := &sink{emit: func(Event) {}}
	s.timer = time.AfterFunc(time.Hour, s.flush)
	s.timer.Stop()
	return s
}

// open directs events to a cell's sink, and returns the one before.
func (s *sink) open(emit func(Event)) (before func(Event)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flushLocked()
	before, s.emit = s.emit, emit
	return before
}

// divert offers events to take first, until undo is called.
func (s *sink) divert(take func(Event) bool) (undo func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flushLocked()
	before := s.emit
	s.emit = func(e Event) {
		if !take(e) {
			before(e)
		}
	}
	return func() { s.open(before) }
}

// close flushes. Later output goes to the same sink, until another cell runs.
func (s *sink) close() { s.flush() }

func (s *sink) event(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flushLocked()
	s.emit(e)
}

func (s *sink) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flushLocked()
}

func (s *sink) flushLocked() {
	s.timer.Stop()
	if len(s.buf) > 0 {
		text := string(s.buf)
		s.buf = s.buf[:0]
		s.emit(Event{Kind: Stream, Name: s.name, Text: text})
	}
}

func (s *sink) write(name string, p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.name != name {
		s.flushLocked()
		s.name = name
	}
	if len(s.buf) == 0 {
		s.timer.Reset(gatherTime)
	}
	if s.buf = append(s.buf, p...); len(s.buf) >= gatherSize {
		s.flushLocked()
	}
}

// stream is a writer whose output becomes events.
func (s *sink) stream(name string) io.Writer { return streamWriter{s, name} }

type streamWriter struct {
	s    *sink
	name string
}

func (w streamWriter) Write(p []byte) (int, error) {
	w.s.write(w.name, p)
	return len(p), nil
}
