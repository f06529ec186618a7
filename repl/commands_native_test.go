package repl

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/native"
)

var codeSize = regexp.MustCompile(`\d+ bytes`)

func TestNativeCommand(t *testing.T) {
	t.Setenv("GOROCM_NATIVE", "1")
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const first = "func square(x int) int { return x * x }\nfunc show(x int) { fmt.Println(os.Args, x) }\n" +
		"func both(x int) {\n\tshow(square(x))\n}"
	off := "functions are interpreted: " + native.Disabled() + "\n"
	for _, c := range []struct{ code, want string }{
		{first, ""},
		{"%native", "both    interpreted: it calls a function that is not compiled (cell[1], line 4)\n" +
			"show    interpreted: it uses the variable Args, which is not its own (cell[1], line 2)\nsquare  machine code, N bytes\n"},
		{"%native square", "square  machine code, N bytes\n"},
		{"func square(x int) int { _ = os.Args; return x * x }", ""},
		{"%native square", "square  interpreted: it uses the variable Args, which is not its own (cell[4], line 1)\n"},
		{"n := 0\nfor i := range 3 { n += i }\nfor range 2 { _ = os.Getenv(\"x\") }", ""},
		{"%native", "both                     interpreted: it calls a function that is not compiled (cell[1], line 4)\n" +
			"show                     interpreted: it uses the variable Args, which is not its own (cell[1], line 2)\n" +
			"square                   interpreted: it uses the variable Args, which is not its own (cell[4], line 1)\n" +
			"loop in cell[6], line 2  machine code, N bytes\nloop in cell[6], line 3  interpreted: it calls os.Getenv (cell[6], line 3)\n"},
		{"%native cube", "%native: no cell has declared a function cube"},
	} {
		var out strings.Builder
		r := s.Eval(context.Background(), Request{Code: c.code}, func(e Event) { out.WriteString(e.Text) })
		got := codeSize.ReplaceAllString(out.String(), "N bytes")
		if r.Err != nil {
			got = r.Err.Message
		}
		want := c.want
		if native.Disabled() != "" && strings.HasPrefix(c.code, "%") && r.Err == nil {
			want = off
		}
		if got != want {
			t.Errorf("%s: %q, want %q", c.code, got, want)
		}
	}
}
