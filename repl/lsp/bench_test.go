package lsp

import (
	"fmt"
	"testing"
)

// BenchmarkEdit is an edit in the first of 400 cells, and a question in the last one.
func BenchmarkEdit(b *testing.B) {
	list := make([]string, 400)
	for i := range list {
		list[i] = fmt.Sprintf("x%d := tensor.Of(%d).Add(1)\nfunc f%d(a int) int { return a + %d }\nfmt.Println(x%d, f%d(3))", i, i, i, i, i, i)
	}
	s, d := book(b, list...)
	if err := s.analyse(d); err != nil {
		b.Fatal(err)
	}
	for n := 0; b.Loop(); n++ {
		s.texts["c0"].content, d.changed = fmt.Sprintf("x0 := tensor.Of(%d)", n), true
		if err := s.analyse(d); err != nil {
			b.Fatal(err)
		}
		if _, err := s.before(d, s.cellsOf(d), 399); err != nil {
			b.Fatal(err)
		}
	}
}
