package lower

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower/typing"
)

// factsOf checks a program and returns what can be asked about it.
func factsOf(t *testing.T, src string) (*ast.File, *facts) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", "package p\n"+src, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := check.NewInfo()
	if _, err := new(types.Config).Check("p", fset, []*ast.File{f}, info); err != nil {
		t.Fatal(err)
	}
	scope := &check.Scope{}
	return f, &facts{scope: scope, types: typing.New(scope, nil), info: info, escapes: map[types.Object]bool{},
		typed: map[types.Object]bool{}}
}

// TestExpressionFacts: whether evaluating an expression changes nothing, surely succeeds, and may leave a list.
func TestExpressionFacts(t *testing.T) {
	cases := []struct {
		x                       string
		pure, succeeds, outside bool
	}{
		{"x + 1", true, true, false},
		{"x / 2", true, false, false},
		{"-x", true, true, false},
		{"x & 3 * x", true, true, false},
		{"1 << 3", true, true, false},
		{"f()", false, false, false},
		{"f() + 1", false, false, false},
		{"func() int { return f() }", true, true, false},
		{"<-c", false, false, false},
		{"len(xs)", true, false, false},
		{"float64(x)", true, false, false},
		{"float64(f())", false, false, false},
		{"xs[x]", true, false, true},
		{"xs[f()]", false, false, true},
		{"xs[0]", true, false, true},
		{"arr[1]", true, false, false},
		{"arr[x]", true, false, true},
		{"m[x]", true, false, false},
		{"s.a", true, true, false},
		{"p.a", true, false, false},
		{"*p", true, false, false},
		{"ss[x].a", true, false, true},
		{"&s", true, false, false},
	}
	src := `
type T struct{ a int }
func f() int { return 1 }
func g(x int, xs []int, arr [3]int, m map[int]int, c chan int, s T, ss []T, p *T) {
`
	for _, c := range cases {
		src += "_ = " + c.x + "\n"
	}
	file, q := factsOf(t, src+"}")
	g := file.Decls[len(file.Decls)-1].(*ast.FuncDecl)
	for i, c := range cases {
		x := g.Body.List[i].(*ast.AssignStmt).Rhs[0]
		if got := q.isPure(x); got != c.pure {
			t.Errorf("%s: pure is %v", c.x, got)
		}
		if got := q.succeeds(x); got != c.succeeds {
			t.Errorf("%s: succeeds is %v", c.x, got)
		}
		if got := q.mayBeOutside(x); got != c.outside {
			t.Errorf("%s: outside is %v", c.x, got)
		}
	}
}

// TestEscaping: variables outlive their block where a literal uses them or something has their address.
func TestEscaping(t *testing.T) {
	file, q := factsOf(t, `
type T struct{ n int; arr [2]int }
func (t T) value() {}
func (t *T) pointer() {}
func g() {
	plain, used, local := 1, 2, 3
	_ = func() int { inside := used; return inside }
	addressed, part, through := 1, T{}, &T{}
	_, _, _ = &addressed, &part.n, &through.n
	sliced, list := [2]int{}, []int{}
	_, _ = sliced[:], list[:]
	receiver, copied := T{}, T{}
	receiver.pointer()
	copied.value()
	_, _ = plain, local
loop:
	for {
		break loop
	}
}`)
	var branches []string
	q.findEscaping(file.Decls[len(file.Decls)-1], func(n *ast.BranchStmt) { branches = append(branches, n.Label.Name) })
	var got []string
	for v := range q.escapes {
		got = append(got, v.Name())
	}
	slices.Sort(got)
	if want := []string{"addressed", "part", "receiver", "sliced", "used"}; !slices.Equal(got, want) {
		t.Errorf("%q outlive their block, not %q", got, want)
	}
	if !slices.Equal(branches, []string{"loop"}) {
		t.Errorf("branches %q", branches)
	}
}
