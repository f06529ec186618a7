package native

import (
	"fmt"
	"go/token"
	"reflect"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/channels"
)

// testChannels are those of no session.
var testChannels = &channels.Session{
	Waiter: func(token.Pos, string) channels.Waiter { return unnoticed{} },
	Timed:  func(unsafe.Pointer) bool { return false },
	Make: func(t reflect.Type) func(int) unsafe.Pointer {
		return func(n int) unsafe.Pointer {
			if n < 0 {
				_ = make(chan int, n)
			}
			return reflect.MakeChan(t, n).UnsafePointer()
		}
	},
}

// testDefers starts goroutines. Functions that defer calls are not compiled.
func testDefers(name string) reflect.Value {
	if name == "Go" {
		return reflect.ValueOf(func(f func()) { go f() })
	}
	return reflect.Value{}
}

// channelHelpers are functions with channels and goroutines.
const channelHelpers = `
type parcel struct {
	N    int8
	Text string
	X    float32
	Back chan int
}

func count(n int, by int) <-chan int {
	c := make(chan int, n&3)
	go func() {
		for i := range n {
			c <- i * by
		}
		close(c)
	}()
	return c
}

func double(in <-chan int, out chan<- int) {
	for x := range in {
		out <- 2 * x
	}
	close(out)
}

func answer(to chan parcel, base int) {
	for p := range to {
		p.Back <- base + int(p.N) + len(p.Text)
	}
}

func ask(to chan parcel, n int8, text string) int {
	p := parcel{n, text, 1.5, make(chan int)}
	to <- p
	return <-p.Back
}

func either(a, b <-chan int) (s int) {
	for a != nil || b != nil {
		select {
		case x, ok := <-a:
			if !ok { a = nil; break }
			s += x
		case x, ok := <-b:
			if !ok { b = nil; continue }
			s += 3 * x
		}
	}
	return s
}

func give(c chan int, a, b int) { c <- a - b }

func (p *parcel) give(c chan int, a int) { c <- a * int(p.N) }

func noChannel() chan int { return nil }

func chosen(cs []chan int, is []int, n int) chan int { is[0]++; return cs[n&1] }
`

// channelStatement uses channels and goroutines. Where several cases of a select statement may be ready, the result
// does not depend on which is chosen.
func (g *generator) channelStatement() bool {
	if g.loops > 1 || g.inside != "" {
		return false
	}
	c, v := g.name(), g.name()
	typ := g.pick(scalarTypes...)
	e := func(depth int) string { return g.expr(typ, depth) }
	switch g.r.IntN(12) {
	case 0: // one that is used in several ways
		g.line("%s := make(chan %s, %d)", c, typ, g.r.IntN(3))
		for range 1 + g.r.IntN(4) {
			switch g.r.IntN(6) {
			case 0:
				g.line("if len(%s) < cap(%s) { %s <- %s }", c, c, c, e(2))
			case 1:
				g.line("select { case %s <- %s: total += 2; default: total += %s }", c, e(1), g.expr("int", 1))
			case 2:
				g.line("select { case %s, ok := <-%s: if ok { total += cap(%s) }; _ = %s; default: total += 3 }", v, c, c, v)
			case 3:
				g.line("if len(%s) > 0 { %s := <-%s; _ = %s; total += len(%s) }", c, v, c, v, c)
			case 4:
				g.line("select { case noChannel() <- %s: case x%s := <-%s: _ = x%s; default: total++ }", g.expr("int", 1), c, c, c)
			default:
				g.line("if %s { close(%s) }", g.expr("bool", 1), c)
			}
		}
		sum := fmt.Sprintf("total += int(x%s)", c)
		if typ == "bool" {
			sum = fmt.Sprintf("if x%s { total++ }", c)
		}
		g.line("for len(%s) > 0 { x%s := <-%s; %s }", c, c, c, sum)
	case 1:
		g.line("%s := 0", v)
		g.line("for x%s := range count(%s&15, %s) {", v, g.expr("int", 1), g.expr("int", 1))
		g.line("\tif x%s > %s { total-- }", v, g.expr("int", 1))
		g.line("\t%s += x%s", v, v)
		g.line("}")
		g.line("_ = %s", v)
		g.vars = append(g.vars, variable{v, "int"})
	case 2:
		g.line("%s := make(chan int)", c)
		g.line("go double(count(%s&7, %s), %s)", g.expr("int", 1), g.expr("int", 1), c)
		g.line("for x%s := range %s { total += x%s }", c, c, c)
	case 3:
		g.line("%s := make(chan %s, 1)", c, typ)
		g.line("go func(y %s) { %s <- y }(%s)", typ, c, e(2))
		g.line("%s := <-%s", v, c)
		g.line("_ = %s", v)
		g.vars = append(g.vars, variable{v, typ})
	case 4:
		g.line("%s := make(chan parcel)", c)
		g.line("go answer(%s, %s)", c, g.expr("int", 1))
		g.line("%s := ask(%s, %s, text) + ask(%s, 3, \"\")", v, c, g.expr("int8", 1), c)
		g.line("close(%s)", c)
		g.line("_ = %s", v)
		g.vars = append(g.vars, variable{v, "int"})
	case 5:
		g.line("%s := either(count(%s&7, 2), count(%s&7, %s))", v, g.expr("int", 1), g.expr("int", 1), g.expr("int", 1))
		g.line("_ = %s", v)
		g.vars = append(g.vars, variable{v, "int"})
	case 6:
		g.line("%s := make(chan int, 2)", c)
		g.line("go give(%s, %s, %s)", c, g.expr("int", 2), g.expr("int", 2))
		g.line("total += <-%s", c)
		g.line("go (&parcel{N: %s}).give(%s, %s)", g.expr("int8", 1), c, g.expr("int", 2))
		g.line("is[%s] = <-%s", g.index("is"), c)
	case 7:
		g.line("%s := []chan int{make(chan int, 4), make(chan int, 4)}", c)
		g.line("chosen(%s, is, %s) <- %s", c, g.expr("int", 1), g.expr("int", 2))
		g.line("%s[%s&1] <- %s", c, g.some("int", 1), g.expr("int", 2))
		g.line("select { case chosen(%s, is, is[0]) <- is[0]: case noChannel() <- %s: }", c, g.expr("int", 1))
		g.line("for _, x := range %s { close(x); for y := range x { total = total*3 + y } }", c)
	case 8:
		g.line("%s := make(chan int, 3)", c)
		g.line("%s <- %s; %s <- is[1]; %s <- %s", c, g.expr("int", 1), c, c, g.expr("int", 1))
		g.line("%s := is[%s] + <-%s*(<-%s) - bump(is, 1, <-%s)", v, g.index("is"), c, c, c)
		g.line("_ = %s", v)
		g.vars = append(g.vars, variable{v, "int"})
	case 9:
		g.line("%s := make(chan func() %s, 1)", c, typ)
		g.line("%s <- func() %s { total++; return %s }", c, typ, g.literal(typ))
		g.line("%s := (<-%s)()", v, c)
		g.line("_ = %s", v)
		g.vars = append(g.vars, variable{v, typ})
	case 10:
		g.line("%s := make(chan struct{})", c)
		g.line("%s := %s", v, g.expr("int", 1))
		g.line("go func() { for %s > 5 || %s < -5 { %s /= 3 }; close(%s) }()", v, v, v, c)
		g.line("<-%s", c)
		g.line("_ = %s", v)
		g.vars = append(g.vars, variable{v, "int"})
	default:
		g.line("var %s chan int", c)
		g.line("select { case %s <- %s: total++; case is[%s] = <-%s: total--; default: }", c, g.expr("int", 2), g.index("is"), c)
		g.line("total += len(%s) + cap(%s)", c, c)
		if g.r.IntN(4) == 0 {
			g.line("close(%s)", c)
		}
	}
	return true
}

// unnoticed waits without telling anybody.
type unnoticed struct{}

func (unnoticed) Begin(string, bool) (note, stop unsafe.Pointer) { return nil, nil }
func (unnoticed) End(unsafe.Pointer)                             {}
func (unnoticed) Stopped()                                       {}
