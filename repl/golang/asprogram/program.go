// Package asprogram writes cells as a Go program. Statements become the body of main, in the order of the cells; what
// only cells may leave out (imports, uses of variables and values, errors that end a cell) is added where go/types asks
// for it, until it has nothing left to say.
package asprogram

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// Session is what cells can use without saying so.
type Session struct {
	Importer types.Importer
	// Package is the import path that a package name stands for, empty for none.
	Package func(name string) string
	// Dot is the import path of the package that a name needs no qualifier of, empty for none.
	Dot func(name string) string
}

// Names of the files.
const (
	Main  = "main.go"
	Tests = "main_test.go"
)

// file is a file of the program on its way.
type file struct {
	name    string
	imports map[string]string // import path to name, "" for its own
	decls   []string
	main    string // the body of main, unless a cell declares main
	hasBody bool
	must    []int          // of how many values main needs a function must, in order
	musts   map[int]string // their names
	syntax  *ast.File
	text    []byte
}

// shown stands behind the last statement of a cell, which shows its value, until its type is known.
const shown = "/*shown*/"

// whole begins the body of a function literal that has the statements of a whole cell: what it defers runs at the end
// of the cell, and a return ends the cell alone.
const whole = "func() {/*cell*/\n"

// mustText is the function that ends the program where a cell would have ended, of n values.
func mustText(name string, n int) string {
	var types, params, values []string
	for i := range n {
		t, v := fmt.Sprint("T", i+1), fmt.Sprint("v", i+1)
		if n == 1 {
			t, v = "T", "v"
		}
		types, params, values = append(types, t), append(params, v+" "+t), append(values, v)
	}
	all, results := strings.Join(values, ", "), types[0]
	if n > 1 {
		results = "(" + strings.Join(types, ", ") + ")"
	}
	return fmt.Sprintf(`
// %[1]s returns %[2]s, and ends the program where there is an error.
func %[1]s[%[3]s any](%[4]s, err error) %[5]s {
	if err != nil {
		log.Fatal(err)
	}
	return %[6]s
}
`, name, all, strings.Join(types, ", "), strings.Join(params, ", "), results, all)
}

// maxRounds is how often the program is checked: every round mends all that it can.
const maxRounds = 40

// Write returns the files of a program that does what the cells do, and what is declared again behind statements: the
// last declaration alone is in the program. The error says what of the cells has no place in a program.
func Write(cells []string, s Session) (text map[string][]byte, replaced []string, err error) {
	files, replaced, err := assemble(cells)
	if err != nil {
		return nil, nil, err
	}
	p := &program{s: s, files: files, hoisted: map[string]bool{}, used: identifiers(cells)}
	for range maxRounds {
		done, err := p.round()
		if err != nil {
			return nil, nil, err
		}
		if done {
			text, err = p.formatted()
			return text, replaced, err
		}
	}
	return nil, nil, errors.New("the cells cannot be written as a program: it takes too many changes")
}

// piece is a declaration of a cell.
type piece struct {
	names []string
	text  string
	test  bool
	at    int // how much of main stands before it
}

// assembly sorts what cells have into files.
type assembly struct {
	main     *file
	body     strings.Builder // of main
	pieces   []piece
	hasMain  bool     // a cell declares the function main
	replaced []string // by a later declaration behind statements
}

// assemble sorts the pieces of cells into files. It lists what a later declaration replaces behind statements.
func assemble(cells []string) (files []*file, replaced []string, err error) {
	a := &assembly{main: &file{name: Main, imports: map[string]string{}, musts: map[int]string{}},
		hasMain: slices.ContainsFunc(cells, declaresMain)}
	for _, src := range cells {
		if err := a.cell(src); err != nil {
			return nil, nil, err
		}
	}
	tests := &file{name: Tests, imports: map[string]string{}}
	for _, d := range a.pieces {
		if d.text != "" && d.test {
			tests.decls = append(tests.decls, d.text)
		} else if d.text != "" {
			a.main.decls = append(a.main.decls, d.text)
		}
	}
	if text := strings.TrimSpace(a.body.String()); a.hasMain && text != "" && text != "main()"+shown {
		return nil, nil, errors.New("the cells have a function main and statements beside it: " +
			"choose the cells of one of them")
	}
	a.main.main = a.body.String()
	if len(tests.decls) == 0 {
		return []*file{a.main}, a.replaced, nil
	}
	tests.imports = maps.Clone(a.main.imports)
	return []*file{a.main, tests}, a.replaced, nil
}

// cell adds a cell.
func (a *assembly) cell(src string) error {
	items, end := check.Split(src), 0
	var body, inits strings.Builder // its statements, and what its functions init do behind them
	for i, it := range items {
		text := strings.TrimSpace(src[it.Start:it.End])
		if above := strings.Trim(src[end:it.Start], " \t\n;"); strings.HasPrefix(above, "//") ||
			strings.HasPrefix(above, "/*") {
			text = above + "\n" + text
		}
		end = it.End
		switch it.Kind {
		case check.ImportItem:
			if err := a.main.addImports(text); err != nil {
				return err
			}
		case check.DeclItem:
			if call := initCall(text); call != "" && !a.hasMain {
				inits.WriteString(call)
			} else {
				a.declaration(text, body.Len())
			}
		default:
			text = strings.TrimSuffix(text, ";")
			if i == len(items)-1 {
				text = lastValues(text, !it.Semicolon)
			}
			body.WriteString(text + "\n")
		}
	}
	if endsApart(body.String()) {
		a.body.WriteString(whole + body.String() + "}()\n")
	} else {
		a.body.WriteString(body.String())
	}
	a.body.WriteString(inits.String())
	return nil
}

// declaration adds a declaration of a cell, behind statements of so many bytes.
func (a *assembly) declaration(text string, behind int) {
	names, test := declared(text)
	names = slices.DeleteFunc(names, func(n string) bool { return n == "init" }) // there may be several
	at := a.body.Len() + behind
	for i := range a.pieces { // the newest is what counts
		p := &a.pieces[i]
		before := slices.Clone(p.names)
		if p.names, p.text = without(p.names, p.text, names); at == p.at {
			continue
		}
		for _, n := range before {
			if !slices.Contains(p.names, n) && !slices.Contains(a.replaced, n) {
				a.replaced = append(a.replaced, n)
			}
		}
	}
	a.pieces = append(a.pieces, piece{names, text, test, at})
}

// declaresMain reports whether a cell declares the function main.
func declaresMain(src string) bool {
	return slices.ContainsFunc(check.Split(src), func(it check.Item) bool {
		names, _ := declared(src[it.Start:it.End])
		return it.Kind == check.DeclItem && slices.Equal(names, []string{"main"})
	})
}

// initCall is what a function init does, which runs with its cell, empty for any other declaration.
func initCall(text string) string {
	const head = "package main;"
	fset := token.NewFileSet()
	x, err := parser.ParseFile(fset, "", head+text, parser.SkipObjectResolution)
	if err != nil || len(x.Decls) != 1 {
		return ""
	}
	fd, ok := x.Decls[0].(*ast.FuncDecl)
	if !ok || fd.Recv != nil || fd.Name.Name != "init" || fd.Body == nil {
		return ""
	}
	from, body := fset.Position(fd.Pos()).Offset-len(head), fset.Position(fd.Body.Pos()).Offset-len(head)
	return text[:from] + "func() " + text[body:] + "()\n"
}

// lastValues is the last statement of a cell: of a list of values each is a statement, and shown where the cell shows
// them.
func lastValues(text string, show bool) string {
	mark := ""
	if show {
		mark = shown
	}
	list, n := check.SeparateValues(text)
	if n == 0 {
		return text + mark
	}
	var b strings.Builder
	for i := range text {
		if text[i] != list[i] { // a comma
			b.WriteString(mark)
		}
		b.WriteByte(list[i])
	}
	return b.String() + mark
}

// endsApart reports whether statements of a cell end with it in another way than those of a function: they defer calls,
// or return.
func endsApart(statements string) (apart bool) {
	text := "package main;func _() {" + statements + "}"
	x, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return false // which is said later
	}
	ast.Inspect(x.Decls[0].(*ast.FuncDecl).Body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt, *ast.ReturnStmt:
			apart = true
		}
		return !apart
	})
	return apart
}

// identifiers are all that cells have, so that a new name differs from them.
func identifiers(cells []string) map[string]bool {
	used := map[string]bool{}
	for _, src := range cells {
		for _, t := range check.Scan(src) {
			if t.Kind == token.IDENT {
				used[src[t.Start:t.End]] = true
			}
		}
	}
	return used
}

// without is a declaration but for names that are declared again: in a group, where others count on their places, they
// become blank. The text is empty once it declares nothing.
func without(names []string, text string, again []string) (left []string, rest string) {
	left = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(again, n) })
	if len(left) == len(names) {
		return names, text
	}
	const head = "package main;"
	fset := token.NewFileSet()
	x, err := parser.ParseFile(fset, "", head+text, parser.SkipObjectResolution)
	if err != nil || len(left) == 0 {
		return nil, ""
	}
	var places []*ast.Ident
	for _, d := range x.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			for _, s := range g.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					places = append(places, s.Name)
				case *ast.ValueSpec:
					places = append(places, s.Names...)
				}
			}
		}
	}
	for _, id := range slices.Backward(places) {
		if slices.Contains(again, id.Name) {
			at := fset.Position(id.Pos()).Offset - len(head)
			text = text[:at] + "_" + text[at+len(id.Name):]
		}
	}
	return left, text
}

func (f *file) addImports(text string) error {
	x, err := parser.ParseFile(token.NewFileSet(), "", "package main;"+text, parser.ImportsOnly)
	if err != nil {
		return err
	}
	for _, i := range x.Imports {
		name := ""
		if i.Name != nil {
			name = i.Name.Name
		}
		f.imports[strings.Trim(i.Path.Value, "\"`")] = name
	}
	return nil
}

// declared lists what a declaration declares, and whether it is a test.
func declared(text string) (names []string, test bool) {
	x, err := parser.ParseFile(token.NewFileSet(), "", "package main;"+text, parser.SkipObjectResolution)
	if err != nil || len(x.Decls) == 0 {
		return nil, false
	}
	for _, d := range x.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				return append(names, receiver(d)+"."+name), false
			}
			names = append(names, name)
			for _, kind := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
				rest, ok := strings.CutPrefix(name, kind)
				test = test || ok && (rest == "" || !unicode.IsLower([]rune(rest)[0])) &&
					(kind == "Example" || d.Type.Params.NumFields() == 1 &&
						strings.HasPrefix(types.ExprString(d.Type.Params.List[0].Type), "*testing."))
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(n string) bool { return n == "_" }), test
}

// receiver is the type that a method is declared for.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		default:
			return types.ExprString(t)
		}
	}
}

// print writes the file as it is now.
func (f *file) print() {
	var b bytes.Buffer
	b.WriteString("package main\n\nimport (\n")
	for _, path := range slices.Sorted(maps.Keys(f.imports)) {
		fmt.Fprintf(&b, "\t%s %q\n", f.imports[path], path)
	}
	b.WriteString(")\n\n")
	for _, d := range f.decls {
		b.WriteString(d + "\n\n")
	}
	hasMain := slices.ContainsFunc(f.decls, declaresMain)
	if f.hasBody = f.name == Main && !hasMain; f.hasBody {
		b.WriteString(mainHead + f.main + "}\n")
	}
	for _, n := range f.must {
		b.WriteString(mustText(f.musts[n], n))
	}
	f.text = b.Bytes()
}

// mainHead stands above the statements.
const mainHead = "func main() {\n"

// formatted are the files as gofmt has them.
func (p *program) formatted() (map[string][]byte, error) {
	r := map[string][]byte{}
	for _, f := range p.files {
		text := bytes.Replace(f.text, []byte("import (\n)\n\n"), nil, 1)
		text = bytes.ReplaceAll(text, []byte(whole), []byte("func() {\n"))
		out, err := format.Source(text)
		if err != nil {
			return nil, err
		}
		r[f.name] = out
	}
	return r, nil
}
