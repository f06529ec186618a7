package repl

import (
	"strings"
	"testing"
)

func TestGPU(t *testing.T) {
	t.Setenv("GOROCM_EMULATE", "1")
	s := newSession(t)
	mustRun(t, s, "dev, err := tensor.NewDevice(\"rocm\")\nx := dev.Ones(tensor.F32, 1024)")
	out, r := run(t, s, "%gpu")
	if r.Err != nil || !strings.Contains(out, "rocm:0 emulated gfx1100") ||
		!strings.Contains(out, "buffers of this session, at most ") {
		t.Errorf("%%gpu shows %q, %v", out, r.Err)
	}
}
