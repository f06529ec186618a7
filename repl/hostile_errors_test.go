package repl

import (
	"context"
	"strings"
	"testing"
)

// TestHostileErrors: an error's text sends a terminal nothing but its own colours.
func TestHostileErrors(t *testing.T) {
	s := newSession(t)
	for _, code := range []string{
		`panic("\x1b[2J\x1b]0;evil\x07")`,
		`panic(errors.New("\u009b2J and \x9b2J\r"))`,
		"x := \"\x1b[2J\" + 1",
		`formats.ReadNpy("\x1b[2J.npy", Device("cpu"))`,
		`!echo; exit 3 # ` + "\x1b[2J",
	} {
		reply := s.Eval(context.Background(), Request{Code: code}, func(Event) {})
		if reply.Err == nil {
			t.Errorf("%q: no error", code)
			continue
		}
		text := reply.Err.Text(true)
		for _, c := range []string{red, dim, bold, reset} {
			text = strings.ReplaceAll(text, c, "")
		}
		if strings.ContainsAny(text, "\x1b\x07\r\u009b") || strings.Contains(text, "\x9b2J") {
			t.Errorf("%q: %q", code, text)
		}
	}
}
