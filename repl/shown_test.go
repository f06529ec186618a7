package repl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

const updatePages = "go test ./repl -run 'TestPages|TestScript/docs_' -update"

// fence is a block of a page between lines of three backquotes.
type fence struct {
	kind, body string
	start, end int // in the page, with those lines
}

// fences returns the blocks of a page.
func fences(page string) []fence {
	var all []fence
	at, open := 0, -1
	for line := range strings.Lines(page) {
		switch start := at; {
		case open < 0 && strings.HasPrefix(line, "```"):
			all = append(all, fence{kind: strings.TrimSpace(line[3:]), start: start})
			open = start + len(line)
		case open >= 0 && strings.TrimSpace(line) == "```":
			f := &all[len(all)-1]
			f.body, f.end = page[open:start], start+len(line)
			open = -1
		}
		at += len(line)
	}
	return all
}

// cells returns the cells of a block, which lines with // %% separate. A cell of HIP is marked as C++ for whoever
// colours the page.
func (f fence) cells() []string {
	var cells []string
	if f.kind == "go" || f.kind == "cpp" {
		for cell := range strings.SplitSeq(f.body, "// %%\n") {
			if cell = strings.TrimSpace(cell); cell != "" {
				cells = append(cells, cell)
			}
		}
	}
	return cells
}

// TestPagesShow: below a cell of a page docs/X.md is what it shows, by testdata/script/docs_X.txtar. With -update that
// is written into the page.
func TestPagesShow(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/docs_*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, script := range scripts {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(script), "docs_"), ".txtar")
		path := "../docs/" + name + ".md"
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		a, err := txtar.ParseFile(script)
		if err != nil {
			t.Fatal(err)
		}
		want := withResults(string(page), a)
		switch {
		case want == string(page):
		case *update:
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("docs/%s.md does not show what its cells show: %s", name, updatePages)
		}
	}
}

// withResults returns a page with what the cells of a script show below each of them, in a block marked as text.
func withResults(page string, script *txtar.Archive) string {
	var shown []string // by the cells, in order
	for i, f := range script.Files {
		if f.Name == "cell" && i+1 < len(script.Files) && script.Files[i+1].Name == "want" {
			shown = append(shown, shownOnPage(string(script.Files[i+1].Data)))
		}
	}
	var b strings.Builder
	done, all := 0, fences(page)
	for i, f := range all {
		cells := f.cells()
		if len(cells) == 0 || len(cells) > len(shown) {
			continue
		}
		b.WriteString(page[done:f.start])
		done = f.end
		if i+1 < len(all) && all[i+1].kind == "text" && strings.TrimSpace(page[f.end:all[i+1].start]) == "" {
			done = all[i+1].end
		}
		b.WriteString(strings.TrimSuffix(blocksOf(f.kind, cells, shown), "\n"))
		shown = shown[len(cells):]
	}
	return b.String() + page[done:]
}

// blocksOf returns the cells of a block, and below each what it shows. Cells that show nothing are in one block with
// the next one.
func blocksOf(kind string, cells, shown []string) string {
	var b strings.Builder
	var block []string
	for i, cell := range cells {
		block = append(block, cell)
		if shown[i] == "" && i+1 < len(cells) {
			continue
		}
		code := strings.Join(block, "\n\n// %%\n")
		if len(block) > 1 {
			code = "// %%\n" + code
		}
		b.WriteString("```" + kind + "\n" + code + "\n```\n\n")
		if shown[i] != "" {
			b.WriteString("```text\n" + shown[i] + "```\n\n")
		}
		block = nil
	}
	return b.String()
}

// shownOnPage returns what a cell shows, without the marks of scripts.
func shownOnPage(want string) string {
	want = strings.TrimPrefix(strings.ReplaceAll(want, "\n=> ", "\n"), "=> ")
	return strings.ReplaceAll(want, "⏎\n", "\n")
}
