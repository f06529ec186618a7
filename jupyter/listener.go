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
	log    *slog.Logger
	handle func(l *link, frames [][]byte) // runs on the link's reader goroutine

	listener net.Listener
	wait     sync.WaitGroup

	mu      sync.Mutex
	pending int // handshakes under way
	links   map[*link]struct{}
	closed  bool
}

// serve accepts connections until the socket is closed. Every handshake has a goroutine and a deadline of its own, so a
// connection that says nothing keeps nobody out.
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
		if !s.admit() {
			s.log.Warn("too many connections, refusing one", "socket", s.name, "limit", s.limits.links)
			c.Close()
			continue
		}
		s.wait.Add(1)
		go s.run(c)
	}
}

func (s *socket) admit() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.pending+len(s.links) >= s.limits.links {
		return false
	}
	s.pending++
	return true
}

// run is one connection from handshake to end.
func (s *socket) run(c net.Conn) {
	defer s.wait.Done()
	l, err := openLink(s, c)
	if err != nil {
		c.Close()
		s.log.Debug("handshake failed", "socket", s.name, "peer", c.RemoteAddr(), "error", err)
	}
	s.mu.Lock()
	s.pending--
	if err == nil && !s.closed {
		s.links[l] = struct{}{}
	}
	closed := s.closed
	s.mu.Unlock()
	if err != nil {
		return
	}
	if closed {
		c.Close()
		return
	}
	s.wait.Add(1)
	go func() {
		defer s.wait.Done()
		l.write()
	}()
	l.read()
	s.mu.Lock()
	delete(s.links, l)
	s.mu.Unlock()
}

// snapshot returns the links of this moment.
func (s *socket) snapshot() []*link {
	s.mu.Lock()
	defer s.mu.Unlock()
	links := make([]*link, 0, len(s.links))
	for l := range s.links {
		links = append(links, l)
	}
	return links
}

// linkOf returns the link of a peer that has given itself an identity, the newest if there are several; or the only link that there is.
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

// close stops listening, sends what is queued, waits until the peers have hung up or the linger time is over, and ends
// what is left.
func (s *socket) close(linger time.Duration) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.listener.Close()
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
		l.mu.Lock()
		l.stop()
		l.mu.Unlock()
	}
}
