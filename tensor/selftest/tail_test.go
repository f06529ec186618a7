package selftest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

func TestTail(t *testing.T) {
	thorough.Slow(t)
	var x tail
	for i := range 5000 {
		fmt.Fprintln(&x, "line", i)
	}
	lines := strings.Split(x.String(), "\n")
	if len(lines) != tailLines || lines[0] != "line 4980" || lines[19] != "line 4999" {
		t.Errorf("%q", lines)
	}
	for _, part := range []string{"why\nSIG", "SEGV: segmentation violation\nPC=1", "\n\ngoroutine 1\n", "rax 0\n"} {
		fmt.Fprint(&x, part)
	}
	if got := x.String(); !strings.HasSuffix(got, "line 4999\nwhy\nSIGSEGV: segmentation violation") {
		t.Errorf("after a signal: %q", got)
	}
}
