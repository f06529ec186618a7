package notebooks

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProcesses runs the scripts of docs/several-gpus.md on emulated GPUs, as that page says: one session, and two
// processes.
func TestProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("building gorocm takes too long with -short")
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
	for name, mark := range map[string]string{"group.go": "NewGroup", "line.go": "JoinGroup"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(block("go", mark)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := "PATH=" + buildProgram(t) + string(os.PathListSeparator) + os.Getenv("PATH")
	for start, want := range map[string]string{"gorocm run group.go": block("", "[4 4]"),
		block("sh", "RANK="): block("", "rank 0 of 2")} {
		cmd := exec.Command("sh", "-c", start)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), path, "TMPDIR="+folder,
			"GOROCM_EMULATE=1", "GOROCM_REQUIRE_GPU=", "GOROCM_EMULATED_DEVICES=2", "GOROCM_EMULATED_MEMORY=67108864")
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
	if left, _ := filepath.Glob(filepath.Join(folder, "tmp.*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
