package golang

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// converted are initial values that are converted to interfaces, and what %#v prints of them.
var converted = []struct{ value, prints string }{
	{"any(5)", "5"},
	{"interface{}(true)", "true"},
	{"any(any((\"s\")))", `"s"`},
	{"any(int8(3))", "3"},
	{"any(y)", "7"},
	{"any(nil)", "<nil>"},
	{"y", "7"},
	{"[]any{any(1), nil, y, any(any(nil)), E(2.5)}", "[]interface {}{1, interface {}(nil), 7, interface {}(nil), 2.5}"},
	{"map[string]any{\"a\": any(1)}", `map[string]interface {}{"a":1}`},
	{"map[any]int{any(1): 2}", "map[interface {}]int{1:2}"},
	{"error(nil)", "<nil>"},
	{"any([]any{any('x')})", "[]interface {}{120}"},
}

// TestConversionsInTables: initial values that are converted to interfaces are those of Go in a cell's literal of many
// elements.
func TestConversionsInTables(t *testing.T) {
	e, out := newEngine(t)
	if f := e.Eval(t.Context(), 1, "type E any\nvar y any = 7").Failure; f != nil {
		t.Fatal(f.Message)
	}
	for i, c := range converted {
		out.Reset()
		cell := "x := []any{" + c.value + strings.Repeat(", 0", 300) + "}\nfmt.Printf(\"%#v %d\\n\", x[0], len(x))"
		if f := e.Eval(t.Context(), i+2, cell).Failure; f != nil {
			t.Errorf("%s: %s", c.value, f.Message)
		} else if got := strings.TrimSpace(out.String()); got != c.prints+" 301" {
			t.Errorf("%s prints %s, want %s 301", c.value, got, c.prints)
		}
	}
	cell := "m := map[any]int{[]int{1}: 2" + strings.Join(numbered(300, ", %[1]d: 0"), "") + "}"
	if f := e.Eval(t.Context(), 90, cell).Failure; f == nil || !strings.Contains(f.Message, "unhashable") {
		t.Errorf("a key that is a slice: %v, want a panic", f)
	}
}

// numbered are the texts of a format for the numbers below n.
func numbered(n int, format string) (r []string) {
	for i := range n {
		r = append(r, fmt.Sprintf(format, i))
	}
	return r
}

// TestConversionsInPackages: and in the variables of a module's package.
func TestConversionsInPackages(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	dir := t.TempDir()
	source := "package conv\n\nimport \"fmt\"\n\ntype E any\n\nvar y any = 7\n\n"
	body, want := "", ""
	for i, c := range converted {
		source += fmt.Sprintf("var x%d = %s\n", i, c.value)
		body += fmt.Sprintf("\tfmt.Printf(\"%%#v\\n\", x%d)\n", i)
		want += c.prints + "\n"
	}
	source += "\nfunc Print() {\n" + body + "}\n"
	for name, text := range map[string]string{"go.mod": "module example.com/conv\n\ngo 1.26\n", "conv.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	e, err := New(Options{Stdout: &out, Stderr: &out, Modules: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.Get(t.Context(), dir, nil); err != nil {
		t.Fatal(err)
	}
	if f := e.Eval(t.Context(), 1, "import \"example.com/conv\"\nconv.Print()").Failure; f != nil {
		t.Fatalf("%s %v", f.Message, f.Notes)
	}
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
