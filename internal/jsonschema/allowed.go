package jsonschema

import (
	"fmt"
	"sort"
)

// Matcher follows one text. One goroutine uses it.
type Matcher struct {
	v       *Vocabulary
	machine machine
	now     *state
	bytes   func(id int) []byte
	asked   []*state // those with a set of tokens
}

// maxSets is how many states of a text keep their set of tokens.
const maxSets = 256

// Match returns a Matcher for a text that is still empty. bytes are those of NewVocabulary.
func (s *Schema) Match(v *Vocabulary, bytes func(id int) []byte) *Matcher {
	m := &Matcher{v: v, bytes: bytes, machine: machine{g: &s.g}}
	m.now = m.machine.begin(s.root)
	return m
}

// Add adds a token to the text. The error says that it is not allowed.
func (m *Matcher) Add(id int) error {
	text := m.bytes(id)
	s := m.now
	for _, b := range text {
		if s = m.machine.after(s, b); s == nil {
			break
		}
	}
	if s == nil || len(text) == 0 {
		return fmt.Errorf("jsonschema: the token %d, %q, does not continue the text", id, text)
	}
	if m.now = s; len(m.machine.states) > maxStates || len(m.machine.frames) > 8*maxStates {
		m.now, m.asked = m.machine.again(s), nil
	}
	return nil
}

// MayEnd reports whether the text is JSON of the schema, and MustEnd whether no longer one is.
func (m *Matcher) MayEnd() bool  { return m.now.ends() }
func (m *Matcher) MustEnd() bool { return m.now.ends() && len(m.now.tops) == 1 }

// Allowed returns the tokens that continue the text. It is not to be changed.
func (m *Matcher) Allowed() *Set {
	s := m.now
	if s.allowed == nil {
		if len(m.asked) == maxSets {
			for _, old := range m.asked {
				old.allowed = nil
			}
			m.asked = m.asked[:0]
		}
		s.allowed = m.allowed(s)
		m.asked = append(m.asked, s)
	}
	return s.allowed
}

func (m *Matcher) allowed(s *state) *Set {
	set := newSet(m.v.n)
	room, alone := m.machine.room(s)
	longest := 0
	if n := len(m.v.lengths); n > 0 {
		longest = m.v.lengths[n-1]
	}
	switch {
	case room > 0 && (alone || room >= longest):
		if i := sort.SearchInts(m.v.lengths, room+1); i > 0 { // those of at most room characters
			set.union(m.v.plain[i-1])
		}
		m.v.rest.walk(&m.machine, s, set, false)
	case m.machine.inCharacter(s):
		// Half of a vocabulary may begin with a letter that follows a backslash.
		if m.v.all.walk(&m.machine, s, set, true); set.Len() > 0 {
			break
		}
		fallthrough
	default:
		m.v.all.walk(&m.machine, s, set, false)
	}
	return set
}

// inCharacter reports whether a state is within a character of a string, and nothing else can come.
func (m *machine) inCharacter(s *state) bool {
	for _, f := range s.tops {
		if f == nil || m.g.nodes[f.node].kind != character || f.at == charBegin {
			return false
		}
	}
	return true
}

// room returns how many characters of a string may come, 0 where none is read. alone says that no other text can begin
// as characters do which are no quotation mark.
func (m *machine) room(s *state) (room int, alone bool) {
	alone = true
	for _, f := range s.tops {
		if f == nil {
			continue
		}
		switch n := &m.g.nodes[f.node]; {
		case n.kind == character && f.at == charBegin:
			room = max(room, m.left(f))
		case n.kind == literal && n.text[f.at] == '"':
		default:
			alone = false
		}
	}
	return room, alone
}

// left is how many characters the repetition has left that a character belongs to.
func (m *machine) left(f *frame) int {
	n := &m.g.nodes[f.parent.node] // its frame counts the character already
	if n.max == unbounded {
		return unbounded
	}
	return n.max - f.parent.at + 1
}
