package gofuzz

import "fmt"

// place is an operand inside a variable.
type place struct {
	text        string
	t           *typ
	risk        bool // it may panic
	addressable bool
	settable    bool // it is addressable or an entry of a map
	shared      bool // calls may change it
}

// places lists the operands inside an operand, to the given depth, that the mode allows.
func (g exprs) places(p place, depth int, set bool, add func(place)) {
	if g.mode == calling && p.shared {
		return
	}
	if p.risk && g.risks == 0 {
		return
	}
	add(p)
	if depth == 0 {
		return
	}
	inside := func(q place) { g.places(q, depth-1, false, add) }
	t := p.t
	switch t.kind {
	case record:
		for _, f := range t.fields {
			q := p
			q.text, q.t, q.settable = p.text+"."+f.name, f.t, p.addressable
			inside(q)
		}
	case array:
		q := p
		q.text, q.t, q.settable = fmt.Sprintf("%s[%d]", p.text, g.n(t.size)), t.elem, p.addressable
		inside(q)
		if i := g.index(); g.mode == risky && i[0] > '9' {
			q.text, q.risk = p.text+"["+i+"]", true
			inside(q)
		}
	case slice:
		if g.mode == risky {
			inside(place{p.text + "[" + g.index() + "]", t.elem, true, true, true, true})
		}
	case mapping:
		if g.mode != calling {
			inside(place{p.text + "[" + g.key(t.key) + "]", t.elem, p.risk, false, g.risks > 0, true})
		}
	case pointer:
		if g.mode == calling || !set && g.mode != risky {
			return
		}
		inside(place{"(*" + p.text + ")", t.elem, p.risk || !set, true, true, true})
		if t.elem.kind == record {
			for _, f := range t.elem.fields {
				inside(place{p.text + "." + f.name, f.t, p.risk || !set, true, true, true})
			}
		}
	}
}

// index is an index without a side effect. It may be out of range.
func (g exprs) index() string {
	if v, ok := g.find(func(v variable) bool { return v.t.kind == integer }); ok && g.chance(2) {
		if g.chance(4) {
			return v.name
		}
		return fmt.Sprintf("%s&%d", v.name, one(g.generator, 1, 3))
	}
	return fmt.Sprint(g.n(3))
}

// key is a map key without a side effect.
func (g exprs) key(t *typ) string {
	if v, ok := g.find(func(v variable) bool { return v.t == t && (g.mode != calling || !v.shared) }); ok &&
		g.chance(2) {
		return v.name
	}
	return g.distinct(t, g.n(4))
}

// anyPlace is an operand inside a variable for which ok holds.
func (g exprs) anyPlace(ok func(place) bool) (place, bool) {
	var found []place
	for _, v := range g.visible() {
		if v.t.kind == function {
			continue
		}
		w := g.writable(v)
		p := place{text: v.name, t: v.t, addressable: w, settable: w, shared: v.shared && !v.fixed}
		g.places(p, 2, v.set, func(p place) {
			if ok(p) {
				found = append(found, p)
			}
		})
	}
	if len(found) == 0 {
		return place{}, false
	}
	p := found[g.n(len(found))]
	if p.risk {
		g.risks--
	}
	return p, true
}

// value is an operand of type t that is not a constant.
func (g exprs) value(t *typ) string {
	if t.kind == function {
		if v, ok := g.find(func(v variable) bool { return v.t == t && (g.mode != calling || !v.shared) }); ok {
			return v.name
		}
		return g.closure(t)
	}
	if p, ok := g.anyPlace(func(p place) bool { return p.t == t }); ok {
		return p.text
	}
	if t.kind == param && !t.number {
		return "*new(" + t.name + ")"
	}
	if t == g.error && g.chance(3) {
		return "error(nil)"
	}
	if g.hot && t.kind <= boolean && t.kind != complexes && !g.chance(8) {
		return g.known(t)
	}
	return "keep(" + g.literal(t) + ")"
}
