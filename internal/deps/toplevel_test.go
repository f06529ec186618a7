package deps

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// topLevel are the folders and files of the repository's root.
var topLevel = []string{".ci", ".dockerignore", ".gitignore", "ARCHITECTURE.md",
	"CONTRIBUTING.md", "LICENSE", "README.md", "bench", "cmd", "display", "docs", "go.mod", "go.sum", "install.sh",
	"internal", "jupyter", "kernels", "notebooks", "release", "repl", "rocm", "tensor"}

// TestTopLevel: nothing else is committed there, such as a file that a tool has left.
func TestTopLevel(t *testing.T) {
	out, err := exec.Command("git", "-C", "../..", "ls-tree", "--name-only", "HEAD").Output()
	if err != nil {
		t.Skip("no checkout of git: ", err)
	}
	for _, name := range strings.Fields(string(out)) {
		if !slices.Contains(topLevel, name) {
			t.Errorf("%s is committed in the root: if it belongs there, add it to topLevel", name)
		}
	}
}
