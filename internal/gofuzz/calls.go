package gofuzz

import (
	"fmt"
	"slices"
	"strings"
)

// call is a call with a result of type t, or nothing.
func (g exprs) call(t *typ, depth int) string {
	switch g.n(7) {
	case 6:
		if g.hot {
			break
		}
		if t == g.string {
			return "folded(longer, " + g.args([]*typ{t, t}, depth) + ")"
		} else if t.plain && t.kind != param {
			return fmt.Sprintf("folded(later[%s], %s)", t.name, g.args([]*typ{t, t}, depth))
		}
	case 0, 1:
		if t.plain {
			return fmt.Sprintf("trace(%d, %s)", g.n(100), g.expr(t, depth-1))
		}
	case 2:
		if g.depth <= maxDepth {
			return g.immediate(t)
		}
	case 3:
		if v, ok := g.find(func(v variable) bool { return v.t.kind == function && v.t.result == t && v.fixed }); ok {
			return v.name + "(" + g.args(v.t.params, depth) + ")"
		}
	case 4:
		if s := g.method(func(rs []*typ) bool { return len(rs) == 1 && rs[0] == t }, depth); s != "" {
			return s
		}
	}
	f, with := g.callable(func(rs []*typ) bool { return len(rs) == 1 }, t)
	if f == nil {
		return ""
	}
	return g.callOf(f, with, depth)
}

// callable finds a function, with arguments for its type parameters, with the requested results. A result of type t is
// asked for where t is not nil.
func (g exprs) callable(ok func([]*typ) bool, t *typ) (*callee, map[*typ]*typ) {
	for _, i := range g.r.Perm(len(g.funcs)) {
		f := g.funcs[i]
		if g.mode != calling && !f.pure || !ok(f.results) {
			continue
		}
		with := map[*typ]*typ{}
		for _, p := range f.tparams {
			with[p] = g.argument(p)
			if t != nil && f.results[0] == p && suits(p, t) {
				with[p] = t
			}
		}
		if t == nil || g.subst(f.results[0], with) == t {
			return f, with
		}
	}
	return nil, nil
}

// argument is a type for a type parameter. Inside of generic code it is a simple one, so that instances do not grow for
// ever.
func (g exprs) argument(p *typ) *typ {
	if p.number {
		return one(g.generator, g.ints...)
	}
	for range 20 {
		if t := g.type_(); suits(p, t) && t.generic == nil && t.kind != slice && t.kind != array && t.kind != mapping {
			return t
		}
	}
	return g.int
}

func suits(p, t *typ) bool {
	switch {
	case p.number:
		return t.kind == integer && !t.local || t.kind == param && t.number
	case t.kind == param, t.kind == function, t.local, len(t.name) > 12, t.generic != nil:
		return false
	}
	return t.plain && (!p.equal || t.equal)
}

func (g exprs) callOf(f *callee, with map[*typ]*typ, depth int) string {
	name := f.name
	if len(f.tparams) > 0 && (g.chance(2) || !inferred(f)) {
		name += "[" + names(g.substAll(f.tparams, with)) + "]"
	}
	return name + "(" + g.argsOf(f, g.substAll(f.params, with), depth) + ")"
}

// inferred reports whether the type arguments can be inferred from the arguments of a call.
func inferred(f *callee) bool {
	for _, p := range f.tparams {
		if !slices.Contains(f.params, p) {
			return false
		}
	}
	return true
}

// argsOf are the arguments of a call of f, whose parameters have the given types.
func (g exprs) argsOf(f *callee, ts []*typ, depth int) string {
	if !f.rest {
		return g.args(ts, depth)
	}
	last := ts[len(ts)-1]
	if g.chance(3) {
		return g.args(ts, depth) + "..."
	}
	ts = ts[: len(ts)-1 : len(ts)-1]
	for range g.n(4) {
		ts = append(ts, last.elem)
	}
	return g.args(ts, depth)
}

func (g exprs) args(ts []*typ, depth int) string {
	var s []string
	for _, t := range ts {
		s = append(s, g.expr(t, depth-1))
	}
	return strings.Join(s, ", ")
}

// method is a method call whose results are as wanted, or nothing. It may change its receiver.
func (g exprs) method(ok func([]*typ) bool, depth int) string {
	var found []string
	var which []*callee
	for _, v := range g.visible() {
		t, ptr := v.t, v.shared && !v.fixed
		if t.kind == pointer && v.set && v.fixed {
			t, ptr = t.elem, true
		}
		if t.kind == iface && !v.set || t.kind == param {
			continue
		}
		for _, m := range t.methods {
			// The value of a shared variable must not be read in a statement with calls, its address may.
			if ok(m.results) && (m.ptr && ptr || !m.ptr && (!v.shared || v.fixed)) {
				found = append(found, v.name+"."+m.name)
				which = append(which, m)
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	i := g.n(len(found))
	return found[i] + "(" + g.argsOf(which[i], which[i].params, depth) + ")"
}

// closure is a function literal of type t.
func (g exprs) closure(t *typ) string {
	return "func(" + g.literalFunc(t.params, []*typ{t.result})
}

// immediate is a call of a function literal.
func (g exprs) immediate(t *typ) string {
	return "func(" + g.literalFunc(nil, []*typ{t}) + "()"
}

// literalFunc is a function literal from its parameters on.
func (g exprs) literalFunc(params, results []*typ) string {
	saved := g.scope
	defer func() { g.scope = saved }()
	g.vars = slices.Clone(g.vars)
	g.level++
	g.depth++
	g.labels = nil
	g.function = &body{results: results, pure: g.function.pure, quiet: g.function.quiet, generic: g.function.generic}
	n := g.n(3)
	if g.depth > maxDepth {
		n = 0
	}
	return g.signature(params, results, false) + " {\n" + g.capture(func() {
		g.beginDefers(n)
		g.statements(n)
	}) + "}"
}

// beginDefers sometimes defers a call where a function with statements begins.
func (g exprs) beginDefers(statements int) {
	if statements > 0 && !g.function.pure && !g.quiet() && g.chance(3) {
		g.begin()
		g.deferred()
	}
}

// signature opens the block of a function and writes its parameters and results. With rest, the last parameter takes
// the rest of the arguments.
func (g exprs) signature(params, results []*typ, rest bool) string {
	g.openBlock()
	g.function.block = g.block
	var s []string
	unnamed := len(params) > 0 && g.chance(12)
	for i, p := range params {
		name, t := g.name("p"), p.name
		if rest && i == len(params)-1 {
			t = "..." + p.elem.name
		}
		switch {
		case unnamed:
			s = append(s, t)
			continue
		case g.chance(12):
			name = "_"
		default:
			g.declare(variable{name: name, t: p, param: true, shared: !g.function.pure && g.chance(3)})
			if rest && i == len(params)-1 {
				g.function.rest = name
			}
		}
		s = append(s, name+" "+t)
	}
	r := strings.Join(s, ", ") + ")"
	switch {
	case len(results) == 0:
	case g.chance(2):
		var rs []string
		for _, t := range results {
			name := g.name("r")
			if g.chance(12) {
				name = "_"
			} else {
				g.declare(variable{name: name, t: t, param: true, shared: !g.function.pure})
			}
			g.function.named = append(g.function.named, name)
			rs = append(rs, name+" "+t.name)
		}
		r += " (" + strings.Join(rs, ", ") + ")"
	case len(results) == 1:
		r += " " + results[0].name
	default:
		r += " (" + names(results) + ")"
	}
	return r
}
