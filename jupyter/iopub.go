package jupyter

import (
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	coalesceTime = 50 * time.Millisecond
	coalesceSize = 64 << 10
	maxTopics    = 1024 // subscriptions of one peer
	maxTopic     = 256  // bytes of a subscription
)

// iopub sends the output of cells to all subscribers, in one order. Stream output is collected for coalesceTime or up
// to coalesceSize before it is sent, since clients pay by the message; everything else sends it first.
type iopub struct {
	codec  *codec
	socket *socket
	log    *slog.Logger

	mu      sync.Mutex
	pending pendingStream
	running *message // the cell that is busy
}

// pendingStream is output that has not been sent.
type pendingStream struct {
	parent *message
	name   string
	text   []byte
	timer  *time.Timer
}

// publish sends a message of a cell. It waits for subscribers that lag behind.
func (p *iopub) publish(parent *message, msgType string, content any) {
	p.waitRoom()
	p.announce(parent, msgType, content)
}

// stream adds output of a cell. It waits for subscribers that lag behind.
func (p *iopub) stream(parent *message, name, text string) {
	if text == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.pending.text)+len(text) >= coalesceSize {
		p.mu.Unlock()
		p.waitRoom()
		p.mu.Lock()
	}
	if p.pending.parent != parent || p.pending.name != name {
		p.flush(true)
		p.pending.parent, p.pending.name = parent, name
	}
	for text != "" {
		n := min(len(text), coalesceSize-len(p.pending.text))
		p.pending.text = append(p.pending.text, text[:n]...)
		text = text[n:]
		if len(p.pending.text) == coalesceSize {
			p.flush(false)
		}
	}
	if len(p.pending.text) > 0 && p.pending.timer == nil {
		p.pending.timer = time.AfterFunc(coalesceTime, p.flushLate)
	}
}

// announce sends a message that is not output of a cell. It never waits, so control messages are answered beside a cell
// whose output is held up.
func (p *iopub) announce(parent *message, msgType string, content any) {
	p.announceWith(parent, msgType, nil, content, nil)
}

// announceWith is announce with metadata and buffers; both may be nil.
func (p *iopub) announceWith(parent *message, msgType string, metadata, content any, buffers [][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush(true)
	p.send(parent, msgType, msgType, metadata, content, buffers)
}

// flushNow sends pending output.
func (p *iopub) flushNow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush(true)
}

// status reports whether the kernel works on parent. Clients show the last state received, whatever its parent, so when
// another message is finished while a cell runs, the cell's state is repeated.
func (p *iopub) status(parent *message, state string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush(true)
	p.send(parent, "status", "status", nil, statusContent{state}, nil)
	switch {
	case state == "busy" && parent.Type == "execute_request" && p.running == nil:
		p.running = parent
	case parent == p.running:
		p.running = nil
	case state == "idle" && p.running != nil:
		p.send(p.running, "status", "status", nil, statusContent{"busy"}, nil)
	}
}

func (p *iopub) flushLate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending.timer = nil
	p.flush(false)
}

// flush sends pending output. p.mu is held. Unless all is set, the first bytes of a rune whose rest has not come yet
// wait for it.
func (p *iopub) flush(all bool) {
	if p.pending.timer != nil {
		p.pending.timer.Stop()
		p.pending.timer = nil
	}
	text := p.pending.text
	if len(text) == 0 {
		return
	}
	n := len(text)
	if !all {
		n = wholeRunes(text)
	}
	if n > 0 {
		p.send(p.pending.parent, "stream."+p.pending.name, "stream", nil,
			streamContent{p.pending.name, string(text[:n])}, nil)
	}
	p.pending.text = append(text[:0], text[n:]...)
}

// wholeRunes returns how much of text does not end inside a rune.
func wholeRunes(text []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if b := text[len(text)-i]; utf8.RuneStart(b) {
			if utf8.FullRune(text[len(text)-i:]) {
				return len(text)
			}
			return len(text) - i
		}
	}
	return len(text)
}

// send queues a message for every link that has subscribed to its topic. p.mu is held.
func (p *iopub) send(parent *message, topic, msgType string, metadata, content any, buffers [][]byte) {
	links := p.socket.snapshot()
	if len(links) == 0 {
		return
	}
	frames, err := p.codec.encode([][]byte{[]byte(topic)}, msgType, parent, metadata, content, buffers...)
	if err != nil {
		p.log.Error("cannot encode a message", "type", msgType, "error", err)
		return
	}
	for _, l := range links {
		if l.subscribed(topic) {
			l.send(frames)
		}
	}
}

// waitRoom waits for the subscribers that lag behind, if a client that knows the key is one of them. Others are cut.
func (p *iopub) waitRoom() {
	for _, l := range p.socket.snapshot() {
		if !l.isFull() {
			continue
		}
		if p.socket.isVouched(l) {
			l.waitRoom()
			continue
		}
		p.log.Warn("a subscriber that has not shown that it knows the key has stopped reading, closing its connection")
		l.cut()
	}
}

func (l *link) subscribed(topic string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for t := range l.topics {
		if strings.HasPrefix(topic, t) {
			return true
		}
	}
	return false
}
