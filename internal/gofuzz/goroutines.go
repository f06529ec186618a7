package gofuzz

// goroutine runs statements in another goroutine, for which this one waits.
func (g *generator) goroutine() {
	done := g.name("v")
	switch g.n(6) {
	case 0:
		g.line("var %s sync.WaitGroup\n%s.Add(1)", done, done)
		g.inGoroutine("go func() {\ndefer "+done+".Done()", "}()")
		g.line("%s.Wait()", done)
	case 1:
		g.line("var %s sync.WaitGroup", done)
		g.inGoroutine(done+".Go(func() {", "})")
		g.line("%s.Wait()", done)
	case 2:
		g.line("%s := make(chan struct{})", done)
		g.inGoroutine("go func() {\ndefer close("+done+")\ndefer show(\"goroutine ends\")",
			"runtime.Goexit()\nshow(\"after its end\")\n}()")
		g.line("<-%s", done)
	case 3:
		t, u := g.type_(), g.type_()
		p, q := g.name("p"), g.name("p")
		g.mode = calling
		two := g.twoResults(t, u)
		g.line("%s := make(chan struct{})\ngo func(%s %s, %s %s) {\ndefer close(%s)\nshow(same(%s), same(%s))\n}(%s)\n<-%s", done, p, t.name, q, u.name, done, p, q, two, done)
	case 4:
		g.line("%s := make(chan struct{})\ngo close(%s)\n<-%s", done, done, done)
	default:
		g.sumInGoroutines()
	}
}

// inGoroutine writes the body of a goroutine, which reports its panic.
func (g *generator) inGoroutine(open, close string) {
	g.nested(open+"\ndefer rescue()", close, func() {
		g.inFunction(func() { g.statements(1 + g.n(2)) })
	})
}

// sumInGoroutines adds numbers up in goroutines that run at once.
func (g *generator) sumInGoroutines() {
	wg, mu, sum, i, p := g.name("v"), g.name("v"), g.name("v"), g.name("v"), g.name("p")
	g.mode, g.risks = pure, 0
	g.line("var %s sync.WaitGroup\nvar %s sync.Mutex\n%s := %s", wg, mu, sum, g.expr(g.int, 2))
	g.line("for %s := range 4 {\n%s.Add(1)\ngo func(%s int) {\ndefer %s.Done()", i, wg, p, wg)
	g.line("%s.Lock()\ndefer %s.Unlock()\n%s += %s * (%s + 1)\n}(%s)\n}\n%s.Wait()", mu, mu, sum, p, i, i, wg)
	g.declare(variable{name: sum, t: g.int, shared: true})
	g.line("show(%q, %s)", "sum", sum)
}

// methodValue calls a method by its value or by its expression.
func (g *generator) methodValue() {
	g.mode = calling
	v, ok := g.find(func(v variable) bool {
		return len(v.t.methods) > 0 && v.t.kind != iface && v.t.kind != param && !v.t.local && (!v.shared || v.fixed)
	})
	if !ok {
		g.callStatement()
		return
	}
	m := one(g, v.t.methods...)
	if m.ptr && !(v.fixed && v.t.kind == pointer) {
		c := g.name("v")
		g.line("%s := %s", c, v.name)
		v.name = c
	}
	f := g.name("v")
	args := g.args(m.params, 2)
	switch {
	case g.chance(2):
		g.line("%s := %s.%s\n%s(%s)", f, v.name, m.name, f, args)
	case m.ptr:
		g.line("%s := (*%s).%s\n%s(%s)", f, v.t.name, m.name, f, join("&"+v.name, args))
	default:
		g.line("%s := %s.%s\n%s(%s)", f, header(v.t.name), m.name, f, join(v.name, args))
	}
}

func join(first, rest string) string {
	if rest == "" {
		return first
	}
	return first + ", " + rest
}

// functionTable calls the functions of a list or a map.
func (g *generator) functionTable() {
	t := g.typeThat(isPlain)
	fs, f := g.name("v"), g.name("v")
	ft := g.funcOf(nil, t)
	g.mode, g.risks = pure, 0
	if g.chance(2) {
		g.line("%s := []%s{%s, %s}", fs, ft.name, g.closure(ft), g.closure(ft))
		g.line("for _, %s := range %s {\nshow(%s())\n}", f, fs, f)
		return
	}
	g.line("%s := map[string]%s{\"a\": %s, \"b\": %s}", fs, ft.name, g.closure(ft), g.closure(ft))
	g.line("show(%s[\"a\"](), %s[\"b\"]())", fs, fs)
	if g.chance(4) {
		g.line("show(%s[\"none\"]())", fs)
	}
}
