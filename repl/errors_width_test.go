package repl

import (
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/printing"
)

// A line of source that is wider than the terminal is cut around the caret.
func TestErrorIn(t *testing.T) {
	for _, c := range []struct {
		source  string
		column  int
		columns int
		want    string
	}{
		{"x.Add(y)", 3, 40, "    x.Add(y)\n      ^"},
		{"x.Add(y)", 3, 0, "    x.Add(y)\n      ^"},
		{"\tdisplay.Line(x.Reshape([]int{100}), y)", 25, 40, "    display.Line(x.Reshape([]int{100})…\n                           ^"},
		{"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ", 40, 24, "    …3456789ABCDEFGHIJ\n               ^"},
		{"日本語日本語日本語日本語日本語日本語.X(", 58, 24, "    …日本語.X(\n              ^"},
	} {
		e := &Error{Name: "TypeError", Message: "m", Frames: []Frame{{Cell: "cell[1]", Line: 1, Column: c.column, Source: c.source}}}
		got := strings.TrimPrefix(e.TextIn(false, c.columns), "TypeError: m\n  cell[1], line 1\n")
		if got != c.want {
			t.Errorf("%q in %d columns:\n%s\nwant\n%s", c.source, c.columns, got, c.want)
		}
		for line := range strings.SplitSeq(got, "\n") {
			if c.columns > 0 && printing.Width(line) > c.columns {
				t.Errorf("%d columns: %q", c.columns, line)
			}
		}
	}
	e := &Error{Name: "TypeError", Message: "m", Notes: []string{"TypeError: n\ncell[1], line 1\n  one(two, three, four, five)\n           ^\n  did you mean 3?"}}
	want := "TypeError: m\n  note: TypeError: n\n  cell[1], line 1\n    one(two, three…\n             ^\n    did you mean 3?"
	if got := e.TextIn(false, 22); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// In notebooks the name of an error is bold, and not of the red that a red background hides.
func TestTraceback(t *testing.T) {
	e := &Error{Name: "TypeError", Message: "m"}
	if got, want := e.Traceback()[0], bold+"TypeError"+reset+": m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
