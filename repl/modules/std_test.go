package modules_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// std stands for the session's compiled packages: the standard library, from the compiler's export data.
type std struct {
	mu  sync.Mutex
	imp types.Importer
}

func newStd() *std { return &std{imp: importer.ForCompiler(token.NewFileSet(), "gc", nil)} }

func (s *std) Import(path string) (*types.Package, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.imp.Import(path)
}

// known reports whether a path is one of the standard library.
func known(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && first != "internal"
}

func needGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
}
