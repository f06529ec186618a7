package notebooks

import (
	"context"
	"regexp"
	"testing"

	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/cells"
)

// TestRealModels checks the Go in the text of the notebooks that end with models which are not there: that it compiles
// after the cells above it.
func TestRealModels(t *testing.T) {
	block := regexp.MustCompile("(?s)```go\n(.*?)```")
	for file, want := range map[string]int{"18-chat.ipynb": 2, "19-speech.ipynb": 2, "20-images.ipynb": 2} {
		notebook, err := cells.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		analysis, err := repl.NewAnalysis("")
		if err != nil {
			t.Fatal(err)
		}
		blocks := 0
		for _, c := range notebook.Cells {
			code := []string{c.Source}
			if c.Kind != cells.Code {
				code = nil
				for _, found := range block.FindAllStringSubmatch(c.Source, -1) {
					code = append(code, found[1])
					blocks++
				}
			}
			for _, text := range code {
				findings, _, _ := analysis.Declare(context.Background(), file, text)
				for _, f := range findings {
					t.Errorf("%s: %+v\n\nin\n%s", file, f, text)
				}
			}
		}
		if blocks != want {
			t.Errorf("%s has %d blocks of Go in its text, want %d", file, blocks, want)
		}
	}
}
