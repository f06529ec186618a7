package assist_test

import (
	"strings"
	"testing"
)

// TestCompleteMethods: where a method is declared, those are listed that interfaces want, and that the type has.
func TestCompleteMethods(t *testing.T) {
	e := completionEngine(t)
	for _, c := range []struct{ code, want string }{
		{"func (s Square) |", "Error() string; HTML() string; String() string; Area; Scale"},
		{"func (s *Person) Ar|", "Area() float64"},
		{"func (c Circle) |", "Error() string; HTML() string; String() string; Area; Scale"},
		{"func (Circle) A|", "Area"},
		{"func (w *Stack[T]) Sc|", "Scale(by float64) Shape"},
		{"x := 1\nfunc (d Weekday) |", "Area() float64; Error() string; HTML() string; Scale(by float64) Shape; Next; String"},
		{"type own struct{}\nfunc (o own) Str|", "String() string"},
		{"type own interface{ Run(n int, s ...string) (Weekday, error) }\nfunc (s Square) Ru|", "Run(n int, s ...string) (Weekday, error)"},
		{"func (s strings.Builder) Er|", ""},
		{"func (x unknown) Er|", ""},
		{"func (s Square) Area() float64 { return s.|", "Side; Area; Scale"},
	} {
		cursor := strings.LastIndex(c.code, "|")
		var got []string
		for _, m := range e.Complete(c.code[:cursor], cursor).Matches {
			got = append(got, m.Text)
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: %s, want %s", c.code, text, c.want)
		}
	}
}
