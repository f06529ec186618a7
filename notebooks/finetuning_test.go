package notebooks

import (
	"context"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/cells"
)

// TestFineTuning runs the notebook on an emulated GPU, where its model is a smaller one; its cells check what adapters
// have learnt. Jupyter runs it on the CPU.
func TestFineTuning(t *testing.T) {
	if !thorough.On() {
		t.Skip("training takes seconds: set GOROCM_TEST=thorough")
	}
	t.Setenv("GOROCM_DEVICE", "rocm")
	session, err := repl.New(repl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	notebook, err := cells.Read("14-fine-tuning.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, c := range notebook.Cells {
		if c.Kind != cells.Code {
			continue
		}
		r := session.Eval(context.Background(), repl.Request{Code: c.Source}, func(e repl.Event) {
			out.WriteString(e.Text + e.Data.Text())
		})
		if r.Err != nil {
			t.Fatalf("%s\n%s", c.Source, r.Err.Text(false))
		}
	}
	for _, want := range []string{"training 100%", "20 steps, the loss went", "adapter_model.safetensors",
		"with adapters on packed weights"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q does not occur in\n%s", want, out.String())
		}
	}
}
