package repl

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCommandsInBlocks: a command in a block of Go is an error that says where commands may stand.
func TestCommandsInBlocks(t *testing.T) {
	for _, cell := range []string{"for range 2 {\n\t!echo loop\n}", "if true {\n%pwd\n}", "func f() {\n!ls\n}", "if true {\n%%time f()\n}"} {
		if got := testSession(t, cell); got != "SyntaxError: a command cannot stand in a block\n" {
			t.Errorf("%s\n%s", cell, got)
		}
	}
	if got := testSession(t, "l := []bool{\n!nosuch,\n}"); got != "TypeError: undefined: nosuch\n" {
		t.Error(got)
	}
}

// TestEmbedDirective: a file that a script embeds is no empty string without a word.
func TestEmbedDirective(t *testing.T) {
	const want = "SyntaxError: //go:embed embeds nothing in a cell or a script\n"
	for _, cell := range []string{"package main\n\nimport _ \"embed\"\n\n//go:embed hello.txt\nvar s string\n\nfunc main() { println(s) }", "//go:embed x\nvar s string"} {
		if got := testSession(t, cell); got != want {
			t.Errorf("%s\n%s", cell, got)
		}
	}
	if got := testSession(t, "fmt.Println(`\n//go:embed x`) //go:embedded"); got != "\n//go:embed x\n" {
		t.Error(got)
	}
}

// TestBreakpointsOfFiles: breakpoints in functions of later cells of a file are listed, and those of a function go
// together.
func TestBreakpointsOfFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f2.go")
	if err := os.WriteFile(file, []byte("x := 1\n// %%\nfunc triple(n int) int {\n\ta := n * 3\n\treturn a\n}\n// %%\nx++\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "f2.go, line 4\nf2.go, line 5\nno breakpoints\nCommandError: %break: there is no breakpoint at triple\n"
	if got := testSession(t, "%run "+file, "%break triple:2", "%break triple:3", "%break", "%break -d triple", "%break",
		"%break -d triple"); got != want {
		t.Error(got)
	}
}
