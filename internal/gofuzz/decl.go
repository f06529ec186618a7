package gofuzz

import (
	"fmt"
	"strings"
)

// isKey reports whether distinct makes keys of the type.
func isKey(t *typ) bool {
	switch t.kind {
	case integer, text, boolean:
		return true
	case array:
		return t.size > 0 && t.elem.kind == integer
	case record:
		return t.equal && t.plain && len(t.fields) > 0 && t.fields[0].t.kind == integer
	}
	return false
}

// unnamed is a new unnamed type, made of those that there are.
func (g *generator) unnamed() *typ {
	e := g.type_()
	switch g.n(8) {
	case 0, 1:
		return g.sliceOf(e)
	case 2:
		return g.arrayOf(1+g.n(3), e)
	case 3, 4:
		return g.mapOf(g.typeThat(isKey), e)
	case 5:
		return g.pointerTo(g.typeThat(func(t *typ) bool { return t.kind != iface && t.kind != param }))
	case 6:
		var fs []field
		for i := range 1 + g.n(2) {
			fs = append(fs, field{name: string(rune('a' + i)), t: g.type_()})
		}
		return g.recordOf(fs)
	}
	return g.sliceOf(g.sliceOf(g.typeThat(func(t *typ) bool { return t.kind <= boolean })))
}

// typeDecls declares types and what unnamed ones the program uses. Their methods are written later.
func (g *generator) typeDecls() (decls []string) {
	for range 1 + g.n(3) {
		g.pool = append(g.pool, g.unnamed())
		var t *typ
		name := g.name("T")
		switch g.n(5) {
		case 0:
			t = g.declared(name, one(g, append(g.ints, g.string, g.float)...))
		case 1:
			t = g.declared(name, g.recordOf([]field{{name: "a", t: one(g, g.ints...)}}))
		case 2:
			t = g.declared(name, g.unnamed())
		default:
			t = g.declared(name, g.recordOf(g.fields()))
		}
		if t.kind == pointer || t.kind == iface { // a pointer type has no methods
			decls = append(decls, fmt.Sprintf("type %s = %s\n", name, t.base.name))
			delete(g.types, name)
			continue
		}
		decls = append(decls, fmt.Sprintf("type %s %s\n", name, t.base.name))
		g.pool = append(g.pool, t, t)
		g.methodsOf(t, t.name)
	}
	if g.chance(2) {
		decls = append(decls, g.genericType())
	}
	if g.chance(2) {
		decls = append(decls, g.interfaceType())
	}
	g.pool = append(g.pool, g.unnamed())
	return decls
}

func (g *generator) fields() (fs []field) {
	seen := map[string]bool{}
	for range 1 + g.n(4) {
		t := g.type_()
		name := g.name(one(g, "f", "F"))
		embedded := false
		if t.base != nil && t.kind == record && !seen[t.name] && g.chance(2) {
			name, embedded = t.name, true
		}
		if embedded && g.chance(3) {
			t = g.pointerTo(t)
		}
		seen[name] = true
		f := field{name: name, t: t, embedded: embedded}
		if g.chance(6) {
			f.tag = "`json:\"" + name + "\"`"
		}
		fs = append(fs, f)
	}
	return fs
}

// methodsOf gives a declared type one to three methods. recv is the receiver's type, with its type parameters.
func (g *generator) methodsOf(t *typ, recv string) {
	for range 1 + g.n(2) {
		m := &callee{name: g.name("M"), ptr: g.chance(2)}
		for range g.n(3) {
			m.params = append(m.params, g.type_())
		}
		if g.n(4) > 0 {
			m.results = append(m.results, g.type_())
		}
		g.addMethod(t, recv, m)
	}
	if g.chance(4) && t.generic == nil {
		m := &callee{name: one(g, "String", "Error"), results: []*typ{g.string}}
		t.methods = append(t.methods, m)
		g.bodies = append(g.bodies, func() string {
			return fmt.Sprintf("func (x %s) %s() string { return %q }\n", recv, m.name, t.name+"!")
		})
	}
}

func (g *generator) addMethod(t *typ, recv string, m *callee) {
	t.methods = append(t.methods, m)
	g.bodies = append(g.bodies, func() string {
		star := ""
		if m.ptr {
			star = "*"
		}
		x := variable{name: "x", t: t, param: true}
		if m.ptr {
			x = variable{name: "x", t: g.pointerTo(t), param: true, shared: true, fixed: true}
		}
		return g.funcDecl(fmt.Sprintf("func (x %s%s) %s(", star, recv, m.name), &x, m)
	})
}

// genericType declares a generic type with methods; instances of it join the types of the program.
func (g *generator) genericType() string {
	name := g.name("G")
	p := &typ{name: g.name("P"), kind: param, plain: true, sharing: true}
	constraint := "any"
	switch g.n(3) {
	case 0:
		p.number, p.equal, constraint = true, true, "integer"
	case 1:
		p.equal, constraint = true, "comparable"
	}
	fs := []field{{name: "a", t: p}, {name: "b", t: g.sliceOf(p)}, {name: "n", t: g.int}}
	if g.chance(2) {
		fs = append(fs, field{name: "m", t: g.mapOf(g.string, p)})
	}
	t := g.declared(name, g.recordOf(fs))
	t.args = []*typ{p}
	self := *t
	self.name, self.generic = name+"["+p.name+"]", t
	g.types[self.name] = &self
	saved := g.pool
	g.pool = append(g.pool, p, p, &self)
	g.methodsOf(&self, self.name)
	t.methods = self.methods
	g.pool = saved
	for range 2 {
		g.pool = append(g.pool, g.instance(t, []*typ{g.argument(p)}))
	}
	return fmt.Sprintf("type %s[%s %s] %s\n", name, p.name, constraint, t.base.name)
}

// interfaceType declares an interface that some of the declared types satisfy, by giving them its methods.
func (g *generator) interfaceType() string {
	t := &typ{name: g.name("I"), kind: iface, sharing: true, plain: true, equal: true}
	var have []*typ
	for _, u := range g.pool {
		if u.base != nil && u.generic == nil && u.kind != iface && !contains(have, u) {
			have = append(have, u)
		}
	}
	if len(have) == 0 {
		return ""
	}
	m := &callee{name: g.name("M"), params: []*typ{g.type_()}, results: []*typ{g.typeThat(isPlain)}}
	t.methods = append(t.methods, m)
	for _, u := range have {
		if g.n(3) == 0 && len(t.impls) > 0 {
			continue
		}
		own := *m
		own.ptr = g.chance(3)
		g.addMethod(u, u.name, &own)
		impl := u
		if own.ptr || g.chance(3) {
			impl = g.pointerTo(u)
		}
		t.plain = t.plain && impl.plain
		t.equal = t.equal && impl.equal
		t.impls = append(t.impls, impl)
	}
	g.pool = append(g.pool, g.intern(t), t)
	extra := ""
	if g.chance(3) {
		extra = "interface{ any }; "
	}
	return fmt.Sprintf("type %s interface { %s%s(%s) %s }\n", t.name, extra, m.name, names(m.params), names(m.results))
}

func contains(ts []*typ, t *typ) bool {
	for _, u := range ts {
		if u == t {
			return true
		}
	}
	return false
}

// signatures makes the functions of the program, whose bodies are written later.
func (g *generator) signatures() []string {
	for range g.n(2) {
		f := &callee{name: g.name("pure"), pure: true, results: []*typ{g.type_()}}
		for range 1 + g.n(2) {
			f.params = append(f.params, g.type_())
		}
		g.funcs = append(g.funcs, f)
		g.bodies = append(g.bodies, func() string { return g.funcDecl("func "+f.name+"(", nil, f) })
	}
	for range 1 + g.n(3) {
		f := &callee{name: g.name("f")}
		g.parametersOf(f)
		g.funcs = append(g.funcs, f)
		g.bodies = append(g.bodies, func() string { return g.funcDecl("func "+f.name+"(", nil, f) })
	}
	if g.chance(2) {
		g.genericFunc()
	}
	return nil
}

func (g *generator) parametersOf(f *callee) {
	for range g.n(4) {
		t := g.type_()
		if g.chance(6) {
			t = g.funcOf([]*typ{g.type_()}, g.typeThat(isPlain))
		}
		f.params = append(f.params, t)
	}
	if g.chance(5) && (!g.hot || g.chance(4)) {
		f.rest = true
		f.params = append(f.params, g.sliceOf(g.typeThat(func(t *typ) bool { return t.kind != function })))
	}
	for range one(g, 0, 1, 1, 2, 2) {
		f.results = append(f.results, g.type_())
	}
}

func (g *generator) genericFunc() {
	f := &callee{name: g.name("g")}
	p := &typ{name: g.name("P"), kind: param, plain: true, equal: true, sharing: true, number: g.chance(2)}
	q := &typ{name: g.name("P"), kind: param, plain: true, sharing: true}
	f.tparams = []*typ{p}
	tparams := p.name + " comparable"
	if p.number {
		tparams = p.name + " integer"
	}
	extra := []*typ{p, p, p, g.sliceOf(p)}
	if g.chance(2) {
		f.tparams = append(f.tparams, q)
		tparams += ", " + q.name + " any"
		extra = append(extra, q, q, g.mapOf(g.string, q), g.recordOf([]field{{name: "a", t: p}, {name: "b", t: q}}))
	}
	saved := g.pool
	g.pool = append(append([]*typ(nil), extra...), g.int, g.string)
	g.parametersOf(f)
	if g.chance(2) {
		f.params = append([]*typ{p}, f.params...)
	}
	g.pool = saved
	g.funcs = append(g.funcs, f)
	g.bodies = append(g.bodies, func() string {
		saved := g.pool
		defer func() { g.pool = saved }()
		g.pool = append(append([]*typ(nil), saved...), append(extra, extra...)...)
		return g.funcDecl(fmt.Sprintf("func %s[%s](", f.name, tparams), nil, f)
	})
}

// funcDecl writes a function, from what stands before its parameters on.
func (g *generator) funcDecl(before string, recv *variable, f *callee) string {
	saved := g.scope
	defer func() { g.scope = saved }()
	g.vars = g.vars[:len(g.vars):len(g.vars)]
	g.level++
	g.function = &body{results: f.results, pure: f.pure, quiet: g.hot && g.n(4) > 0, generic: len(f.tparams) > 0 ||
		recv != nil && strings.Contains(recv.t.name, "[")}
	g.openBlock()
	block := g.block
	if recv != nil {
		g.declare(*recv)
	}
	sig := g.signature(f.params, f.results, f.rest)
	for i := range g.vars {
		if g.vars[i].block == block {
			g.vars[i].block = g.block
		}
	}
	var zero []string
	for _, t := range f.results {
		zero = append(zero, "*new("+t.name+")")
	}
	return before + sig + " {\n" + g.capture(func() {
		if !f.pure {
			g.line("if spent() {\nreturn %s\n}", strings.Join(zero, ", "))
			if r := g.function.rest; r != "" {
				g.line("show(%q, %s == nil)", r, r)
			}
		}
		g.beginDefers(1)
		n := 1 + g.n(3)
		if g.hot {
			n *= 2
		}
		g.statements(n)
	}) + "}\n"
}

// globals declares variables of the package.
func (g *generator) globals() (decls []string) {
	g.function = &body{pure: true}
	defer func() { g.function = &body{} }()
	for range 1 + g.n(3) {
		t := g.type_()
		v := variable{name: g.name("v"), t: t, shared: true}
		g.mode = pure
		decls = append(decls, fmt.Sprintf("var %s %s = %s\n", v.name, t.name, g.expr(t, 2)))
		g.vars = append(g.vars, v)
	}
	return decls
}

// mainFunc calls every function and prints its results.
func (g *generator) mainFunc() string {
	return "func main() {\n" + g.capture(func() {
		saved := g.scope
		defer func() { g.scope = saved }()
		g.openBlock()
		for range 1 + g.n(2) {
			for _, f := range g.funcs {
				g.mode = calling
				with := map[*typ]*typ{}
				for _, p := range f.tparams {
					with[p] = g.argument(p)
				}
				call := g.callOf(f, with, 2)
				plain := len(f.results) > 0
				for _, t := range f.results {
					plain = plain && g.subst(t, with).plain
				}
				if plain {
					call = "show(" + call + ")"
				}
				g.line("guard(%q, func() { %s })", f.name, call)
			}
		}
		g.nested("guard(\"main\", func() {", "})", func() { g.inFunction(func() { g.statements(4) }) })
		for _, v := range g.vars {
			if v.block == 0 && v.t.plain {
				g.line("show(%q, %s)", v.name, v.name)
			}
		}
	}) + "}\n"
}
