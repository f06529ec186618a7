package notebooks

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestProcesses runs the scripts of docs/several-gpus.md on emulated GPUs, as that page says: one session, two
// processes, and one that is alone.
func TestProcesses(t *testing.T) {
	if !thorough.On() {
		t.Skip("building gorocm and three sessions take seconds: set GOROCM_TEST=thorough")
	}
	page, err := os.ReadFile("../docs/several-gpus.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind, mark string) string {
		for i, text := range strings.Split(string(page), "```") {
			if body, ok := strings.CutPrefix(text, kind+"\n"); ok && i%2 == 1 && strings.Contains(body, mark) {
				return body
			}
		}
		t.Fatalf("the page has no block of %q with %q", kind, mark)
		return ""
	}
	folder := t.TempDir()
	for name, mark := range map[string]string{"group.go": "distributed.New", "line.go": "distributed.Environment"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(block("go", mark)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := "PATH=" + buildProgram(t) + string(os.PathListSeparator) + os.Getenv("PATH")
	for start, want := range map[string]string{"gorocm run group.go": block("", "[4 4]"),
		block("sh", "launch"): block("", "rank 0 of 2"), "gorocm run line.go": "rank 0 of 1: y = 3.000·x -2.000\n"} {
		cmd := exec.Command("sh", "-c", start)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), path, "GOROCM_EMULATE=1", "GOROCM_REQUIRE_GPU=",
			"GOROCM_EMULATED_DEVICES=2", "GOROCM_EMULATED_MEMORY=67108864")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", start, err, out)
		}
		for line := range strings.Lines(want) {
			if !strings.Contains(string(out), line) {
				t.Errorf("no %q in\n%s", line, out)
			}
		}
	}
}
