package gofuzz

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// mode restricts the operands of a statement: see the package comment.
type mode int

const (
	pure mode = iota
	risky
	calling
)

// generator holds what is known at the place where the next piece of the program will stand. It writes declarations;
// expressions and statements are written by its parts.
type generator struct {
	exprs
	stmts

	r    *rand.Rand
	out  strings.Builder
	next int  // the number of the next name
	hot  bool // it is for machine code: see Hot

	types                    map[string]*typ
	pool                     []*typ // types for variables
	ints                     []*typ
	int, string, bool, float *typ
	complex                  *typ
	any, error               *typ
	funcs                    []*callee
	blocks                   int             // how many there have been
	bodies                   []func() string // functions that are declared and not written yet
	scope
}

// exprs writes expressions, and stmts writes statements. Each is a part of its generator.
type (
	exprs struct{ *generator }
	stmts struct{ *generator }
)

func newGenerator(r *rand.Rand) *generator {
	g := &generator{r: r, types: map[string]*typ{}}
	g.exprs.generator, g.stmts.generator = g, g
	return g
}

// scope is what a function literal has of its own.
type scope struct {
	vars                []variable
	function            *body
	labels              []*label // of the statements around, the innermost last
	mode                mode
	risks               int // operands of this statement that may still panic
	level, block, depth int // of function literals, blocks, nested statements
}

// body is what is special to the function around.
type body struct {
	results []*typ
	named   []string
	pure    bool
	quiet   bool   // see Hot
	generic bool   // it has type parameters
	rest    string // the parameter of variadic arguments, unless it has no name
	block   int    // the outermost one
	labels  map[string]bool
}

// label is that of a loop, a switch or a select.
type label struct {
	name string
	used bool
	loop bool
}

// variable is something that can be read, and written unless it is fixed.
type variable struct {
	name   string
	t      *typ
	shared bool // calls may change it
	fixed  bool // nothing changes it
	set    bool // it is not nil
	param  bool // it may stay unused
	level  int
	block  int
}

func (g *generator) n(n int) int { return g.r.IntN(n) }

// chance is true once in n times.
func (g *generator) chance(n int) bool { return g.r.IntN(n) == 0 }

func one[T any](g *generator, from ...T) T { return from[g.n(len(from))] }

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.out, format+"\n", args...)
}

// capture returns what f writes.
func (g *generator) capture(f func()) string {
	saved := g.out
	g.out = strings.Builder{}
	f()
	s := g.out.String()
	g.out = saved
	return s
}

func (g *generator) name(prefix string) string {
	g.next++
	return fmt.Sprintf("%s%d", prefix, g.next)
}

// local is a name for a variable of the block: a new one, or that of a variable of a block around.
func (g *generator) local() string {
	if g.chance(6) {
		for range 4 {
			if len(g.vars) == 0 {
				break
			}
			v := g.vars[g.n(len(g.vars))]
			if v.block != g.block && !g.inBlock(v.name) {
				return v.name
			}
		}
	}
	return g.name("v")
}

func (g *generator) inBlock(name string) bool {
	for _, v := range g.vars {
		if v.block == g.block && v.name == name {
			return true
		}
	}
	return false
}

func (g *generator) declare(v variable) variable {
	v.level, v.block = g.level, g.block
	v.fixed = v.fixed || v.t.kind == function
	g.vars = append(g.vars, v)
	return v
}

// visible lists the variables that no other hides.
func (g *generator) visible() []variable {
	seen := map[string]bool{}
	var r []variable
	for i := len(g.vars) - 1; i >= 0; i-- {
		if v := g.vars[i]; !seen[v.name] {
			seen[v.name] = true
			r = append(r, v)
		}
	}
	return r
}

// find returns a visible variable for which ok holds, and whether there is one.
func (g *generator) find(ok func(variable) bool) (variable, bool) {
	var found []variable
	for _, v := range g.visible() {
		if ok(v) {
			found = append(found, v)
		}
	}
	if len(found) == 0 {
		return variable{}, false
	}
	return found[g.n(len(found))], true
}

// writable reports whether a statement here may assign to the variable.
func (g *generator) writable(v variable) bool {
	return !v.fixed && (v.shared || v.level == g.level) && !(g.function.pure && v.block == 0)
}

// begin chooses the mode of the next statement.
func (g *generator) begin() {
	g.risks = 0
	switch k := g.n(10); {
	case g.function.pure || k < 2:
		g.mode = pure
	case k < 5:
		g.mode, g.risks = risky, 1
	default:
		g.mode = calling
	}
}

// inMode writes something in a mode of its own.
func (g *generator) inMode(m mode, f func()) {
	saved, risks := g.mode, g.risks
	g.mode, g.risks = m, 0
	f()
	g.mode, g.risks = saved, risks
}

// type_ is a type for a variable.
func (g *generator) type_() *typ { return g.pool[g.n(len(g.pool))] }

// typeThat is a type for which ok holds; int is taken to be one.
func (g *generator) typeThat(ok func(*typ) bool) *typ {
	for range 30 {
		if t := g.type_(); ok(t) {
			return t
		}
	}
	return g.int
}

func isPlain(t *typ) bool { return t.plain }
func isEqual(t *typ) bool { return t.equal && t.plain && t.kind != param }
