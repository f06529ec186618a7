package jupyter

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/nacl/box"

	"github.com/gorocm/gorocm/jupyter/internal/python"
)

// Keys of the example in libzmq's test_security_curve; the server's.
const (
	testCurvePublic = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
	testCurveSecret = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"
)

func TestCurveKeys(t *testing.T) {
	for _, tt := range []struct{ public, secret, err string }{
		{"", "", ""},
		{testCurvePublic, testCurveSecret, ""},
		{testCurvePublic, "", "curve_secretkey: 0 characters, a key has 40"},
		{"", testCurveSecret, "curve_publickey: 0 characters, a key has 40"},
		{testCurveSecret, testCurveSecret, "curve_publickey is not the public key of curve_secretkey"},
		{testCurvePublic[:39] + "\"", testCurveSecret, "curve_publickey: character 40 is not a Z85 digit"},
		{"#####" + testCurvePublic[5:], testCurveSecret, "curve_publickey: characters 1 to 5 are not a Z85 number"},
	} {
		keys, err := parseCurveKeys(tt.public, tt.secret)
		if tt.err == "" && (err != nil || (keys == nil) != (tt.public == "")) || tt.err != "" &&
			(err == nil || err.Error() != tt.err) {
			t.Errorf("%q, %q: %v, %v; want %q", tt.public, tt.secret, keys, err, tt.err)
		}
	}
}

// curveClient is the client's side of CurveZMQ, after rfc.zeromq.org/spec/26.
type curveClient struct {
	conn   net.Conn
	server [32]byte
	nonce  uint64
	public *[32]byte // short-term, as is secret
	secret *[32]byte
	shared [32]byte
	cookie []byte
	wire   bytes.Buffer // all that has come
}

func dialCurve(t *testing.T, port int) *curveClient {
	t.Helper()
	g := greeting()
	copy(mechanism(g), curveMechanism)
	c := &curveClient{conn: raw(t, port, g)}
	c.conn.SetDeadline(time.Now().Add(patience))
	keys, err := parseCurveKeys(testCurvePublic, testCurveSecret)
	if err != nil {
		t.Fatal(err)
	}
	c.server = keys.public
	if c.public, c.secret, err = box.GenerateKey(rand.Reader); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c.conn, g); err != nil || !bytes.Equal(mechanism(g), curveMechanism) ||
		g[greetingServer] != 1 {
		t.Fatalf("greeting %q, %v", g, err)
	}
	return c
}

func (c *curveClient) next() uint64 { c.nonce++; return c.nonce }

// hello exchanges the short-term keys.
func (c *curveClient) hello() error {
	n := c.next()
	body := append([]byte("\x05HELLO\x01\x00"), make([]byte, 72)...)
	body = binary.BigEndian.AppendUint64(append(body, c.public[:]...), n)
	body = box.Seal(body, make([]byte, 64), shortNonce("CurveZMQHELLO---", n), &c.server, c.secret)
	if _, err := c.conn.Write(frame(flagCommand, body)); err != nil {
		return err
	}
	_, welcome, err := c.frame()
	if err != nil || !bytes.HasPrefix(welcome, []byte("\x07WELCOME")) {
		return fmt.Errorf("%q: %w", welcome, err)
	}
	content, ok := box.Open(nil, welcome[24:], longNonce("WELCOME-", welcome[8:24]), &c.server, c.secret)
	if !ok {
		return errors.New("the WELCOME cannot be opened")
	}
	box.Precompute(&c.shared, (*[32]byte)(content[:32]), c.secret)
	c.cookie = content[32:]
	return c.initiate(content[:32])
}

// initiate vouches for the short-term key, and waits for READY.
func (c *curveClient) initiate(serverShort []byte) error {
	public, secret, err := box.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	random := []byte("sixteen bytes ..")
	vouch := box.Seal(nil, append(bytes.Clone(c.public[:]), c.server[:]...), longNonce("VOUCH---", random),
		(*[32]byte)(serverShort), secret)
	content := bytes.Join([][]byte{public[:], random, vouch, ready("DEALER")[2+6:]}, nil)
	n := c.next()
	body := binary.BigEndian.AppendUint64(append([]byte("\x08INITIATE"), c.cookie...), n)
	body = box.SealAfterPrecomputation(body, content, shortNonce("CurveZMQINITIATE", n), &c.shared)
	if _, err := c.conn.Write(frame(flagCommand, body)); err != nil {
		return err
	}
	_, reply, err := c.frame()
	if err != nil || !bytes.HasPrefix(reply, []byte("\x05READY")) {
		return fmt.Errorf("%q: %w", reply, err)
	}
	meta, err := c.open(reply[6:], "CurveZMQREADY---")
	if err != nil || !bytes.Contains(meta, []byte("ROUTER")) {
		return fmt.Errorf("READY has %q: %w", meta, err)
	}
	return nil
}

func (c *curveClient) open(sealed []byte, prefix string) ([]byte, error) {
	content, ok := box.OpenAfterPrecomputation(nil, sealed[8:], shortNonce(prefix, binary.BigEndian.Uint64(sealed)),
		&c.shared)
	if !ok {
		return nil, errors.New("a box cannot be opened")
	}
	return content, nil
}

// message is an encrypted frame.
func (c *curveClient) message(flags byte, body []byte) []byte {
	n := c.next()
	sealed := box.SealAfterPrecomputation(nil, append([]byte{flags}, body...), shortNonce("CurveZMQMESSAGEC", n),
		&c.shared)
	return frame(0, curveBody("\x07MESSAGE", n, sealed))
}

// request is a signed request, encrypted.
func (c *curveClient) request(k *testKernel, kind string) (wire []byte) {
	parts := [][]byte{fmt.Appendf(nil, `{"msg_id":%q,"msg_type":%q}`, rand.Text(), kind), []byte("{}"), []byte("{}"),
		[]byte("{}")}
	frames := append([][]byte{[]byte(delimiter), fmt.Appendf(nil, "%x", newCodec(k.conn.Key, nil).sign(parts))}, parts...)
	for i, f := range frames {
		wire = append(wire, c.message(byte(min(1, len(frames)-1-i)), f)...)
	}
	return wire
}

func (c *curveClient) frame() (flags byte, body []byte, err error) {
	r := &curve{conn: struct {
		io.Reader
		io.Writer
	}{io.TeeReader(c.conn, &c.wire), nil}}
	body, err = r.frame(1 << 20)
	return 0, body, err
}

// reply reads a message and decrypts it.
func (c *curveClient) reply() (frames [][]byte, err error) {
	for more := true; more; {
		_, body, err := c.frame()
		if err != nil {
			return nil, err
		}
		content, err := c.open(body[8:], "CurveZMQMESSAGES")
		if err != nil {
			return nil, err
		}
		frames, more = append(frames, content[1:]), content[0]&curveMore != 0
	}
	return frames, nil
}

func startCurve(t *testing.T) *testKernel { return startKernel(t, setup{curve: true}) }

// curveAlive checks that the kernel answers, and that nothing of the answer can be read on the wire.
func curveAlive(t *testing.T, k *testKernel) {
	t.Helper()
	c := dialCurve(t, k.conn.Shell)
	if err := c.hello(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := c.conn.Write(c.request(k, "kernel_info_request")); err != nil {
			t.Fatal(err)
		}
		frames, err := c.reply()
		if err != nil || !strings.Contains(string(bytes.Join(frames, nil)), "kernel_info_reply") {
			t.Fatalf("%q, %v", frames, err)
		}
	}
	if bytes.Contains(c.wire.Bytes(), []byte("kernel_info")) {
		t.Error("the reply can be read on the wire")
	}
}

func TestCurve(t *testing.T) { curveAlive(t, startCurve(t)) }

// TestCurveRefusals: a kernel whose connection file has keys says nothing to peers without encryption, and ends the
// connections of those that do not keep to CurveZMQ.
func TestCurveRefusals(t *testing.T) {
	k := startCurve(t)
	shaken := func(send func(c *curveClient) []byte) func(t *testing.T) net.Conn {
		return func(t *testing.T) net.Conn {
			c := dialCurve(t, k.conn.Shell)
			if err := c.hello(); err != nil {
				t.Fatal(err)
			}
			c.conn.Write(send(c))
			return c.conn
		}
	}
	for _, tt := range []struct {
		name string
		peer func(t *testing.T) net.Conn
	}{
		{"no encryption", func(t *testing.T) net.Conn {
			c := raw(t, k.conn.Shell, greeting(), ready("DEALER"))
			if _, err := io.ReadFull(c, make([]byte, greetingLen)); err != nil {
				t.Fatal(err)
			}
			return c
		}},
		{"another server's key", func(t *testing.T) net.Conn {
			c := dialCurve(t, k.conn.Shell)
			c.server[0]++
			if err := c.hello(); err == nil {
				t.Error("the kernel has answered")
			}
			return c.conn
		}},
		{"a message before HELLO", func(t *testing.T) net.Conn {
			c := dialCurve(t, k.conn.Shell)
			c.conn.Write(frame(0, []byte("hello")))
			return c.conn
		}},
		{"a long command", func(t *testing.T) net.Conn {
			c := dialCurve(t, k.conn.Shell)
			c.conn.Write(longHeader(flagCommand, 1<<40))
			return c.conn
		}},
		{"a plain message", shaken(func(*curveClient) []byte { return frame(0, []byte("plain")) })},
		{"an altered box", shaken(func(c *curveClient) []byte {
			b := c.message(0, []byte("text"))
			b[len(b)-1] ^= 1
			return b
		})},
		{"a message twice", shaken(func(c *curveClient) []byte {
			b := c.message(flagMore, []byte("text"))
			return append(b, b...)
		})},
		{"a message without flags", shaken(func(c *curveClient) []byte {
			n := c.next()
			return frame(0, curveBody("\x07MESSAGE", n,
				box.SealAfterPrecomputation(nil, nil, shortNonce("CurveZMQMESSAGEC", n), &c.shared)))
		})},
		{"a message of a few bytes", shaken(func(*curveClient) []byte {
			return frame(0,
				[]byte("\x07MESSAGE1234567"))
		})},
		{"an endless message", shaken(func(*curveClient) []byte { return longHeader(0, 1<<62) })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cut(t, tt.peer(t))
			curveAlive(t, k)
		})
	}
}

// FuzzCurve: what a peer sends before and after the handshake gives bytes without encryption, or an error.
func FuzzCurve(f *testing.F) {
	g := greeting()
	copy(mechanism(g), curveMechanism)
	f.Add(append(g, frame(flagCommand, append([]byte("\x05HELLO\x01\x00"), make([]byte, 192)...))...), false)
	f.Add(frame(0, []byte("\x07MESSAGE12345678 and a box")), true)
	f.Add(longHeader(0, 1<<62), true)
	f.Fuzz(func(t *testing.T, sent []byte, shaken bool) {
		c := newCurve(struct {
			io.Reader
			io.Writer
		}{bytes.NewReader(sent), io.Discard}, &curveKeys{}, 1000)
		if shaken {
			c.state = curveMessages
		}
		if n, err := io.Copy(io.Discard, c); err == nil && n > int64(len(sent)) {
			t.Errorf("%d bytes of %d", n, len(sent))
		}
	})
}

// TestCurveClient runs testdata/curve.py: Jupyter's own client with transport_encryption "required".
func TestCurveClient(t *testing.T) {
	py := python.With(t, "jupyter_client")
	if exec.Command(py, "-c", "from jupyter_client.manager import KernelManager as m; m.transport_encryption").Run() != nil {
		t.Skip("jupyter_client is older than 8.10, and knows no encryption")
	}
	installFake(t)
	runChecks(t, py, "testdata/curve.py", 5)
}
