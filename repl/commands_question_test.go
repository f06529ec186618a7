package repl

import "testing"

func TestQuestion(t *testing.T) {
	for _, c := range []struct{ code, marks, name string }{
		{"x?", "?", "x"}, {"x??", "??", "x"}, {"?x", "?", "x"}, {"??x", "??", "x"},
		{"? fmt.Println", "?", "fmt.Println"}, {"größe2 ?", "?", "größe2"},
		{"%time?", "?", "%time"}, {"?%%time", "", ""}, {"_?", "?", "_"},
		{"x", "", ""}, {"?", "", ""}, {"??", "", ""}, {"?x?", "", ""}, {"x???", "", ""}, {"???x", "", ""},
		{"2x?", "", ""}, {".x?", "", ""}, {"x y?", "", ""}, {"f()?", "", ""}, {"x\ny?", "", ""}, {"", "", ""},
	} {
		marks, name, ok := question(c.code)
		if !ok {
			marks, name = "", ""
		}
		if marks != c.marks || name != c.name {
			t.Errorf("%q: %q %q, want %q %q", c.code, marks, name, c.marks, c.name)
		}
	}
}
