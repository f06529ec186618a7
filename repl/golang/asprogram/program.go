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
	main    string // the body of main
	must    bool   // main needs the function must
	syntax  *ast.File
	text    []byte
}

// shown stands behind the last statement of a cell, which shows its value, until its type is known.
const shown = "/*shown*/"

// mustText is the function that ends the program where a cell would have ended.
const mustText = `
// must is v, unless there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
`

// maxRounds is how often the program is checked: every round mends all that it can.
const maxRounds = 40

// Write returns the files of a program that does what the cells do. The error says what of the cells has no place in
// a program.
func Write(cells []string, s Session) (map[string][]byte, error) {
	files, err := assemble(cells)
	if err != nil {
		return nil, err
	}
	p := &program{s: s, files: files}
	for range maxRounds {
		done, err := p.round()
		if err != nil {
			return nil, err
		}
		if done {
			return p.formatted()
		}
	}
	return nil, errors.New("the cells cannot be written as a program: it takes too many changes")
}

// assemble sorts the pieces of cells into files.
func assemble(cells []string) ([]*file, error) {
	main := &file{name: Main, imports: map[string]string{}}
	tests := &file{name: Tests, imports: map[string]string{}}
	type piece struct {
		names []string
		text  string
		test  bool
	}
	var pieces []piece
	var body strings.Builder
	for _, src := range cells {
		items, end := check.Split(src), 0
		for i, it := range items {
			text := strings.TrimSpace(src[it.Start:it.End])
			if above := strings.Trim(src[end:it.Start], " \t\n;"); strings.HasPrefix(above, "//") ||
				strings.HasPrefix(above, "/*") {
				text = above + "\n" + text
			}
			end = it.End
			switch it.Kind {
			case check.ImportItem:
				if err := main.addImports(text); err != nil {
					return nil, err
				}
			case check.DeclItem:
				names, test := declared(text)
				for i := range pieces { // the newest is what counts
					p := &pieces[i]
					p.names, p.text = without(p.names, p.text, names)
				}
				pieces = append(pieces, piece{names, text, test})
			default:
				text = strings.TrimSuffix(text, ";")
				if i == len(items)-1 {
					if list, n := check.SeparateValues(text); n > 0 {
						text = list
					}
				}
				body.WriteString(text)
				if i == len(items)-1 && !it.Semicolon {
					body.WriteString(shown)
				}
				body.WriteString("\n")
			}
		}
	}
	for _, d := range pieces {
		if d.text != "" && d.test {
			tests.decls = append(tests.decls, d.text)
		} else if d.text != "" {
			main.decls = append(main.decls, d.text)
		}
		if slices.Contains(d.names, "main") && strings.TrimSpace(body.String()) != "" {
			return nil, errors.New("the cells have a function main and statements beside it: " +
				"choose the cells of one of them")
		}
	}
	main.main = body.String()
	if len(tests.decls) == 0 {
		return []*file{main}, nil
	}
	tests.imports = maps.Clone(main.imports)
	return []*file{main, tests}, nil
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
				return append(names, types.ExprString(d.Recv.List[0].Type)+"."+name), false
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
	hasMain := slices.ContainsFunc(f.decls, func(d string) bool {
		names, _ := declared(d)
		return slices.Contains(names, "main")
	})
	if f.name == Main && !hasMain {
		b.WriteString(mainHead + f.main + "}\n")
	}
	if f.must {
		b.WriteString(mustText)
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
		out, err := format.Source(text)
		if err != nil {
			return nil, err
		}
		r[f.name] = out
	}
	return r, nil
}
