package script

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name, source string
		want         []Cell
	}{
		{"empty", "", nil},
		{"only a mark", "// %% title\n", nil},
		{"whole file", "x := 1\nx\n", []Cell{{Kind: Code, Source: "x := 1\nx", Line: 1}}},
		{"titles and lines", "import \"os\"\n\n// %% first\n\na\n\n// %%\nb\n// %%c\nd", []Cell{
			{Kind: Code, Source: `import "os"`, Line: 1},
			{Kind: Code, Title: "first", Source: "a", Line: 5},
			{Kind: Code, Source: "b", Line: 8},
			{Kind: Code, Title: "c", Source: "d", Line: 10},
		}},
		{"markdown", "// %% [markdown] about\n// # Title\n//\n// text\n// %%\nx", []Cell{
			{Kind: Markdown, Title: "about", Source: "# Title\n\ntext", Line: 2},
			{Kind: Code, Source: "x", Line: 6},
		}},
		{"mark inside a line", "x := `\n  // %%\n`", []Cell{{Kind: Code, Source: "x := `\n  // %%\n`", Line: 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := split(c.source); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, path, data, err string }{
		{"binary", "x.go", "\xff\xfe", "not UTF-8"},
		{"no notebook", "x.ipynb", "print(1)", "is not a notebook"},
		{"old notebook", "x.ipynb", `{"nbformat": 3, "worksheets": []}`, "format 3"},
		{"unknown cell", "x.ipynb", `{"nbformat": 4, "cells": [{"cell_type": "heading", "source": ""}]}`, `kind "heading"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Parse(c.path, []byte(c.data)); err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want one with %q", err, c.err)
			}
		})
	}
	crlf, err := Parse("x.go", []byte("\ufeffa\r\n// %%\r\nb\r\n"))
	if err != nil || len(crlf.Cells) != 2 || crlf.Cells[1].Source != "b" {
		t.Errorf("CRLF and a byte order mark: %+v, %v", crlf.Cells, err)
	}
}

func TestProgram(t *testing.T) {
	for _, c := range []struct {
		name, source string
		want         []Cell
	}{
		{"program", "// Command x.\npackage main\n\nfunc main() { println(1) }\n", []Cell{
			{Kind: Code, Source: "// Command x.\n            \n\nfunc main() { println(1) }", Line: 1},
			{Kind: Code, Source: "main()", Line: 4},
		}},
		{"executable program", "#!/usr/bin/env -S gorocm run\npackage main\nfunc main() {}", []Cell{
			{Kind: Code, Source: "func main() {}", Line: 3},
			{Kind: Code, Source: "main()", Line: 3},
		}},
		{"cells in a package, for editors", "package main\n\n// %%\nx := 1\n// %%\nx\n", []Cell{
			{Kind: Code, Source: "x := 1", Line: 4}, {Kind: Code, Source: "x", Line: 6},
		}},
		{"interpreter line", "#!/usr/bin/env -S gorocm run\nx := 1", []Cell{{Kind: Code, Source: "x := 1", Line: 2}}},
		{"without main", "package main\n\nvar x = 1\n", []Cell{{Kind: Code, Source: "var x = 1", Line: 3}}},
		{"main without a package", "func main() {}", []Cell{{Kind: Code, Source: "func main() {}", Line: 1}}},
		{"another package is left to the session", "package lib\n", []Cell{{Kind: Code, Source: "package lib", Line: 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Parse("main.go", []byte(c.source))
			if err != nil || !reflect.DeepEqual(s.Cells, c.want) {
				t.Errorf("got  %+v, %v\nwant %+v", s.Cells, err, c.want)
			}
		})
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("// %% a\nx\n// %% [markdown]\n// y\n")
	f.Add("#!x\n\n\n// %%")
	f.Fuzz(func(t *testing.T, source string) {
		script, err := Parse("x.go", []byte(source))
		if err != nil || strings.Contains(source, "package") {
			return
		}
		lines := strings.Split(newlines.Replace(strings.TrimPrefix(source, "\ufeff")), "\n")
		for _, c := range script.Cells {
			first, _, _ := strings.Cut(c.Source, "\n")
			if c.Kind == Code && lines[c.Line-1] != first && !strings.HasPrefix(source, "#!") {
				t.Fatalf("cell says that it starts at line %d, but that is %q, not %q", c.Line, lines[c.Line-1], first)
			}
		}
		again, err := Parse("x.go", Format(script.Cells))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := stripped(again.Cells), stripped(script.Cells); !reflect.DeepEqual(got, want) {
			t.Fatalf("after Format and Parse:\n%+v\nbefore:\n%+v", got, want)
		}
	})
}

// stripped drops what Format may change.
func stripped(cells []Cell) (out []Cell) {
	for _, c := range cells {
		c.Line = 0
		if c.Kind == Markdown { // spaces at the ends of comment lines
			lines := strings.Split(c.Source, "\n")
			for i := range lines {
				lines[i] = strings.TrimRight(lines[i], " ")
			}
			c.Source = strings.TrimSpace(strings.Join(lines, "\n"))
		}
		out = append(out, c)
	}
	return out
}

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
		"result":  {events: []repl.Event{shown(repl.Result, "", display.Bundle{display.MIMEText: "<1>", display.MIMEHTML: "<b>1</b>", display.MIMEJSON: `{"a":[1,2]}`, display.MIMEPNG: "iVBORw0="})}},
		"display": {events: []repl.Event{shown(repl.Display, "p", plain("old")), stream("stdout", "x")}},
		"update":  {events: []repl.Event{shown(repl.Update, "p", plain("new"))}},
		"clear":   {events: []repl.Event{stream("stdout", "gone"), {Kind: repl.Clear, Wait: true}, stream("stdout", "kept"), {Kind: repl.Clear, Wait: true}}},
		"fail":    {err: &repl.Error{Name: "TypeError", Message: "bad", Frames: []repl.Frame{{Cell: "cell[6]", Line: 1, Column: 1, Source: "fail"}}}},
		"exit":    {exit: &three},
	}}
}

const exampleSource = "streams\n// %%\nresult\n// %%\ndisplay\n// %%\nupdate\n// %%\nclear\n// %% [markdown]\n// # Text\n// %%\nfail\n// %%\nlast\n"

func TestExecute(t *testing.T) {
	script, err := Parse("demo.go", []byte(exampleSource))
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
	s = example()
	if r = Execute(context.Background(), s, script, Options{KeepGoing: true}); s.ran[len(s.ran)-1] != "last" || r.Failed != 1 {
		t.Errorf("KeepGoing: %d failed, the last cell was %q", r.Failed, s.ran[len(s.ran)-1])
	}
	script, _ = Parse("demo.go", []byte("exit\n// %%\nlast"))
	if r = Execute(context.Background(), example(), script, Options{KeepGoing: true}); r.Exit == nil || *r.Exit != 3 || len(r.Runs) != 1 {
		t.Errorf("os.Exit(3): %+v", r)
	}
}

func TestNotebookGolden(t *testing.T) {
	script, err := Parse("demo.go", []byte(exampleSource))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteNotebook(&b, Execute(context.Background(), example(), script, Options{})); err != nil {
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
	script, err := Parse("a.ipynb", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	write := func(s Script) []byte {
		var b bytes.Buffer
		if err := WriteNotebook(&b, Execute(context.Background(), example(), s, Options{})); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	first := write(script)
	again, err := Parse("b.ipynb", first)
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
	out, err := exec.Command(python, "-W", "error", "-c", "import nbformat; nbformat.validate(nbformat.read('testdata/executed.ipynb', 4))").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
