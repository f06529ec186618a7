// Package grammar makes an automaton over bytes of a grammar, and says which tokens of a language model keep it alive:
// text that is generated of such tokens is text of the grammar. Grammars are JSON schemas, or written in GBNF.
//
//	schema.go        a JSON schema → Grammar
//	schema_types.go  its objects, arrays, strings, numbers, and constants
//	gbnf.go          GBNF → Grammar
//	gbnf_text.go     its characters, escapes and classes
//	gbnf_check.go    names, left recursion, rules without a text
//	grammar.go       what a Grammar consists of: nodes
//	class.go         sets of characters, and their bytes
//	machine.go       states: what may come next after some bytes
//	vocabulary.go    the tokens of a model as a trie
//	allowed.go       the tokens that a state allows
package grammar

// Grammar is a set of texts. Several goroutines may use one.
type Grammar struct {
	nodes []node
	root  int
}

// kind says how a node is read.
type kind uint8

const (
	literal   kind = iota // these bytes
	character             // one character of a class
	sequence              // all parts, one after the other
	choice                // one of the parts
	repeat                // min to max times the first part, with the second, if there is one, between
	token                 // a token of the vocabulary, or any other one
)

// unbounded is the max of a repetition without one. Others have at most mostTimes.
const (
	unbounded = 1 << 30
	mostTimes = 1 << 24
)

// node is a part of a grammar. Others refer to it by its place in the list.
type node struct {
	kind     kind
	text     string
	class    *class
	token    *tokenRef
	parts    []int
	min, max int
	dead     bool // no text is of this node, because it contains itself always
	empty    bool // the empty text is
}

func (g *Grammar) add(n node) int {
	g.nodes = append(g.nodes, n)
	return len(g.nodes) - 1
}

func (g *Grammar) text(s string) int         { return g.add(node{kind: literal, text: s}) }
func (g *Grammar) all(parts ...int) int      { return g.add(node{kind: sequence, parts: parts}) }
func (g *Grammar) oneOf(parts ...int) int    { return g.add(node{kind: choice, parts: parts}) }
func (g *Grammar) of(c *class) int           { return g.add(node{kind: character, class: c}) }
func (g *Grammar) maybe(part int) int        { return g.times(0, 1, part) }
func (g *Grammar) times(min, max, p int) int { return g.list(min, max, p) }

// list is a repetition of the first part, with the second between.
func (g *Grammar) list(min, max int, parts ...int) int {
	return g.add(node{kind: repeat, min: min, max: max, parts: parts})
}

// finish marks the nodes of which there is no finite text, and takes them out of repetitions; and those of which the
// empty text is.
func (g *Grammar) finish() {
	alive, empty := g.least((*node).lives), g.least((*node).mayBeEmpty)
	for i := range g.nodes {
		n := &g.nodes[i]
		n.dead, n.empty = !alive[i], empty[i]
		if n.kind != repeat {
			continue
		}
		if !alive[n.parts[0]] {
			n.max = n.min
		}
		if empty[n.parts[0]] && len(n.parts) == 1 {
			n.min = 0 // the same texts
		}
	}
}

// least returns for which nodes something holds that follows from that it holds for parts of them.
func (g *Grammar) least(holds func(n *node, is []bool) bool) (is []bool) {
	is = make([]bool, len(g.nodes))
	users := make([][]int, len(g.nodes))
	var work []int
	for i := range g.nodes {
		for _, p := range g.nodes[i].parts {
			if u := users[p]; len(u) == 0 || u[len(u)-1] != i {
				users[p] = append(users[p], i)
			}
		}
		work = append(work, i)
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if !is[i] && holds(&g.nodes[i], is) {
			is[i] = true
			work = append(work, users[i]...)
		}
	}
	return is
}

// lives reports whether a node has a text of nodes that are known to have some.
func (n *node) lives(alive []bool) bool {
	switch n.kind {
	case sequence:
		return n.every(alive)
	case choice:
		return n.some(alive)
	case repeat:
		return n.min == 0 || alive[n.parts[0]]
	}
	return true
}

// mayBeEmpty reports whether the empty text is of a node, of nodes of which it is known to be.
func (n *node) mayBeEmpty(empty []bool) bool {
	switch n.kind {
	case literal:
		return n.text == ""
	case sequence:
		return n.every(empty)
	case choice:
		return n.some(empty)
	case repeat:
		return n.min == 0 || n.every(empty)
	}
	return false
}

func (n *node) every(is []bool) bool {
	for _, p := range n.parts {
		if !is[p] {
			return false
		}
	}
	return true
}

func (n *node) some(is []bool) bool {
	for _, p := range n.parts {
		if is[p] {
			return true
		}
	}
	return false
}
