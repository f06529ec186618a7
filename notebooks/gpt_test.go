package notebooks

import (
	"context"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/cells"
)

// TestGPT trains the notebook's model on an emulated GPU, which is a smaller one; its cells check the loss. Jupyter trains that on the CPU.
func TestGPT(t *testing.T) {
	t.Setenv("GOROCM_DEVICE", "rocm")
	session, err := repl.New(repl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	notebook, err := cells.Read("09-gpt.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, c := range notebook.Cells {
		if c.Kind != cells.Code {
			continue
		}
		if r := session.Eval(context.Background(), repl.Request{Code: c.Source}, func(e repl.Event) { out.WriteString(e.Text) }); r.Err != nil {
			t.Fatalf("%s\n%s", c.Source, r.Err.Text(false))
		}
	}
	for _, want := range []string{"it hesitates between", "ROMEO:", "12 missing: transformer.h."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
