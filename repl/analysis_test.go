package repl

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"golang.org/x/tools/txtar"
)

// TestAnalysisOfScripts: cells that run have no mistakes in an editor.
func TestAnalysisOfScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range thorough.Sample(files, 2, 1) {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a, err := NewAnalysis("")
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range archive.Files {
			if f.Name != "cell" {
				continue
			}
			want := string(archive.Files[i+1].Data)
			found, _, _ := a.Declare(t.Context(), cellLabel(i), strings.TrimSuffix(string(f.Data), "\n"))
			found = slices.DeleteFunc(found, func(f Finding) bool {
				return a.Vague && strings.HasPrefix(f.Message, "undefined: ") // a file that the script writes
			})
			if len(found) > 0 && !strings.Contains(want, "Error: ") && !strings.Contains(want, "Panic: ") {
				t.Errorf("%s: %+v\n%s%s", filepath.Base(file), found, f.Data, want)
			}
		}
	}
}
