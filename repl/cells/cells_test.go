package cells

import (
	"reflect"
	"strings"
	"testing"
)

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
			if got := split(c.source, nil); !reflect.DeepEqual(got, c.want) {
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
		{"unknown cell", "x.ipynb", `{"nbformat": 4, "cells": [{"cell_type": "heading", "source": ""}]}`,
			`kind "heading"`},
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
		{"a program among cells is the session's", "// %%\npackage main\n\nvar g = 3\n\nfunc main() {}\n\n// %%\ng = 4\n", []Cell{
			{Kind: Code, Source: "package main\n\nvar g = 3\n\nfunc main() {}", Line: 2},
			{Kind: Code, Source: "g = 4", Line: 9},
		}},
		{"a program before declarations", "package main\n\nfunc main() {}\n// %%\nfunc f() {}\n", []Cell{
			{Kind: Code, Source: "package main\n\nfunc main() {}", Line: 1},
			{Kind: Code, Source: "func f() {}", Line: 5},
		}},
		{"a later program", "x := 1\n// %%\npackage main\nfunc main() {}\n", []Cell{
			{Kind: Code, Source: "x := 1", Line: 1}, {Kind: Code, Source: "package main\nfunc main() {}", Line: 3},
		}},
		{"a program in sections", "package main\n// %% helpers\nfunc f() {}\n// %%\nfunc main() { f() }\n", []Cell{
			{Kind: Code, Title: "helpers", Source: "func f() {}", Line: 3},
			{Kind: Code, Source: "func main() { f() }", Line: 5},
			{Kind: Code, Source: "main()", Line: 5},
		}},
		{"interpreter line", "#!/usr/bin/env -S gorocm run\nx := 1", []Cell{{Kind: Code, Source: "x := 1", Line: 2}}},
		{"without main", "package main\n\nvar x = 1\n", []Cell{{Kind: Code, Source: "var x = 1", Line: 3}}},
		{"main without a package", "func main() {}", []Cell{{Kind: Code, Source: "func main() {}", Line: 1}}},
		{"another package is left to the session", "package lib\n",
			[]Cell{{Kind: Code, Source: "package lib", Line: 1}}},
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

// TestJupytext: commands that jupytext has commented out are commands, in files that it says it has written.
func TestJupytext(t *testing.T) {
	const body = "// %% [markdown]\n// # T\n// !text\n\n// %%\n// !echo hi\n//%time 1\n// // !comment\n// plain\nx\n\n" +
		"// %%\n// %%writefile a.txt\nline\n\n// %% language=\"sh\" magic_args=\"-a \\\"b\\\"\"\n// echo\n// # c\n\n// %% [raw]\n// raw\n"
	f, err := Parse("x.go", []byte("// ---\n// jupyter:\n//   kernelspec:\n//     name: gorocm\n// ---\n\n"+body))
	want := []Cell{
		{Kind: Markdown, Source: "# T\n!text", Line: 8},
		{Kind: Code, Source: "!echo hi\n%time 1\n// !comment\n// plain\nx", Line: 12},
		{Kind: Code, Source: "%%writefile a.txt\nline", Line: 19},
		{Kind: Code, Source: "%%sh -a \"b\"\necho\n# c", Line: 22},
		{Kind: Raw, Source: "raw", Line: 27},
	}
	if err != nil || !reflect.DeepEqual(f.Cells, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, f.Cells, want)
	}
	f, err = Parse("x.go", []byte(body)) // without the header they are comments
	if err != nil || f.Cells[1].Source != "// !echo hi\n//%time 1\n// // !comment\n// plain\nx" {
		t.Errorf("%v %+v", err, f.Cells)
	}
}

func TestReadAll(t *testing.T) {
	if data, err := readAll(strings.NewReader("123456"), 6); err != nil || string(data) != "123456" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := readAll(strings.NewReader("1234567"), 6); err == nil || !strings.Contains(err.Error(), "more than 6 bytes") {
		t.Error(err)
	}
}

// TestMarksInStrings: what stands in a string or a comment of an ordinary program begins no cell.
func TestMarksInStrings(t *testing.T) {
	for source, want := range map[string]int{
		"package main\n\nconst s = `\n// %%\n!echo`\n\nfunc main() { println(s) }\n": 2,
		"package main\n/*\n// %%\n*/\nfunc main() {}\n":                              2,
		"package main\n\nconst s = `\n// %%\n`\n// %%\nfunc main() { println(s) }\n": 3,
		"package main\nfunc f() {}\n// %%\nf()\n":                                    2,
	} {
		f, err := Parse("x.go", []byte(source))
		if err != nil || len(f.Cells) != want {
			t.Errorf("%s\n%+v %v", source, f.Cells, err)
		}
	}
}
