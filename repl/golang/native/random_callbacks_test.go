package native

import (
	"go/types"
	"reflect"
	"sort"
	"strings"
	"unsafe"
)

// randomFuncs are the functions of compiled packages that random functions have call them back.
var randomFuncs = map[string]any{"sort.Search": sort.Search, "strings.IndexFunc": strings.IndexFunc,
	"strings.Map": strings.Map}

// randomPackages calls them, and function values, by package reflect.
var randomPackages = Packages{
	CallValue: reflectCaller, Channels: testChannels, Defers: testDefers,
	Instance: func(f *types.Func, args []types.Type) reflect.Value {
		return reflect.ValueOf(map[string]any{"cmp.Compare": true}[f.FullName()])
	},
	Func: func(f *types.Func) reflect.Value {
		if f.Signature().Recv() != nil {
			return reflect.Value{}
		}
		return reflect.ValueOf(randomFuncs[f.Pkg().Path()+"."+f.Name()])
	},
	Caller: func(fn reflect.Value, params, results []uintptr) func(unsafe.Pointer) {
		return func(m unsafe.Pointer) {
			var in []reflect.Value
			for i, p := range params {
				in = append(in, reflect.NewAt(fn.Type().In(i), unsafe.Add(m, p)).Elem())
			}
			for i, v := range fn.Call(in) {
				reflect.NewAt(fn.Type().Out(i), unsafe.Add(m, results[i])).Elem().Set(v)
			}
		}
	},
}

// callbackHelpers are functions that take and return function values.
const callbackHelpers = `
func applyA(f func(int, float64) int, n int, x float64) int {
	s := 0
	for i := range 3 {
		s += f(n+i, x)
	}
	return s
}

func applyB(f func(int32, int32) (int, float64), n int32) (int, float64) {
	a, x := f(n, n+1)
	b, y := f(n+2, n)
	return a + b, x + y
}

func applyC(f func(), n int) int {
	for range n & 3 {
		f()
	}
	return n
}

func keepA(f func(int, float64) int) []func(int, float64) int {
	calls := 0
	return []func(int, float64) int{f, func(n int, x float64) int { calls++; return f(n+calls, x) }, func(n int, x float64) int { return n }}
}

func composeB(f, g func(int32, int32) (int, float64)) func(int32, int32) (int, float64) {
	return func(a, b int32) (int, float64) {
		n, x := f(a, b)
		m, y := g(b, int32(n))
		return n ^ m, x * y
	}
}

func counted(f func()) (func(), *int) {
	n := new(int)
	return func() { *n++; f() }, n
}
`

// randomUses has a file use its imports.
const randomUses = `
var _, _ = sort.Search, strings.Map
`

// callbackStatement uses a literal as a value. It reports false where there is none.
func (g *generator) callbackStatement() bool {
	if g.loops > 1 || len(g.literals) == 0 {
		return g.loops < 2 && g.callback()
	}
	name := g.pick(g.literals...)
	v := name[:2] + g.name()
	switch k := g.r.IntN(4); {
	case k == 0:
		g.line("%s := %s", v, name)
		g.line("if %s { %s = %s }", g.expr("bool", 2), v, g.pick(g.same(name)...))
		g.line("_ = %s", v)
		g.literals = append(g.literals[:len(g.literals):len(g.literals)], v)
	case k == 1:
		return g.callback()
	case name[:2] == "ca" && k == 2:
		g.line("for i%s, f := range keepA(%s) { %s := f(i%s, %s); _ = %s }", v, name, v, v, g.expr("float64", 1), v)
	case name[:2] == "ca":
		g.line("%s := applyA(%s, %s, %s)", v, name, g.expr("int", 2), g.expr("float64", 2))
		g.line("_ = %s", v)
		g.vars = append(g.vars, variable{v, "int"})
	case name[:2] == "cb":
		f := name
		if k == 2 {
			f = "composeB(" + name + ", " + g.pick(g.same(name)...) + ")"
		}
		w := g.name()
		g.line("f%s := %s", v, f)
		g.line("%s, %s := applyB(f%s, %s)", v, w, v, g.expr("int32", 2))
		g.line("_, _ = %s, %s", v, w)
		g.vars = append(g.vars, variable{v, "int"}, variable{w, "float64"})
	case k == 2:
		g.line("%s, n%s := counted(%s)", v, v, name)
		g.line("%s()", v)
		g.line("total = total + *n%s", v)
	default:
		g.line("%s := applyC(%s, %s)", v, name, g.expr("int", 1))
		g.line("_ = %s", v)
		g.vars = append(g.vars, variable{v, "int"})
	}
	return true
}

// same are the literals of the kind of one.
func (g *generator) same(name string) (list []string) {
	for _, l := range g.literals {
		if l[:2] == name[:2] {
			list = append(list, l)
		}
	}
	return list
}

// callback has Go code call a literal.
func (g *generator) callback() bool {
	v, i := g.name(), g.name()
	reads := len(g.reads)
	loops := g.loops
	g.loops = 3 // it calls no function
	switch g.r.IntN(3) {
	case 0:
		g.reads = append(g.reads, variable{i, "int"})
		g.line("%s := sort.Search(20, func(%s int) bool { a += %s; return %s })", v, i, i, g.expr("bool", 2))
	case 1:
		g.reads = append(g.reads, variable{i, "int32"})
		g.line("%s := strings.IndexFunc(text, func(%s rune) bool { b ^= %s; return %s })", v, i, i, g.expr("bool", 2))
	case 2:
		g.reads = append(g.reads, variable{i, "int32"})
		g.line("%s := len(strings.Map(func(%s rune) rune { x += float64(%s); return %s }, text))", v, i, i, g.expr("int32", 2))
	}
	g.reads, g.loops = g.reads[:reads], loops
	g.line("_ = %s", v)
	g.vars = append(g.vars, variable{v, "int"})
	return true
}
