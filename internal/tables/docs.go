package tables

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

// Types are the exported types of a package, without positions, so that they change only when the API does.
func Types(pkg *types.Package) ([]byte, error) {
	var buf bytes.Buffer
	err := gcexportdata.Write(&buf, token.NewFileSet(), pkg)
	return buf.Bytes(), err
}

// members are the fields of a struct, the methods of an interface.
func members(x ast.Expr) []*ast.Field {
	switch t := x.(type) {
	case *ast.StructType:
		return t.Fields.List
	case *ast.InterfaceType:
		return t.Methods.List
	}
	return nil
}

// Docs are the doc comments of a package's files as a JSON object: "" is the package's comment, other keys are Name,
// Type.Method and Type.Field.
func Docs(importPath, dir string, names []string) ([]byte, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	d, err := doc.NewFromFiles(fset, files, importPath)
	if err != nil {
		return nil, err
	}
	m := map[string]string{}
	put := func(key, text string) {
		if text = strings.TrimSpace(text); text != "" {
			m[key] = text
		}
	}
	put("", d.Doc)
	values := func(vs []*doc.Value) {
		for _, v := range vs {
			for _, n := range v.Names {
				put(n, v.Doc)
			}
			for _, s := range v.Decl.Specs {
				if s, ok := s.(*ast.ValueSpec); ok && (s.Doc != nil || s.Comment != nil) {
					for _, n := range s.Names {
						put(n.Name, s.Doc.Text()+s.Comment.Text())
					}
				}
			}
		}
	}
	funcs := func(prefix string, fs []*doc.Func) {
		for _, f := range fs {
			put(prefix+f.Name, f.Doc)
		}
	}
	values(d.Consts)
	values(d.Vars)
	funcs("", d.Funcs)
	for _, t := range d.Types {
		put(t.Name, t.Doc)
		values(t.Consts)
		values(t.Vars)
		funcs("", t.Funcs)
		funcs(t.Name+".", t.Methods)
		for _, s := range t.Decl.Specs {
			if s, ok := s.(*ast.TypeSpec); ok {
				for _, f := range members(s.Type) {
					for _, n := range f.Names {
						if n.IsExported() {
							put(s.Name.Name+"."+n.Name, f.Doc.Text()+f.Comment.Text())
						}
					}
				}
			}
		}
	}
	for name := range m {
		if name != "" && !ast.IsExported(name) {
			delete(m, name)
		}
	}
	return json.Marshal(m)
}
