package notebooks

import (
	"context"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/cells"
)

// TestGPT trains the notebook's model on an emulated GPU, which is a smaller one; its cells check the loss. Training is
// interrupted once, and continued. Jupyter trains the model for the CPU.
func TestGPT(t *testing.T) {
	if !thorough.On() {
		t.Skip("training takes seconds: set GOROCM_TEST=thorough")
	}
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
	eval := func(ctx context.Context, code string, on func(repl.Event)) *repl.Error {
		return session.Eval(ctx, repl.Request{Code: code}, func(e repl.Event) {
			out.WriteString(e.Text)
			on(e)
		}).Err
	}
	for _, c := range notebook.Cells {
		if c.Kind != cells.Code {
			continue
		}
		if strings.Contains(c.Source, "trainer.Step(") {
			ctx, stop := context.WithCancel(context.Background())
			plots := 0
			err := eval(ctx, c.Source, func(e repl.Event) {
				if plots++; plots == 4 {
					stop()
				}
			})
			stop()
			if err == nil {
				t.Fatal("training was not interrupted")
			}
		}
		if err := eval(context.Background(), c.Source, func(repl.Event) {}); err != nil {
			t.Fatalf("%s\n%s", c.Source, err.Text(false))
		}
	}
	if strings.Contains(out.String(), "120 steps,") {
		t.Error("after the interruption it began again")
	}
	for _, want := range []string{"it hesitates between", "ROMEO:", "12 missing: transformer.h."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
