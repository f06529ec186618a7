package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/cells"
	"github.com/gorocm/gorocm/repl/script"
	"github.com/gorocm/gorocm/repl/tour"
)

var update = flag.Bool("update", false, "run the tour and rewrite the notebook")

const notebook = "../../notebooks/00-tour.ipynb"

// TestTourNotebook: the notebook has the cells of the tour, which all run.
func TestTourNotebook(t *testing.T) {
	if *update {
		s, err := repl.New(repl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := script.Execute(t.Context(), s, cells.File{Name: "tour", Cells: tour.Cells()}, script.Options{})
		var b bytes.Buffer
		if err := script.WriteNotebook(&b, r); err != nil || r.Failed > 0 {
			t.Fatalf("%v, %d cells failed", err, r.Failed)
		}
		if err := os.WriteFile(notebook, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := cells.Read(notebook)
	if err != nil {
		t.Fatal(err)
	}
	want := tour.Cells()
	if len(f.Cells) != len(want) {
		t.Fatalf("%d cells, want %d: run go test ./cmd/gorocm -update", len(f.Cells), len(want))
	}
	for i, c := range want {
		if c.Kind != f.Cells[i].Kind || strings.TrimSpace(c.Source) != strings.TrimSpace(f.Cells[i].Source) {
			t.Errorf("cell %d is\n%s\nwant\n%s\nrun go test ./cmd/gorocm -update", i, f.Cells[i].Source, c.Source)
		}
	}
}

// recorder is a screen that keeps what it is told.
type recorder struct {
	out    *bytes.Buffer
	errors []string
}

func (r *recorder) Begin(int) {}
func (r *recorder) Echo(code string) {
	r.out.WriteString("CODE " + strings.Split(code, "\n")[0] + "\n")
}
func (r *recorder) Event(e repl.Event) {
	r.out.WriteString("SHOWN " + e.Text + e.Data.Text() + "\n")
}
func (r *recorder) Reply(reply repl.Reply) {
	if reply.Err != nil {
		r.errors = append(r.errors, reply.Err.Message)
	}
}

// walk takes the tour with answers at a width, and returns what was written.
func walk(t *testing.T, answers string, columns int) (string, *recorder) {
	t.Helper()
	s, err := repl.New(repl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var out bytes.Buffer
	r := &recorder{out: &out}
	if err := tour.Run(t.Context(), s, strings.NewReader(answers), &out, r, func() int { return columns }); err != nil {
		t.Fatal(err)
	}
	return out.String(), r
}

// titles are the steps in the order in which they were shown.
func titles(text string) (list []string) {
	for line := range strings.Lines(text) {
		if _, after, ok := strings.Cut(line, "> "); ok {
			line = after
		}
		if n, name, ok := strings.Cut(strings.TrimSpace(line), "/9 "); ok && len(n) == 1 {
			list = append(list, n+" "+name)
		}
	}
	return list
}

// TestTourRuns: every cell runs, at every width the text fits, and the answers lead where they say.
func TestTourRuns(t *testing.T) {
	thorough.Slow(t)
	_, _, steps := tour.Steps()
	for _, columns := range []int{0, 40, 80, 160} {
		out, r := walk(t, strings.Repeat("\n", len(steps)), columns)
		if got := titles(out); len(got) != len(steps) {
			t.Errorf("%d columns: %d steps: %q", columns, len(got), got)
		}
		if len(r.errors) > 0 {
			t.Errorf("%d columns: %q", columns, r.errors)
		}
		shown := false
		for line := range strings.Lines(out) {
			shown = strings.HasPrefix(line, "SHOWN") || shown && !strings.HasPrefix(line, "Enter")
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); !shown && !strings.HasPrefix(line, "CODE") &&
				columns > 0 && n >= columns && !strings.Contains(line, "> ") {
				t.Errorf("%d columns at %d: %s", n, columns, line)
			}
		}
	}
	out, r := walk(t, "\nb\nr\n1 + undefinedName\nlen(words)\nnext\nquit\n", 80)
	want := []string{"1 A cell is Go", "2 What a cell declares stays", "1 A cell is Go", "1 A cell is Go",
		"2 What a cell declares stays"}
	if got := titles(out); !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "undefinedName") || !strings.Contains(out, "SHOWN 9\n") {
		t.Errorf("the reader's own cells: %q\n%s", r.errors, out)
	}
	if out, _ := walk(t, "", 80); len(titles(out)) != 1 {
		t.Errorf("without input: %q", titles(out))
	}
}

// failing is a writer whose reader has gone away.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("gone") }

// TestTourGone: the tour ends when nobody can read it, or when it is cancelled.
func TestTourGone(t *testing.T) {
	s, err := repl.New(repl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{out: &bytes.Buffer{}}
	width := func() int { return 80 }
	if err := tour.Run(t.Context(), s, strings.NewReader("\n\n"), failing{}, r, width); err == nil {
		t.Error("no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tour.Run(ctx, s, strings.NewReader("\n\n"), r.out, r, width); err != nil {
		t.Error(err)
	}
}
