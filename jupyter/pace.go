package jupyter

import (
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

// A log has refusalLines lines about refused messages in refusalTime, and after that how many there were.
const (
	refusalLines = 100
	refusalTime  = time.Minute
)

// refusals are messages that were refused. Anybody can send such, and must not fill a disk by that.
type refusals struct {
	log *slog.Logger

	mu    sync.Mutex
	since time.Time
	count int // since then
}

// note logs a refusal.
func (r *refusals) note(socket string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.Sub(r.since) >= refusalTime {
		if r.count > refusalLines {
			r.log.Warn("dropped more messages", "messages", r.count-refusalLines)
		}
		r.since, r.count = now, 0
	}
	if r.count++; r.count <= refusalLines {
		r.log.Warn("dropping a message", "socket", socket, "error", err)
	}
}
