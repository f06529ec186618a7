package golang

import (
	"context"
	"strings"
	"testing"
)

// TestInits: a func init runs before the statements of its cell, but behind the declarations of variables that it uses.
func TestInits(t *testing.T) {
	for _, c := range []struct{ cell, prints string }{
		{"n := 1\nfunc init() { n = 10 }\nfmt.Println(n)", "10"},
		{"func init() { fmt.Println(\"init\") }\nfmt.Println(\"1\")\nvar x int\n_ = x", "init 1"},
		{"func init() { x = 5; fmt.Println(\"init\") }\nvar x int\nfmt.Println(\"1\", x)", "init 1 5"},
		{"var x = 1\nfmt.Println(\"1\")\nfunc set() { y += x }\nfunc init() { set() }\nvar y = 2\nfmt.Println(y)", "1 3"},
		{"a, b := 1, 2\nfmt.Println(\"0\")\nc := 3\nfunc init() { fmt.Println(a, b) }\nfunc init() { fmt.Println(\"second\") }\n_ = c", "1 2 second 0"},
		{"func init() { fmt.Println(\"alone\") }", "alone"},
		{"var p, q = func() int { fmt.Println(\"p\"); return 1 }(), 2\nfunc init() { fmt.Println(\"init\") }\nvar r = func() int { fmt.Println(\"r\"); return p }()\n_, _ = q, r", "p r init"},
	} {
		e, out := newEngine(t)
		if f := e.Eval(context.Background(), 1, c.cell).Failure; f != nil {
			t.Errorf("%s: %s", c.cell, f.Message)
		}
		if got := strings.Join(strings.Fields(out.String()), " "); got != c.prints {
			t.Errorf("%s\nprints %s\nwant   %s", c.cell, got, c.prints)
		}
	}
}
