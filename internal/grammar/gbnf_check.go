package grammar

import (
	"slices"
	"strings"
)

// check returns the grammar of all rules.
func (p *gbnf) check() (*Grammar, error) {
	root, ok := p.rules["root"]
	if !ok {
		return nil, p.wrong(len(p.text), "expected a rule root, which is the whole text: there is none among %s", p.names())
	}
	for _, r := range p.used {
		if r.defined < 0 {
			return nil, p.wrong(r.used, "there is no rule %s: the rules are %s", r.name, p.names())
		}
	}
	p.g.root = root.node
	p.g.finish()
	if circle := p.leftRecursion(); circle != nil {
		names := make([]string, len(circle))
		for i, r := range circle {
			names[i] = r.name
		}
		return nil, p.wrong(circle[0].defined, "the rule %s begins with itself: %s; want * or + for what repeats", names[0],
			strings.Join(names, " → "))
	}
	for _, r := range p.order {
		if p.g.nodes[r.node].dead {
			return nil, p.wrong(r.defined, "no finite text is of the rule %s, which contains itself always", r.name)
		}
	}
	return &p.g, nil
}

// names are those of the rules, but not of more than fit into a line.
func (p *gbnf) names() string {
	var names []string
	for _, r := range p.order {
		if names = append(names, r.name); len(names) == 12 {
			names = append(names, "…")
			break
		}
	}
	return strings.Join(names, ", ")
}

// leftRecursion returns rules of which each begins with the next one, the last of which is the first, or nil.
func (p *gbnf) leftRecursion() (circle []*rule) {
	of := map[int]*rule{}
	for _, r := range p.order {
		of[r.node] = r
	}
	const open, done = 1, 2
	was := make([]int8, len(p.g.nodes))
	var path []*rule
	var visit func(i int) bool
	visit = func(i int) bool {
		r := of[i]
		if was[i] == open {
			circle = append(slices.Clone(path[slices.Index(path, r):]), r)
			return true
		}
		if was[i] == done {
			return false
		}
		was[i] = open
		if r != nil {
			path = append(path, r)
		}
		for _, part := range p.g.first(i) {
			if visit(part) {
				return true
			}
		}
		if r != nil {
			path = path[:len(path)-1]
		}
		was[i] = done
		return false
	}
	for _, r := range p.order {
		if visit(r.node) {
			return circle
		}
	}
	return nil
}

// first are the parts with which a text of a node may begin.
func (g *Grammar) first(i int) []int {
	n := &g.nodes[i]
	if n.kind != sequence {
		return n.parts
	}
	for k, part := range n.parts {
		if !g.nodes[part].empty {
			return n.parts[:k+1]
		}
	}
	return n.parts
}
