package repl

import (
	"strings"
	"testing"
)

// FuzzAsk: whatever is typed, with commands in between, completion, inspection and IsComplete answer.
func FuzzAsk(f *testing.F) {
	s := newSession(f)
	mustRun(f, s, "person := struct{ Name string }{\"a\"}")
	for _, code := range []string{"%|", "%time person.|", "%%time\nperson.|", "!ls |", "! |",
		"%cd x\n%env A=|\nperson.|", "  %doc fmt.|", "?person|", "person??|", "%time\n|", "%|%", "\n%tim|e x",
		"os.Open(\"|",
		"os.Open(\"/|", "Device(\"|", "template.HTMLA|", "os.Open(`~/|`", "%run \"|", "x := 1\n!|x",
		"%timeit -n 3 person.|", "%time \xff.|"} {
		cursor := strings.IndexByte(code, '|')
		f.Add(code[:cursor]+code[cursor+1:], cursor)
	}
	f.Fuzz(func(t *testing.T, code string, cursor int) {
		if cursor < 0 || cursor > len(code) {
			return
		}
		if c := s.Complete(code, cursor); c.Start < 0 || c.Start > cursor || c.End < cursor || c.End > len(code) {
			t.Fatalf("%q at %d: replaces %d to %d", code, cursor, c.Start, c.End)
		}
		if in := s.Inspect(code, cursor, 1); in.Found && in.Data.Text() == "" {
			t.Fatalf("%q at %d: nothing in it", code, cursor)
		}
		if s.IsComplete(code).Status == "" {
			t.Fatalf("%q has no status", code)
		}
	})
}
