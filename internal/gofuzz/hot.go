package gofuzz

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Hot returns the program with the number, one whose functions are mostly of what package native compiles. It has no
// complex numbers, has fewer deferred calls, channels and goroutines, and more loops, many of them from patterns. Every
// other one prints without variadic functions.
func Hot(seed uint64) string { return program(seed, true) }

// quiet reports whether the function in work does without what package native leaves to the interpreter.
func (g stmts) quiet() bool { return g.function.quiet && !g.function.pure }

// pattern writes one of the patterns.
func (g stmts) pattern() {
	g.mode, g.risks = pure, 0
	p := patternWriter{g: g, names: map[string]string{}, types: map[string]*typ{}}
	text := one(g.generator, patterns...)
	saved := g.scope
	g.vars = saved.vars[:len(saved.vars):len(saved.vars)]
	g.openBlock()
	g.depth++
	text = patternParts.ReplaceAllStringFunc(text, p.part)
	g.scope = saved
	g.line("{\n%s\n}", text)
}

// patternWriter fills in the parts of a pattern.
//
//	$a        a new name, the same wherever it stands
//	%I %J %F  a type of integers, another one, a type of floats
//	<int>     an expression of a type, which may be constant; <!int> one that is not; <%I> one of type %I
//	</%I>     a constant of that type that is not 0
//	#7        a number below 7
//	@{a@b@}   one of these
//	@@        statements
type patternWriter struct {
	g     stmts
	names map[string]string
	types map[string]*typ
}

var (
	patternParts = regexp.MustCompile(`\$[a-z]|%[IJF]|<[!/]?%?[a-zA-Z]+\d*>|#\d+|@\{.*?@\}|@@`)
	choiceParts  = regexp.MustCompile(`^@\{(.*)@\}$`)
)

func (p patternWriter) part(s string) string {
	g := p.g
	switch s[0] {
	case '$':
		if p.names[s] == "" {
			p.names[s] = g.name("h")
		}
		return p.names[s]
	case '%':
		return p.typ(s).name
	case '#':
		n, _ := strconv.Atoi(s[1:])
		return fmt.Sprint(g.n(n))
	case '<':
		s = s[1 : len(s)-1]
		switch s[0] {
		case '!':
			return g.value(p.typ(s[1:]))
		case '/':
			return g.divisor(p.typ(s[1:]))
		}
		return g.expr(p.typ(s), 2)
	}
	if s == "@@" {
		return g.capture(func() { g.nested("{", "}", func() { g.statements(1 + g.n(2)) }) })
	}
	list := strings.Split(choiceParts.FindStringSubmatch(s)[1], "@")
	return patternParts.ReplaceAllStringFunc(one(g.generator, list...), p.part)
}

func (p patternWriter) typ(name string) *typ {
	if name[0] != '%' {
		return p.g.types[name]
	}
	if p.types[name] == nil {
		p.types[name] = one(p.g.generator, p.g.ints...)
		if name == "%F" {
			p.types[name] = p.g.types[one(p.g.generator, "float32", "float64")]
		}
	}
	return p.types[name]
}

// divisor is a constant of a type of integers that is not 0, of all sizes.
func (g exprs) divisor(t *typ) string {
	n := t.bits
	if t.signed {
		n--
	}
	s := ""
	switch g.n(5) {
	case 0:
		s = fmt.Sprint(1 + g.n(20))
	case 1:
		s = fmt.Sprintf("1 << %d", g.n(n))
	case 2:
		s = fmt.Sprintf("1<<%d - 1", 1+g.n(n))
	case 3:
		s = fmt.Sprintf("1<<%d + 1", g.n(n-1))
	default:
		s = fmt.Sprintf("%d", g.r.Uint64()>>(64-n)|1)
	}
	if t.signed && g.chance(3) {
		s = "-(" + s + ")"
		if g.chance(6) {
			s = fmt.Sprintf("-1 << %d", n)
		}
	}
	return t.name + "(" + s + ")"
}

// known is a variable of a basic type that nothing changes.
func (g exprs) known(t *typ) string {
	basic := t
	for basic.base != nil {
		basic = basic.base
	}
	if basic == t {
		return "some." + t.name
	}
	return t.name + "(some." + basic.name + ")"
}

// hotArithmetic are operations at the edges of a type of integers.
func (g exprs) hotArithmetic(t *typ, depth int) string {
	x, u := g.value(t), one(g.generator, g.ints...)
	switch g.n(6) {
	case 0, 1:
		return "(" + x + one(g.generator, " / ", " % ") + g.divisor(t) + ")"
	case 2:
		if !u.signed {
			return "(" + x + one(g.generator, " << ", " >> ") + g.value(u) + ")"
		}
		if g.mode == risky && g.risks > 0 {
			g.risks--
			return "(" + x + one(g.generator, " << ", " >> ") + g.value(u) + ")"
		}
	case 3:
		return "(" + x + one(g.generator, " * ", " + ", " & ", " &^ ", " ^ ") + g.divisor(t) + ")"
	case 4:
		return t.name + "(" + u.name + "(" + g.value(one(g.generator, g.ints...)) + "))"
	}
	return "(" + x + one(g.generator, " + ", " - ", " * ", " | ", " ^ ") + t.name + "(" + g.expr(u, depth-1) + "+" +
		g.value(u) + "))"
}

// separately has each call of show and showf call a function with that many parameters, or with a list of many.
func separately(src string) (string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "main.go", src, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := checkWith(types.Config{GoVersion: "go1.26"}, fset, f, info); err != nil {
		return "", err
	}
	used := map[string]int{}
	ast.Inspect(f, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		id, ok := c.Fun.(*ast.Ident)
		if !ok || id.Name != "show" && id.Name != "showf" {
			return true
		}
		args := len(c.Args)
		if args == 1 {
			if t, isTuple := info.TypeOf(c.Args[0]).(*types.Tuple); isTuple {
				args = t.Len()
			}
		}
		if args == len(c.Args) && args > 5 && id.Name == "show" {
			id.Name, c.Args = "showAll", []ast.Expr{&ast.CompositeLit{Type: ast.NewIdent("[]any"), Elts: c.Args}}
			return true
		}
		id.Name = fmt.Sprint(id.Name, args)
		used[id.Name] = args
		return true
	})
	var b bytes.Buffer
	if err := format.Node(&b, fset, f); err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		var names []string
		for i := range used[name] {
			names = append(names, fmt.Sprint("a", i))
		}
		list := strings.Join(names, ", ")
		if strings.HasPrefix(name, "showf") {
			fmt.Fprintf(&b, "\nfunc %s(format string, %s any) {\nif lines--; lines >= 0 {\nfmt.Printf(format+\"\\n\", %[2]s)\n}\n}\n", name,
				strings.Join(names[1:], ", "))
			continue
		}
		fmt.Fprintf(&b, "\nfunc %s(%s any) {\nif lines--; lines >= 0 {\nfmt.Println(%[2]s)\n}\n}\n", name, list)
	}
	out, err := format.Source(b.Bytes())
	return string(out), err
}
