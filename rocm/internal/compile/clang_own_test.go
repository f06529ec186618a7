package compile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gorocm/gorocm/internal/processes"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// TestClangIsOwn: clang has the mark of gorocm's own programs, so that %jobs does not list it.
func TestClangIsOwn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs /bin/sh")
	}
	t.Setenv("GOROCM_CACHE", t.TempDir())
	path := filepath.Join(t.TempDir(), "clang")
	script := "#!/bin/sh\necho \"mark: $" + processes.OwnVariable + "\" >&2\nexit 1\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := (&Clang{Path: path}).Compile("x.hip", "", nil)
	var e *driver.Error
	if !errors.As(err, &e) || e.Detail != "mark: 1\n" {
		t.Errorf("%v", err)
	}
}
