package compile

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestClangFolder: what a killed process has left goes away, what another one works with stays.
func TestClangFolder(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("GOROCM_CACHE", cache)
	first, err := clangFolder()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(first, "object"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := clangFolder()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(first); err != nil {
		t.Errorf("a folder in use is gone: %v", err)
	}
	long := time.Now().Add(-3 * clangTimeout)
	if err := os.Chtimes(first, long, long); err != nil {
		t.Fatal(err)
	}
	if _, err := clangFolder(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(first); !os.IsNotExist(err) {
		t.Errorf("an old folder is there: %v", err)
	}
	if filepath.Dir(second) != filepath.Join(cache, "compiling") {
		t.Errorf("the folder is %s", second)
	}
}
