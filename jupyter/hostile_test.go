package jupyter

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/gorocm/gorocm/internal/thorough"
)

// greeting is what a ZMTP 3.0 peer with NULL security says first.
func greeting() []byte {
	g := make([]byte, greetingLen)
	g[0], g[9], g[10] = 0xff, 0x7f, 3
	copy(g[12:], "NULL")
	return g
}

func frame(flags byte, body []byte) []byte {
	if len(body) < 256 {
		return append([]byte{flags, byte(len(body))}, body...)
	}
	return append(longHeader(flags, uint64(len(body))), body...)
}

func longHeader(flags byte, size uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{flags | flagLong}, size)
}

// onWire is a message as bytes.
func onWire(frames [][]byte) (b []byte) {
	for _, f := range frames[:len(frames)-1] {
		b = append(b, frame(flagMore, f)...)
	}
	return append(b, frame(0, frames[len(frames)-1])...)
}

// ready is the handshake's command.
func ready(socketType string) []byte {
	body := append([]byte("\x05READY\x0bSocket-Type"), 0, 0, 0, byte(len(socketType)))
	return frame(flagCommand, append(body, socketType...))
}

// raw opens a connection without a ZMTP library.
func raw(t *testing.T, port int, send ...[]byte) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	for _, b := range send {
		if _, err := c.Write(b); err != nil && !isReset(err) {
			t.Fatal(err)
		}
	}
	return c
}

func isReset(err error) bool {
	return strings.Contains(err.Error(), "reset") || strings.Contains(err.Error(), "broken pipe")
}

// cut waits for the kernel to close a connection.
func cut(t *testing.T, c net.Conn) {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the connection is still open")
	}
}

// hostile is a peer that breaks the rules: what it sends to which port, and whether the kernel hangs up on it.
type hostile struct {
	name string
	port int
	send []byte
	cut  bool
}

func hostilePeers(conn connection) []hostile {
	dealer := slices.Clip(append(greeting(), ready("DEALER")...)) // so that append copies
	sub := slices.Clip(append(greeting(), ready("SUB")...))
	mechanism := func(name string) []byte {
		g := greeting()
		copy(g[12:], name+"\x00\x00\x00\x00")
		return g
	}
	half := frame(0, []byte("half of this frame comes, the rest never does"))
	return []hostile{
		{"nothing", conn.Shell, nil, false},
		{"noise", conn.Shell, bytes.Repeat([]byte("GET / HTTP/1.1\r\n"), 100), true},
		{"zeros", conn.Control, make([]byte, 1<<16), true},
		{"half a greeting", conn.Shell, greeting()[:30], false},
		{"greeting only", conn.IOPub, greeting(), false},
		{"old version", conn.Shell, append([]byte{0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 1}, make([]byte, 53)...), true},
		{"PLAIN", conn.Shell, mechanism("PLAIN"), true},
		{"CURVE", conn.Control, mechanism("CURVE"), true},
		{"no mechanism", conn.Shell, mechanism(""), true},
		{"unknown socket type", conn.Shell, append(greeting(), ready("TEAPOT")...), true},
		{"wrong socket type", conn.Shell, append(greeting(), ready("SUB")...), true},
		{"dealer on iopub", conn.IOPub, append(greeting(), ready("DEALER")...), true},
		{"no socket type", conn.Shell, append(greeting(), frame(flagCommand, []byte("\x05READY"))...), true},
		{"cut property", conn.Shell, append(greeting(), frame(flagCommand, []byte("\x05READY\x0bSo"))...), true},
		{"property too long", conn.Shell,
			append(greeting(), frame(flagCommand, []byte("\x05READY\x01x\xff\xff\xff\xffy"))...), true},
		{"empty command", conn.Shell, append(greeting(), frame(flagCommand, nil)...), true},
		{"ERROR as handshake", conn.Shell, append(greeting(), frame(flagCommand, []byte("\x05ERROR\x02no"))...), true},
		{"message as handshake", conn.Shell, append(greeting(), frame(0, []byte("x"))...), true},
		{"large handshake", conn.Shell, append(greeting(), longHeader(flagCommand, 1<<40)...), true},
		{"frame of 2^62", conn.Shell, append(dealer, longHeader(0, 1<<62)...), true},
		{"frame of 2^64-1", conn.Control, append(dealer, longHeader(flagMore, 1<<64-1)...), true},
		{"frame of 2^63", conn.Stdin, append(dealer, longHeader(flagMore, 1<<63)...), true},
		{"half a frame", conn.Shell, append(dealer, half[:20]...), false},
		{"half a header", conn.Shell, append(dealer, longHeader(0, 1000)[:4]...), false},
		{"reserved flags", conn.Shell, append(dealer, 0xf0, 1, 'x'), true},
		{"large command", conn.Shell, append(dealer, longHeader(flagCommand, 1<<40)...), true},
		{"command of many frames", conn.Shell, append(dealer, frame(flagCommand|flagMore, []byte("\x04PING"))...),
			true},
		{"endless frames", conn.Shell, append(dealer, bytes.Repeat([]byte{flagMore, 0}, 1000)...), true},
		{"empty frames", conn.Shell, append(dealer, bytes.Repeat([]byte{0, 0}, 1000)...), false},
		{"second READY", conn.Shell, append(dealer, ready("DEALER")...), false},
		{"unknown command", conn.Shell, append(dealer, frame(flagCommand, []byte("\x04WHAT"))...), false},
		{"cut ping", conn.Shell, append(dealer, frame(flagCommand, []byte("\x04PING"))...), false},
		{"many pings", conn.Heartbeat, append(dealer,
			bytes.Repeat(frame(flagCommand, []byte("\x04PING\x00\x0acontext")), 10000)...), false},
		{"large heartbeat", conn.Heartbeat, append(append(greeting(), ready("REQ")...), longHeader(0, 1<<30)...), true},
		{"empty subscription", conn.IOPub, append(sub, 0, 0), false},
		{"odd subscription", conn.IOPub, append(sub, 0, 2, 9, 'x'), false},
		{"subscription in parts", conn.IOPub, append(sub, flagMore, 1, 1, 0, 1, 1), false},
		{"large subscription", conn.IOPub, append(sub, longHeader(0, 1<<30)...), true},
		{"subscription not UTF-8", conn.IOPub, append(sub, frame(0, []byte("\x01\xff\xfe"))...), false},
		{"many subscriptions", conn.IOPub, append(sub, manyTopics(5000)...), false},
		{"input_reply", conn.Stdin, append(dealer, frame(0, []byte(delimiter))...), false},
	}
}

// TestHostilePeers: each of these ends at most its own connection, and the next good requests are answered, those of a
// client that was there before as well as those of a new one.
func TestHostilePeers(t *testing.T) {
	thorough.Slow(t)
	k := startKernel(t, setup{})
	c := dial(t, k)
	for _, peer := range hostilePeers(k.conn) {
		t.Run(peer.name, func(t *testing.T) {
			s := raw(t, peer.port, peer.send)
			if peer.cut {
				cut(t, s)
			}
			alive(t, c)
			alive(t, dial(t, k))
		})
	}
	alive(t, c)
}

// alive sends a good request on shell and one on control, and runs a cell.
func alive(t *testing.T, c *client) {
	t.Helper()
	for _, p := range []*peer{c.shell, c.control} {
		if r := c.reply(p, c.send(p, "kernel_info_request", nil)); r.content["status"] != "ok" {
			t.Errorf("kernel_info: %v", r.content)
		}
	}
	r, shown := c.run("print alive")
	if r.content["status"] != "ok" || text(shown, "stdout") != "alive\n" {
		t.Errorf("a cell: %v, %s", r.content, types(shown))
	}
}

// TestHostileEndings: connections that end, or go on, as no good client's does.
func TestHostileEndings(t *testing.T) {
	thorough.Slow(t)
	k := startKernel(t, setup{})
	c := dial(t, k)
	dealer := slices.Clip(append(greeting(), ready("DEALER")...))
	ask := wireRequest(t, k, "kernel_info_request")
	tests := []struct {
		name string
		run  func(t *testing.T)
	}{
		{"reset", func(t *testing.T) {
			s := raw(t, k.conn.Shell, dealer, ask).(*net.TCPConn)
			s.SetLinger(0)
			s.Close()
		}},
		{"closed in a message", func(t *testing.T) { raw(t, k.conn.Shell, dealer, ask[:len(ask)/2]).Close() }},
		{"closed for writing", func(t *testing.T) {
			s := raw(t, k.conn.Shell, dealer, wireRequest(t, k, "kernel_info_request"))
			s.(*net.TCPConn).CloseWrite()
			cut(t, s)
		}},
		{"a byte at a time", func(t *testing.T) {
			s := raw(t, k.conn.Shell)
			for _, b := range append(slices.Clone(dealer), wireRequest(t, k, "kernel_info_request")...) {
				s.Write([]byte{b})
			}
			newReader(t, s).message()
		}},
		{"reconnect storm", func(t *testing.T) {
			times := 60
			if thorough.On() {
				times = 300
			}
			for range times {
				raw(t, k.conn.Shell, dealer, ask).Close()
				raw(t, k.conn.IOPub, greeting()).Close()
				raw(t, k.conn.Control).Close()
			}
		}},
		{"requests without reading", func(t *testing.T) {
			s := raw(t, k.conn.Shell, dealer)
			s.(*net.TCPConn).SetReadBuffer(4096)
			for range 2000 {
				s.Write(wireRequest(t, k, "kernel_info_request"))
			}
		}},
		{"many half frames", func(t *testing.T) {
			for range 20 {
				raw(t, k.conn.Shell, dealer, longHeader(flagMore, 60<<20), []byte("so little of so much"))
			}
		}},
		{"cell of 100 MB", func(t *testing.T) {
			s := raw(t, k.conn.Shell, dealer)
			s.Write(longHeader(flagMore, 100<<20))
			cut(t, s)
		}},
		{"large signed cell", func(t *testing.T) {
			size := 3 << 20 // far more than the buffers of sockets, and one frame on the wire, as 30 MB are
			if thorough.On() {
				size = 30 << 20
			}
			d := dial(t, k)
			if r, _ := d.run("note " + strings.Repeat("x", size)); r.content["status"] != "ok" {
				t.Errorf("%v", r.content["status"])
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.run(t)
			alive(t, c)
			alive(t, dial(t, k))
		})
	}
}

// wireRequest is a signed request as bytes on the wire.
func wireRequest(t *testing.T, k *testKernel, kind string) []byte {
	t.Helper()
	frames, err := newCodec(k.conn.Key, nil).encode(nil, kind, nil, nil, map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	return onWire(frames)
}

func manyTopics(n int) (b []byte) {
	for i := range n {
		b = append(b, frame(0, fmt.Appendf([]byte{1}, "topic %d", i))...)
	}
	return b
}

// TestSilentPeers: connections that never shake hands keep nobody out, and are closed.
func TestSilentPeers(t *testing.T) {
	thorough.Slow(t)
	lim := defaultLimits
	lim.handshake = 2 * time.Second // good clients on a busy machine need some of it
	k := startKernel(t, setup{limits: lim})
	var silent []net.Conn
	for range 20 {
		silent = append(silent, raw(t, k.conn.Shell), raw(t, k.conn.IOPub, greeting()))
	}
	dial(t, k).run("print x")
	for _, c := range silent {
		cut(t, c)
	}
}

// TestForgery: messages with a wrong or a used signature are dropped, and logged.
func TestForgery(t *testing.T) {
	k := startKernel(t, setup{})
	c := dial(t, k)
	frames, err := c.codec.encode(nil, "execute_request", nil, nil, cell("print once"))
	if err != nil {
		t.Fatal(err)
	}
	forged := append([][]byte{}, frames...)
	forged[1] = bytes.Repeat([]byte("0"), 64)
	for _, f := range [][][]byte{forged, frames, frames, frames, forged} {
		if err := c.shell.SendMulti(zmq4.NewMsgFrom(f...)); err != nil {
			t.Fatal(err)
		}
	}
	c.next(c.shell)
	if r, _ := c.run("print done"); r.content["execution_count"] != 2.0 {
		t.Errorf("%v cells have run, want 2", r.content["execution_count"])
	}
	for want, n := range map[string]int{errSignature.Error(): 2, errReplay.Error(): 2} {
		if got := strings.Count(k.log.String(), want); got != n {
			t.Errorf("%q is logged %d times, want %d", want, got, n)
		}
	}
}

// TestSameIdentity: two clients that claim one identity each get their own replies. dial gives all the same.
func TestSameIdentity(t *testing.T) {
	k := startKernel(t, setup{})
	a, b := dial(t, k), dial(t, k)
	for i := range 20 {
		c, other := a, b
		if i%2 == 1 {
			c, other = b, a
		}
		c.run("print x")
		if n := len(other.shell.in); n > 0 {
			t.Fatalf("%d replies went to the other client", n)
		}
	}
}

// TestRoutes: frames before the delimiter, which proxies add, come back before the reply.
func TestRoutes(t *testing.T) {
	k := startKernel(t, setup{})
	c := newCodec(k.conn.Key, nil)
	frames, err := c.encode([][]byte{[]byte("hop 1"), {}}, "kernel_info_request", nil, nil, map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	in := newReader(t, raw(t, k.conn.Shell, greeting(), ready("DEALER"), onWire(frames)))
	if got := in.message(); len(got) < 3 || string(got[0]) != "hop 1" || len(got[1]) != 0 ||
		string(got[2]) != delimiter {
		t.Errorf("reply %q", got)
	}
}

func TestHeartbeatAndPing(t *testing.T) {
	k := startKernel(t, setup{})
	c := raw(t, k.conn.Heartbeat, append(greeting(), ready("REQ")...), frame(flagMore, nil), frame(0, []byte("ping")))
	in := newReader(t, c)
	if got := in.message(); len(got) != 2 || len(got[0]) != 0 || string(got[1]) != "ping" {
		t.Errorf("echo %q", got)
	}
	c.Write(frame(flagCommand, []byte("\x04PING\x00\x0acontext")))
	if flags, body := in.frame(); flags != flagCommand || string(body) != "\x04PONGcontext" {
		t.Errorf("flags %d, answer %q", flags, body)
	}
}

// reader reads what the kernel sends, after the handshake. What is wrong ends the test.
type reader struct {
	t  *testing.T
	in *wireReader
}

func newReader(t *testing.T, c net.Conn) *reader {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(patience))
	r := &reader{t, openReader(c)}
	if err := r.in.handshake(); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *reader) frame() (flags byte, body []byte) {
	r.t.Helper()
	flags, body, err := r.in.frame()
	if err != nil {
		r.t.Fatal(err)
	}
	return flags, body
}

func (r *reader) message() [][]byte {
	r.t.Helper()
	frames, err := r.in.message()
	if err != nil {
		r.t.Fatal(err)
	}
	return frames
}

// wireReader takes ZMTP apart without a library.
type wireReader struct {
	in     *bufio.Reader
	shaken bool
}

func openReader(c net.Conn) *wireReader { return &wireReader{in: bufio.NewReader(c)} }

func (r *wireReader) handshake() error {
	if _, err := io.ReadFull(r.in, make([]byte, greetingLen)); err != nil {
		return err
	}
	r.shaken = true
	flags, body, err := r.frame()
	if err == nil && (flags != flagCommand || !bytes.HasPrefix(body, []byte("\x05READY"))) {
		err = fmt.Errorf("flags %d, %q is not READY", flags, body)
	}
	return err
}

func (r *wireReader) frame() (flags byte, body []byte, err error) {
	head := make([]byte, 2, 9)
	if _, err := io.ReadFull(r.in, head); err != nil {
		return 0, nil, err
	}
	size := uint64(head[1])
	if head[0]&flagLong != 0 {
		head = head[:9]
		if _, err := io.ReadFull(r.in, head[2:]); err != nil {
			return 0, nil, err
		}
		size = binary.BigEndian.Uint64(head[1:])
	}
	body = make([]byte, size)
	_, err = io.ReadFull(r.in, body)
	return head[0], body, err
}

// message reads the next message, after the handshake if that is still to come.
func (r *wireReader) message() (frames [][]byte, err error) {
	if !r.shaken {
		if err := r.handshake(); err != nil {
			return nil, err
		}
	}
	for {
		flags, body, err := r.frame()
		if err != nil {
			return nil, err
		}
		frames = append(frames, body)
		if flags&flagMore == 0 {
			return frames, nil
		}
	}
}

// TestDeadSubscriber: beside a subscriber that never reads, the others get everything, and its connection is cut.
func TestDeadSubscriber(t *testing.T) {
	if !thorough.On() {
		t.Skip("takes seconds")
	}
	lim := defaultLimits
	lim.write = 3 * time.Second // good clients on a busy machine need some of it
	lim.queue = 1 << 20
	k := startKernel(t, setup{limits: lim})
	dead := raw(t, k.conn.IOPub, greeting(), ready("SUB"), frame(0, []byte{1}))
	dead.(*net.TCPConn).SetReadBuffer(4096)
	c := dial(t, k)
	_, shown := c.run("raw 1500000")
	var n, next int
	for line := range strings.Lines(text(shown, "stdout")) {
		if line != fmt.Sprintf("line %d\n", next) {
			t.Fatalf("line %d is %q", next, line)
		}
		next++
		n += len(line)
	}
	if next != 1500000 {
		t.Errorf("%d lines came", next)
	}
	if !strings.Contains(k.log.String(), "stopped reading") {
		t.Errorf("the dead subscriber is still connected after %d bytes", n)
	}
}

// bytesConn is a connection on which a peer has sent some bytes and reads nothing.
type bytesConn struct {
	net.Conn
	in *bytes.Reader
}

func (c *bytesConn) Read(p []byte) (int, error)       { return c.in.Read(p) }
func (c *bytesConn) Write(p []byte) (int, error)      { return len(p), nil }
func (c *bytesConn) Close() error                     { return nil }
func (c *bytesConn) SetDeadline(time.Time) error      { return nil }
func (c *bytesConn) SetWriteDeadline(time.Time) error { return nil }
func (c *bytesConn) SetReadDeadline(time.Time) error  { return nil }
