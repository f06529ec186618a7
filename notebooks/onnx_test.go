package notebooks

import (
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/cells"
)

// TestONNX runs the notebook on an emulated GPU, with smaller images; its cells check results. Jupyter runs it on the
// CPU. It reads models of package onnx's tests, which the gallery, in a folder of its own, does not find.
func TestONNX(t *testing.T) {
	thorough.Slow(t)
	t.Setenv("GOROCM_DEVICE", "rocm")
	notebook, err := cells.Read("17-onnx.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t, notebook); got != 4 {
		t.Errorf("%d pictures, want 4", got)
	}
}
