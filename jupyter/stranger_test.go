package jupyter

import (
	"bytes"
	"net"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

// dealerStart is what a DEALER sends first.
func dealerStart() []byte { return append(greeting(), ready("DEALER")...) }

// TestLongSubscription: a subscription whose text is longer than any topic ends its connection.
func TestLongSubscription(t *testing.T) {
	k := startKernel(t, setup{})
	c := dial(t, k)
	start := append(greeting(), ready("SUB")...)
	cut(t, raw(t, k.conn.IOPub, start, frame(0, append([]byte{1}, bytes.Repeat([]byte("x"), maxTopic+1)...))))
	alive(t, c)
}

// TestPingFlood: a peer whose answers to PINGs pile up is cut.
func TestPingFlood(t *testing.T) {
	k := startKernel(t, setup{})
	c := dial(t, k)
	s := raw(t, k.conn.Heartbeat, append(greeting(), ready("REQ")...))
	s.(*net.TCPConn).SetReadBuffer(4096)
	pings := bytes.Repeat(frame(flagCommand, append([]byte("\x04PING\x00\x0a"), make([]byte, 240)...)), 1000)
	s.SetWriteDeadline(time.Now().Add(patience))
	for { // more than the sockets' buffers and the queue take
		if _, err := s.Write(pings); err != nil {
			if e, ok := err.(net.Error); ok && e.Timeout() {
				t.Error("the kernel neither reads nor cuts")
			}
			break
		}
	}
	alive(t, c)
}

// TestUnfinished: messages without an end, of peers that have not shown that they know the key, take no more memory
// than such peers share, and end at their deadline.
func TestUnfinished(t *testing.T) {
	thorough.Slow(t)
	lim := defaultLimits
	lim.unproven, lim.unfinished = 1<<20, 200*time.Millisecond
	k := startKernel(t, setup{limits: lim})
	c := dial(t, k)
	most := raw(t, k.conn.Shell, dealerStart(), longHeader(0, 900<<10), []byte("begins"))
	cut(t, raw(t, k.conn.Control, dealerStart(), longHeader(0, 900<<10), []byte("begins")))
	cut(t, most)
	cut(t, raw(t, k.conn.Shell, dealerStart(), frame(flagMore, []byte("part"))))
	alive(t, c)
	// what they took is there again
	alive(t, dial(t, k))
	if left := newQuota(5); !left.take(5) || left.take(1) {
		t.Error("a quota counts wrongly")
	}
}

// TestStrangerSubscriber: no cell waits for a subscriber that has not shown that it knows the key.
func TestStrangerSubscriber(t *testing.T) {
	thorough.Slow(t)
	lim := defaultLimits
	lim.write = time.Hour // whoever waits for it, waits for ever
	lim.queue = 1 << 20
	k := startKernel(t, setup{limits: lim})
	c := dial(t, k)
	alive(t, c)
	time.Sleep(together) // the client has opened all of its links
	s := raw(t, k.conn.IOPub, greeting(), ready("SUB"), frame(0, []byte{1}))
	s.(*net.TCPConn).SetReadBuffer(4096)
	if r, _ := c.run("raw 300000"); r.content["status"] != "ok" {
		t.Errorf("%v", r.content)
	}
	alive(t, c)
}
