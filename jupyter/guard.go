package jupyter

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// limits bound what one peer can make the kernel hold or wait for.
type limits struct {
	links     int           // connections of one socket
	handshake time.Duration // from accept to READY
	write     time.Duration // for each chunk of at most writeChunk bytes
	message   int           // bytes of all frames of one message
	frames    int           // frames of one message
	queue     int           // bytes that wait to be written to one peer
	away      time.Duration // a debugger's client may be gone before what it has stopped goes on, as for a reload
	// Of peers that have not shown that they know the key:
	unproven   int           // bytes of all their large messages that have not ended
	unfinished time.Duration // from the first to the last byte of a message
}

// defaultLimits are for shell and control, whose messages carry whole cells. See sockets.go for the others.
var defaultLimits = limits{
	links:     64,
	handshake: 5 * time.Second,
	write:     10 * time.Second,
	message:   64 << 20,
	frames:    256,
	queue:     64 << 20,
	away:      30 * time.Second,

	unproven:   64 << 20,
	unfinished: time.Minute,
}

const (
	greetingLen = 64        // bytes before the first frame, ZMTP 3.0
	maxCommand  = 4 << 10   // bytes of a ZMTP command; READY and PING are far smaller
	smallFrame  = 16 << 10  // bytes of a frame that counts for nothing
	writeChunk  = 256 << 10 // bytes that are written under one deadline
)

// The flags of a frame, ZMTP 3.0.
const (
	flagMore      = 1
	flagLong      = 2
	flagCommand   = 4
	flagsReserved = 0xf8
)

// guard sits between a TCP or unix connection and zmq4, which trusts every length that it reads. It follows the ZMTP
// framing, ends the connection before zmq4 sees a length beyond the limits, answers commands itself, and gives each
// write a deadline.
type guard struct {
	net.Conn
	stream io.ReadWriter // Conn, decrypted
	in     *bufio.Reader
	out    *bufio.Writer
	limits limits
	onPing func(context []byte) error
	proven func() bool // a message of the peer has verified
	shared *quota      // of peers that have proved nothing
	open   bool        // the handshake is done; set before the link's goroutines start

	left   int  // bytes until the next frame header
	shaken bool // the handshake's one command has passed
	size   int  // bytes of the current message so far
	frames int  // frames of the current message so far
	held   int  // bytes of it that are taken from shared
	timed  bool // it has a deadline
}

// quota is a number of bytes that several share.
type quota struct{ left atomic.Int64 }

func newQuota(bytes int) *quota {
	q := &quota{}
	q.left.Store(int64(bytes))
	return q
}

func (q *quota) take(n int) bool {
	if q.left.Add(-int64(n)) < 0 {
		q.left.Add(int64(n))
		return false
	}
	return true
}

// begin is called with the size of each frame of a message. A peer that has proved nothing takes the memory that large
// ones need from what all such peers share, and its message has a deadline.
func (g *guard) begin(size int, more bool) error {
	if g.proven() || size <= smallFrame && !more {
		return nil
	}
	if !g.timed {
		g.timed = true
		if err := g.SetReadDeadline(time.Now().Add(g.limits.unfinished)); err != nil {
			return err
		}
	}
	if size > smallFrame {
		if !g.shared.take(size) {
			return refuse("a frame of %d bytes of a peer that has not shown that it knows the key: "+
				"such peers share %d bytes", size, g.limits.unproven)
		}
		g.held += size
	}
	return nil
}

// finish ends a message.
func (g *guard) finish() error {
	g.shared.take(-g.held)
	g.held = 0
	if !g.timed {
		return nil
	}
	g.timed = false
	return g.SetReadDeadline(time.Time{})
}

// refusal is the error for a peer that went beyond the limits or the framing.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// newGuard guards a connection, which is encrypted if there are keys.
func newGuard(c net.Conn, l limits, keys *curveKeys) *guard {
	g := &guard{Conn: c, limits: l, left: greetingLen, proven: func() bool { return true }}
	g.shared = newQuota(l.unproven)
	var stream io.ReadWriter = struct {
		io.Reader
		io.Writer
	}{c, chunked{g}}
	if keys != nil {
		stream = newCurve(stream, keys, l.message)
	}
	g.stream = stream
	g.in = bufio.NewReaderSize(stream, maxCommand)
	g.out = bufio.NewWriterSize(stream, maxCommand)
	return g
}

// opened is called when the handshake is over. Until then a connection has small buffers: thousands can come in a
// second, of anybody.
func (g *guard) opened() {
	g.open = true
	g.in = bufio.NewReaderSize(g.in, 16<<10) // reads what the small one still has first
	g.out = bufio.NewWriterSize(g.stream, 64<<10)
}

func (g *guard) Read(p []byte) (int, error) {
	if g.left == 0 {
		if err := g.frame(); err != nil {
			return 0, err
		}
	}
	n, err := g.in.Read(p[:min(len(p), g.left)])
	g.left -= n
	return n, err
}

// frame inspects the next frame's header without consuming it, so that no part of a refused frame gets through.
func (g *guard) frame() error {
	if g.frames == 0 && g.shaken && g.open {
		if err := g.finish(); err != nil {
			return err
		}
	}
	for {
		head, err := g.in.Peek(2)
		if err != nil {
			return err
		}
		flags, size, headLen := head[0], uint64(head[1]), 2
		if flags&flagsReserved != 0 || flags&flagCommand != 0 && flags&flagMore != 0 {
			return refuse("invalid frame flags %#x", flags)
		}
		if flags&flagLong != 0 {
			headLen = 9
			if head, err = g.in.Peek(headLen); err != nil {
				return err
			}
			size = binary.BigEndian.Uint64(head[1:])
		}
		if flags&flagCommand != 0 {
			if size > maxCommand {
				return refuse("a command of %d bytes, at most %d are accepted", size, maxCommand)
			}
			if !g.shaken {
				g.shaken = true
				g.left = headLen + int(size)
				return nil
			}
			if err := g.command(headLen + int(size)); err != nil {
				return err
			}
			continue
		}
		if !g.shaken {
			return refuse("a message before the handshake")
		}
		g.frames++
		if g.frames > g.limits.frames {
			return refuse("a message of more than %d frames", g.limits.frames)
		}
		if size > uint64(g.limits.message-g.size) {
			return refuse("a frame of %d bytes after %d, at most %d are accepted in one message", size, g.size,
				g.limits.message)
		}
		if err := g.begin(int(size), flags&flagMore != 0); err != nil {
			return err
		}
		g.size += int(size)
		if flags&flagMore == 0 {
			g.size, g.frames = 0, 0
		}
		g.left = headLen + int(size)
		return nil
	}
}

// command consumes a command of n bytes, header included. PING is the only one that a peer may send us after the
// handshake.
func (g *guard) command(n int) error {
	raw, err := g.in.Peek(n)
	if err != nil {
		return err
	}
	const ping = "\x04PING"
	body := raw[2:]
	if raw[0]&flagLong != 0 {
		body = raw[9:]
	}
	// A PING carries a time to live of two bytes, then a context that its PONG returns.
	if len(body) >= len(ping)+2 && string(body[:len(ping)]) == ping {
		if err := g.onPing(append([]byte(nil), body[len(ping)+2:]...)); err != nil {
			return err
		}
	}
	_, err = g.in.Discard(n)
	return err
}

// Write buffers; the link's writer calls Flush when its queue is empty. The handshake flushes at once.
func (g *guard) Write(p []byte) (int, error) {
	n, err := g.out.Write(p)
	if err == nil && !g.open {
		err = g.out.Flush()
	}
	return n, err
}

func (g *guard) Flush() error { return g.out.Flush() }

// chunked writes with a deadline that is renewed while the peer makes progress: a large message over a slow line is
// fine, but a peer that has stopped reading is not.
type chunked struct{ g *guard }

func (c chunked) Write(p []byte) (int, error) {
	done := 0
	for {
		if c.g.open { // before that, one deadline holds for the whole handshake
			if err := c.g.SetWriteDeadline(time.Now().Add(c.g.limits.write)); err != nil {
				return done, err
			}
		}
		n, err := c.g.Conn.Write(p[done:min(len(p), done+writeChunk)])
		done += n
		if err != nil || done == len(p) {
			return done, err
		}
	}
}
