package comm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
)

// The kinds of packets, named as Jupyter names its messages.
const (
	KindOpen    = "comm_open"
	KindMessage = "comm_msg"
	KindClose   = "comm_close"
)

// Packet is a message between a session and its front end.
type Packet struct {
	Kind     string          `json:"kind"`
	ID       string          `json:"id"`
	Target   string          `json:"target,omitempty"` // of KindOpen
	Data     json.RawMessage `json:"data,omitempty"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
	Buffers  [][]byte        `json:"buffers,omitempty"`
}

// Message is what a callback gets.
type Message struct {
	Data    map[string]any // as encoding/json decodes it
	Raw     json.RawMessage
	Buffers [][]byte // binary data that Data does not hold
}

// Comm is one conversation. Its methods may be called from any goroutine.
type Comm struct {
	id, target string

	mu        sync.Mutex
	closed    bool
	received  func(Message)
	onMessage func(Message)
	onClose   func(Message)
}

// The comms that are open, the targets that can be opened, and where packets go.
var board = struct {
	sync.Mutex
	send    func(Packet)
	comms   map[string]*Comm
	targets map[string]func(*Comm, Message)
	flush   []func()
}{comms: map[string]*Comm{}, targets: map[string]func(*Comm, Message){}}

// SetSender sets the function that sends packets to the front end: a session sets it for its cells. With nil no packets
// are sent.
func SetSender(send func(Packet)) {
	board.Lock()
	defer board.Unlock()
	board.send = send
}

// Connected reports whether the front end supports comms.
func Connected() bool {
	board.Lock()
	defer board.Unlock()
	return board.send != nil
}

// Awaits reports whether a message may come from the front end: it supports comms, and a comm is open.
func Awaits() bool {
	board.Lock()
	defer board.Unlock()
	return board.send != nil && len(board.comms) > 0
}

func send(kind, id, target string, data, metadata any, buffers [][]byte) error {
	p := Packet{Kind: kind, ID: id, Target: target, Buffers: buffers}
	var err error
	if p.Data, err = object(data); err != nil {
		return err
	}
	if p.Metadata, err = object(metadata); err != nil {
		return err
	}
	board.Lock()
	send := board.send
	board.Unlock()
	if send != nil {
		send(p)
	}
	return nil
}

// object is v in JSON form, {} for nil.
func object(v any) (json.RawMessage, error) {
	if v == nil {
		return json.RawMessage("{}"), nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("comm: %w", err)
	}
	if len(b) == 0 || b[0] != '{' {
		return nil, fmt.Errorf("comm: data must be an object in JSON, such as a map or a struct, and this is %.40s", b)
	}
	return b, nil
}

// Open opens a comm to a target of the front end. Data must become an object in JSON; nil is an empty one.
func Open(target string, data any, buffers ...[]byte) (*Comm, error) {
	return OpenAs(strings.ReplaceAll(uuid.NewString(), "-", ""), target, data, nil, buffers...)
}

// OpenAs is Open with an ID that no other comm has, and with metadata, which must become an object in JSON too.
func OpenAs(id, target string, data, metadata any, buffers ...[]byte) (*Comm, error) {
	c := &Comm{id: id, target: target}
	board.Lock()
	board.comms[c.id] = c
	board.Unlock()
	if err := send(KindOpen, c.id, target, data, metadata, buffers); err != nil {
		c.forget()
		return nil, err
	}
	return c, nil
}

// Register names a target that the front end can open. Opened receives the new comm and the opening message. With nil
// the target is removed.
func Register(target string, opened func(c *Comm, m Message)) {
	board.Lock()
	defer board.Unlock()
	if opened == nil {
		delete(board.targets, target)
		return
	}
	board.targets[target] = opened
}

// ID names the comm, to both sides.
func (c *Comm) ID() string { return c.id }

// Target is what the comm was opened to.
func (c *Comm) Target() string { return c.target }

// Send sends data, which must become an object in JSON, and buffers with it. A comm that is closed sends nothing.
func (c *Comm) Send(data any, buffers ...[]byte) error {
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		return nil
	}
	return send(KindMessage, c.id, "", data, nil, buffers)
}

// OnMessage registers a function that is called for every message from the front end: see the package's comment.
func (c *Comm) OnMessage(f func(Message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onMessage = f
}

// OnReceive registers a function that is called when a message arrives, before OnMessage's function. It must neither
// wait nor call into cells.
func (c *Comm) OnReceive(f func(Message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = f
}

// OnClose registers a function that is called when the front end closes the comm.
func (c *Comm) OnClose(f func(Message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onClose = f
}

// Close closes the comm and informs the front end, with data that must become an object in JSON; nil is an empty one.
func (c *Comm) Close(data any) error {
	if !c.forget() {
		return nil
	}
	return send(KindClose, c.id, "", data, nil, nil)
}

// forget reports whether the comm was open.
func (c *Comm) forget() bool {
	board.Lock()
	delete(board.comms, c.id)
	board.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	was := !c.closed
	c.closed = true
	return was
}

// Deliver accepts a packet from the front end. It does not block; packets are processed in order.
func Deliver(p Packet) { arrivals.add(func() { deliver(p) }) }

func deliver(p Packet) {
	m := Message{Raw: p.Data, Buffers: p.Buffers}
	if json.Unmarshal(p.Data, &m.Data) != nil || m.Data == nil {
		m.Data = map[string]any{}
	}
	board.Lock()
	c, target := board.comms[p.ID], board.targets[p.Target]
	board.Unlock()
	switch {
	case p.Kind == KindOpen && c == nil && target == nil:
		_ = send(KindClose, p.ID, "", nil, nil, nil) // as the specification asks; an empty object has a JSON form
	case p.Kind == KindOpen && c == nil:
		c = &Comm{id: p.ID, target: p.Target}
		board.Lock()
		board.comms[p.ID] = c
		board.Unlock()
		_ = send(KindOpen, p.ID, p.Target, nil, nil, nil) // the front end waits for this, or for KindClose
		Later(func() { target(c, m) })
	case p.Kind == KindOpen:
		_ = send(KindOpen, p.ID, p.Target, nil, nil, nil)
	case c == nil:
	case p.Kind == KindMessage:
		c.mu.Lock()
		received := c.received
		c.mu.Unlock()
		if received != nil {
			received(m)
		}
		Later(func() { c.call(func() func(Message) { return c.onMessage }, m) })
	case p.Kind == KindClose:
		c.forget()
		Later(func() { c.call(func() func(Message) { return c.onClose }, m) })
	}
}

// call calls the function that is registered when the callback's turn comes: a target's function registers it.
func (c *Comm) call(which func() func(Message), m Message) {
	c.mu.Lock()
	f := which()
	c.mu.Unlock()
	if f != nil {
		f(m)
	}
}

// OnFlush adds a function that sends updates held back to spare the front end.
func OnFlush(f func()) {
	board.Lock()
	defer board.Unlock()
	board.flush = append(board.flush, f)
}

// Flush sends the updates held back: a session calls it at the end of a cell.
func Flush() {
	board.Lock()
	flush := slices.Clone(board.flush)
	board.Unlock()
	for _, f := range flush {
		f()
	}
}
