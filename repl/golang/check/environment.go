package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// run checks one file in a package that sees the objects given and what the session has of what is mentioned.
func (k *Checker) run(decls []ast.Decl, objs map[string]types.Object, keep func(types.Error) bool) *types.Scope {
	pkg := k.Scope.FreshScope()
	for _, o := range objs {
		pkg.Scope().Insert(o)
	}
	for name := range k.mentioned {
		if k.imported[name] {
			continue
		}
		if b := k.Scope.Bindings[name]; b != nil && b.Object != nil && !k.declared[name] && objs[name] == nil {
			pkg.Scope().Insert(k.current(name, b.Object))
		} else if o := k.Scope.Dots[name]; b == nil && o != nil && !k.declared[name] && objs[name] == nil &&
			!k.dotImports(o) {
			pkg.Scope().Insert(o)
		} else if b == nil && !k.declared[name] && objs[name] == nil {
			k.insertResult(pkg.Scope(), name)
		}
	}
	pkg.Scope().Insert(k.Scope.OutFunc)
	for _, m := range k.Scope.MustFuncs {
		pkg.Scope().Insert(m)
	}
	all := k.importDecls(objs)
	all = append(all, decls...)
	file := &ast.File{Name: ast.NewIdent("main"), Decls: all}
	if len(decls) > 0 {
		file.Package = decls[0].Pos()
		file.FileStart, file.FileEnd = decls[0].Pos(), decls[len(decls)-1].End()
	}
	for _, d := range all {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			for _, s := range g.Specs {
				file.Imports = append(file.Imports, s.(*ast.ImportSpec))
			}
		}
	}
	kept := false // the last error, whose further lines come as errors of their own
	sizes := checkpoints{wordSizes, k.Scope}
	conf := types.Config{Importer: k.Scope.Modules, GoVersion: GoVersion, Sizes: sizes, Error: func(err error) {
		Checkpoint(k.Scope)
		te, ok := err.(types.Error)
		if !ok {
			k.Problems = append(k.Problems, Problem{name: "TypeError", Message: err.Error()})
			return
		}
		if more, ok := strings.CutPrefix(te.Msg, "\t"); ok {
			if p := k.Scope.Fset.Position(te.Pos); kept && p.IsValid() {
				k.Problems[len(k.Problems)-1].Message += "\n\t" + p.String() + ": " + UserText(more)
			}
			return
		}
		kept = false
		if unusedImport(te) || strings.Contains(te.Msg, "missing function body") {
			return
		}
		if strings.HasPrefix(te.Msg, "label ") && te.Soft { // as compiled Go says it
			te.Msg = strings.Replace(te.Msg, " declared and not used", " defined and not used", 1)
		}
		if keep != nil && !keep(te) {
			return
		}
		p := Problem{Pos: k.Scope.Fset.Position(te.Pos), name: "TypeError", Message: UserText(te.Msg), at: te.Pos}
		for _, old := range k.Problems {
			if old.at == p.at && (old.Message == p.Message || strings.HasPrefix(old.Message, p.Message+"\n")) {
				return
			}
		}
		k.Problems = append(k.Problems, p)
		kept = true
	}}
	_ = types.NewChecker(&conf, k.Scope.Fset, pkg, k.Result.Info).Files([]*ast.File{file}) // errors go to conf.Error
	if len(k.Problems) == 0 {
		k.plainDTypes(decls)
	}
	return pkg.Scope()
}

// dotImports reports whether the cell itself imports the package of an object with a dot.
func (k *Checker) dotImports(o types.Object) bool {
	for _, g := range k.Result.Cell.Imports {
		for _, s := range g.Specs {
			s := s.(*ast.ImportSpec)
			if path, _ := strconv.Unquote(s.Path.Value); s.Name != nil && s.Name.Name == "." && path == o.Pkg().Path() {
				return true
			}
		}
	}
	return false
}

// unusedImport reports whether an error is that of an import that nothing mentions, which is none in a cell.
func unusedImport(te types.Error) bool {
	return te.Soft && strings.HasSuffix(te.Msg, "and not used") && strings.HasPrefix(te.Msg, `"`)
}

// UserText removes the package name that go/types gives to types of earlier cells, and positions in compiled packages,
// which are not known.
func UserText(msg string) string {
	msg = strings.ReplaceAll(msg, " (declared at -)", "")
	msg = strings.Replace(msg, " in argument to "+OutName, "", 1)
	msg = strings.ReplaceAll(msg, "body.", "")
	msg = withoutWrappers(msg)
	for i := 0; ; {
		j := strings.Index(msg[i:], "main.")
		if j < 0 {
			return msg
		}
		j += i
		if j > 0 && (IsIdentByte(msg[j-1]) || msg[j-1] == '.') {
			i = j + 5
			continue
		}
		msg, i = msg[:j]+msg[j+5:], j
	}
}

// withoutInserted removes the calls that the session puts around a user's expressions.
func withoutWrappers(msg string) string {
	for _, name := range []string{OutName + "(", MustName} {
		for i := strings.Index(msg, name); i >= 0; i = strings.Index(msg, name) {
			open := strings.IndexByte(msg[i:], '(')
			if open < 0 {
				break
			}
			open += i
			depth, end := 0, -1
			for j := open; j < len(msg) && end < 0; j++ {
				switch msg[j] {
				case '(':
					depth++
				case ')':
					if depth--; depth == 0 {
						end = j
					}
				}
			}
			if end < 0 {
				break
			}
			msg = msg[:i] + msg[open+1:end] + msg[end+1:]
		}
	}
	return msg
}

func IsIdentByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// importDecls are the cell's imports, the session's that are mentioned, and those that a mentioned package name
// implies, without those that an object given hides.
func (k *Checker) importDecls(objs map[string]types.Object) []ast.Decl {
	var ds []ast.Decl
	for _, g := range k.Result.Cell.Imports {
		ds = append(ds, g)
	}
	add := func(name, path string) {
		ds = append(ds, &ast.GenDecl{Tok: token.IMPORT,
			Specs: []ast.Spec{&ast.ImportSpec{Name: ast.NewIdent(name),
				Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)}}}})
	}
	for name := range k.mentioned {
		if k.declared[name] || k.imported[name] || objs[name] != nil {
			continue
		}
		if b := k.Scope.Bindings[name]; b != nil {
			if b.Object == nil {
				add(name, b.Path)
			}
		} else if path, ok := k.Scope.AutoImports[name]; ok && types.Universe.Lookup(name) == nil {
			add(name, path)
		}
	}
	return ds
}

func (k *Checker) importName(s *ast.ImportSpec) string {
	if s.Name != nil {
		return s.Name.Name
	}
	path, _ := strconv.Unquote(s.Path.Value)
	if p, err := k.Scope.Modules.Import(path); err == nil {
		return p.Name()
	}
	return path
}

// IsWrapper reports whether a name is one of those that the session writes into cells.
func IsWrapper(name string) bool {
	return strings.HasPrefix(name, OutName) || strings.HasPrefix(name, MustName)
}
