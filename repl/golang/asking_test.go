package golang

import (
	"context"
	"testing"
)

// TestAskingLeavesNoTrace: neither completing nor inspecting declares, imports or runs anything, nor keeps a later cell
// from working.
func TestAskingLeavesNoTrace(t *testing.T) {
	e, out := newEngine(t)
	runCell(t, e, 1, "type P struct{ n int }\np := P{}")
	before, files := len(e.Names()), e.scope.Fset.Base()
	for _, code := range []string{"x := fmt.Println(\"ran\")\nx.", "func (p P) Extra() {}\np.E",
		"type P struct { n string }\nP{}.", "import \"os\"\nos.", "var err = p.n.", "const c = 1; c"} {
		e.Complete(code, len(code))
		e.Inspect(code, len(code)-1, 1)
	}
	if n := len(e.Names()); n != before {
		t.Errorf("%d names, %d before", n, before)
	}
	if e.scope.Fset.Base() != files {
		t.Error("the session's files grow")
	}
	if out.Len() > 0 {
		t.Errorf("printed %q", out)
	}
	if o := e.Eval(context.Background(), 2, "p.Extra()"); o.Failure == nil {
		t.Error("a method that was only typed exists")
	}
	runCell(t, e, 3, "func (p P) Extra() int { return p.n + 1 }")
	if got := value(t, e, "p.Extra()"); got != "1 int" {
		t.Error(got)
	}
}
