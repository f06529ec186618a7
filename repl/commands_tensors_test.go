package repl

import (
	"context"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/display"
)

// TestTensors: %tensors shows variables and devices in one display, as text and as HTML.
func TestTensors(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := func(code string) (shown display.Bundle) {
		t.Helper()
		r := s.Eval(context.Background(), Request{Code: code}, func(e Event) {
			if e.Kind == Display || e.Kind == Result {
				shown = e.Data
			}
		})
		if r.Err != nil {
			t.Fatal(r.Err.Text(false))
		}
		return shown
	}
	if b := run("%tensors"); !strings.HasPrefix(b.Text(), "no variable holds a tensor") {
		t.Errorf("an empty session: %s", b.Text())
	}
	run("dev := Device(\"rocm\")\nx := dev.Zeros(tensor.F32, 2, 3)\np := x.PinMemory()")
	b := run("%tensors")
	for _, want := range []string{"x  [2 3]  f32  rocm:0       24 B\n", "p  [2 3]  f32  cpu, pinned  24 B\n",
		"rocm:0: ", " in use, ", "4.0 KiB of the host's pinned"} {
		if !strings.Contains(b.Text(), want) {
			t.Errorf("no %q in %s", want, b.Text())
		}
	}
	for _, want := range []string{"<code>x</code>", "<code>[2 3]</code>", "display:flex", "min-width:2px"} {
		if !strings.Contains(b[display.MIMEHTML], want) {
			t.Errorf("no %q in %s", want, b[display.MIMEHTML])
		}
	}
	if b := run("dev"); !strings.HasPrefix(b.Text(), "rocm:0: ") ||
		!strings.Contains(b[display.MIMEHTML], "display:flex") {
		t.Errorf("a device: %v", b)
	}
}
