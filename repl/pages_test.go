package repl

import (
	"context"
	"strings"
	"testing"
)

// TestPages: a question is answered beside the output where the front end can show it there, and as output elsewhere.
func TestPages(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, tt := range []struct{ code, want string }{
		{"strings.ToUpper?", "ToUpper(s string) string"},
		{"?%time", "%time CODE"},
		{"func twice(n int) int { return 2 * n }", ""},
		{"twice??", "return 2 * n"},
	} {
		for _, pages := range []bool{true, false} {
			var out strings.Builder
			r := s.Eval(context.Background(), Request{Code: tt.code, Pages: pages},
				func(e Event) { out.WriteString(e.Text) })
			if r.Err != nil {
				t.Fatal(r.Err.Text(false))
			}
			page := ""
			for _, b := range r.Pages {
				page += b.Text()
			}
			if !pages {
				page, out = out.String(), strings.Builder{}
			}
			if !strings.Contains(page, tt.want) || out.Len() > 0 {
				t.Errorf("%s: %q beside %q", tt.code, page, out.String())
			}
		}
	}
}
