package jupyter

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"golang.org/x/crypto/curve25519"
	"golang.org/x/crypto/nacl/box"
)

// CurveZMQ (rfc.zeromq.org/spec/26, and 25 for ZMTP) encrypts a connection with the keys of the connection file. zmq4
// lacks it, so curve sits below zmq4 and presents an encrypted connection as a plain one: zmq4 sees a greeting with the
// mechanism NULL, a READY and plain frames. Keys authenticate the kernel to its clients. Clients are authenticated by
// the signatures of their messages, as without encryption.

// curveKeys are the kernel's long-term keys.
type curveKeys struct{ public, secret [32]byte }

// parseCurveKeys reads the keys of a connection file; nil without keys.
func parseCurveKeys(public, secret string) (*curveKeys, error) {
	if public == "" && secret == "" {
		return nil, nil
	}
	k := &curveKeys{}
	for _, key := range []struct {
		name, text string
		to         *[32]byte
	}{{"curve_publickey", public, &k.public}, {"curve_secretkey", secret, &k.secret}} {
		if err := decodeZ85(key.to[:], key.text); err != nil {
			return nil, fmt.Errorf("%s: %w", key.name, err)
		}
	}
	own, err := curve25519.X25519(k.secret[:], curve25519.Basepoint)
	if err != nil || !bytes.Equal(own, k.public[:]) {
		return nil, errors.New("curve_publickey is not the public key of curve_secretkey")
	}
	return k, nil
}

// z85 are the digits of ZeroMQ's Base-85 encoding (rfc.zeromq.org/spec/32).
const z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

// decodeZ85 decodes as many bytes as to has. Five digits are four bytes, the most significant first.
func decodeZ85(to []byte, text string) error {
	if len(text) != len(to)/4*5 {
		return fmt.Errorf("%d characters, a key has %d", len(text), len(to)/4*5)
	}
	for i := 0; i < len(text); i += 5 {
		var n uint64
		for j := i; j < i+5; j++ {
			digit := bytes.IndexByte([]byte(z85), text[j])
			if digit < 0 {
				return fmt.Errorf("character %d is not a Z85 digit", j+1)
			}
			n = 85*n + uint64(digit)
		}
		if n > 1<<32-1 {
			return fmt.Errorf("characters %d to %d are not a Z85 number", i+1, i+5)
		}
		binary.BigEndian.PutUint32(to[i/5*4:], uint32(n))
	}
	return nil
}

// curve is the kernel's side of an encrypted connection. The handshake is over when the peer's READY has been read;
// from then on one goroutine may read while another writes.
type curve struct {
	conn  io.ReadWriter
	keys  *curveKeys
	limit int // bytes of a frame

	// The reader's:
	state  int
	plain  []byte   // decrypted, and not read yet
	short  [32]byte // the client's short-term key
	heard  uint64   // the last nonce of the client
	shared [32]byte // of both short-term keys, once the handshake is over

	// The writer's:
	frames []byte // written, and not a whole frame yet
	greets bool   // the greeting has been written
	meta   []byte // of READY, which waits for the client's
	said   uint64 // the last nonce of the kernel
}

// States of the reader.
const (
	curveGreeting = iota
	curveHandshake
	curveMessages
)

// Sizes of what the handshake exchanges.
const (
	curveHello    = 6 + 2 + 72 + 32 + 8 + 64 + box.Overhead
	curveCookie   = 96
	curveVouch    = 16 + 64 + box.Overhead
	curveInitiate = 9 + curveCookie + 8 + 32 + curveVouch + box.Overhead // without metadata
)

// The flags in a MESSAGE.
const (
	curveMore    = flagMore
	curveCommand = 2
)

func newCurve(conn io.ReadWriter, keys *curveKeys, limit int) *curve {
	return &curve{conn: conn, keys: keys, limit: limit}
}

// shortNonce is a counting nonce, longNonce a random one.
func shortNonce(prefix string, n uint64) *[24]byte {
	return (*[24]byte)(binary.BigEndian.AppendUint64([]byte(prefix), n))
}

func longNonce(prefix string, random []byte) *[24]byte {
	return (*[24]byte)(append([]byte(prefix), random...))
}

func (c *curve) Read(p []byte) (n int, err error) {
	for len(c.plain) == 0 && err == nil {
		switch c.state {
		case curveGreeting:
			err = c.readGreeting()
		case curveHandshake:
			err = c.handshake()
		default:
			err = c.readMessage()
		}
	}
	if err != nil {
		return 0, err
	}
	n = copy(p, c.plain)
	c.plain = c.plain[n:]
	return n, nil
}

// mechanism are the bytes of a greeting that name the mechanism, and the one after them says whether a server greets.
func mechanism(greeting []byte) []byte { return greeting[12:32] }

const greetingServer = 32

var nullMechanism, curveMechanism = padded("NULL"), padded("CURVE")

func padded(name string) []byte { return append([]byte(name), make([]byte, 20-len(name))...) }

// readGreeting reads the peer's greeting and converts it to one without encryption.
func (c *curve) readGreeting() error {
	greeting := make([]byte, greetingLen)
	if _, err := io.ReadFull(c.conn, greeting); err != nil {
		return err
	}
	if !bytes.Equal(mechanism(greeting), curveMechanism) {
		return refuse("the peer requests the mechanism %q, but the connection file has keys for CURVE",
			bytes.TrimRight(mechanism(greeting), "\x00"))
	}
	copy(mechanism(greeting), nullMechanism)
	greeting[greetingServer] = 0
	c.state, c.plain = curveHandshake, greeting
	return nil
}

// handshake answers HELLO and INITIATE. It leaves the READY of a peer without encryption to be read.
func (c *curve) handshake() error {
	hello, err := c.command("HELLO", curveHello)
	if err != nil {
		return err
	}
	if len(hello) != curveHello || hello[6] != 1 {
		return refuse("a CURVE HELLO of %d bytes", len(hello))
	}
	copy(c.short[:], hello[80:112])
	c.heard = binary.BigEndian.Uint64(hello[112:120])
	if zeros, ok := box.Open(nil, hello[120:], shortNonce("CurveZMQHELLO---", c.heard), &c.short,
		&c.keys.secret); !ok || !bytes.Equal(zeros, make([]byte, 64)) {
		return refuse("a CURVE HELLO that is not for this kernel's key")
	}
	public, secret, err := box.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	cookie := make([]byte, curveCookie) // it would hold the state of a kernel that keeps none
	rand.Read(cookie)                   // never fails
	if err := c.welcome(public[:], cookie); err != nil {
		return err
	}
	initiate, err := c.command("INITIATE", maxCommand)
	if err != nil {
		return err
	}
	if len(initiate) < curveInitiate || subtle.ConstantTimeCompare(initiate[9:9+curveCookie], cookie) == 0 {
		return refuse("a CURVE INITIATE of %d bytes, or with another cookie", len(initiate))
	}
	box.Precompute(&c.shared, &c.short, secret)
	content, err := c.open(initiate[9+curveCookie:], "CurveZMQINITIATE")
	if err != nil {
		return err
	}
	if !c.vouched(content, secret) {
		return refuse("a CURVE INITIATE whose client does not vouch for its key")
	}
	if err := c.ready(); err != nil {
		return err
	}
	c.plain = encodeFrame(flagCommand, append([]byte("\x05READY"), content[32+curveVouch:]...))
	c.state = curveMessages
	return nil
}

// welcome sends the kernel's short-term key.
func (c *curve) welcome(public, cookie []byte) error {
	random := make([]byte, 16)
	rand.Read(random) // never fails
	sealed := box.Seal(nil, append(bytes.Clone(public), cookie...), longNonce("WELCOME-", random), &c.short,
		&c.keys.secret)
	return c.send(bytes.Join([][]byte{[]byte("\x07WELCOME"), random, sealed}, nil))
}

// vouched reports whether the owner of the long-term key in an INITIATE vouches for the short-term one, to this kernel.
func (c *curve) vouched(content []byte, secret *[32]byte) bool {
	long, vouch := (*[32]byte)(content[:32]), content[32:32+curveVouch]
	keys, ok := box.Open(nil, vouch[16:], longNonce("VOUCH---", vouch[:16]), long, secret)
	return ok && bytes.Equal(keys, append(bytes.Clone(c.short[:]), c.keys.public[:]...))
}

// ready sends the metadata of the kernel's READY, which zmq4 has written before it reads the peer's.
func (c *curve) ready() error {
	if c.meta == nil {
		return errors.New("the kernel has not written its READY")
	}
	c.said++
	sealed := box.SealAfterPrecomputation(nil, c.meta, shortNonce("CurveZMQREADY---", c.said), &c.shared)
	return c.send(curveBody("\x05READY", c.said, sealed))
}

// command reads a command of the handshake, its name included.
func (c *curve) command(name string, limit int) ([]byte, error) {
	body, err := c.frame(limit)
	if err != nil {
		return nil, err
	}
	if want := append([]byte{byte(len(name))}, name...); !bytes.HasPrefix(body, want) {
		return nil, refuse("another command than a CURVE %s", name)
	}
	return body, nil
}

// readMessage reads a MESSAGE and converts it to a frame without encryption.
func (c *curve) readMessage() error {
	const name, head = "\x07MESSAGE", 8
	body, err := c.frame(c.limit + head + 8 + box.Overhead + 1)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(body, []byte(name)) || len(body) < head+8 {
		return refuse("a frame that is not a CURVE MESSAGE")
	}
	content, err := c.open(body[head:], "CurveZMQMESSAGEC")
	if err != nil {
		return err
	}
	if len(content) == 0 || content[0]&^(curveMore|curveCommand) != 0 {
		return refuse("a CURVE MESSAGE with unknown flags")
	}
	flags := content[0] & curveMore
	if content[0]&curveCommand != 0 {
		flags |= flagCommand
	}
	c.plain = encodeFrame(flags, content[1:])
	return nil
}

// open decrypts a box behind its short nonce, which must be larger than the one before: a replayed box is refused.
func (c *curve) open(sealed []byte, prefix string) ([]byte, error) {
	n := binary.BigEndian.Uint64(sealed)
	content, ok := box.OpenAfterPrecomputation(nil, sealed[8:], shortNonce(prefix, n), &c.shared)
	if !ok || n <= c.heard {
		return nil, refuse("a CURVE box that cannot be opened, or that came before")
	}
	c.heard = n
	return content, nil
}

// frame reads the body of a frame. It allocates memory as bytes arrive, because a header may announce more than ever
// comes.
func (c *curve) frame(limit int) ([]byte, error) {
	var head [9]byte
	if _, err := io.ReadFull(c.conn, head[:2]); err != nil {
		return nil, err
	}
	size := uint64(head[1])
	if head[0]&flagLong != 0 {
		if _, err := io.ReadFull(c.conn, head[2:]); err != nil {
			return nil, err
		}
		size = binary.BigEndian.Uint64(head[1:])
	}
	if head[0]&^(flagLong|flagCommand) != 0 {
		return nil, refuse("invalid frame flags %#x", head[0])
	}
	if size > uint64(limit) {
		return nil, refuse("an encrypted frame of %d bytes, at most %d are accepted", size, limit)
	}
	var body bytes.Buffer
	if _, err := io.CopyN(&body, c.conn, int64(size)); err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}

// Write accepts zmq4's output in pieces of any size and sends it encrypted, frame by frame.
func (c *curve) Write(p []byte) (int, error) {
	c.frames = append(c.frames, p...)
	var out []byte
	for n := -1; n != 0; {
		var wire []byte
		wire, n = c.encrypt()
		out, c.frames = append(out, wire...), c.frames[n:]
	}
	if len(c.frames) == 0 {
		c.frames = nil // the array may be as large as a message
	}
	if _, err := c.conn.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// encrypt returns the bytes to send for the greeting or frame at the start of c.frames, and its size; 0 if it is
// incomplete. READY is sent later: see ready.
func (c *curve) encrypt() (wire []byte, n int) {
	if !c.greets {
		return c.greeting()
	}
	flags, body, n := decodeFrame(c.frames)
	switch {
	case n == 0:
		return nil, 0
	case c.meta == nil:
		c.meta = append([]byte{}, bytes.TrimPrefix(body, []byte("\x05READY"))...)
		return nil, n
	}
	inner := flags & curveMore
	if flags&flagCommand != 0 {
		inner |= curveCommand
	}
	c.said++
	sealed := box.SealAfterPrecomputation(nil, append([]byte{inner}, body...), shortNonce("CurveZMQMESSAGES", c.said),
		&c.shared)
	return encodeFrame(0, curveBody("\x07MESSAGE", c.said, sealed)), n // libzmq sends no command flag either
}

func (c *curve) greeting() (wire []byte, n int) {
	if len(c.frames) < greetingLen {
		return nil, 0
	}
	wire = bytes.Clone(c.frames[:greetingLen])
	copy(mechanism(wire), curveMechanism)
	wire[greetingServer] = 1
	c.greets = true
	return wire, greetingLen
}

// curveBody is the body of a command or message whose box has a nonce that counts.
func curveBody(name string, nonce uint64, sealed []byte) []byte {
	return append(binary.BigEndian.AppendUint64([]byte(name), nonce), sealed...)
}

// send sends a command of the handshake.
func (c *curve) send(body []byte) error {
	_, err := c.conn.Write(encodeFrame(flagCommand, body))
	return err
}

// encodeFrame returns a frame in its wire form.
func encodeFrame(flags byte, body []byte) []byte {
	if len(body) < 256 {
		return append([]byte{flags, byte(len(body))}, body...)
	}
	return append(binary.BigEndian.AppendUint64([]byte{flags | flagLong}, uint64(len(body))), body...)
}

// decodeFrame returns the first frame of the wire data, and its size; 0 if it is incomplete.
func decodeFrame(b []byte) (flags byte, body []byte, size int) {
	head, n := 2, uint64(0)
	switch {
	case len(b) < head:
		return 0, nil, 0
	case b[0]&flagLong == 0:
		n = uint64(b[1])
	case len(b) < 9:
		return 0, nil, 0
	default:
		head, n = 9, binary.BigEndian.Uint64(b[1:])
	}
	if uint64(len(b)-head) < n {
		return 0, nil, 0
	}
	return b[0], b[head : head+int(n)], head + int(n)
}
