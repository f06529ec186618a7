package jupyter

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"
)

// link is one connected peer. Its reader goroutine passes messages to the socket, its writer goroutine sends the queue.
// Sending never blocks.
type link struct {
	socket        *socket
	guard         *guard
	conn          *zmq4.Conn
	since         time.Time
	address       string      // of the peer, without the port
	peer          string      // the identity that the peer has given itself; a client has one for all its sockets
	shaken        bool        // the handshake is over; guarded by socket.mu
	authenticated atomic.Bool // a message of the peer has verified
	pace          pace        // of the reader

	mu     sync.Mutex
	change *sync.Cond // the queue, or one of the flags below, has changed
	queue  []outgoing
	bytes  int // in queue, and in the message that is being written
	pongs  int // among them
	ending bool
	gone   bool            // the writer has ended
	over   chan struct{}   // closed when nothing more comes from the peer
	topics map[string]bool // of a subscriber
}

// outgoing is a message, or the context of a PONG.
type outgoing struct {
	frames [][]byte
	pong   []byte
	size   int
}

func newLink(s *socket, c net.Conn) *link {
	l := &link{socket: s, guard: newGuard(c, s.limits, s.keys), since: time.Now(), topics: map[string]bool{},
		over: make(chan struct{})}
	l.change = sync.NewCond(&l.mu)
	l.guard.onPing = l.pong
	l.guard.proven = l.authenticated.Load
	if s.shared != nil {
		l.guard.shared = s.shared
	}
	return l
}

// shake performs the ZMTP handshake. zmq4 panics on some malformed READY commands and on unknown socket types, hence
// the recover.
func (l *link) shake() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("malformed handshake: %v", p)
		}
	}()
	if err := l.guard.SetDeadline(time.Now().Add(l.socket.limits.handshake)); err != nil {
		return err
	}
	l.conn, err = zmq4.Open(l.guard, null.Security(), l.socket.kind, nil, true, nil)
	if err != nil {
		return err
	}
	if err := l.guard.SetDeadline(time.Time{}); err != nil {
		return err
	}
	for name, value := range l.conn.Peer.Meta {
		if strings.EqualFold(name, "Identity") {
			l.peer = value
		}
	}
	l.guard.opened()
	return nil
}

// maxPongs is how many answers to PINGs may wait for a peer.
const maxPongs = 1024

// pong queues the answer to a PING.
func (l *link) pong(context []byte) error {
	l.mu.Lock()
	l.pongs++
	n := l.pongs
	l.mu.Unlock()
	if n > maxPongs {
		return refuse("%d PINGs whose answers the peer has not read", n)
	}
	l.enqueue(outgoing{pong: context, size: len(context)})
	return nil
}

// frameOverhead is what a frame takes in a queue beside its bytes.
const frameOverhead = 128

// send queues a message.
func (l *link) send(frames [][]byte) {
	size := 0
	for _, f := range frames {
		size += len(f) + frameOverhead
	}
	l.enqueue(outgoing{frames: frames, size: size})
}

func (l *link) enqueue(o outgoing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone || l.ending {
		return
	}
	l.queue = append(l.queue, o)
	l.bytes += o.size
	l.change.Broadcast()
}

// stop ends the link at once. l.mu is held.
func (l *link) stop() {
	l.gone = true
	l.queue, l.bytes = nil, 0
	l.change.Broadcast()
	l.guard.Conn.Close()
}

// cut ends the link at once.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop()
}

// waitRoom blocks while more bytes are queued than the limits allow. The write deadline bounds the wait for a peer that
// has stopped reading.
func (l *link) waitRoom() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.gone && !l.ending && l.bytes > l.socket.limits.queue {
		l.change.Wait()
	}
}

// isFull reports whether more bytes are queued than the limits allow.
func (l *link) isFull() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.gone && !l.ending && l.bytes > l.socket.limits.queue
}

// write sends the queue until the link ends.
func (l *link) write() {
	err := l.writeQueue()
	if err == nil {
		err = l.halfClose()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = true
	l.change.Broadcast()
	if err != nil {
		l.stop()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			l.socket.log.Warn("a peer has stopped reading, closing its connection", "socket", l.socket.name)
		}
	}
}

func (l *link) writeQueue() error {
	for {
		batch, err := l.take()
		if len(batch) == 0 || err != nil {
			return err
		}
		for i, o := range batch {
			if err := l.writeOne(o); err != nil {
				return err
			}
			batch[i] = outgoing{}
			l.mu.Lock()
			l.bytes -= o.size
			if o.frames == nil {
				l.pongs--
			}
			l.change.Broadcast()
			l.mu.Unlock()
		}
		if err := l.guard.Flush(); err != nil {
			return err
		}
	}
}

// take waits for messages and removes them all from the queue. It returns none when the link is ending and everything
// has been sent.
func (l *link) take() ([]outgoing, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queue) == 0 && !l.ending && !l.gone {
		l.change.Wait()
	}
	if l.gone {
		return nil, net.ErrClosed
	}
	batch := l.queue
	l.queue = nil
	return batch, nil
}

func (l *link) writeOne(o outgoing) error {
	if o.frames == nil {
		return l.conn.SendCmd(zmq4.CmdPong, o.pong)
	}
	return l.conn.SendMsg(zmq4.NewMsgFrom(o.frames...))
}

// halfClose signals the end of our output to the peer, but keeps reading its input: closing with unread bytes would
// reset it, and the peer could lose the last reply.
func (l *link) halfClose() error {
	if c, ok := l.guard.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// read passes every message to the socket until the peer is gone. It stops reading from a peer that does not read its
// replies.
func (l *link) read() {
	for {
		m, err := l.conn.RecvMsg()
		if err != nil {
			if refused := (*refusal)(nil); errors.As(err, &refused) {
				l.socket.log.Warn("closing a connection", "socket", l.socket.name, "error", refused)
			}
			break
		}
		if m.Type == zmq4.UsrMsg {
			l.socket.handle(l, m.Frames)
		}
		l.waitRoom()
	}
	_ = l.guard.finish() // of the quota; the connection is gone
	close(l.over)
	l.cut()
}

// end lets the writer send the queue and then close its side.
func (l *link) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ending = true
	l.change.Broadcast()
}
