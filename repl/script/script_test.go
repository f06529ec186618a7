package script

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/cells"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// session answers each cell with the events and the reply of its row.
type session struct {
	repl.Session
	rows  map[string]row
	count int
	ran   []string
}

type row struct {
	events []repl.Event
	err    *repl.Error
	exit   *int
}

func (s *session) Eval(_ context.Context, req repl.Request, sink func(repl.Event)) repl.Reply {
	s.count++
	s.ran = append(s.ran, req.Code)
	r := s.rows[req.Code]
	for _, e := range r.events {
		sink(e)
	}
	return repl.Reply{Count: s.count, Err: r.err, Exit: r.exit}
}

func stream(name, text string) repl.Event {
	return repl.Event{Kind: repl.Stream, Name: name, Text: text}
}

func shown(kind repl.EventKind, id string, data display.Bundle) repl.Event {
	return repl.Event{Kind: kind, ID: id, Data: data}
}

func plain(s string) display.Bundle { return display.Bundle{display.MIMEText: s} }

func example() *session {
	three := 3
	return &session{rows: map[string]row{
		"streams": {events: []repl.Event{stream("stdout", "a\n"), stream("stdout", "b\n"), stream("stderr", "c\n")}},
		"result": {events: []repl.Event{shown(repl.Result, "",
			display.Bundle{display.MIMEText: "<1>", display.MIMEHTML: "<b>1</b>", display.MIMEJSON: `{"a":[1,2]}`,
				display.MIMEPNG: "iVBORw0="})}},
		"display": {events: []repl.Event{shown(repl.Display, "p", plain("old")), stream("stdout", "x")}},
		"update":  {events: []repl.Event{shown(repl.Update, "p", plain("new"))}},
		"clear": {events: []repl.Event{stream("stdout", "gone"), {Kind: repl.Clear, Wait: true},
			stream("stdout", "kept"), {Kind: repl.Clear, Wait: true}}},
		"fail": {err: &repl.Error{Name: "TypeError", Message: "bad",
			Frames: []repl.Frame{{Cell: "cell[6]", Line: 1, Column: 1, Source: "fail"}},
			Notes: []string{"declared at cell[2]:1:7", "x\n  cell[6], line 1",
				"cell[99], line 1 is of another session"}}},
		"exit": {exit: &three},
	}}
}

const exampleSource = "streams\n// %%\nresult\n// %%\ndisplay\n// %%\nupdate\n// %%\nclear\n// %% [markdown]\n// # Text\n// %%\nfail\n// %%\nlast\n"

func TestExecute(t *testing.T) {
	script, err := cells.Parse("demo.go", []byte(exampleSource))
	if err != nil {
		t.Fatal(err)
	}
	s := example()
	r := Execute(context.Background(), s, script, Options{})
	if r.Failed != 1 || s.ran[len(s.ran)-1] != "fail" {
		t.Errorf("%d failed, the last cell was %q; want to stop at the first failure", r.Failed, s.ran[len(s.ran)-1])
	}
	if got := r.Runs[len(r.Runs)-1].Reply.Err.Frames[0]; got.Cell != "demo.go" || got.Line != 13 {
		t.Errorf("the error is at %s line %d, want demo.go line 13", got.Cell, got.Line)
	}
	if got, want := r.Runs[len(r.Runs)-1].Reply.Err.Notes,
		[]string{"declared at demo.go:3:7", "x\n  demo.go, line 13",
			"cell[99], line 1 is of another session"}; !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	s = example()
	if r = Execute(context.Background(), s, script, Options{KeepGoing: true}); s.ran[len(s.ran)-1] != "last" ||
		r.Failed != 1 {
		t.Errorf("KeepGoing: %d failed, the last cell was %q", r.Failed, s.ran[len(s.ran)-1])
	}
	script, _ = cells.Parse("demo.go", []byte("exit\n// %%\nlast"))
	if r = Execute(context.Background(), example(), script, Options{KeepGoing: true}); r.Exit == nil || *r.Exit != 3 ||
		len(r.Runs) != 1 {
		t.Errorf("os.Exit(3): %+v", r)
	}
}

func TestNotebookGolden(t *testing.T) {
	script, err := cells.Parse("demo.go", []byte(exampleSource))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteNotebook(&b, Execute(context.Background(), example(), script, Options{Outputs: true})); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "executed.ipynb")
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s differs; go test -update rewrites it. Got:\n%s", golden, b.Bytes())
	}
}

// TestNotebookRoundTrip reads a notebook and writes it: what the run does not touch stays.
func TestNotebookRoundTrip(t *testing.T) {
	const source = `{"cells": [
{"cell_type": "markdown", "id": "intro", "metadata": {"tags": ["a<b"]}, "source": ["# A\n", "b"], "attachments": {"p.png": {"image/png": "aa"}}},
{"cell_type": "code", "id": "intro", "metadata": {}, "source": "result", "execution_count": 9, "outputs": [{"output_type": "stream", "name": "stdout", "text": "old"}]},
{"cell_type": "code", "metadata": {}, "source": [], "execution_count": null, "outputs": []},
{"cell_type": "raw", "id": "not valid!", "metadata": {}, "source": "raw"}
], "metadata": {"authors": [{"name": "x"}], "kernelspec": {"name": "python3"}}, "nbformat": 4, "nbformat_minor": 2}`
	script, err := cells.Parse("a.ipynb", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	write := func(s cells.File) []byte {
		var b bytes.Buffer
		if err := WriteNotebook(&b, Execute(context.Background(), example(), s, Options{Outputs: true})); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	first := write(script)
	again, err := cells.Parse("b.ipynb", first)
	if err != nil {
		t.Fatal(err)
	}
	if second := write(again); !bytes.Equal(first, second) {
		t.Errorf("written twice:\n%s\nonce:\n%s", second, first)
	}
	var nb struct {
		Cells []struct {
			ID          string
			Source      []string
			Metadata    map[string]any
			Attachments map[string]any
			Outputs     []map[string]any
		}
		Metadata map[string]any
	}
	if err := json.Unmarshal(first, &nb); err != nil {
		t.Fatal(err)
	}
	if nb.Cells[0].ID != "intro" || nb.Cells[1].ID != "cell-1" || nb.Cells[3].ID != "cell-3" {
		t.Errorf("ids %q %q %q", nb.Cells[0].ID, nb.Cells[1].ID, nb.Cells[3].ID)
	}
	if !bytes.Contains(first, []byte(`"a<b"`)) || nb.Cells[0].Attachments == nil || nb.Metadata["authors"] == nil {
		t.Errorf("metadata or attachments are lost:\n%s", first)
	}
	if bytes.Contains(first, []byte("old")) || bytes.Contains(first, []byte("python3")) {
		t.Errorf("the old output or kernel is still there:\n%s", first)
	}
}

// TestNotebookSchema has Jupyter's own validator read the golden notebook.
func TestNotebookSchema(t *testing.T) {
	thorough.Slow(t)
	python := ""
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(p, "-c", "import nbformat").Run() == nil {
			python = p
			break
		}
	}
	if python == "" {
		t.Skip("python3 with nbformat is not installed")
	}
	out, err := exec.Command(python, "-W", "error", "-c",
		"import nbformat; nbformat.validate(nbformat.read('testdata/executed.ipynb', 4))").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
