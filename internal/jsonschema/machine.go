package jsonschema

import (
	"encoding/binary"
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
	allowed *Set            // of tokens, when it was asked for
}

// machine has the frames and states of one text.
type machine struct {
	g      *grammar
	frames map[frameKey]*frame
	states map[string]*state
	seen   map[*frame]bool // while a state is made
	steps  int             // bytes that states were asked for: the work that was done
}

// maxStates is after how many states a machine begins anew.
const maxStates = 1 << 15

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
	m.frames, m.states, m.seen = map[frameKey]*frame{}, map[string]*state{}, map[*frame]bool{}
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
	m.steps++
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
	next = m.state(tops)
	s.next[b] = next
	return next
}

// ends reports whether the text may end in a state.
func (s *state) ends() bool { return s.tops[0] == nil }

// read appends the frames after a byte.
func (m *machine) read(tops []*frame, f *frame, b byte) []*frame {
	n := &m.g.nodes[f.node]
	switch n.kind {
	case literal:
		if n.text[f.at] == b {
			return m.open(tops, m.frame(f.node, f.at+1, f.parent))
		}
	case digits:
		if b >= '0' && b <= '9' {
			return m.open(tops, m.frame(f.node, f.at+1, f.parent))
		}
	case character:
		switch at := charStep(f.at, b); {
		case at == charEnd:
			return m.open(tops, f.parent)
		case at != charNone:
			return m.open(tops, m.frame(f.node, at, f.parent))
		}
	}
	return tops
}

// open appends the frames that a byte can be read by where f is next, or nil for the end of the text.
func (m *machine) open(tops []*frame, f *frame) []*frame {
	if m.seen[f] {
		return tops
	}
	m.seen[f] = true
	if f == nil {
		return append(tops, nil)
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
		return append(tops, f)
	case digits:
		if f.at >= n.min {
			tops = m.open(tops, f.parent)
		}
		if f.at < n.max {
			tops = append(tops, f)
		}
		return tops
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
	return append(tops, f) // character
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

// Places within a character of a JSON string: UTF-8 as RFC 3629 has it, or an escape that is no surrogate.
const (
	charBegin  = iota
	charEscape // after a backslash
	charLast   // before the last byte
	charE0     // after the byte E0, whose next one is limited
	charTwo    // before the last two bytes
	charED
	charF0
	charThree
	charF4
	charHex // before the digits of \u
	charHexD
	charHexThree
	charHexTwo
	charHexOne
	charEnd
	charNone = -1
)

// charSteps are the ranges of bytes that lead from a place to another.
var charSteps = map[int][]struct {
	low, high byte
	to        int
}{
	charBegin: {{' ', '!', charEnd}, {'#', '[', charEnd}, {'\\', '\\', charEscape}, {']', 0x7F, charEnd},
		{0xC2, 0xDF, charLast}, {0xE0, 0xE0, charE0}, {0xE1, 0xEC, charTwo}, {0xED, 0xED, charED},
		{0xEE, 0xEF, charTwo}, {0xF0, 0xF0, charF0}, {0xF1, 0xF3, charThree}, {0xF4, 0xF4, charF4}},
	charEscape: {{'"', '"', charEnd}, {'/', '/', charEnd}, {'\\', '\\', charEnd}, {'b', 'b', charEnd},
		{'f', 'f', charEnd}, {'n', 'n', charEnd}, {'r', 'r', charEnd}, {'t', 't', charEnd}, {'u', 'u', charHex}},
	charLast:  {{0x80, 0xBF, charEnd}},
	charE0:    {{0xA0, 0xBF, charLast}},
	charTwo:   {{0x80, 0xBF, charLast}},
	charED:    {{0x80, 0x9F, charLast}},
	charF0:    {{0x90, 0xBF, charTwo}},
	charThree: {{0x80, 0xBF, charTwo}},
	charF4:    {{0x80, 0x8F, charTwo}},
	charHex: {{'0', '9', charHexThree}, {'a', 'c', charHexThree}, {'d', 'd', charHexD}, {'e', 'f', charHexThree},
		{'A', 'C', charHexThree}, {'D', 'D', charHexD}, {'E', 'F', charHexThree}},
	charHexD:     {{'0', '7', charHexTwo}},
	charHexThree: {{'0', '9', charHexTwo}, {'a', 'f', charHexTwo}, {'A', 'F', charHexTwo}},
	charHexTwo:   {{'0', '9', charHexOne}, {'a', 'f', charHexOne}, {'A', 'F', charHexOne}},
	charHexOne:   {{'0', '9', charEnd}, {'a', 'f', charEnd}, {'A', 'F', charEnd}},
}

// charStep returns the place after a byte.
func charStep(at int, b byte) int {
	for _, r := range charSteps[at] {
		if b >= r.low && b <= r.high {
			return r.to
		}
	}
	return charNone
}
