// Package tour is a guided session: short steps, each a few words and a cell that runs. The same text is the notebook
// notebooks/00-tour.ipynb.
//
//	tour.Run(ctx, session, os.Stdin, printer, width)
package tour

import (
	_ "embed"
	"strings"

	"github.com/gorocm/gorocm/repl/cells"
)

//go:embed tour.md
var text string

// Step is a step of the tour. The last one has no code.
type Step struct {
	Title string
	Text  string // in a line, with Markdown's marks
	Code  string
}

// Steps are the steps of the tour, in their order, and what stands before them.
func Steps() (title, intro string, steps []Step) {
	head, rest, _ := strings.Cut(text, "\n## ")
	title, intro, _ = strings.Cut(strings.TrimPrefix(head, "# "), "\n")
	for section := range strings.SplitSeq(rest, "\n## ") {
		var s Step
		var body string
		s.Title, body, _ = strings.Cut(section, "\n")
		body, code, _ := strings.Cut(body, "```go\n")
		s.Text = strings.TrimSpace(body)
		s.Code, _, _ = strings.Cut(code, "\n```")
		steps = append(steps, s)
	}
	return title, strings.TrimSpace(intro), steps
}

// Cells are the tour as the cells of a notebook.
func Cells() (list []cells.Cell) {
	title, intro, steps := Steps()
	list = append(list, cells.Cell{Kind: cells.Markdown, Source: "# " + title + "\n\n" + intro})
	for _, s := range steps {
		list = append(list, cells.Cell{Kind: cells.Markdown, Source: "## " + s.Title + "\n\n" + s.Text})
		if s.Code != "" {
			list = append(list, cells.Cell{Kind: cells.Code, Source: s.Code})
		}
	}
	return list
}
