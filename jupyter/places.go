package jupyter

import (
	"net"
	"time"
)

// A socket has few places, and whoever can reach its port can ask for one. So when all are taken, a newcomer gets that
// of a peer which may be anybody. A peer has shown that it knows the key when one message of it has verified. Clients
// send messages on shell soon, on control and stdin perhaps never, and sign nothing that they send to iopub and the
// heartbeat. There, each link of shell that is proven vouches for one from the same address that has connected at about
// the same time, as clients open their sockets together.

// admit makes room for a new connection, and a link of it. It returns nil when there is no room.
func (s *socket) admit(c net.Conn) *link {
	proven := s.proven() // of another socket: its lock is not taken under this one's
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	l := newLink(s, c)
	l.address = addressOf(c)
	if len(s.links) >= s.limits.links {
		out := yields(s.links, proven)
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

// proven lists the links of shell that have sent a message which verified.
func (s *socket) proven() (list []*link) {
	if s.vouch == nil {
		return nil
	}
	for _, l := range s.vouch.snapshot() {
		if l.proven.Load() {
			list = append(list, l)
		}
	}
	return list
}

// yields returns the link that goes when there are too many: of the address with most links that may be anybody's, the
// oldest. It is nil when all are known.
func yields(links map[*link]struct{}, vouchers []*link) (out *link) {
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
	count := map[string]int{}
	for l := range links {
		if !l.proven.Load() && !known[l] {
			count[l.address]++
		}
	}
	for l := range links {
		if l.proven.Load() || known[l] {
			continue
		}
		if out == nil || count[l.address] > count[out.address] || count[l.address] == count[out.address] &&
			l.since.Before(out.since) {
			out = l
		}
	}
	return out
}

// apart is how long after one another two links were opened.
func apart(a, b *link) time.Duration { return a.since.Sub(b.since).Abs() }

// addressOf is where a connection comes from, without its port. Those of a unix socket are all this user's.
func addressOf(c net.Conn) string {
	if a, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		return a.IP.String()
	}
	return ""
}
