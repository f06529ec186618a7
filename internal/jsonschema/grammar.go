// Package jsonschema makes an automaton over bytes of a JSON schema, and says which tokens of a language model keep it
// alive: text that is generated of such tokens is JSON of the schema.
//
//	read.go        a schema → Schema
//	read_types.go  its objects, arrays, strings, numbers, and constants
//	grammar.go     what a Schema consists of: nodes
//	machine.go     states: what may come next after some bytes
//	vocabulary.go  the tokens of a model as a trie
//	allowed.go     the tokens that a state allows
//
// The text has the properties of an object in the order of the schema, and no white space but a space or the begin of
// a line after what JSON separates parts by. So not every text of a schema can come, but each that comes is one.
package jsonschema

// kind says how a node is read.
type kind uint8

const (
	literal   kind = iota // these bytes
	digits                // min to max decimal digits
	character             // one of a JSON string, escaped or not
	sequence              // all parts, one after the other
	choice                // one of the parts
	repeat                // min to max times the first part, with the second, if there is one, between
)

// unbounded is the max of a repetition without one.
const unbounded = 1 << 30

// node is a part of a grammar. Others refer to it by its place in the list.
type node struct {
	kind     kind
	text     string
	parts    []int
	min, max int
	dead     bool // no text is of this node, because it contains itself always
}

// grammar is a list of nodes that grows while a schema is read.
type grammar struct{ nodes []node }

func (g *grammar) add(n node) int {
	g.nodes = append(g.nodes, n)
	return len(g.nodes) - 1
}

func (g *grammar) text(s string) int         { return g.add(node{kind: literal, text: s}) }
func (g *grammar) all(parts ...int) int      { return g.add(node{kind: sequence, parts: parts}) }
func (g *grammar) oneOf(parts ...int) int    { return g.add(node{kind: choice, parts: parts}) }
func (g *grammar) digits(min, max int) int   { return g.add(node{kind: digits, min: min, max: max}) }
func (g *grammar) maybe(part int) int        { return g.times(0, 1, part) }
func (g *grammar) times(min, max, p int) int { return g.list(min, max, p) }

// list is a repetition of the first part, with the second between.
func (g *grammar) list(min, max int, parts ...int) int {
	return g.add(node{kind: repeat, min: min, max: max, parts: parts})
}

// prune marks the nodes of which there is no finite text, and takes them out of choices and repetitions.
func (g *grammar) prune() {
	alive := make([]bool, len(g.nodes))
	for changed := true; changed; {
		changed = false
		for i := range g.nodes {
			if !alive[i] && g.lives(&g.nodes[i], alive) {
				alive[i], changed = true, true
			}
		}
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		n.dead = !alive[i]
		if n.kind == repeat && !alive[n.parts[0]] {
			n.max = n.min
		}
	}
}

// lives reports whether a node has a text of nodes that are known to have some.
func (g *grammar) lives(n *node, alive []bool) bool {
	switch n.kind {
	case sequence:
		for _, p := range n.parts {
			if !alive[p] {
				return false
			}
		}
	case choice:
		for _, p := range n.parts {
			if alive[p] {
				return true
			}
		}
		return false
	case repeat:
		return n.min == 0 || alive[n.parts[0]]
	}
	return true
}
