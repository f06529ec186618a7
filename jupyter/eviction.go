package jupyter

import (
	"net"
	"time"
)

// A socket accepts a limited number of connections, from anybody who can reach its port. When all are in use, a new
// connection evicts one of an unauthenticated peer. A peer is authenticated once one of its messages has been verified.
// Clients send messages on shell soon, on control and stdin perhaps never, and sign nothing that they send to iopub and
// the heartbeat. There, each authenticated link of shell vouches for one link from the same address that was opened at
// about the same time, because clients open their sockets together.

// admit evicts a link if necessary and returns a link for a new connection, or nil if all others are authenticated.
func (s *socket) admit(c net.Conn) *link {
	authenticated := s.authenticated() // of another socket: its lock is not taken under this one's
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	l := newLink(s, c)
	l.address = addressOf(c)
	if len(s.links) >= s.limits.links {
		out := victim(s.links, authenticated)
		if out == nil {
			return nil
		}
		delete(s.links, out)
		out.cut()
		s.log.Warn("too many connections, closing one that has not shown that it knows the key", "socket", s.name,
			"limit", s.limits.links)
	}
	s.links[l] = struct{}{}
	return l
}

// authenticated lists the authenticated links of shell.
func (s *socket) authenticated() (list []*link) {
	if s.vouch == nil {
		return nil
	}
	for _, l := range s.vouch.snapshot() {
		if l.authenticated.Load() {
			list = append(list, l)
		}
	}
	return list
}

// victim returns the link to evict: the oldest unauthenticated link of the address with most of them. It is nil if all
// are authenticated.
func victim(links map[*link]struct{}, vouchers []*link) (out *link) {
	known := vouched(links, vouchers)
	count := map[string]int{}
	for l := range links {
		if !l.authenticated.Load() && !known[l] {
			count[l.address]++
		}
	}
	for l := range links {
		if l.authenticated.Load() || known[l] {
			continue
		}
		if out == nil || count[l.address] > count[out.address] || count[l.address] == count[out.address] &&
			l.since.Before(out.since) {
			out = l
		}
	}
	return out
}

// vouched returns the links that authenticated links of shell vouch for.
func vouched(links map[*link]struct{}, vouchers []*link) map[*link]bool {
	known := map[*link]bool{}
	for _, v := range vouchers {
		var nearest *link
		for l := range links {
			if l.address == v.address && !known[l] && (nearest == nil || apart(l, v) < apart(nearest, v)) {
				nearest = l
			}
		}
		known[nearest] = true
	}
	return known
}

// apart is the time between the openings of two links.
func apart(a, b *link) time.Duration { return a.since.Sub(b.since).Abs() }

// addressOf is the remote address of a connection, without its port. Connections of a unix socket all belong to this
// user.
func addressOf(c net.Conn) string {
	if a, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		return a.IP.String()
	}
	return ""
}

// together is how long a client may take to open its links. Who else opens one at that time is not told apart.
const together = time.Second

// isVouched reports whether a client that knows the key may have opened a link of this socket.
func (s *socket) isVouched(l *link) bool {
	authenticated := s.authenticated()
	for _, v := range authenticated {
		if l.address == v.address && apart(l, v) < together {
			return true
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return l.authenticated.Load() || vouched(s.links, authenticated)[l]
}
