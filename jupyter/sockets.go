package jupyter

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

// sockets are the five addresses of a connection file.
type sockets struct {
	shell, control, stdin, iopub, heartbeat *socket
}

// openSockets listens on all five. Ports that are 0 become those that it has found. Nothing is accepted before serve.
func openSockets(c *connection, lim limits, log *slog.Logger) (*sockets, error) {
	small := lim // peers send subscriptions, pings and typed lines here, never cells
	small.message = min(lim.message, 1<<20)
	ss := &sockets{
		shell:     &socket{name: "shell", kind: zmq4.Router, limits: lim},
		control:   &socket{name: "control", kind: zmq4.Router, limits: lim},
		stdin:     &socket{name: "stdin", kind: zmq4.Router, limits: small},
		iopub:     &socket{name: "iopub", kind: zmq4.Pub, limits: small},
		heartbeat: &socket{name: "heartbeat", kind: zmq4.Router, limits: small},
	}
	shared := newQuota(lim.unproven)
	for i, port := range c.portFields() {
		s := ss.all()[i]
		s.shared = shared
		l, err := c.listenAt(port)
		if err != nil {
			ss.close(0)
			return nil, fmt.Errorf("jupyter: cannot open the %s socket: %w", s.name, err)
		}
		s.listener, s.keys, s.log, s.links = l, c.curve, log, map[*link]struct{}{}
	}
	for _, s := range ss.all()[1:] {
		s.vouch = ss.shell
	}
	// The heartbeat echoes. ROUTER serves a REQ client as REP would, without REP's lock-step.
	ss.heartbeat.handle = func(l *link, frames [][]byte) {
		l.send(frames)
		l.pace.wait(l)
	}
	return ss, nil
}

func (ss *sockets) all() []*socket {
	return []*socket{ss.shell, ss.control, ss.stdin, ss.iopub, ss.heartbeat}
}

// serve accepts connections on all sockets. The handlers must be set.
func (ss *sockets) serve() {
	for _, s := range ss.all() {
		s.wait.Add(1)
		go s.serve()
	}
}

// close closes all sockets at once and waits for them, at most for linger.
func (ss *sockets) close(linger time.Duration) {
	var wait sync.WaitGroup
	for _, s := range ss.all() {
		if s.listener != nil {
			wait.Go(func() { s.close(linger) })
		}
	}
	wait.Wait()
}
