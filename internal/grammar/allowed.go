package grammar

import "fmt"

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

// Match returns a Matcher for a text that is still empty. bytes are those of NewVocabulary, id returns the token of a
// name, and whether there is one. The error names a token of the grammar that there is not.
func (g *Grammar) Match(v *Vocabulary, bytes func(id int) []byte, id func(name string) (int, bool)) (*Matcher, error) {
	m := &Matcher{v: v, bytes: bytes, machine: machine{g: g}}
	for i, n := range g.nodes {
		if n.kind != token {
			continue
		}
		if m.machine.token == nil {
			m.machine.token = make([]int, len(g.nodes))
		}
		at, ok := n.token.id, n.token.id < v.n
		if n.token.name != "" {
			at, ok = id(n.token.name)
		}
		if !ok {
			return nil, fmt.Errorf("%s: %s is not a token of the vocabulary", n.token.place, n.token)
		}
		m.machine.token[i] = at
	}
	m.now = m.machine.begin(g.root)
	return m, m.machine.err
}

// Add adds a token to the text. The error says that it is not allowed.
func (m *Matcher) Add(id int) error {
	text := m.bytes(id)
	m.machine.work = 0
	s := m.now
	for _, b := range text {
		if s = m.machine.after(s, b); s == nil {
			break
		}
	}
	if len(text) == 0 {
		s = nil
	}
	if m.machine.token != nil {
		s = m.named(id, s)
	}
	if m.machine.err != nil {
		return m.machine.err
	}
	if s == nil {
		return fmt.Errorf("the token %d, %q, does not continue the text", id, text)
	}
	if m.now = s; len(m.machine.states) > maxStates || len(m.machine.frames) > 8*maxStates {
		m.now, m.asked = m.machine.again(s), nil
	}
	return nil
}

// named is the state after a token: that after its bytes, and what it is where the grammar names it.
func (m *Matcher) named(id int, s *state) *state {
	var tops []*frame
	for _, f := range m.now.tops {
		if f != nil && m.matches(f, id) {
			tops = m.machine.open(tops, f.parent)
		}
	}
	if s != nil {
		tops = append(tops, s.tops...)
	}
	return m.machine.state(tops)
}

// matches reports whether a frame is a token that the grammar names, and this is one. Those of which another is
// excepted have a text.
func (m *Matcher) matches(f *frame, id int) bool {
	n := &m.machine.g.nodes[f.node]
	if n.kind != token {
		return false
	}
	if n.token.except {
		return m.machine.token[f.node] != id && len(m.bytes(id)) > 0
	}
	return m.machine.token[f.node] == id
}

// MayEnd reports whether the text is one of the grammar, and MustEnd whether no longer one is.
func (m *Matcher) MayEnd() bool  { return m.now.ends() }
func (m *Matcher) MustEnd() bool { return m.now.ends() && len(m.now.tops) == 1 }

// Allowed returns the tokens that continue the text. It is not to be changed. The error says that there are too many
// ways to read the text.
func (m *Matcher) Allowed() (*Set, error) {
	s := m.now
	if s.allowed == nil {
		m.machine.work = 0
		set := newSet(m.v.n)
		m.walk(set)
		if m.machine.token != nil {
			m.putNamed(set)
		}
		if m.machine.err != nil {
			return nil, m.machine.err
		}
		if len(m.asked) == maxSets {
			for _, old := range m.asked {
				old.allowed = nil
			}
			m.asked = m.asked[:0]
		}
		s.allowed, m.asked = set, append(m.asked, s)
	}
	return s.allowed, nil
}

// putNamed adds the tokens that the grammar names.
func (m *Matcher) putNamed(set *Set) {
	for _, f := range m.now.tops {
		if f == nil || m.machine.g.nodes[f.node].kind != token {
			continue
		}
		if id := m.machine.token[f.node]; !m.machine.g.nodes[f.node].token.except {
			set.put(id)
			continue
		}
		for _, id := range m.v.ids {
			if m.matches(f, int(id)) {
				set.put(int(id))
			}
		}
	}
}

// walk adds the tokens whose bytes continue the text.
func (m *Matcher) walk(set *Set) {
	type level struct {
		s     *state
		end   int    // the node after all that are below
		chars uint16 // that were begun
	}
	v := m.v
	stack := []level{{m.now, int(v.trie[0].after), 0}}
	if m.putRuns(set, 0, m.now, 0) {
		return
	}
	for at := 1; at < len(v.trie)-1 && m.machine.err == nil; {
		for at >= stack[len(stack)-1].end {
			stack = stack[:len(stack)-1]
		}
		top := stack[len(stack)-1]
		n := &v.trie[at]
		s := m.machine.after(top.s, n.b)
		if s == nil {
			at = int(n.after)
			continue
		}
		for _, id := range v.ids[n.first:v.trie[at+1].first] {
			set.put(int(id))
		}
		chars := top.chars + begins(n.b)
		if at+1 == int(n.after) || m.putRuns(set, at, s, chars) {
			at = int(n.after)
			continue
		}
		stack = append(stack, level{s, int(n.after), chars})
		at++
	}
}

// putRuns adds the tokens below a node whose rest is only characters of a class that a state repeats. It reports
// whether no other token below is allowed.
func (m *Matcher) putRuns(set *Set, at int, s *state, chars uint16) (all bool) {
	n := &m.v.trie[at]
	end := m.v.trie[n.after].first
	runs := m.machine.runsOf(s)
	for i := range runs {
		r := &runs[i]
		if int(n.below) > r.room && !r.alone {
			continue
		}
		if r.cover == nil {
			r.cover = m.v.cover(r.class)
		}
		if !r.cover.has(at) {
			continue
		}
		for i := m.v.trie[at+1].first; i < end; i++ {
			if int(m.v.chars[i]-chars) <= r.room {
				set.put(int(m.v.ids[i]))
			}
		}
		return true
	}
	return false
}

// run is a class of characters of which room may come next. When they are alone, nothing else begins as they do, nor
// does what follows them.
type run struct {
	class *class
	room  int
	alone bool
	cover cover // of the class, when it was asked for
}

// maxRuns is how many runs of a state are used.
const maxRuns = 4

// runsOf returns the repetitions of a class that a state has.
func (m *machine) runsOf(s *state) []run {
	if s.known {
		return s.runs
	}
	s.known = true
	for _, f := range s.tops {
		if f == nil || f.at != 0 || f.parent == nil || m.g.nodes[f.node].kind != character {
			continue
		}
		n := &m.g.nodes[f.parent.node] // its frame counts the character already
		looks := maxLooks
		if n.kind != repeat || len(n.parts) > 1 || !m.g.offers(n.parts[0], f.node, &looks) {
			continue
		}
		r := run{class: m.g.nodes[f.node].class, room: n.max - f.parent.at + 1}
		if n.max == unbounded {
			r.room = unbounded
		} else {
			r.alone = m.alone(r.class, s.tops, f) && m.alone(r.class, m.following(f.parent), nil)
		}
		if s.runs = append(s.runs, r); len(s.runs) == maxRuns {
			break
		}
	}
	return s.runs
}

// maxLooks is how many alternatives of a repetition are looked through for a class.
const maxLooks = 64

// offers reports whether a node is another one, or a choice that has it.
func (g *Grammar) offers(i, other int, looks *int) bool {
	if i == other {
		return true
	}
	if g.nodes[i].kind != choice {
		return false
	}
	for _, p := range g.nodes[i].parts {
		if *looks--; *looks < 0 {
			return false
		}
		if g.offers(p, other, looks) {
			return true
		}
	}
	return false
}

// following are the frames after a repetition.
func (m *machine) following(f *frame) []*frame {
	tops := m.open(nil, f.parent)
	clear(m.seen)
	clear(m.least)
	return tops
}

// alone reports whether no frame but one begins as a class does.
func (m *machine) alone(c *class, tops []*frame, but *frame) bool {
	for _, g := range tops {
		if g == nil || g == but {
			continue
		}
		switch n := &m.g.nodes[g.node]; {
		case n.kind == character && g.at == 0 && !c.apart(n.class):
			return false
		case n.kind == literal && c.begins(n.text[g.at]):
			return false
		}
	}
	return true
}
