package jupyter

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/gorocm/gorocm/display/comm"
	"github.com/gorocm/gorocm/repl"
)

// comms holds the open comms between widgets and the session's cells, with their targets.
type comms struct {
	mu    sync.Mutex
	open  map[string]string
	begun bool // a cell has run, so the session has somebody to send to
	// opening are the clients' comm_open messages that the session has not answered.
	opening map[string]*opening
}

// opening is a comm_open of a client.
type opening struct {
	parent *message
	done   chan struct{} // closed when the session has answered
}

// openTime is how long a client's comm_open may wait for the session. A comm that is refused later is closed later.
const openTime = time.Second

// wait is called before a client's comm_open goes to the session.
func (c *comms) wait(id string, parent *message) *opening {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := &opening{parent, make(chan struct{})}
	if c.opening == nil {
		c.opening = map[string]*opening{}
	}
	c.opening[id] = o
	return o
}

// answered returns the client's comm_open that the session answers with a packet, if there is one: the session repeats
// a comm_open that it accepts.
func (c *comms) answered(id string) *opening {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.opening[id]
	delete(c.opening, id)
	return o
}

// begin is called before a cell runs.
func (c *comms) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = true
}

func (c *comms) canAnswer() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun
}

// note keeps track of the open comms.
func (c *comms) note(p comm.Packet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch p.Kind {
	case comm.KindOpen:
		if c.open == nil {
			c.open = map[string]string{}
		}
		c.open[p.ID] = p.Target
	case comm.KindClose:
		delete(c.open, p.ID)
	}
}

// send passes a packet of the session on to the clients.
func (c *comms) send(pub *iopub, parent *message, p comm.Packet) {
	if p.Kind == comm.KindOpen || p.Kind == comm.KindClose {
		if o := c.answered(p.ID); o != nil {
			defer close(o.done)
			if p.Kind == comm.KindOpen {
				return
			}
			c.note(p)
			pub.announce(o.parent, comm.KindClose, commMessage{p.ID, objectOr(p.Data)})
			return
		}
	}
	c.note(p)
	pub.waitRoom()
	var content any = commMessage{p.ID, objectOr(p.Data)}
	if p.Kind == comm.KindOpen {
		content = commOpen{p.ID, p.Target, objectOr(p.Data)}
	}
	pub.announceWith(parent, p.Kind, objectOr(p.Metadata), content, p.Buffers)
}

// lost informs clients that their comms ended with the session.
func (c *comms) lost(pub *iopub, parent *message) {
	c.mu.Lock()
	gone := c.open
	c.open, c.begun, c.opening = nil, false, nil
	c.mu.Unlock()
	for id := range gone {
		pub.announce(parent, comm.KindClose, commMessage{id, emptyObject})
	}
}

func objectOr(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return emptyObject
	}
	return raw
}

// comm passes a client's comm_open, comm_msg or comm_close on to the session. A comm with an unknown target is closed
// at once, as the specification requires. So is one that is opened before the first cell, when the session cannot
// answer yet: ipywidgets opens one as soon as a notebook is shown, and would show no widget for the four seconds that
// it waits for an answer.
func (k *kernel) comm(r *request) (any, error) {
	var m commOpen
	if err := parse(r, &m); err != nil {
		return nil, err
	}
	if m.ID == "" {
		return nil, fmt.Errorf("%s: comm_id is missing", r.Type)
	}
	p := comm.Packet{Kind: r.Type, ID: m.ID, Target: m.Target, Data: objectOr(m.Data), Buffers: r.buffers}
	s, err := k.session.get(false)
	if to, ok := s.(repl.Communicator); err == nil && ok && (p.Kind != comm.KindOpen || k.comms.canAnswer()) {
		k.comms.note(p)
		if p.Kind != comm.KindOpen {
			to.Deliver(p)
			return nil, nil
		}
		o := k.comms.wait(p.ID, r.message)
		to.Deliver(p)
		select { // so that a refusal reaches the client before this message is done
		case <-o.done:
		case <-time.After(openTime):
		case <-k.ended:
		}
	} else if p.Kind == comm.KindOpen {
		k.pub.announce(r.message, comm.KindClose, commMessage{p.ID, emptyObject})
	}
	return nil, nil
}

func (k *kernel) commInfo(r *request) (any, error) {
	var req commInfoRequest
	if err := parse(r, &req); err != nil {
		return nil, err
	}
	k.comms.mu.Lock()
	open := maps.Clone(k.comms.open)
	k.comms.mu.Unlock()
	reply := commInfoReply{statusOK, map[string]commInfo{}}
	for id, target := range open {
		if req.Target == "" || req.Target == target {
			reply.Comms[id] = commInfo{target}
		}
	}
	return reply, nil
}
