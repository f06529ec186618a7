package deps

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// The limits of hand-written code that is not a test. Tables, which are composite literals of several lines and structs
// of functions, may be longer and wider; a line with a long text in it may be wider.
const (
	longText        = 50 // bytes
	maxPackageLines = 9000
	maxMethods      = 60
	maxFileLines    = 500
	maxFuncLines    = 80
	maxColumns      = 120
)

// exceptions are beyond a limit, and why.
var exceptions = map[string]string{
	"tensor.Tensor": "its methods are what users call",
	"tensor/devicetest.gradientCases (gradients.go)":        "a table, one line a case",
	"tensor/internal/host.float32Row (elementwise_rows.go)": "a table of loops by operation",
	"internal/gen/kernels/build.OpsPage (docs.go)":          "the text of a page",
}

// measures are those of hand-written code.
type measures struct {
	packages map[string]int // lines
	files    map[string]int // lines
	funcs    map[string]int // lines
	methods  map[string]int // of each type
	wide     map[string]int // columns of lines that are too wide
}

// TestMeasures prints the largest packages, files, functions and types, and fails for those beyond the limits.
func TestMeasures(t *testing.T) {
	m := measures{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}}
	for _, file := range goFiles(t) {
		if err := m.read(file); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.files) < 100 {
		t.Fatalf("%d files only", len(m.files))
	}
	for _, what := range []struct {
		name  string
		sizes map[string]int
		limit int
	}{
		{"lines in package", m.packages, maxPackageLines},
		{"lines in file", m.files, maxFileLines},
		{"lines in function", m.funcs, maxFuncLines},
		{"methods of type", m.methods, maxMethods},
		{"columns in line", m.wide, maxColumns},
	} {
		names := sortedBySize(what.sizes)
		for i, name := range names {
			if n := what.sizes[name]; n > what.limit && exceptions[name] == "" {
				t.Errorf("%d %s %s: at most %d", n, what.name, name, what.limit)
			} else if i < 5 {
				t.Logf("%6d %s %s", n, what.name, name)
			}
		}
	}
}

// goFiles lists the hand-written files of the module, without tests, relative to its root.
func goFiles(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(allGoFiles(t), func(file string) bool {
		return strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/")
	})
}

// allGoFiles are the files of Go that git knows or would add, from the root of the repository.
func allGoFiles(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.go")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Skip("there is no git to list the files: ", err)
	}
	var files []string
	for file := range strings.Lines(string(out)) {
		file = strings.TrimSpace(file)
		if _, err := os.Stat("../../" + file); err == nil {
			files = append(files, file)
		}
	}
	return files
}

func (m *measures) read(file string) error {
	src, err := os.ReadFile("../../" + file)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(f) {
		return nil
	}
	line := func(p token.Pos) int { return fset.Position(p).Line }
	lines := strings.Split(strings.TrimSuffix(string(src), "\n"), "\n")
	tables := slices.Repeat([]bool{strings.HasPrefix(path.Base(file), "table")}, len(lines)+2)
	texts := make([]bool, len(lines)+2)
	mark := func(marks []bool, n ast.Node) {
		for i := line(n.Pos()); i <= line(n.End()); i++ {
			marks[i] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if line(n.End())-line(n.Pos()) >= 3 {
				mark(tables, n)
			}
		case *ast.StructType: // a table of a library's functions
			if slices.ContainsFunc(n.Fields.List, isFunc) || slices.ContainsFunc(n.Fields.List, hasTag) {
				mark(tables, n)
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && len(n.Value) >= longText {
				mark(texts, n)
			}
		}
		return true
	})
	m.packages[path.Dir(file)] += len(lines)
	m.files[file] = len(lines)
	for i, l := range lines {
		code := strings.HasPrefix(l, "//go:") || strings.HasPrefix(l, "//\t")
		if n := columns(l); n > maxColumns && !tables[i+1] && !texts[i+1] && !code {
			m.wide[fmt.Sprintf("%s:%d", file, i+1)] = n
		}
	}
	for _, d := range f.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		n := 0
		for i := line(fd.Pos()); i <= line(fd.End()); i++ {
			if !tables[i] {
				n++
			}
		}
		m.funcs[fmt.Sprintf("%s.%s (%s)", path.Dir(file), fd.Name.Name, path.Base(file))] = n
		if fd.Recv != nil {
			m.methods[path.Dir(file)+"."+receiver(fd.Recv.List[0].Type)]++
		}
	}
	return nil
}

func isFunc(f *ast.Field) bool {
	_, ok := f.Type.(*ast.FuncType)
	return ok
}

func hasTag(f *ast.Field) bool { return f.Tag != nil }

// columns is the width of a line whose tabs are four columns wide.
func columns(line string) (n int) {
	for _, r := range line {
		if n++; r == '\t' {
			n += 3
		}
	}
	return n
}

// receiver is the name of a receiver's type.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

func sortedBySize(sizes map[string]int) []string {
	names := make([]string, 0, len(sizes))
	for name := range sizes {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(sizes[b]-sizes[a], strings.Compare(a, b)) })
	return names
}
