package jupyter

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// protocolVersion is the version of the Jupyter messaging protocol that we speak.
const protocolVersion = "5.5"

// delimiter separates the routing frames from the message proper.
const delimiter = "<IDS|MSG>"

const (
	maxRoutes = 16      // routing frames before the delimiter; a direct client has none
	maxHeader = 1 << 16 // bytes of a header, which is echoed in everything that answers it
)

// header is the header of an outgoing message.
type header struct {
	ID       string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	Type     string `json:"msg_type"`
	Version  string `json:"version"`
}

// message is a verified message from a client. We need three fields of its header, and echo all of it.
type message struct {
	ID   string
	Type string
	// Subshell is the subshell that is to answer; empty for the main shell.
	Subshell string
	routes   [][]byte        // frames before the delimiter, sent back before the reply
	raw      json.RawMessage // the header as it came: the parent_header of every answer
	parent   json.RawMessage // the header of what it answers
	content  json.RawMessage
	buffers  [][]byte // binary data that belongs to the content
}

// Reasons to drop a message.
var (
	errDelimiter = errors.New("no " + delimiter + " frame")
	errShort     = errors.New("frames are missing after " + delimiter)
	errSignature = errors.New("the signature is wrong")
	errReplay    = errors.New("the message was sent before")
)

// codec signs, verifies, packs and unpacks messages. It is safe for concurrent use.
type codec struct {
	key     []byte     // empty: messages are not signed
	size    int        // bytes of a signature
	macs    *sync.Pool // apart: the runtime holds on to a pool for two collections, and with it to what it is part of
	session string
	seen    *seenSet
	count   atomic.Uint64
	now     func() time.Time
}

// newCodec signs with HMAC over a hash, SHA-256 for nil.
func newCodec(key string, sum func() hash.Hash) *codec {
	if sum == nil {
		sum = sha256.New
	}
	secret := []byte(key)
	macs := &sync.Pool{New: func() any { return hmac.New(sum, secret) }}
	return &codec{key: secret, size: sum().Size(), macs: macs, session: uuid.NewString(), seen: newSeenSet(1 << 16),
		now: time.Now}
}

// decode verifies the frames of a ZMTP message and parses them. Frames: routes, delimiter, signature, header, parent
// header, metadata, content, buffers.
func (c *codec) decode(frames [][]byte) (*message, error) {
	at := -1
	for i := 0; i < len(frames) && i <= maxRoutes; i++ {
		if string(frames[i]) == delimiter {
			at = i
			break
		}
	}
	if at < 0 {
		return nil, errDelimiter
	}
	routes, frames := frames[:at], frames[at+1:]
	if len(frames) < 5 {
		return nil, errShort
	}
	if err := c.verify(frames[0], frames[1:5]); err != nil {
		return nil, err
	}
	m := &message{routes: routes, raw: frames[1], parent: frames[2], content: frames[4], buffers: frames[5:]}
	if len(m.raw) > maxHeader {
		return nil, fmt.Errorf("the header has %d bytes, at most %d are accepted", len(m.raw), maxHeader)
	}
	for i, name := range []string{"header", "parent_header", "metadata", "content"} {
		if i > 0 && string(frames[i+1]) == "null" { // what some clients send for nothing
			continue
		}
		if err := checkObject(frames[i+1]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	var named struct {
		ID   string `json:"msg_id"`
		Type string `json:"msg_type"`
		// any, because it is null or missing mostly, and a client's mistake there must not cost it the message
		Subshell any `json:"subshell_id"`
	}
	if err := json.Unmarshal(m.raw, &named); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	m.ID, m.Type = named.ID, named.Type
	m.Subshell, _ = named.Subshell.(string)
	if m.ID == "" || m.Type == "" {
		return nil, errors.New("header: msg_id or msg_type is missing")
	}
	return m, nil
}

func (c *codec) verify(signature []byte, parts [][]byte) error {
	if len(c.key) == 0 {
		return nil
	}
	want := c.sign(parts)
	got := make([]byte, hex.DecodedLen(len(signature)))
	if len(signature) != 2*c.size {
		return errSignature
	}
	if _, err := hex.Decode(got, signature); err != nil || !hmac.Equal(got, want) {
		return errSignature
	}
	if !c.seen.add(seenSum(want)) {
		return errReplay
	}
	return nil
}

func (c *codec) sign(parts [][]byte) []byte {
	mac := c.macs.Get().(hash.Hash) // a new one would work on the key first, which takes as long as a message
	defer c.macs.Put(mac)
	mac.Reset()
	for _, p := range parts {
		mac.Write(p)
	}
	return mac.Sum(make([]byte, 0, c.size))
}

// checkObject accepts a JSON object.
func checkObject(frame []byte) error {
	if trimmed := bytes.TrimLeft(frame, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return errors.New("it is not a JSON object")
	}
	if !utf8.Valid(frame) {
		return errors.New("it is not UTF-8")
	}
	if !json.Valid(frame) {
		return errors.New("it is not valid JSON")
	}
	return nil
}

// emptyObject replaces a missing parent header or missing metadata.
var emptyObject = json.RawMessage("{}")

// encode packs and signs an outgoing message. The parent may be nil. Metadata may be nil. Buffers are not signed.
func (c *codec) encode(routes [][]byte, msgType string, parent *message, metadata, content any,
	buffers ...[]byte) ([][]byte, error) {
	h := header{
		ID:       fmt.Sprintf("%s_%d", c.session, c.count.Add(1)),
		Session:  c.session,
		Username: "kernel",
		Date:     timestamp(c.now()),
		Type:     msgType,
		Version:  protocolVersion,
	}
	parts := [4][]byte{1: emptyObject, 2: emptyObject}
	if parent != nil {
		parts[1] = parent.raw
	}
	var err error
	if parts[0], err = marshal(h); err != nil {
		return nil, err
	}
	if metadata != nil {
		if parts[2], err = marshal(metadata); err != nil {
			return nil, err
		}
	}
	if parts[3], err = marshal(content); err != nil {
		return nil, err
	}
	var signature []byte
	if len(c.key) > 0 {
		signature = hex.AppendEncode(nil, c.sign(parts[:]))
	}
	frames := make([][]byte, 0, len(routes)+6+len(buffers))
	frames = append(frames, routes...)
	frames = append(frames, []byte(delimiter), signature)
	return append(append(frames, parts[:]...), buffers...), nil
}

// marshal is json.Marshal without the HTML escapes, which would make a third of Go code unreadable in logs.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// seenKey is the beginning of a signature. It is short, because many are kept; that another right signature begins like
// one of them happens once in 2^48 messages.
type seenKey [8]byte

func seenSum(signature []byte) (k seenKey) {
	copy(k[:], signature)
	return k
}

// seenSet remembers the last signatures, so that a message recorded by another process cannot be replayed.
type seenSet struct {
	mu   sync.Mutex
	set  map[seenKey]struct{}
	ring []seenKey
	next int
}

func newSeenSet(size int) *seenSet {
	return &seenSet{set: map[seenKey]struct{}{}, ring: make([]seenKey, 0, size)}
}

// add reports whether sum is new, and remembers it.
func (s *seenSet) add(sum seenKey) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, dup := s.set[sum]; dup {
		return false
	}
	if len(s.ring) < cap(s.ring) {
		s.ring = append(s.ring, sum)
	} else {
		delete(s.set, s.ring[s.next])
		s.ring[s.next] = sum
		s.next = (s.next + 1) % len(s.ring)
	}
	s.set[sum] = struct{}{}
	return true
}
