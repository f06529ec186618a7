package repl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestPagesWithCells: the cells of a page docs/X.md are those of testdata/script/docs_X.txtar, which TestScript runs.
// With -update they are taken from the page, TestScript runs them, and TestPagesShow writes what they show.
func TestPagesWithCells(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/docs_*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, script := range scripts {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(script), "docs_"), ".txtar")
		t.Run(name, func(t *testing.T) { checkPage(t, name, script) })
	}
}

func checkPage(t *testing.T, name, script string) {
	page, err := os.ReadFile("../docs/" + name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	var onPage, run []string
	for _, f := range fences(string(page)) {
		onPage = append(onPage, f.cells()...)
	}
	a, err := txtar.ParseFile(script)
	if err != nil {
		t.Fatal(err)
	}
	if *update { // what a cell shows is kept, if it is the same cell
		shows := map[string]txtar.File{}
		for i, f := range a.Files {
			if f.Name == "cell" && i+1 < len(a.Files) && a.Files[i+1].Name == "want" {
				shows[strings.TrimSpace(string(f.Data))] = a.Files[i+1]
			}
		}
		a.Files = nil
		for _, cell := range onPage {
			a.Files = append(a.Files, txtar.File{Name: "cell", Data: []byte(cell + "\n")})
			if want, ok := shows[cell]; ok {
				a.Files = append(a.Files, want)
			}
		}
		if err := os.WriteFile(script, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range a.Files {
		if f.Name == "cell" {
			run = append(run, strings.TrimSpace(string(f.Data)))
		}
	}
	if !slices.Equal(onPage, run) {
		t.Errorf("docs/%s.md has %d cells, the script %d; they differ: %s", name, len(onPage), len(run), updatePages)
	}
}
