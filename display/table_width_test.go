package display

import (
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/printing"
)

// TestTableWidth: a table wider than lines leaves columns out, and says how many it has; rows are never cut.
func TestTableWidth(t *testing.T) {
	type record struct{ Identifier, FirstName, LastName, Address, Country, Balance string }
	type wide struct {
		A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z float64
	}
	row := record{"one", strings.Repeat("f", 20), strings.Repeat("l", 20), strings.Repeat("a", 20), "here", "12"}
	for _, c := range []struct {
		name string
		v    any
		want string
	}{
		{"structs", []record{row, row}, `   Identifier  FirstName             LastName              …  Balance
0  one         ffffffffffffffffffff  llllllllllllllllllll  …  12
1  one         ffffffffffffffffffff  llllllllllllllllllll  …  12
(6 columns)`},
		{"map", map[string]record{"k": row}, `   Identifier  FirstName             LastName              …  Balance
k  one         ffffffffffffffffffff  llllllllllllllllllll  …  12
(6 columns)`},
		{"narrow", []struct{ A, B int }{{1, 2}}, "   A  B\n0  1  2"},
		{"columns left out", []wide{{A: 123456.5, B: 123456.5, X: 123456.5, Y: 123456.5, Z: 123456.5}}, ""},
	} {
		text := Render(c.v).Text()
		if c.want != "" && text != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, text, c.want)
		}
		if strings.Count(strings.SplitN(text, "\n", 2)[0], "…") > 1 {
			t.Errorf("%s: two gaps\n%s", c.name, text)
		}
		for line := range strings.Lines(text) {
			if textWidth(strings.TrimSuffix(line, "\n")) > printing.Get().LineWidth {
				t.Errorf("%s: wider than %d columns:\n%s", c.name, printing.Get().LineWidth, text)
			}
		}
	}
}
