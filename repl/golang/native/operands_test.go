package native

import (
	"fmt"
	"testing"
)

// orderPart is a type that both sides have.
type orderPart = struct {
	N int
	A [3]int
}

const orderSource = `

type part = struct {
	N int
	A [3]int
}

func element(xs []int, i int, p *part) { xs[i] = p.N }
func field(xs []part, i int, p *part) { xs[i].N = p.N }
func divided(xs []part, i, j, k int) { xs[i].N = j / k }
func added(xs []part, i int, p *part) { xs[i].N += p.N }
func inner(xs []part, i, j int, p *part) { xs[i].A[j] = p.N }
func through(q *part, xs []part, i int) { q.A[i] = xs[i].N }
func row(rows [][]int, i, j, k int) { rows[i][j] = j / k }
func pointers(xs []*part, i int, p *part) { xs[i].N = p.N }
func inCase(xs []part, i int, p *part) {
	switch {
	case i > 0:
		xs[i].N = p.N
	}
}
func labelled(xs []part, i int, p *part) {
again:
	xs[i].N = p.N
	if i < 0 {
		goto again
	}
}
func inLiteral(xs []part, i int, p *part) { func() { xs[i].N = p.N }() }
`

// TestOrderOfPanics: of two operands of an assignment that would panic, the one that does is compiled Go's: what is
// assigned is evaluated first. The same functions are here, compiled.
func TestOrderOfPanics(t *testing.T) {
	r := compileAll(t, orderSource)
	parts := []orderPart{{}, {}}
	none := (*orderPart)(nil)
	text := func(f func()) (text string) {
		defer func() { text = fmt.Sprint(recover()) }()
		f()
		return
	}
	for _, c := range []struct {
		name          string
		native, plain func()
	}{
		{"element", func() { as[func([]int, int, *orderPart)](t, r, "element")([]int{1}, 5, none) },
			func() { xs, i := []int{1}, 5; xs[i] = none.N }},
		{"field", func() { as[func([]orderPart, int, *orderPart)](t, r, "field")(parts, 5, none) },
			func() { i := 5; parts[i].N = none.N }},
		{"divided", func() { as[func([]orderPart, int, int, int)](t, r, "divided")(parts, 5, 1, 0) },
			func() { i, j, k := 5, 1, 0; parts[i].N = j / k }},
		{"added", func() { as[func([]orderPart, int, *orderPart)](t, r, "added")(parts, 5, none) },
			func() { i := 5; parts[i].N += none.N }},
		{"inner", func() { as[func([]orderPart, int, int, *orderPart)](t, r, "inner")(parts, 1, 7, none) },
			func() { i, j := 1, 7; parts[i].A[j] = none.N }},
		{"through", func() { as[func(*orderPart, []orderPart, int)](t, r, "through")(none, parts, 5) },
			func() { i := 5; none.A[i] = parts[i].N }},
		{"row", func() { as[func([][]int, int, int, int)](t, r, "row")([][]int{{1}}, 5, 1, 0) },
			func() { rows, i, j, k := [][]int{{1}}, 5, 1, 0; rows[i][j] = j / k }},
		{"pointers", func() { as[func([]*orderPart, int, *orderPart)](t, r, "pointers")([]*orderPart{nil}, 5, none) },
			func() { xs, i := []*orderPart{nil}, 5; xs[i].N = none.N }},
		{"inCase", func() { as[func([]orderPart, int, *orderPart)](t, r, "inCase")(parts, 5, none) },
			func() { i := 5; parts[i].N = none.N }},
		{"labelled", func() { as[func([]orderPart, int, *orderPart)](t, r, "labelled")(parts, 5, none) },
			func() { i := 5; parts[i].N = none.N }},
		{"inLiteral", func() { as[func([]orderPart, int, *orderPart)](t, r, "inLiteral")(parts, 5, none) },
			func() { i := 5; parts[i].N = none.N }},
	} {
		if got, want := text(c.native), text(c.plain); got != want || got == "<nil>" {
			t.Errorf("%s: %s, want %s", c.name, got, want)
		}
	}
}
