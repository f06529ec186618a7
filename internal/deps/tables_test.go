package deps

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTableRows: every row of a table in a page has as many cells as the table's head. A | in code must be \|.
func TestTableRows(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("no pages", err)
	}
	top, err := filepath.Glob("../../*.md")
	if err != nil || len(top) == 0 {
		t.Fatal("no pages", err)
	}
	for _, page := range append(pages, top...) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		code, head := false, 0
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			if code || !strings.HasPrefix(line, "|") {
				head = 0
				continue
			}
			n := strings.Count(line, "|") - strings.Count(line, `\|`)
			if head == 0 {
				head = n
			}
			if n != head {
				t.Errorf("%s:%d: a row of %d cells in a table of %d", page, i+1, n-1, head-1)
			}
		}
	}
}
