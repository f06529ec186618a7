package golang

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestStandardLibrary: cells can import each package of the standard library that programs can, or are told why not in
// a sentence.
func TestStandardLibrary(t *testing.T) {
	thorough.Slow(t)
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	list, err := exec.Command(goTool, "list", "std").Output()
	if err != nil {
		t.Skip("go list std: ", err)
	}
	refused := map[string]string{"plugin": "cgo", "runtime/cgo": "cgo", "runtime/race": "-race",
		"testing/synctest": "%test ./", "time/tzdata": "ZONEINFO"}
	e, _ := newEngine(t)
	for i, pkg := range strings.Fields(string(list)) {
		if strings.Contains("/"+pkg+"/", "/internal/") || strings.HasPrefix(pkg, "vendor/") {
			continue
		}
		out := e.Eval(context.Background(), i+1, `import _ "`+pkg+`"`)
		why, ok := refused[pkg]
		switch {
		case !ok && out.Failure != nil:
			t.Errorf("%s: %s", pkg, out.Failure.Message)
		case ok && (out.Failure == nil || !strings.Contains(out.Failure.Message, "is not available in cells: ") ||
			!strings.Contains(out.Failure.Message, why) || len(out.Failure.Notes) > 0):
			t.Errorf("%s: %v", pkg, out.Failure)
		}
	}
}
