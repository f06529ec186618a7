package repl

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestSaveModule: the cells of a session as a module are taken by go build, and the program prints what the cells do.
func TestSaveModule(t *testing.T) {
	thorough.Slow(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	local := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/own\n\ngo 1.26\n",
		"own.go": "package own\n\nfunc Name() string { return \"own\" }\n"} {
		if err := os.WriteFile(filepath.Join(local, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	saved := map[string]struct {
		cells []string
		want  string
	}{
		"plain": {[]string{"x := 1\ny := 2", "fmt.Println(x + y)", "strings.ToUpper(\"shown\")", "z := 5"}, "3\nSHOWN\n"},
		"hoisted": {[]string{"total, unused := 10, 1", "func add(n int) { total += n }", "add(5)\nfmt.Println(total)",
			"var names = []string{\"a\"}\nfunc first() string { return names[0] }\nfirst()"}, "15\na\n"},
		"same name": {[]string{"x := 3\nfunc getx() int { return x }", "x, z := 20, \"z\"\nw := x", "getx(), z, w", "var x = 7",
			"fmt.Println(getx(), z)", "var x int", "getx()"}, "20\nz\n20\n7 z\n0\n"},
		"closures": {[]string{"n, err := strconv.Atoi(\"1\")\nget := func() int { return n }", "n, err := strconv.Atoi(\"2\")\nfmt.Println(get(), err)",
			"n := \"text\"\nfmt.Println(n, get())", "n, m := 5, n\nfmt.Println(n, m, get())", "v, ok := map[int]int{1: 2}[1]\nf := func() (int, bool) { return v, ok }",
			"v, ok := map[int]int{1: 2}[3]\nfmt.Println(f())"}, "2 <nil>\ntext 2\n5 text 2\n0 false\n"},
		"defers": {[]string{"defer fmt.Println(\"d\")\nfmt.Println(\"a\")\nk := 1", "fmt.Println(\"b\", k)", "mu := &sync.Mutex{}", "mu.Lock(); defer mu.Unlock()\nk := 2",
			"mu.Lock(); defer mu.Unlock()\nk, j := 3, k\nif j == 2 { return }\nfmt.Println(\"not reached\")", "k, j", "if k == 3 { return }\nfmt.Println(4)",
			"defer fmt.Println(\"then\")\nk"}, "a\nd\nb 1\n3\n2\n3\nthen\n"},
		"error values": {[]string{"errors.New(\"e\")", "err := fmt.Errorf(\"f\")", "err", "err, errors.Unwrap(err)", "func fine() error { return nil }\nfine()\nfmt.Println(\"on\")",
			"func two() (int, string, error) { return 1, \"2\", nil }", "a, b := two()\nfmt.Println(b, a)", "two()"}, "e\nf\nf\n<nil>\non\n2 1\n1 2\n"},
		"must": {[]string{"func must(ok bool) { if !ok { panic(1) } }", "n := strconv.Atoi(\"12\")\nmust(n == 12)\nn", "func gen[T any](x T) T { return x }", "gen(3), gen(\"s\")",
			"n, 1"}, "12\n3\ns\n12\n1\n"},
		"again": {[]string{"x := 1\nfunc get() int { return x }", "x := 2\nfmt.Println(get())", "x := \"text\"\nfmt.Println(x, get())",
			"func f() string { return \"old\" }",
			"func f() string { return \"new\" }", "fmt.Println(f())"}, "2\ntext 2\nnew\n"},
		"errors": {[]string{"n := strconv.Atoi(\"12\")\nfmt.Println(n)", "fmt.Println(len(os.ReadFile(\"/dev/null\")))",
			"import \"os\"", "func fails() error { return nil }", "fails()", "strconv.Atoi(\"7\")"}, "12\n0\n7\n"},
		"types": {[]string{"type point struct { X, Y int }\nfunc (p point) Sum() int { return p.X + p.Y }", "p := point{1, 2}\np.Sum()",
			"// a comment\nfor i := range 2 {\n\t// inside\n\tfmt.Println(i)\n}"}, "3\n0\n1\n"},
		"tests": {[]string{"import \"testing\"", "func double(n int) int { return 2 * n }",
			"func TestDouble(t *testing.T) {\n\tif double(2) != 4 {\n\t\tt.Fatal()\n\t}\n}", "double(4)"}, "8\n"},
		"module": {[]string{"%get " + local, "import \"example.com/own\"", "own.Name()"}, "own\n"},
		"init": {[]string{"n := 1\n// first\nfunc init() { fmt.Println(\"init\", n) }\nfmt.Println(\"stmt\")", "n++\nfunc init() { fmt.Println(\"again\", n) }"},
			"stmt\ninit 1\nagain 2\n"},
		"whole":     {[]string{"package main\nimport \"fmt\"\nfunc init() { fmt.Println(\"init\") }\nfunc main() { fmt.Println(\"main\") }"}, "init\nmain\n"},
		"receivers": {[]string{"type T struct{ n int }\nfunc (t T) get() int { return t.n }", "func (t *T) get() int { return 2 * t.n }\n(&T{2}).get()"}, "4\n"},
		"program":   {[]string{"func main() { fmt.Println(\"main\") }"}, "main\n"},
	}
	for _, name := range thorough.Sample(slices.Sorted(maps.Keys(saved)), 3, 1) { // each is compiled
		x := saved[name]
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "saved")
			out := testSession(t, append(x.cells, "%save "+dir+"/", "%save "+dir)...)
			if !strings.Contains(out, dir+": go.mod, main.go") && !strings.Contains(out, dir+": go.mod, go.sum, main.go") ||
				!strings.Contains(out, "already exists") || strings.Contains(out, "declared again") {
				t.Fatal(out)
			}
			main, _ := os.ReadFile(filepath.Join(dir, "main.go"))
			for _, args := range [][]string{{"vet", "."}, {"test", "."}, {"run", "."}} {
				cmd := exec.Command("go", args...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
				got, err := cmd.CombinedOutput()
				if err != nil || args[0] == "run" && string(got) != x.want {
					t.Errorf("go %s: %v\n%s\nwant\n%s\n%s", args[0], err, got, x.want, main)
				}
			}
		})
	}
}

// TestSaveModuleRefuses: what has no place in a program is an error, and nothing is written.
func TestSaveModuleRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "saved")
	for _, x := range []struct {
		cells []string
		want  string
	}{
		{[]string{"func main() {}", "x := 1"}, "the cells have a function main and statements beside it"},
		{nil, "there is nothing to save"},
		{[]string{"x := 3", "x := \"hello\"", "func show() { fmt.Println(x) }", "show()"}, "x is defined again with another type, and show uses it"},
		{[]string{"x := 3\nfunc (t T) get() any { return x }\ntype T int", "x := \"hello\"\nT(0).get()"}, "x is defined again with another type, and T.get uses it"},
		{[]string{"x := 3", "func x() int { return 4 }", "x()"}, "x is a variable and a declaration"},
	} {
		if out := testSession(t, append(x.cells, "%save "+dir+"/")...); !strings.Contains(out, x.want) {
			t.Errorf("%s, want %s", out, x.want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Error("a folder was made")
		}
	}
	got := testSession(t, "func f() int { return 1 }\ntype T int", "f()", "func f() int { return 2 }", "f()", "%save "+dir+"/")
	if !strings.Contains(got, "declared again after statements have run; the program has the last of it from its beginning: f") {
		t.Error(got)
	}
}

// TestSaveLeavesNothingOut: a group keeps the names that are not declared again, and lines for the shell are Go.
func TestSaveLeavesNothingOut(t *testing.T) {
	thorough.Slow(t)
	dir := t.TempDir()
	got := testSession(t, `const ( Sun = iota; _; Mon )
const ( _ = iota; KB = 1 << (10 * iota); MB )
type ( P int; Q string )`, "const MB = 3\ntype P string", "!echo data", "%%writefile "+dir+"/f\ntext",
		"fmt.Println(Sun, Mon, KB, MB, P(\"p\"), Q(\"q\"));", "%save "+dir+"/program/")
	text, err := os.ReadFile(filepath.Join(dir, "program", "main.go"))
	if err != nil {
		t.Fatal(err, got)
	}
	for _, want := range []string{"KB = 1 << (10 * iota)", "Q string", `exec.Command("/bin/sh", "-c", "echo data")`,
		`f.WriteString("text\n")`, "MB = 3"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if _, err := exec.LookPath("go"); err != nil {
		return
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = filepath.Join(dir, "program")
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "data\n0 2 1024 3 p q\n" {
		t.Errorf("%v %s", err, out)
	}
}

// TestSaveFile: a file has every cell that has run, also those that are commands alone, what %replay ran, and nothing of
// commands that look at cells; %run of it does the same again. Cells that would be read as others are refused.
func TestSaveFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	got := testSession(t, "x := 1", "!echo hi", "%%writefile f.txt\none\n\ntwo", "%history", "fmt.Println(undefined)", "%cd .", "%%html\n<b>bold</b>",
		"%timeit -q -n 1 -r 1 x+1", "x?", "%save a.go", "%save a.ipynb", "%run a.go")
	text, err := os.ReadFile("a.go")
	const want = "// %%\nx := 1\n\n// %%\n!echo hi\n\n// %%\n%%writefile f.txt\none\n\ntwo\n\n// %%\n%cd .\n\n// %%\n%%html\n<b>bold</b>\n\n" +
		"// %%\n%timeit -q -n 1 -r 1 x+1\n\n// %%\nx?\n"
	if err != nil || string(text) != want || strings.Count(got, "hi\n") != 3 {
		t.Errorf("%v %s\n%s", err, text, got)
	}
	if got := testSession(t, "y := 2", "!echo two", "%reset -f", "%replay", "fmt.Println(y)", "%save b.go", "!cat b.go"); !strings.HasSuffix(got,
		"// %%\ny := 2\n\n// %%\n!echo two\n\n// %%\nfmt.Println(y)\n") {
		t.Error(got)
	}
	for name, list := range map[string][]string{
		"mark":    {"x := `a\n// %%\nb`"},
		"comment": {"/*\n// %% here\n*/\ny := 1"},
		"returns": {"%%writefile g.txt\na\r\nb"},
	} {
		got := testSession(t, append(list, "%save "+name+".go", "%save "+name+".ipynb")...)
		if _, err := os.Stat(name + ".go"); err == nil || !strings.Contains(got, "cannot be in a file of Go") ||
			!strings.Contains(got, name+".ipynb: ") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := testSession(t, "package main\nimport \"fmt\"\nfunc main() { fmt.Println(\"main\") }", "%save whole.go", "%reset -f", "%run whole.go"); strings.Count(got, "main\n") != 2 {
		t.Error(got)
	}
}

// TestReplaceFile: a file that cannot be written whole leaves the one that it was to replace, and nothing beside it.
func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.go")
	link := filepath.Join(dir, "link.go")
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o640), os.Symlink(path, link), replaceFile(link, []byte("new"))); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	st, err := os.Stat(path)
	if list, _ := os.ReadDir(dir); string(text) != "new" || err != nil || st.Mode().Perm() != 0o640 || len(list) != 2 {
		t.Errorf("%s %v %v %v", text, st, err, list)
	}
	if err := replaceFile(dir, []byte("x")); err == nil {
		t.Error("a folder was replaced")
	} else if list, _ := os.ReadDir(filepath.Dir(dir)); len(list) != 1 {
		t.Error(list)
	}
}
