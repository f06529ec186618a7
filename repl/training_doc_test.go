package repl

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestPagesWithCells: the cells of these pages of docs are those that TestScript runs.
func TestPagesWithCells(t *testing.T) {
	for _, name := range []string{"training", "quantized", "formats", "models"} {
		t.Run(name, func(t *testing.T) { checkPage(t, name) })
	}
}

func checkPage(t *testing.T, name string) {
	page, err := os.ReadFile("../docs/" + name + ".md")
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
	script, err := txtar.ParseFile("testdata/script/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range script.Files {
		if f.Name == "cell" {
			run = append(run, strings.TrimSpace(string(f.Data)))
		}
	}
	if !slices.Equal(onPage, run) {
		t.Errorf("docs/%s.md has %d cells, the script %d; they differ", name, len(onPage), len(run))
	}
}
