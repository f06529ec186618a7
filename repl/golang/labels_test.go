package golang

import (
	"context"
	"testing"
)

// TestUnusedLabels: a label that nothing mentions is an error, as in Go, wherever it is. So is the variable of a type
// switch.
func TestUnusedLabels(t *testing.T) {
	e, _ := newEngine(t)
	for i, c := range []struct{ code, want string }{
		{"func f() { outer: for range 3 { } }", "label outer defined and not used"},
		{"outer:\nfor range 3 { }", "label outer defined and not used"},
		{"x := 1\nif x > 0 { l: x++ }", "label l defined and not used"},
		{"func g() func() { return func() { l: switch { } } }", "label l defined and not used"},
		{"func Map[T any](x T) { l: { _ = x } }", "label l defined and not used"},
		{"func used() { l: for { break l } }\nused()\nm: for { break m }", ""},
		{"func f(a any) { switch x := a.(type) { case int: } }", "x declared and not used"},
		{"switch y := any(1).(type) { case int: }", "y declared and not used"},
		{"switch y := any(1).(type) { case int: fmt.Println(y) }", ""},
		{"func wrong() { for { break l } }", "invalid break label l"},
		{"n := 0\nagain: n++\nif n < 3 { goto again }", ""},
	} {
		out := e.Eval(context.Background(), i+1, c.code)
		switch {
		case c.want == "" && out.Failure != nil:
			t.Errorf("%s: %s: %s", c.code, out.Failure.Name, out.Failure.Message)
		case c.want != "" && (out.Failure == nil || out.Failure.Name != "TypeError" || out.Failure.Message != c.want):
			t.Errorf("%s: %+v, not %s", c.code, out.Failure, c.want)
		}
	}
}
