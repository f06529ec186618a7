package lsp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

// patience is how long a test waits for what must come. It only bounds a failure.
const patience = 20 * time.Second

// client is a real client of a server in this process, over two pipes.
type client struct {
	t    *testing.T
	out  io.WriteCloser
	in   chan message
	id   int
	done chan error
	seen map[string][]diagnostic // the last diagnostics of each text
}

func start(t *testing.T) *client {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	c := &client{t: t, out: toServer, in: make(chan message, 1000), done: make(chan error, 1),
		seen: map[string][]diagnostic{}}
	go func() { // the server must not wait for a client that writes
		r := bufio.NewReader(fromServer)
		for {
			m, err := readMessage(r)
			if err != nil {
				close(c.in)
				return
			}
			c.in <- m
		}
	}()
	go func() { c.done <- Serve(fromClient, toClient, "test") }()
	if r := c.call("initialize", map[string]any{}); !strings.Contains(string(r), "notebookDocumentSync") {
		t.Fatalf("initialize: %s", r)
	}
	c.tell("initialized", map[string]any{})
	t.Cleanup(func() {
		c.call("shutdown", nil)
		c.tell("exit", nil)
		if err := <-c.done; err != nil {
			t.Error(err)
		}
	})
	return c
}

func (c *client) write(m map[string]any) {
	c.t.Helper()
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c.out, "Content-Type: application/json\r\ncontent-length: %d\r\n\r\n%s", len(body),
		body); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) tell(method string, params any) {
	c.write(map[string]any{"method": method, "params": params})
}

// next reads a message, and notes diagnostics.
func (c *client) next() message {
	c.t.Helper()
	var m message
	select {
	case got, ok := <-c.in:
		if m = got; !ok {
			c.t.Fatal("the server has ended")
		}
	case <-time.After(patience):
		c.t.Fatal("the server says nothing")
	}
	if m.Method == "textDocument/publishDiagnostics" {
		var p diagnosticsParams
		if err := json.Unmarshal(m.Params, &p); err != nil {
			c.t.Fatal(err)
		}
		c.seen[p.URI] = p.Diagnostics
	} else if m.Method != "" {
		c.t.Errorf("%s: %s", m.Method, m.Params)
	}
	return m
}

func (c *client) ask(method string, params any) message {
	c.t.Helper()
	c.id++
	c.write(map[string]any{"id": c.id, "method": method, "params": params})
	for {
		if m := c.next(); m.Method == "" && string(m.ID) == fmt.Sprint(c.id) {
			return m
		}
	}
}

func (c *client) call(method string, params any) json.RawMessage {
	c.t.Helper()
	m := c.ask(method, params)
	if m.Error != nil {
		c.t.Fatalf("%s: %v", method, m.Error)
	}
	return m.Result
}

// diagnostics waits for those of a text and describes them.
func (c *client) diagnostics(uri string) string {
	c.t.Helper()
	delete(c.seen, uri)
	for c.seen[uri] == nil {
		c.next()
	}
	var list []string
	for _, d := range c.seen[uri] {
		list = append(list, fmt.Sprintf("%d:%d-%d:%d %s", d.Range.Start.Line, d.Range.Start.Character, d.Range.End.Line,
			d.Range.End.Character, d.Message))
	}
	return strings.Join(list, "; ")
}

// notebook opens cells under the URIs c0, c1, ….
func (c *client) notebook(codes ...string) {
	var list, texts []map[string]any
	for i, code := range codes {
		uri := fmt.Sprintf("c%d", i)
		list = append(list, map[string]any{"kind": 2, "document": uri})
		texts = append(texts, map[string]any{"uri": uri, "languageId": "go", "version": 1, "text": code})
	}
	c.tell("notebookDocument/didOpen", map[string]any{"notebookDocument": map[string]any{"uri": "nb", "cells": list,
		"notebookType": "jupyter-notebook", "version": 1}, "cellTextDocuments": texts})
}

// edit replaces the text of a cell of the notebook.
func (c *client) edit(uri, text string) {
	c.tell("notebookDocument/didChange", map[string]any{"notebookDocument": map[string]any{"uri": "nb", "version": 2},
		"change": map[string]any{"cells": map[string]any{"textContent": []any{map[string]any{
			"document": map[string]any{"uri": uri, "version": 2}, "changes": []any{map[string]any{"text": text}}}}}}})
}

func at(uri string, line, character int) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": uri},
		"position": map[string]any{"line": line, "character": character}}
}

func TestNotebook(t *testing.T) {
	thorough.Slow(t)
	c := start(t)
	c.notebook("type point struct{ X, Y int }\nfunc (p point) Sum() int { return p.X + p.Y }\n%time 1+1",
		"世界, p := \"😀\", point{1, 2}\nfiles := !ls\np?\np.Sum()",
		"var s string = p.Sum()\n_3", "%%html\n<b>not Go</b>", "fmt.Printf(\"%d\\n\", 世界)\nlen(files), p")
	want := map[string]string{"c0": "", "c1": "", "c3": "",
		"c2": "0:15-0:16 cannot use p.Sum() (value of type int) as string value in variable declaration",
		"c4": "0:0-0:22 fmt.Printf format %d has arg 世界 of wrong type string"}
	if got := c.diagnostics("c4"); got != want["c4"] {
		t.Errorf("c4: %s", got)
	}
	for uri, text := range want {
		var got []string
		for _, d := range c.seen[uri] {
			got = append(got, fmt.Sprintf("%d:%d-%d:%d %s", d.Range.Start.Line, d.Range.Start.Character, d.Range.End.Line,
				d.Range.End.Character, d.Message))
		}
		if strings.Join(got, "; ") != text {
			t.Errorf("%s: %q, want %q", uri, got, text)
		}
	}

	// A mistake in a cell does not follow in the cells below.
	c.edit("c1", "世界, p := \"😀\", point{1, 2\np.Sum(")
	if got := c.diagnostics("c1"); got == "" || len(c.seen["c4"]) != 1 {
		t.Errorf("c1 %q, c4 %v", got, c.seen["c4"])
	}
	c.edit("c1", "世界, p := \"😀\", point{1, 2}\np.Sum()")
	c.edit("c2", "x := p.")
	if got := c.diagnostics("c2"); got == "" {
		t.Error("no diagnostics of half a cell")
	}

	list := string(c.call("textDocument/completion", at("c2", 0, 7)))
	if !strings.Contains(list, `"label":"Sum"`) || !strings.Contains(list, `"label":"X"`) {
		t.Errorf("completion: %s", list)
	}
	c.edit("c2", "%%tim")
	if list := string(c.call("textDocument/completion", at("c2", 0, 5))); !strings.Contains(list, `"label":"%%timeit"`) ||
		!strings.Contains(list, `"insertText":"timeit"`) {
		t.Errorf("completion of a command: %s", list)
	}
	c.edit("c2", "x := strings.Repeat(世界, ")
	if help := string(c.call("textDocument/signatureHelp", at("c2", 0, 24))); !strings.Contains(help,
		`"label":"Repeat(s string, count int) string","parameters":[{"label":[17,26]}]`) {
		t.Errorf("signature: %s", help)
	}
	if text := string(c.call("textDocument/hover", at("c1", 0, 5))); !strings.Contains(text, "p point") {
		t.Errorf("hover: %s", text)
	}
	if text := string(c.call("textDocument/hover", at("c3", 1, 5))); text != "null" {
		t.Errorf("hover in HTML: %s", text)
	}
}

func TestNames(t *testing.T) {
	c := start(t)
	c.notebook("type point struct{ X, Y int }\nfunc (p point) Sum() int { return p.X + p.Y }",
		"😀 := 1", "world, p := \"x\", point{X: 1}\n_ = \"😀\"; p.Sum()", "func size() int { return p.X + len(world) }",
		"p = point{2, 3}\nsize()")
	if d := string(c.call("textDocument/definition", at("c4", 0, 0))); !strings.Contains(d, `"uri":"c2"`) ||
		!strings.Contains(d, `{"line":0,"character":7}`) {
		t.Errorf("definition: %s", d)
	}
	if d := string(c.call("textDocument/definition", at("c3", 0, 28))); !strings.Contains(d, `"uri":"c0"`) {
		t.Errorf("definition of a field: %s", d)
	}
	params := at("c2", 0, 8)
	params["newName"] = "here"
	if m := c.ask("textDocument/rename", params); m.Error == nil || !strings.Contains(m.Error.Message, "mistake") {
		t.Errorf("rename beside a mistake: %s %v", m.Result, m.Error)
	}
	c.edit("c1", "ok := 1")
	for name, why := range map[string]string{"world": "already", "len": "own", "a b": "not a name", "func": "not a name"} {
		params["newName"] = name
		if m := c.ask("textDocument/rename", params); m.Error == nil || !strings.Contains(m.Error.Message, why) {
			t.Errorf("rename to %s: %s %v", name, m.Result, m.Error)
		}
	}
	params["newName"] = "here"
	var edit workspaceEdit
	if err := json.Unmarshal(c.call("textDocument/rename", params), &edit); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"c2": "world, p := \"x\", point{X: 1}\n_ = \"😀\"; p.Sum()",
		"c3": "func size() int { return p.X + len(world) }", "c4": "p = point{2, 3}\nsize()"}
	want := map[string]string{"c2": "world, here := \"x\", point{X: 1}\n_ = \"😀\"; here.Sum()",
		"c3": "func size() int { return here.X + len(world) }", "c4": "here = point{2, 3}\nsize()"}
	if len(edit.Changes) != len(want) {
		t.Errorf("%v", edit)
	}
	for uri, edits := range edit.Changes {
		text := texts[uri]
		for i := len(edits) - 1; i >= 0; i-- {
			text = edited(text, []contentChange{{&edits[i].Range, edits[i].NewText}})
		}
		if text != want[uri] {
			t.Errorf("%s: %s", uri, text)
		}
	}
	refs := string(c.call("textDocument/references", at("c0", 1, 16)))
	if strings.Count(refs, `"uri"`) != 1 || !strings.Contains(refs, "c2") {
		t.Errorf("references to a method: %s", refs)
	}
	if m := c.ask("textDocument/rename", at("c0", 0, 0)); m.Error == nil {
		t.Errorf("renames a keyword: %s", m.Result)
	}
}

// TestCommands: Go that commands run has no mistakes, and the names that commands declare are known.
func TestCommands(t *testing.T) {
	thorough.Slow(t)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "file.go"), []byte("// %%\nfunc ofFile() int { return 1 }\n// %%\n%import ur net/url\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := start(t)
	uri := "file://" + filepath.ToSlash(folder) + "/cells.go"
	cells := []string{"%timeit -n 1000 -r 3 strings.Repeat(\"a\",100)\nx := 1", "%timeit -q x+1\n%time len(\"a\")\n%prun -o f.out strings.ToUpper(\"a\")\nx++",
		"%%timeit -n5 y := x\ny++", "%%capture c\nfmt.Println(1)", "c.Stdout", "%%hip\n__global__ void naive(float* x) { x[0] = 1; }", "naive.LaunchGrid",
		"%import r crypto/rand", "r.Text()", "%import math/rand/v2\nrand.IntN(3)", "%run file.go", "ofFile() + len(ur.PathEscape(\"\"))",
		"!echo one \\\ntwo; echo three\nx++", "x + undefinedName"}
	c.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "go", "version": 1,
		"text": "// %%\n" + strings.Join(cells, "\n// %%\n") + "\n"}})
	if got := c.diagnostics(uri); !strings.HasSuffix(got, "undefined: undefinedName") || strings.Contains(got, ";") {
		t.Error(got)
	}
}

// TestRenameKeepsMeaning: methods that interfaces may ask for are not renamed, nor names in commands; a type is renamed
// with the fields that embed it.
func TestRenameKeepsMeaning(t *testing.T) {
	thorough.Slow(t)
	tests := []struct {
		cells           []string
		cell, line, col int
		name, want      string // the cells after it, or what the error has
	}{
		{[]string{"type S struct{}\nfunc (s S) String() string { return \"S!\" }", "S{}"}, 0, 1, 12, "Text", "fmt.Stringer"},
		{[]string{"type S struct{}\nfunc (s S) Text() string { return \"S!\" }", "S{}"}, 0, 1, 12, "String", "fmt.Stringer"},
		{[]string{"type S struct{}\nfunc (s S) Error() string { return \"S!\" }"}, 0, 1, 12, "Text", "error"},
		{[]string{"type S struct{}\nfunc (s S) Area() int { return 1 }", "type I interface{ Area() int }\nvar i I = S{}"}, 0, 1, 12, "Size", "method of an interface"},
		{[]string{"type S struct{}\nfunc (s S) area() int { return 1 }", "type I interface{ area() int }\nvar i I = S{}"}, 1, 0, 18, "size", "method of an interface"},
		{[]string{"type S struct{}\nfunc (s S) Area() int { return 1 }", "S{}.Area()"}, 0, 1, 12, "Size",
			"type S struct{}\nfunc (s S) Size() int { return 1 }//S{}.Size()"},
		{[]string{"type P struct{ X int }\ntype Q struct { P }\ntype R struct { *P }", "q := Q{P: P{1}}\nq.P.X, q.X, R{&q.P}.P.X"}, 0, 0, 5, "V",
			"type V struct{ X int }\ntype Q struct { V }\ntype R struct { *V }//q := Q{V: V{1}}\nq.V.X, q.X, R{&q.V}.V.X"},
		{[]string{"type P[T any] struct{ X T }\ntype Q struct { P[int] }", "Q{}.P.X"}, 0, 0, 5, "V",
			"type V[T any] struct{ X T }\ntype Q struct { V[int] }//Q{}.V.X"},
		{[]string{"func f() int { return 1 }", "%timeit f()", "%time x := f()\n!echo f"}, 0, 0, 5, "g", "func g() int { return 1 }//%timeit g()//%time x := g()\n!echo f"},
		{[]string{"func f() int { return 1 }", "%doc f"}, 0, 0, 5, "g", "a command mentions f"},
		{[]string{"func f() int { return 1 }", "f?"}, 0, 0, 5, "g", "a command mentions f"},
		{[]string{"%%capture c\n1", "c.Stdout"}, 1, 0, 0, "d", "a command"},
	}
	for _, test := range tests {
		c := start(t)
		c.notebook(test.cells...)
		params := at(fmt.Sprint("c", test.cell), test.line, test.col)
		params["newName"] = test.name
		m := c.ask("textDocument/rename", params)
		if m.Error != nil {
			if !strings.Contains(m.Error.Message, test.want) {
				t.Errorf("%v: %s, want %s", test.cells, m.Error.Message, test.want)
			}
			continue
		}
		var edit workspaceEdit
		if err := json.Unmarshal(m.Result, &edit); err != nil {
			t.Fatal(err)
		}
		texts := slices.Clone(test.cells)
		for i := range texts {
			for _, e := range slices.Backward(edit.Changes[fmt.Sprint("c", i)]) {
				texts[i] = edited(texts[i], []contentChange{{&e.Range, e.NewText}})
			}
		}
		if got := strings.Join(texts, "//"); got != test.want {
			t.Errorf("%v:\n%s, want\n%s", test.cells, got, test.want)
		}
	}
}

// TestTexts: a file of cells, and a notebook as JupyterLab sends it.
func TestTexts(t *testing.T) {
	thorough.Slow(t)
	c := start(t)
	open := func(uri, text string) {
		c.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "go",
			"version": 1, "text": text}})
	}
	open("file:///a/cells.go", "// %% one\nx := 1\n// %% [markdown]\n// text\n// %%\nx := \"again\"\nx + 1\n")
	if got := c.diagnostics("file:///a/cells.go"); !strings.HasPrefix(got, "6:") {
		t.Error(got)
	}
	open("file:///a/book.ipynb", "x := 1\n\n\nx := \"again\"\nfunc f() {\n\n\n\ty()\n}\n\n\n%cd /\nx\n\n\n")
	if got := c.diagnostics("file:///a/book.ipynb"); got != "7:1-7:2 undefined: y" {
		t.Error(got)
	}
	c.tell("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": "file:///a/book.ipynb",
		"version": 2}, "contentChanges": []any{map[string]any{"range": textRange{position{7, 1}, position{7, 4}},
		"text": "_ = 1"}}})
	if got := c.diagnostics("file:///a/book.ipynb"); got != "" {
		t.Error(got)
	}
	// An unfinished cell does not reach into those after it, in which empty lines may be, too.
	open("file:///a/half.ipynb", "strings.Repeat(\n\n\nfunc f() {\n\n\n\ty()\n}\n\n\nvar n int = 3\n\n\nif n > 2 {\n\n\nn + z")
	if got := c.diagnostics("file:///a/half.ipynb"); strings.Contains(got, "10:") || !strings.Contains(got, "6:1-6:2 undefined: y") ||
		!strings.Contains(got, "undefined: z") {
		t.Error(got)
	}
	open("file:///a/lib.go", "package lib\n\nfunc F() int { return \"\" }\n")
	open("file:///a/main.go", "package main\n\nfunc main() { undefinedName() }\n")
	if got := c.diagnostics("file:///a/main.go"); got != "2:14-2:27 undefined: undefinedName" || c.seen["file:///a/lib.go"] != nil {
		t.Errorf("%s; %v", got, c.seen["file:///a/lib.go"])
	}
	c.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": "file:///a/main.go"}})
	if got := c.diagnostics("file:///a/main.go"); got != "" {
		t.Error(got)
	}
}

// TestStructure: cells that are added, moved and removed.
func TestStructure(t *testing.T) {
	thorough.Slow(t)
	c := start(t)
	c.notebook("x := 1", "x + 1")
	c.diagnostics("c1")
	change := func(array map[string]any, open ...any) {
		c.tell("notebookDocument/didChange", map[string]any{"notebookDocument": map[string]any{"uri": "nb", "version": 2},
			"change": map[string]any{"cells": map[string]any{"structure": map[string]any{"array": array, "didOpen": open}}}})
	}
	change(map[string]any{"start": 0, "deleteCount": 1})
	if got := c.diagnostics("c1"); got != "0:0-0:1 undefined: x" {
		t.Error(got)
	}
	change(map[string]any{"start": 0, "deleteCount": 0, "cells": []any{map[string]any{"kind": 2, "document": "new"}}},
		map[string]any{"uri": "new", "languageId": "go", "version": 1, "text": "x := 2"})
	if got := c.diagnostics("c1"); got != "" {
		t.Error(got)
	}
	change(map[string]any{"start": 99, "deleteCount": -5})
	c.tell("notebookDocument/didClose", map[string]any{"notebookDocument": map[string]any{"uri": "nb"}})
	if got := c.diagnostics("c1"); got != "" {
		t.Error(got)
	}
}

// TestWrong: messages that no client should send.
func TestWrong(t *testing.T) {
	c := start(t)
	for _, m := range []map[string]any{{"id": 9, "method": "no/such"}, {"id": 9},
		{"id": 9, "method": "textDocument/hover", "params": 7},
		{"id": 9, "method": "textDocument/hover", "params": []int{1}}} {
		c.write(m)
		if r := c.next(); r.Error == nil {
			t.Errorf("%v: %s", m, r.Result)
		}
	}
	for _, p := range []map[string]any{at("nowhere", 0, 0), at("", -1, -1)} {
		if r := c.call("textDocument/hover", p); string(r) != "null" {
			t.Errorf("%s", r)
		}
	}
	if _, err := fmt.Fprint(c.out, "Content-Length: 3\r\n\r\n{{{"); err != nil {
		t.Fatal(err)
	}
	if r := c.next(); r.Error == nil || r.Error.Code != codeParse {
		t.Errorf("%+v", r)
	}
	for _, text := range []string{"Content-Length: 99999999999\r\n\r\n", "x: y\r\n\r\n", "Content-Length: 5\r\n\r\n{}",
		strings.Repeat("x", maxHeaders+1), "Content-Length: -1\r\n\r\n"} {
		if err := Serve(strings.NewReader(text), io.Discard, ""); err == nil {
			t.Errorf("%.40q: no error", text)
		}
	}
}

// FuzzServe: nothing that a client sends ends the server but the end of its messages.
func FuzzServe(f *testing.F) {
	f.Add("textDocument/didChange", `{"textDocument":{"uri":"a"},"contentChanges":[{"range":{"start":{"line":0,"character":1},"end":{"line":-1,"character":9}},"text":"x"}]}`)
	f.Add("notebookDocument/didChange", `{"notebookDocument":{"uri":"a"},"change":{"cells":{"structure":{"array":{"start":-1,"deleteCount":7}}}}}`)
	f.Add("textDocument/rename", `{"textDocument":{"uri":"a"},"position":{"line":0,"character":0},"newName":"y"}`)
	f.Add("textDocument/completion", `{"textDocument":{"uri":"a"},"position":{"line":0,"character":2}}`)
	f.Fuzz(func(t *testing.T, method, params string) {
		var b strings.Builder
		for _, m := range []message{{ID: []byte("1"), Method: "initialize"},
			{Method: "textDocument/didOpen", Params: []byte(`{"textDocument":{"uri":"a","languageId":"go","text":"x := 1\nx"}}`)},
			{ID: []byte("2"), Method: method, Params: []byte(params)}, {ID: []byte("3"), Method: "shutdown"}, {Method: "exit"}} {
			if m.Params != nil && !json.Valid(m.Params) {
				t.Skip()
			}
			if err := writeMessage(&b, m); err != nil {
				t.Skip()
			}
		}
		var out strings.Builder
		if err := Serve(strings.NewReader(b.String()), &out, ""); err != nil && method != "exit" && method != "shutdown" {
			t.Errorf("%v", err)
		}
		if strings.Contains(out.String(), "internal error") {
			t.Errorf("%s", out.String())
		}
	})
}

// BenchmarkAnalyse checks a notebook of 30 cells.
func BenchmarkAnalyse(b *testing.B) {
	d := &document{uri: "nb", cells: []string{}}
	s := &server{ctx: b.Context(), texts: map[string]*text{}}
	for i := range 30 {
		uri := fmt.Sprint(i)
		d.cells = append(d.cells, uri)
		s.texts[uri] = &text{content: fmt.Sprintf("func f%d(n int) int { return n * %d }\nx%d := f%d(3)\nfmt.Println(x%d)\nx%d",
			i, i, i, i, i, i), owner: d, goCell: true}
	}
	for b.Loop() {
		if err := s.analyse(d); err != nil {
			b.Fatal(err)
		}
	}
}
