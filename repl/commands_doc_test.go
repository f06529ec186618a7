package repl

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// commandsPage is docs/commands.md.
func commandsPage() []byte {
	var b bytes.Buffer
	b.WriteString(`<!-- Written by go test ./repl -run TestCommandsPage -update, from repl/commands_table.go and repl/commands.txt. -->
# Commands

A line that begins with ` + "`%`" + ` is a command, one that begins with ` + "`!`" + ` goes to the system's shell. Such lines stand above, between or below the statements of a
cell, not in blocks of Go, where ` + "`session.Shell`" + ` runs a command. ` + "`%%time`" + ` and ` + "`%%timeit`" + ` above a cell take the whole cell. ` + "`NAME?`" + ` shows the documentation of a name, ` + "`NAME??`" + ` its source.
In a session, ` + "`%help`" + ` lists the commands, and ` + "`%help NAME`" + ` shows the help of one, which is the text below.

| command | |
|---|---|
`)
	cell := strings.NewReplacer("|", "\\|", "<", "&lt;")
	for i := range Commands {
		c := &Commands[i]
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", strings.ReplaceAll(c.Usage(), "|", "\\|"), c.Name, cell.Replace(c.Doc))
	}
	b.WriteString("| [`!COMMAND`](#shell) | Run a command of the system's shell. |\n")
	for i := range Commands {
		c := &Commands[i]
		fmt.Fprintf(&b, "\n## %s\n\n`%s`", c.Name, c.Usage())
		if len(c.Aliases) > 0 {
			fmt.Fprintf(&b, ", also `%%%s`", strings.Join(c.Aliases, "`, `%"))
		}
		fmt.Fprintf(&b, "\n\n%s\n", c.Doc)
		for _, p := range strings.Split(c.More, "\n") {
			if p != "" {
				fmt.Fprintf(&b, "\n%s\n", wrap(markdown(p), 140))
			}
		}
		if len(c.Examples) > 0 {
			b.WriteString("\n| | |\n|---|---|\n")
			for _, x := range c.Examples {
				fmt.Fprintf(&b, "| `%s` | %s |\n", cell.Replace(x[0]), x[1])
			}
		}
	}
	b.WriteString(`
## shell

` + "`!COMMAND`" + `

Run a command of the system's shell, in the session's directory and with its environment. Its output is the cell's, also while it runs. Another
exit status than 0 is an error, and interrupting the cell ends all that the command has started. A backslash at the end of a line goes on in the
next one. A line that is Go as it stands, such as ` + "`!ok`" + ` where ok is a variable, is Go.
`)
	return b.Bytes()
}

// markdown keeps what Markdown would take for emphasis.
func markdown(s string) string { return strings.NewReplacer("*", "\\*", "<", "&lt;").Replace(s) }

// TestCommandsPage checks docs/commands.md against the table, or rewrites it with -update.
func TestCommandsPage(t *testing.T) {
	path := filepath.Join("..", "docs", "commands.md")
	want := commandsPage()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the table says (%v): go test ./repl -run TestCommandsPage -update", path, err)
	}
}

// TestEveryCommand checks that each command can be found, is documented, and has a session that uses it in
// testdata/script.
func TestEveryCommand(t *testing.T) {
	files, err := filepath.Glob("testdata/script/commands*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	seen := map[string]bool{}
	for i := range Commands {
		c := &Commands[i]
		for _, n := range append([]string{c.Name}, c.Aliases...) {
			if seen[n] {
				t.Errorf("two commands are called %s", n)
			}
			seen[n] = true
			if commandNames[n] != c {
				t.Errorf("%s is not found", n)
			}
		}
		if !strings.HasSuffix(c.Doc, ".") || c.Run == nil {
			t.Errorf("%s has no sentence or nothing to run", c.Name)
		}
		if !strings.Contains(all.String(), "\n%"+c.Name) && !strings.Contains(all.String(), "\n%%"+c.Name) {
			t.Errorf("no session in testdata/script uses %%%s", c.Name)
		}
	}
}
