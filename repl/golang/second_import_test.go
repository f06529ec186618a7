package golang

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// tablesSource is a package with tables of all kinds, and a function that prints them.
func tablesSource() string {
	list := func(n int, element func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString("\t" + element(i) + ",\n")
		}
		return b.String()
	}
	kinds := []struct{ name, literal string }{
		{"ints", "[]int{" + list(200, func(i int) string { return fmt.Sprint(i*i - 5000) })},
		{"small", "[...]int8{" + list(200, func(i int) string { return fmt.Sprint(i - 100) })},
		{"bytes", "[]byte{" + list(200, func(i int) string { return fmt.Sprintf("0x%x", i) })},
		{"named", "[]Byte{" + list(200, func(i int) string { return fmt.Sprintf("'\\x%02x'", i) })},
		{"array", "[...]uint8{" + list(200, func(i int) string { return fmt.Sprint(255 - i) })},
		{"large", "[]uint64{" + list(100, func(i int) string { return fmt.Sprintf("1<<63 + %d", i) })},
		{"sparse", "[5000]rune{4999: 'x', 7: 'y', " + list(200, func(i int) string { return fmt.Sprint(i) })},
		{"keyed", "[...]uint32{" + list(100, func(i int) string { return fmt.Sprintf("%d: %d", 3*i, i) })},
		{"floats", "[]float32{" + list(200, func(i int) string { return fmt.Sprintf("%d.1e-3", i) })},
		{"bools", "[...]bool{" + list(200, func(i int) string { return fmt.Sprint(i%3 == 0) })},
		{"texts", "[]Text{" + list(200, func(i int) string { return fmt.Sprintf("%q", strings.Repeat("é}\n", i%4)) })},
		{"nested", "[][]float64{" + list(100, func(i int) string { return fmt.Sprintf("{%d, .5, -1}, nil", i) })},
		{"structs", "[...]S{" + list(100, func(i int) string { return fmt.Sprintf("{%d, \"s\", nil, []byte(\"ab\")}", i) })},
		{"fields", "[]S{" + list(100, func(i int) string { return fmt.Sprintf("{b: \"b\", A: %d, c: &S{A: 1}}", i) })},
		{"pairs", "map[string]int{" + list(100, func(i int) string { return fmt.Sprintf("\"k%d\": %d", i, -i) })},
		{"keys", "map[S2]*S2{" + list(100, func(i int) string { return fmt.Sprintf("{%d, 2}: {3, %d}", i, i) })},
		{"deep", "map[byte]map[int][2]string{" + list(100, func(i int) string { return fmt.Sprintf("%d: {1: {\"a\", \"b%d\"}}", i, i) })},
		{"address", "&[...]S2{" + list(100, func(i int) string { return fmt.Sprintf("{Y: %d}", i) })},
		{"anything", "[]any{" + list(200, func(i int) string { return fmt.Sprint(i) })},
		{"called", "[]int{f(), " + list(200, func(i int) string { return fmt.Sprint(i) })},
		{"errs", "[]error{" + list(200, func(int) string { return "nil" })},
	}
	var b strings.Builder
	b.WriteString(`package tables

import ("fmt"; _ "embed"; "runtime"; "strings")

type Byte byte
type Text string
type S struct { A int; b string; c *S; d []byte }
type S2 struct { X, Y int16 }

func f() int { return len(ints) + depends }
var depends = len(strings.ToUpper("text")) + ints[3]

//go:embed t.txt
var embedded string
//go:embed t.txt
var embeddedBytes []byte

func Where() string {
	_, file, line, _ := runtime.Caller(0)
	return fmt.Sprint(file[strings.LastIndexByte(file, '/'):], line)
}
`)
	for _, k := range kinds {
		fmt.Fprintf(&b, "var %s = %s}\n", k.name, k.literal)
	}
	b.WriteString("func Print() {\n\tfmt.Println(embedded, embeddedBytes, depends, Where())\n")
	for _, k := range kinds {
		fmt.Fprintf(&b, "\tfmt.Printf(\"%s %%T %%d\\n\", %s, len(%s))\n", k.name, k.name, k.name)
		if k.name != "keys" && k.name != "fields" { // which have pointers
			fmt.Fprintf(&b, "\tfmt.Println(%s)\n", k.name)
		}
	}
	b.WriteString("\tfor i := range int16(100) { fmt.Println(*keys[S2{i, 2}], *fields[i].c, fields[i].A, fields[i].b) }\n}\n")
	return b.String()
}

// TestSecondImport: a package of the sessions before prints in a session what it prints when it is compiled, though
// neither its tables nor the bodies of its functions are parsed, down to the lines of its functions.
func TestSecondImport(t *testing.T) {
	thorough.Slow(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/tables\n\ngo 1.26\n", "tables.go": tablesSource(), "t.txt": "embedded }\n",
		"main/main.go": "package main\n\nimport \"example.com/tables\"\n\nfunc main() { tables.Print() }\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "run", "./main")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	want, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, want)
	}
	cache := t.TempDir()
	for _, session := range []string{"session-a", "session-b"} {
		var out bytes.Buffer
		e, err := New(Options{Stdout: &out, Stderr: &out, Modules: filepath.Join(cache, session)})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := e.Get(t.Context(), dir, nil); err != nil {
			t.Fatal(err)
		}
		if f := e.Eval(t.Context(), 1, "import \"example.com/tables\"\ntables.Print()").Failure; f != nil {
			t.Fatalf("%s: %s %v", session, f.Message, f.Notes)
		}
		a, b := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("%s, line %d: got\n%.300s\nwant\n%.300s", session, i+1, a[i], b[i])
			}
		}
		if len(a) != len(b) {
			t.Errorf("%s prints %d lines, want %d", session, len(a), len(b))
		}
	}
}
