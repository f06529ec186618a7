package grammar

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// frame is a node that is being read, how far, and what is read after it. Equal frames are the same one.
type frame struct {
	frameKey
	id uint32
}

type frameKey struct {
	node, at int
	parent   *frame
}

// state is what may come next: one of several frames. A nil frame is the end of the text. Equal states are the same.
type state struct {
	tops    []*frame
	next    map[byte]*state // those that were asked for; nil is none
	runs    []run           // see runsOf
	known   bool            // runs are
	allowed *Set            // of tokens, when it was asked for
}

// machine has the frames and states of one text.
type machine struct {
	g      *Grammar
	token  []int // the tokens that nodes name, by the place of the node
	frames map[frameKey]*frame
	states map[string]*state
	seen   map[*frame]bool // while a state is made
	least  map[*frame]int  // also: how many times repetitions of what may be empty were read, at least
	work   int             // bytes that states were asked for, and frames that were looked at
	err    error           // that there was too much of it; no state is right then
}

// maxStates is after how many states a machine begins anew.
const maxStates = 1 << 15

// maxTops is how many frames a state may have, and maxWork how much work a token may take. Both only end grammars by
// which a text can be read in more and more ways at once.
const (
	maxTops = 1 << 14
	maxWork = 1 << 24
)

func (m *machine) frame(node, at int, parent *frame) *frame {
	key := frameKey{node, at, parent}
	f, ok := m.frames[key]
	if !ok {
		f = &frame{key, uint32(len(m.frames) + 1)}
		m.frames[key] = f
	}
	return f
}

// begin is the state before a text.
func (m *machine) begin(root int) *state {
	m.frames, m.states = map[frameKey]*frame{}, map[string]*state{}
	m.seen, m.least = map[*frame]bool{}, map[*frame]int{}
	return m.state(m.open(nil, m.frame(root, 0, nil)))
}

// again forgets all states but one, which is made anew.
func (m *machine) again(s *state) *state {
	tops := s.tops
	m.frames, m.states = map[frameKey]*frame{}, map[string]*state{}
	var copied func(f *frame) *frame
	copied = func(f *frame) *frame {
		if f == nil {
			return nil
		}
		return m.frame(f.node, f.at, copied(f.parent))
	}
	fresh := make([]*frame, len(tops))
	for i, f := range tops {
		fresh[i] = copied(f)
	}
	return m.state(fresh)
}

// state returns the state of frames; nil of none.
func (m *machine) state(tops []*frame) *state {
	clear(m.seen)
	clear(m.least)
	if len(tops) == 0 {
		return nil
	}
	slices.SortFunc(tops, func(a, b *frame) int { return int(a.number()) - int(b.number()) })
	tops = slices.Compact(tops)
	key := make([]byte, 0, 4*len(tops))
	for _, f := range tops {
		key = binary.LittleEndian.AppendUint32(key, f.number())
	}
	s, ok := m.states[string(key)]
	if !ok {
		s = &state{tops: tops, next: map[byte]*state{}}
		m.states[string(key)] = s
	}
	return s
}

func (f *frame) number() uint32 {
	if f == nil {
		return 0
	}
	return f.id
}

// after returns the state after a byte, nil when it cannot come.
func (m *machine) after(s *state, b byte) *state {
	m.work++
	next, known := s.next[b]
	if known {
		return next
	}
	var tops []*frame
	for _, f := range s.tops {
		if f != nil {
			tops = m.read(tops, f, b)
		}
	}
	m.work += len(s.tops)
	next = m.state(tops)
	s.next[b] = next
	return next
}

// ends reports whether the text may end in a state.
func (s *state) ends() bool { return s.tops[0] == nil }

// read appends the frames after a byte.
func (m *machine) read(tops []*frame, f *frame, b byte) []*frame {
	switch n := &m.g.nodes[f.node]; n.kind {
	case literal:
		if n.text[f.at] == b {
			return m.open(tops, m.frame(f.node, f.at+1, f.parent))
		}
	case character:
		switch at := n.class.step(f.at, b); {
		case at == 0:
			return m.open(tops, f.parent)
		case at > 0:
			return m.open(tops, m.frame(f.node, at, f.parent))
		}
	}
	return tops
}

// open appends the frames that a byte can be read by where f is next, or nil for the end of the text.
func (m *machine) open(tops []*frame, f *frame) []*frame {
	if m.seen[f] || m.err != nil {
		return tops
	}
	m.seen[f] = true
	if f == nil {
		return append(tops, nil)
	}
	if m.work++; len(tops) > maxTops || m.work > maxWork {
		m.err = fmt.Errorf("the text can be read in too many ways at once: " +
			"want rules whose alternatives begin differently")
		return nil
	}
	n := &m.g.nodes[f.node]
	if n.dead {
		return tops
	}
	switch n.kind {
	case literal:
		if f.at == len(n.text) {
			return m.open(tops, f.parent)
		}
	case sequence:
		return m.openSequence(tops, n, f)
	case choice:
		for _, p := range n.parts {
			tops = m.open(tops, m.frame(p, 0, f.parent))
		}
		return tops
	case repeat:
		return m.openRepeat(tops, n, f)
	}
	return append(tops, f)
}

func (m *machine) openSequence(tops []*frame, n *node, f *frame) []*frame {
	if f.at == len(n.parts) {
		return m.open(tops, f.parent)
	}
	rest := f.parent
	if f.at+1 < len(n.parts) {
		rest = m.frame(f.node, f.at+1, f.parent)
	}
	return m.open(tops, m.frame(n.parts[f.at], 0, rest))
}

// openRepeat is open for a repetition of which f.at are read. Without a max, no more are counted than matter.
func (m *machine) openRepeat(tops []*frame, n *node, f *frame) []*frame {
	if f.at >= n.min {
		tops = m.open(tops, f.parent)
	}
	if f.at >= n.max {
		return tops
	}
	if n.max < unbounded && m.g.nodes[n.parts[0]].empty { // then it is enough to read it the fewest times
		key := m.frame(f.node, -1, f.parent)
		if least, ok := m.least[key]; ok && least <= f.at {
			return tops
		}
		m.least[key] = f.at
	}
	count := f.at + 1
	if n.max == unbounded {
		count = min(count, max(n.min, 1))
	}
	rest := m.frame(f.node, count, f.parent)
	if len(n.parts) > 1 && f.at > 0 {
		return m.open(tops, m.frame(n.parts[1], 0, m.frame(n.parts[0], 0, rest)))
	}
	return m.open(tops, m.frame(n.parts[0], 0, rest))
}
