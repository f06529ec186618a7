package jupyter

import (
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

// socket accepts the connections of one of the kernel's five addresses.
type socket struct {
	name   string
	kind   zmq4.SocketType
	limits limits
	shared *quota     // of peers of all sockets that have not shown that they know the key
	keys   *curveKeys // nil for connections without encryption
	log    *slog.Logger
	handle func(l *link, frames [][]byte) // runs on the link's reader goroutine

	listener net.Listener
	wait     sync.WaitGroup

	vouch *socket // see eviction.go; nil for shell

	mu     sync.Mutex
	links  map[*link]struct{} // those whose handshake is under way, too
	closed bool
}

// serve accepts connections until the socket is closed. Every handshake has a goroutine and a deadline of its own, so a
// silent connection blocks no other.
func (s *socket) serve() {
	defer s.wait.Done()
	for {
		c, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of file descriptors, most likely: some may be freed
			s.log.Warn("cannot accept a connection", "socket", s.name, "error", err)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		l := s.admit(c)
		if l == nil {
			s.log.Warn("too many connections, refusing one", "socket", s.name, "limit", s.limits.links)
			c.Close()
			continue
		}
		s.wait.Add(1)
		go s.run(l)
	}
}

// run is one connection from handshake to end.
func (s *socket) run(l *link) {
	defer s.wait.Done()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.links, l)
	}()
	if err := l.shake(); err != nil {
		l.cut()
		s.log.Debug("handshake failed", "socket", s.name, "peer", l.guard.RemoteAddr(), "error", err)
		return
	}
	s.mu.Lock()
	l.shaken = !s.closed
	s.mu.Unlock()
	if !l.shaken {
		l.cut()
		return
	}
	s.wait.Add(1)
	go func() {
		defer s.wait.Done()
		l.write()
	}()
	l.read()
}

// snapshot returns the current links.
func (s *socket) snapshot() []*link {
	s.mu.Lock()
	defer s.mu.Unlock()
	links := make([]*link, 0, len(s.links))
	for l := range s.links {
		if l.shaken {
			links = append(links, l)
		}
	}
	return links
}

// strangers returns the links whose handshake is under way.
func (s *socket) strangers() (links []*link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.links {
		if !l.shaken {
			links = append(links, l)
		}
	}
	return links
}

// linkOf returns the link of a peer with an identity, the newest if there are several; or the only link, if there is
// just one.
func (s *socket) linkOf(peer string) (found *link) {
	links := s.snapshot()
	if len(links) == 1 && (peer == "" || links[0].peer == "") {
		return links[0]
	}
	for _, l := range links {
		if peer != "" && l.peer == peer && (found == nil || l.since.After(found.since)) {
			found = l
		}
	}
	return found
}

// close stops listening, sends the queues, waits until the peers have disconnected or the linger time is over, and
// closes the remaining links.
func (s *socket) close(linger time.Duration) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.listener.Close()
	for _, l := range s.strangers() {
		l.cut()
	}
	for _, l := range s.snapshot() {
		l.end()
	}
	done := make(chan struct{})
	go func() {
		s.wait.Wait()
		close(done)
	}()
	select {
	case <-done:
		return
	case <-time.After(linger):
	}
	for _, l := range s.snapshot() {
		l.cut()
	}
}
