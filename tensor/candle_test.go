package tensor_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCandleMethods checks the table in docs/candle.md: it lists all of Candle's methods, and every name that it gives
// is there.
func TestCandleMethods(t *testing.T) {
	page, err := os.ReadFile("../docs/candle.md")
	must(t, err)
	_, table, ok := strings.Cut(string(page), "## Method by method")
	if !ok {
		t.Fatal("docs/candle.md has no table of methods")
	}
	have := exported(t, ".")
	for name := range exported(t, "formats") {
		have["formats."+name] = true
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (`[\\w.]+`|—|none) \\| (.*) \\|$").FindAllStringSubmatch(table,
		-1)
	for _, row := range rows {
		name, ours, note := row[1], strings.Trim(row[2], "`"), row[3]
		switch {
		case ours == "—" && note == "":
			t.Errorf("%s has no counterpart, and the table does not say why", name)
		case ours == "none" && have["Tensor."+camel(name)]:
			t.Errorf("the table says that there is no %s", camel(name))
		case ours != "none" && ours != "—" && !have[ours]:
			t.Errorf("there is no %s for %s", ours, name)
		}
	}
	if len(rows) != 213 {
		t.Errorf("the table has %d methods, Candle 213", len(rows))
	}
}

func camel(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// exported lists the functions of a package, methods as Type.Method.
func exported(t *testing.T, folder string) map[string]bool {
	names := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	must(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		must(t, err)
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			switch {
			case !ok || !f.Name.IsExported():
			case f.Recv == nil:
				names[f.Name.Name] = true
			default:
				recv := f.Recv.List[0].Type
				if p, ok := recv.(*ast.StarExpr); ok {
					recv = p.X
				}
				if id, ok := recv.(*ast.Ident); ok {
					names[id.Name+"."+f.Name.Name] = true
				}
			}
		}
	}
	return names
}
