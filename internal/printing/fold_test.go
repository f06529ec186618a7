package printing

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	rows := [][]string{{"x", "*tensor.Tensor", "[100] f32 on cpu"}, {"日本", "function", "func(n int) (list []int, err error)"}}
	for _, c := range []struct {
		columns int
		want    string
	}{
		{0, "x     *tensor.Tensor  [100] f32 on cpu\n日本  function        func(n int) (list []int, err error)\n"},
		{80, "x     *tensor.Tensor  [100] f32 on cpu\n日本  function        func(n int) (list []int, err error)\n"},
		{44, "x     *tensor.Tensor  [100] f32 on cpu\n日本  function        func(n int) (list\n                      []int, err error)\n"},
		{30, "x     *tensor.Tensor\n    [100] f32 on cpu\n日本  function\n    func(n int) (list []int,\n    err error)\n"},
	} {
		if got := Table(rows, c.columns); got != c.want {
			t.Errorf("%d columns:\n%s\nwant\n%s", c.columns, got, c.want)
		}
		for line := range strings.Lines(Table(rows, c.columns)) {
			if w := Width(strings.TrimRight(line, "\n")); c.columns > 0 && w > c.columns {
				t.Errorf("%d columns: %d in %q", c.columns, w, line)
			}
		}
	}
}

func TestDocument(t *testing.T) {
	text := "A line of prose that was broken at one hundred columns, because it is documentation of a package,\n" +
		"and goes on here.\n\n    code stays as it is, however long the line of code is\n  an item that is too long for the page\n"
	want := "A line of prose that was broken at one\nhundred columns, because it is\ndocumentation of a package, and goes on\nhere.\n\n" +
		"    code stays as it is, however long the line of code is\n  an item that is too long for the page\n"
	if got := Document(text, 39); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Document(text, 0); got != text {
		t.Errorf("got\n%s", got)
	}
}
