package repl

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestTrainingPage: the cells of docs/training.md are those that TestScript runs.
func TestTrainingPage(t *testing.T) {
	page, err := os.ReadFile("../docs/training.md")
	if err != nil {
		t.Fatal(err)
	}
	var onPage, run []string
	for i, block := range strings.Split(string(page), "```") {
		code, isGo := strings.CutPrefix(block, "go\n")
		if i%2 == 0 || !isGo {
			continue
		}
		for cell := range strings.SplitSeq(code, "// %%\n") {
			if cell = strings.TrimSpace(cell); cell != "" {
				onPage = append(onPage, cell)
			}
		}
	}
	script, err := txtar.ParseFile("testdata/script/training.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range script.Files {
		if f.Name == "cell" {
			run = append(run, strings.TrimSpace(string(f.Data)))
		}
	}
	if !slices.Equal(onPage, run) {
		t.Errorf("docs/training.md has %d cells, the script %d; they differ", len(onPage), len(run))
	}
}
