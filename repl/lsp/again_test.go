package lsp

import (
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// book is a server with a notebook of cells.
func book(t testing.TB, list ...string) (*server, *document) {
	s := &server{ctx: t.Context(), texts: map[string]*text{}, documents: map[string]*document{}}
	d := &document{uri: "nb", cells: []string{}, changed: true}
	for i, code := range list {
		uri := fmt.Sprint("c", i)
		d.cells = append(d.cells, uri)
		s.texts[uri] = &text{content: code, owner: d, goCell: true}
	}
	return s, d
}

// TestChecksOfEdits counts the checks that an edit costs: of the cell, of what depends on it, and of what they need.
func TestChecksOfEdits(t *testing.T) {
	thorough.Slow(t)
	var list []string
	for i := range 60 {
		list = append(list, fmt.Sprintf("func f%d(n int) int { return n * %d }\nx%d := f%d(3)\nfmt.Println(x%d)", i, i, i, i, i))
	}
	list[30] = "y := x0 + f29(1)"
	list[40] = "fmt.Println(y)"
	s, d := book(t, list...)
	checks := func(what string, want int) {
		t.Helper()
		if s.checked != want {
			t.Errorf("%s: %d cells were checked or declared, want %d", what, s.checked, want)
		}
		s.checked = 0
	}
	analyse := func() {
		t.Helper()
		if err := s.analyse(d); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(n int) {
		t.Helper()
		if _, err := s.before(d, s.cellsOf(d), n); err != nil {
			t.Fatal(err)
		}
	}
	analyse()
	checks("opened", 60)
	analyse()
	checks("nothing was edited", 0)
	ask(59)
	checks("the first question", 59)
	edit := func(i int, code string) {
		s.texts[fmt.Sprint("c", i)].content, d.changed = code, true
		analyse()
	}
	edit(0, "func f0(n int) float64 { return 1 }\nx0 := f0(3)")
	checks("the first cell", 1+4) // then cells 30 and 40, which need cells 0 and 29
	if got := d.result.found["c30"][0].Message; !strings.HasPrefix(got, "invalid operation: x0 + f29(1) (mismatched") {
		t.Error(got)
	}
	edit(0, "func f0(n int) int { return 1 }\nx0 := f0(3)")
	checks("again", 1+4)
	ask(59)
	checks("a question far below", 3) // cells 0, 30 and 40
	edit(59, "fmt.Println(x58)")
	checks("the last cell", 2)
	ask(59)
	checks("a question in it", 0)
	ask(58)
	checks("a question above", 58)
	ask(59)
	checks("a question below", 1)
	edit(3, "import m \"math\"")
	checks("an import", 60)
}

// snippets are cells of which some make others wrong.
var snippets = []string{
	"a := 1", "a := \"s\"", "a = a + 1", "b := a", "b := []int{1}", "c := b", "func f(n int) int { return n }",
	"func f(n string) string { return n }", "func g() int { return f(a) }", "h := g()", "fmt.Println(h, a)",
	"type T struct{ A int }", "type T struct{ B string }", "func (t T) M() int { return t.A }", "func (t T) N() int { return 1 }",
	"v := T{}", "v.A + v.M()", "type I interface{ M() int }", "var i I = v", "i.M()", "for _, x := range b { _ = x + a }",
	"x, err := strconv.Atoi(\"1\")", "y, err := os.Open(\"f\")", "err == nil", "a +", "undefinedName", "", "const K = 3", "const K = \"k\"",
	"z := K", "import m \"math\"", "m.Pi + z", "_ + 1", "3", "!ls", "%%capture cap\nfmt.Println(a)", "cap.Stdout + a", "func gen[P any](p P) P { return p }",
	"w := gen(a)", "w + 1", "u := func() int { return w }", "func init() { a = 2 }", "if a > 1 { b := \"x\"; fmt.Println(b) }", "len(c)",
}

// TestEditsAsFresh: after random edits, what was kept is what a check of all cells finds.
func TestEditsAsFresh(t *testing.T) {
	thorough.Slow(t)
	rounds := 1
	if thorough.On() {
		rounds = 100
	}
	for round := range rounds {
		r := rand.New(rand.NewPCG(uint64(round), 1))
		list := make([]string, 14)
		for i := range list {
			list[i] = snippets[r.IntN(len(snippets))]
		}
		s, d := book(t, list...)
		s.out = io.Discard
		for step := range 12 {
			if err := s.analyse(d); err != nil {
				t.Fatal(err)
			}
			at := r.IntN(len(list))
			list[at] = snippets[r.IntN(len(snippets))]
			s.texts[fmt.Sprint("c", at)].content, d.changed = list[at], true
			fresh, whole := book(t, list...)
			whole.good = slices.Clone(d.good)
			n := r.IntN(len(list))
			for _, x := range []struct {
				s *server
				d *document
			}{{s, d}, {fresh, whole}} {
				if err := x.s.analyse(x.d); err != nil {
					t.Fatal(err)
				}
			}
			for i := range list {
				got, want := d.result.checks[i], whole.result.checks[i]
				if !reflect.DeepEqual(got.found, want.found) || !reflect.DeepEqual(got.mentions, want.mentions) ||
					!reflect.DeepEqual(d.result.found, whole.result.found) {
					t.Fatalf("round %d, step %d, edit of %d, cell %d:\n%q\ngot  %+v\n%+v\nwant %+v\n%+v", round, step, at, i, list, got, d.result.found, want,
						whole.result.found)
				}
			}
			a, err := s.before(d, s.cellsOf(d), n)
			if err != nil {
				t.Fatal(err)
			}
			b, err := fresh.before(whole, fresh.cellsOf(whole), n)
			if err != nil {
				t.Fatal(err)
			}
			for _, code := range []string{"", "v.", "a.", "f(", "b[0].", "w.", "h.", "err."} {
				got, _ := a.Complete(code, len(code))
				want, _ := b.Complete(code, len(code))
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("round %d, step %d, edit of %d, %q before cell %d:\n%q\ngot  %+v\nwant %+v", round, step, at, code, n, list, got, want)
				}
			}
		}
	}
}
