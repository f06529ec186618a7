package native

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

var (
	randomFunctions = flag.Int("functions", 20, "how many random functions TestRandom compares with compiled Go")
	plainFunctions  = flag.Int("plain", 30, "how many random functions TestRandomPlain compares with plain code")
	randomSeed      = flag.Uint64("seed", 1, "of the first ones")
)

// generator makes random functions of what is compiled.
type generator struct {
	r     *rand.Rand
	out   strings.Builder
	vars  []variable // in scope, which may be set
	reads []variable // in scope, which may not
	names int
	loops int
	depth int
	calls int // the functions before this one

	values  bool // there are variables of more than one word: see valuesBegin
	orders  bool // calls change what is read beside them: see random_order_test.go
	numbers bool // of numbers alone, for devices: see element_random_test.go

	literals []string // in scope: see literal
	inside   string   // the results of the literal in work, "" outside
}

type variable struct{ name, typ string }

var scalarTypes = []string{"int", "int", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32",
	"uint64", "float64", "float64", "float32", "bool"}

func (g *generator) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.out, strings.Repeat("\t", g.depth)+format+"\n", args...)
}

func (g *generator) name() string {
	g.names++
	return fmt.Sprintf("v%d", g.names)
}

// variableOf is a variable of a type, "" for none.
func (g *generator) variableOf(typ string, set bool) string {
	list := g.vars
	if !set {
		list = append(list[:len(list):len(list)], g.reads...)
	}
	var fit []string
	for _, v := range list {
		if v.typ == typ {
			fit = append(fit, v.name)
		}
	}
	if len(fit) == 0 {
		return ""
	}
	return g.pick(fit...)
}

func isFloat(t string) bool { return strings.HasPrefix(t, "float") }

func (g *generator) literal(typ string) string {
	switch {
	case typ == "bool":
		return g.pick("true", "false")
	case isFloat(typ):
		return fmt.Sprintf("%s(%s)", typ, g.pick("0", "1", "0.5", "2.25", "-3.75", "1e10", "100"))
	case typ[0] == 'u':
		return fmt.Sprintf("%s(%s)", typ, g.pick("0", "1", "2", "3", "7", "8", "100", "127", "200", "255"))
	}
	return fmt.Sprintf("%s(%s)", typ, g.pick("0", "1", "2", "3", "7", "8", "-1", "-2", "-8", "100", "127", "-128"))
}

// expr makes an expression of a type.
func (g *generator) expr(typ string, depth int) string {
	if depth <= 0 || g.r.IntN(5) == 0 {
		if v := g.variableOf(typ, false); v != "" && g.r.IntN(4) != 0 {
			return v
		}
		return g.literal(typ)
	}
	sub := func() string { return g.expr(typ, depth-1) }
	switch {
	case typ == "bool":
		t := g.pick(scalarTypes[:15]...)
		switch g.r.IntN(4) {
		case 0:
			return fmt.Sprintf("(%s %s %s)", sub(), g.pick("&&", "||", "==", "!="), sub())
		case 1:
			return "!" + sub()
		}
		if g.r.IntN(8) == 0 {
			return fmt.Sprintf("(%s %s %s)", g.complex("float64", depth-1), g.pick("==", "!="), g.complex("float64", depth-1))
		}
		return fmt.Sprintf("(%s %s %s)", g.some(t, depth-1), g.pick("<", "<=", ">", ">=", "==", "!="), g.expr(t, depth-1))
	case isFloat(typ):
		switch g.r.IntN(8) {
		case 0:
			return fmt.Sprintf("%s(%s)", typ, g.some(g.pick(scalarTypes[:15]...), depth-1))
		case 1:
			if typ == "float64" {
				return fmt.Sprintf("math.%s(%s)", g.pick("Sqrt", "Abs", "Floor", g.other("Sin", "Round")), sub())
			}
		case 2:
			if typ == "float64" && !g.numbers {
				return fmt.Sprintf("fs[%s]", g.index("fs"))
			}
		case 3:
			return fmt.Sprintf("%s(%s)", g.pick("real", "imag"), g.complex(typ, depth-1))
		}
		return fmt.Sprintf("(%s %s %s)", g.some(typ, depth-1), g.pick("+", "-", "*", "/"), sub())
	}
	switch g.r.IntN(10) {
	case 0:
		from := g.pick(scalarTypes[:15]...)
		return fmt.Sprintf("%s(%s)", typ, g.some(from, depth-1))
	case 1:
		if g.numbers && typ == "int" {
			return "is[" + g.index("is") + "]"
		}
		if g.numbers {
			break
		}
		if typ == "int" {
			return g.pick("len(is)", "len(fs)", "len(text)", "is["+g.index("is")+"]", "cap(is[1:3])")
		}
		if typ == "uint8" {
			return "text[" + g.index("text") + "]"
		}
	case 2:
		return fmt.Sprintf("(%s %s %s)", g.some(typ, depth-1), g.pick("<<", ">>"), g.pick("3", "1", "8", "31", "33",
			g.some(g.pick("uint8", "uint", "uint64"), 1), g.some("uint8", 1)+"&31"))
	case 3:
		return fmt.Sprintf("(%s %s %s)", g.some(typ, depth-1), g.pick("/", "%"), g.pick(g.some(typ, depth-1)+"|1",
			g.nonZero(typ), g.some(typ, 0)))
	case 4:
		return g.pick("-", "^") + g.some(typ, depth-1)
	case 5:
		if g.calls > 0 && typ == "uint64" && g.loops == 0 && g.numbers {
			return fmt.Sprintf("f%d(%s, %s, %s, %s)", g.r.IntN(g.calls), g.expr("int", 1), g.expr("int32", 1),
				g.expr("float64", 1), g.expr("float32", 1))
		}
		if g.orders && typ == "int" && g.r.IntN(2) == 0 {
			return g.ordered(depth)
		}
		if g.calls > 0 && typ == "int" && g.loops == 0 && !g.numbers {
			return fmt.Sprintf("first(f%d(%s, %s, %s, fs, is, text))", g.r.IntN(g.calls), g.expr("int", 1), g.expr("int32", 1),
				g.expr("float64", 1))
		}
	}
	return fmt.Sprintf("(%s %s %s)", g.some(typ, depth-1), g.pick("+", "-", "*", "&", "|", "^", "&^"), sub())
}

func (g *generator) nonZero(typ string) string {
	return fmt.Sprintf("%s(%s)", typ, g.pick("1", "2", "3", "4", "7", "8", "10", "64", "100"))
}

// some is an expression that is not a constant.
func (g *generator) some(typ string, depth int) string {
	if v := g.variableOf(typ, false); v != "" && (depth <= 0 || g.r.IntN(2) == 0) {
		return v
	}
	if v := g.variableOf(typ, false); v != "" {
		return fmt.Sprintf("(%s %s %s)", v, g.pick("+", "-", "*"), g.expr(typ, depth-1))
	}
	if typ == "bool" {
		return "(a > 0)"
	}
	return typ + "(a)"
}

// other is what stands where functions of numbers have something else.
func (g *generator) other(any, ofNumbers string) string {
	if g.numbers {
		return ofNumbers
	}
	return any
}

// index is one that is mostly in range.
func (g *generator) index(list string) string {
	i := g.some("int", 1)
	switch g.r.IntN(12) {
	case 0:
		return i
	case 1, 2:
		return fmt.Sprint(g.r.IntN(3))
	}
	return fmt.Sprintf("(%s)&0x7fffffff%%len(%s)", i, list)
}

func (g *generator) block(n int) {
	g.depth++
	vars, reads, literals := len(g.vars), len(g.reads), len(g.literals)
	for range 1 + g.r.IntN(n) {
		g.statement()
	}
	g.vars, g.reads, g.literals = g.vars[:vars], g.reads[:reads], g.literals[:literals]
	g.depth--
}

func (g *generator) statement() {
	if g.values && g.r.IntN(3) == 0 {
		g.value()
		return
	}
	if !g.numbers && g.r.IntN(6) == 0 && g.literalStatement() {
		return
	}
	if !g.numbers && g.r.IntN(12) == 0 && g.callbackStatement() {
		return
	}
	if !g.numbers && g.r.IntN(8) == 0 && g.givenStatement() {
		return
	}
	if !g.numbers && g.r.IntN(8) == 0 && g.channelStatement() {
		return
	}
	if g.values && g.r.IntN(16) == 0 && g.methodStatement() {
		return
	}
	if !g.numbers && g.r.IntN(6) == 0 {
		g.shortCall()
		return
	}
	if g.orders && g.r.IntN(5) == 0 {
		g.orderedStatement()
		return
	}
	switch k := g.r.IntN(14); {
	case k < 3:
		v, t := g.name(), g.pick(scalarTypes...)
		g.line("var %s %s = %s", v, t, g.expr(t, 3))
		g.line("_ = %s", v)
		g.vars = append(g.vars, variable{v, t})
	case k < 7:
		t := g.pick(scalarTypes...)
		v := g.variableOf(t, true)
		if v == "" {
			v, t = "total", "int"
		}
		if t != "bool" && g.r.IntN(2) == 0 {
			g.line("%s %s= %s", v, g.pick("+", "-", "*"), g.expr(t, 2))
		} else {
			g.line("%s = %s", v, g.expr(t, 3))
		}
	case k == 7:
		g.line("is[%s] = %s", g.index("is"), g.expr("int", 2))
	case k == 8 && !g.numbers:
		g.line("fs[%s] %s= %s", g.index("fs"), g.pick("", "+", "*"), g.expr("float64", 2))
	case k == 9 || g.depth > 4:
		g.line("total += %s", g.expr("int", 3))
	case k == 10:
		g.line("if %s {", g.expr("bool", 2))
		g.block(3)
		if g.r.IntN(2) == 0 {
			g.line("} else {")
			g.block(3)
		}
		g.line("}")
	case k == 11:
		g.line("switch %s {", g.some("int", 1)+"&7")
		for i := range 3 {
			g.line("case %d:", i*2)
			g.block(2)
		}
		g.line("default:")
		g.block(2)
		g.line("}")
	default:
		g.loop()
	}
}

func (g *generator) loop() {
	if g.loops > 2 {
		return
	}
	g.loops++
	i := g.name()
	n := len(g.reads)
	kind := g.r.IntN(5)
	if g.numbers {
		kind = 2 * (kind % 2)
	}
	switch kind {
	case 0:
		g.line("for %s := 0; %s < %s; %s++ {", i, i, g.pick("len(is)", g.other("len(fs)", "5"), "7", "b8"), i)
		g.reads = append(g.reads, variable{i, "int"})
	case 1:
		g.line("for %s, x%s := range is {", i, i)
		g.line("\t_, _ = %s, x%s", i, i)
		g.reads = append(g.reads, variable{i, "int"}, variable{"x" + i, "int"})
	case 2:
		g.line("for %s := range %s {", i, g.pick("9", g.other("len(text)", "3")))
		g.line("\t_ = %s", i)
		g.reads = append(g.reads, variable{i, "int"})
	case 3:
		g.line("for %s := len(fs) - 1; %s >= 0; %s -= %d {", i, i, i, 1+g.r.IntN(3))
		g.reads = append(g.reads, variable{i, "int"})
	case 4:
		g.line("for _, x%s := range fs[%s:] {", i, g.pick("0", "1", "2", "len(fs)"))
		g.line("\t_ = x%s", i)
		g.reads = append(g.reads, variable{"x" + i, "float64"})
	}
	g.block(4)
	if g.r.IntN(4) == 0 {
		g.line("\tif %s { %s }", g.expr("bool", 2), g.pick("break", "continue"))
	}
	g.line("}")
	g.reads = g.reads[:n]
	g.loops--
}

// function makes one.
func (g *generator) function(i int) {
	g.calls, g.loops, g.depth, g.literals = i, 0, 1, nil
	g.vars = []variable{{"total", "int"}, {"a", "int"}, {"b", "int32"}, {"x", "float64"}}
	g.reads = []variable{{"b8", "int"}}
	fmt.Fprintf(&g.out, "func f%d(a int, b int32, x float64, fs []float64, is []int, text string) (int, float64) {\n", i)
	g.line("total, b8 := 0, int(b&7)")
	if g.orders {
		g.line("link := &cell{N: a&7, Next: &cell{N: 3}}")
	}
	if g.values {
		g.valuesBegin()
	}
	for range 4 + g.r.IntN(8) {
		g.statement()
	}
	g.line("_ = b8")
	if g.values {
		g.valuesEnd()
	}
	if g.orders {
		g.line("total += link.N*5 + link.At[0]*7 + link.At[1]")
	}
	g.line("return total + a + int(b), x")
	fmt.Fprintf(&g.out, "}\n\n")
}

// randomInputs are what each function is called with.
var randomInputs = []struct {
	a int
	b int32
	x float64
}{{0, 0, 0}, {1, 2, 3.5}, {-7, 100, -1e5}, {1 << 62, -1 << 31, 1e300}, {12345, 77, 0.001}}

// mayRefuse are reasons for which a random function is not compiled.
var mayRefuse = regexp.MustCompile("a function that|captures too many|too long")

// TestRandom runs random functions as compiled Go and as machine code, and compares results, panics and slices.
func TestRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs with the go command")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	all := 0
	for first := 0; first < *randomFunctions; first += 20 {
		seed := *randomSeed + uint64(first)
		src := randomSource(seed)
		r := compileAll(t, src)
		want := compiledRuns(t, src)
		taken := 0
		for i := range 20 {
			name := fmt.Sprintf("f%d", i)
			if r[name].Reason != nil {
				if !mayRefuse.MatchString(r[name].Reason.What) {
					t.Errorf("seed %d: %s: %v", seed, name, r[name].Reason)
				}
				continue
			}
			taken++
			f := as[func(int, int32, float64, []float64, []int, string) (int, float64)](t, r, name)
			for k, in := range randomInputs {
				if got := oneRun(f, in.a, in.b, in.x); got != want[fmt.Sprint(name, " ", k)] {
					t.Errorf("seed %d: %s(%v)\ngot  %s\nwant %s", seed, name, in, got, want[fmt.Sprint(name, " ", k)])
				}
			}
		}
		all += taken
	}
	if all < *randomFunctions/2 {
		t.Errorf("only %d of %d functions are compiled", all, *randomFunctions)
	}
}

// TestRandomPlain compares random functions with what they are without the passes that improve code, and where the calls
// are made of which the code is in their places.
func TestRandomPlain(t *testing.T) {
	thorough.Slow(t)
	for first := 0; first < *plainFunctions; first += 20 {
		seed := *randomSeed + uint64(first)
		src := randomSource(seed)
		p := New(plainType)
		p.plain = true
		plain, r := compileWith(t, src, p), compileAll(t, src)
		p = New(plainType)
		p.stale = true
		stale := compileWith(t, src, p)
		for i := range 20 {
			name := fmt.Sprintf("f%d", i)
			if why := r[name].Reason; why != nil {
				if strings.Contains(why.What, "failed") {
					t.Errorf("seed %d: %s: %v", seed, name, why)
				}
				continue
			}
			f, g := as[randomFunction](t, r, name), as[randomFunction](t, plain, name)
			h := as[randomFunction](t, stale, name)
			for _, in := range randomInputs {
				got, want := oneRun(f, in.a, in.b, in.x), oneRun(g, in.a, in.b, in.x)
				if got != want {
					t.Errorf("seed %d: %s(%v)\ngot  %s\nwant %s", seed, name, in, got, want)
				}
				if got := oneRun(h, in.a, in.b, in.x); got != want {
					t.Errorf("seed %d: %s(%v) with calls\ngot  %s\nwant %s", seed, name, in, got, want)
				}
			}
		}
	}
}

// randomSource is a file of twenty random functions.
func randomSource(seed uint64) string {
	g := &generator{r: rand.New(rand.NewPCG(seed, 1))}
	for i := range 20 {
		g.values, g.orders = i%2 == 1, i%3 != 0
		g.function(i)
	}
	return "import (\n\"math\"\n\"sort\"\n\"strings\"\n)\n" + randomHelpers + orderHelpers + callbackHelpers + givenHelpers + channelHelpers + methodHelpers + randomUses + g.out.String()
}

type randomFunction = func(int, int32, float64, []float64, []int, string) (int, float64)

// oneRun tells what a function returns, or how it panics, and what is in its slices then.
func oneRun(f randomFunction, a int, b int32, x float64) (s string) {
	fs, is := []float64{1, 2.5, -3, 0, 1e9}, []int{5, -4, 3, 2, 1, 0, 1 << 40}
	defer func() {
		if v := recover(); v != nil {
			s = fmt.Sprint("panic: ", v)
		}
		s += fmt.Sprint(" ", fs, is)
	}()
	n, y := f(a, b, x, fs, is, "some text")
	return fmt.Sprint(n, " ", y)
}

const randomMain = `
func oneRun(f func(int, int32, float64, []float64, []int, string) (int, float64), a int, b int32, x float64) (s string) {
	fs, is := []float64{1, 2.5, -3, 0, 1e9}, []int{5, -4, 3, 2, 1, 0, 1 << 40}
	defer func() {
		if v := recover(); v != nil {
			s = fmt.Sprint("panic: ", v)
		}
		s += fmt.Sprint(" ", fs, is)
	}()
	n, y := f(a, b, x, fs, is, "some text")
	return fmt.Sprint(n, " ", y)
}
`
