package jupyter

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// perSecond is how many messages of a link get an answer, or are refused, in a second, where no key is needed for them.
// Clients send one heartbeat a second. Further ones stay with the peer until the second is over.
const perSecond = 200

// pace has the reader of a link wait where the peer has sent too much of what needs no key.
type pace struct {
	since time.Time
	sent  int
}

// wait counts a message, and waits for the end of the second if there were enough in it, or for that of the link.
func (p *pace) wait(l *link) {
	now := time.Now()
	if now.Sub(p.since) >= time.Second {
		p.since, p.sent = now, 0
	}
	if p.sent++; p.sent < perSecond {
		return
	}
	until := p.since.Add(time.Second)
	wake := time.AfterFunc(until.Sub(now), func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.change.Broadcast()
	})
	defer wake.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.gone && !l.ending && time.Now().Before(until) {
		l.change.Wait()
	}
}

// A log has sparseLines lines of one kind in sparseTime, and after that their number.
const (
	sparseLines = 100
	sparseTime  = time.Minute
)

// sparse is a handler of logs that passes few records of each message on. Anybody who can connect makes warnings as
// fast as he sends, and must not fill a disk by that.
type sparse struct {
	slog.Handler
	seen *seen
}

// seen counts records by their messages. Those are constants of this package.
type seen struct {
	mu     sync.Mutex
	counts map[string]*window
}

type window struct {
	since time.Time
	count int // of records since then
}

// newSparse has a log pass few records of each message on.
func newSparse(log *slog.Logger) *slog.Logger {
	return slog.New(sparse{log.Handler(), &seen{counts: map[string]*window{}}})
}

// Handle passes a record on, or counts it.
func (h sparse) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return h.Handler.Handle(ctx, r)
	}
	silent, pass := h.seen.note(r.Message, r.Time)
	if silent > 0 {
		more := slog.NewRecord(r.Time, r.Level, "as before: "+r.Message, 0)
		more.AddAttrs(slog.Int("times", silent))
		if err := h.Handler.Handle(ctx, more); err != nil {
			return err
		}
	}
	if !pass {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// note counts a message. It tells how many were not passed on, where a time is over, and whether this one is.
func (s *seen) note(message string, now time.Time) (silent int, pass bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.counts[message]
	if w == nil {
		w = &window{since: now}
		s.counts[message] = w
	}
	if now.Sub(w.since) >= sparseTime {
		silent = max(w.count-sparseLines, 0)
		*w = window{since: now}
	}
	w.count++
	return silent, w.count <= sparseLines
}

// WithAttrs returns the handler with attributes.
func (h sparse) WithAttrs(list []slog.Attr) slog.Handler {
	return sparse{h.Handler.WithAttrs(list), h.seen}
}

// WithGroup returns the handler with a group.
func (h sparse) WithGroup(name string) slog.Handler { return sparse{h.Handler.WithGroup(name), h.seen} }
