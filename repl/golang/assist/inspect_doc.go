package assist

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// libraryField is the documentation of a field of a type of a package.
func (as *Assistant) libraryField(owner types.Type, f types.Object) string {
	if n, ok := types.Unalias(owner).(*types.Named); ok && n.Obj().Pkg() != nil && !check.IsSession(n.Obj()) {
		return as.doc(n.Obj().Pkg().Path(), n.Obj().Name()+"."+f.Name())
	}
	return ""
}

// docIn is the documentation of an object; that of its type for a variable. v is the cell that it is asked in, or nil.
func (as *Assistant) docIn(v *view, o types.Object) string {
	if v != nil && v.decls != nil && check.IsSession(o) {
		name := o.Name()
		if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
			if n, ok := types.Unalias(check.Deref(f.Signature().Recv().Type())).(*types.Named); ok {
				name = n.Obj().Name() + "." + name
			}
		}
		if n := v.decls[name]; n != nil && (v.objs[o.Name()] == o || strings.Contains(name, ".")) {
			if t := docOfNode(n, o.Name()); t != "" {
				return t
			}
		}
	}
	if d := as.declOf(o); d != nil {
		return as.docOfDecl(d, o.Name())
	}
	switch o := o.(type) {
	case *types.Func:
		if r := o.Signature().Recv(); r != nil {
			if n, ok := types.Unalias(check.Deref(r.Type())).(*types.Named); ok && n.Obj().Pkg() != nil {
				return as.doc(n.Obj().Pkg().Path(), n.Obj().Name()+"."+o.Name())
			}
			return ""
		}
	case *types.Var:
		if o.IsField() {
			if t := as.fieldDoc(o); t != "" {
				return t
			}
		}
		if n, ok := types.Unalias(check.Deref(o.Type())).(*types.Named); ok &&
			(o.Parent() == nil || check.IsSession(o)) && n.Obj().Pkg() != nil {
			if check.IsSession(n.Obj()) {
				if d := as.declOf(n.Obj()); d != nil {
					return as.docOfDecl(d, n.Obj().Name())
				}
				return ""
			}
			return as.doc(n.Obj().Pkg().Path(), n.Obj().Name())
		}
	case *types.Builtin:
		return builtins[o.Name()].doc
	}
	if o.Pkg() == nil || check.IsSession(o) {
		return ""
	}
	return as.doc(o.Pkg().Path(), o.Name())
}

// docOfDecl is the comment of what a cell declared under a name. The cell's syntax has no comments outside of
// declarations.
func (as *Assistant) docOfDecl(d *check.Decl, name string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package main\n\n"+as.DeclSource(d),
		parser.SkipObjectResolution|parser.ParseComments)
	if err != nil || len(f.Decls) == 0 {
		return ""
	}
	return docOfNode(f.Decls[0], name)
}

// docOfNode is the comment of what a declaration declares under a name.
func docOfNode(n ast.Node, name string) string {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return strings.TrimSpace(n.Doc.Text())
	case *ast.GenDecl:
		for _, s := range n.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.Name == name && s.Doc.Text()+s.Comment.Text() != "" {
					return strings.TrimSpace(s.Doc.Text() + s.Comment.Text())
				}
			case *ast.ValueSpec:
				if slices.ContainsFunc(s.Names, func(id *ast.Ident) bool { return id.Name == name }) &&
					s.Doc.Text()+s.Comment.Text() != "" {
					return strings.TrimSpace(s.Doc.Text() + s.Comment.Text())
				}
			}
		}
		return strings.TrimSpace(n.Doc.Text())
	}
	return ""
}

// fieldDoc is the comment of a field of a type that a cell declared.
func (as *Assistant) fieldDoc(f *types.Var) (text string) {
	if !check.IsSession(f) {
		return ""
	}
	for _, d := range as.Decls {
		if d.Spec == nil || text != "" {
			continue
		}
		b := as.Bindings[d.Names[0]]
		if b == nil || b.Object == nil {
			continue
		}
		st, ok := b.Object.Type().Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for i := range st.NumFields() {
			if st.Field(i) != f {
				continue
			}
			ast.Inspect(d.Spec.Type, func(n ast.Node) bool {
				if fd, ok := n.(*ast.Field); ok {
					for _, id := range fd.Names {
						if id.Name == f.Name() {
							text = strings.TrimSpace(fd.Doc.Text() + fd.Comment.Text())
						}
					}
				}
				return true
			})
		}
	}
	return text
}

// declOf is the declaration of an object that a cell declared.
func (as *Assistant) declOf(o types.Object) *check.Decl {
	if b := as.Bindings[o.Name()]; b != nil && b.Object == o {
		return b.Decl
	}
	for _, m := range as.Methods {
		if m.Object == o {
			return m.Decl
		}
	}
	if f, ok := o.(*types.Func); ok && f.Origin() != f {
		return as.declOf(f.Origin())
	}
	return nil
}

// synopsis is the first sentence of the documentation of a candidate.
func (v *view) synopsis(c candidate) string {
	switch {
	case c.obj != nil && isPackage(c.obj):
		return synopsis(v.a.doc(c.obj.(*types.PkgName).Imported().Path(), ""))
	case c.owner != nil && !check.IsSession(c.obj):
		return synopsis(v.a.libraryField(c.owner, c.obj))
	case c.obj != nil:
		if o, ok := c.obj.(*types.Var); ok && check.IsSession(o) {
			if o.IsField() {
				return synopsis(v.a.fieldDoc(o))
			}
			return "" // the type says it
		}
		return synopsis(v.a.docIn(v, c.obj))
	case c.kind == "package":
		return synopsis(v.a.doc(orElse(c.sig, strings.Trim(c.text, `"`)), ""))
	case c.kind == "keyword":
		return synopsis(keywords[c.text].doc)
	}
	return ""
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// docLink is an exported name in brackets.
var docLink = regexp.MustCompile(`(^|[\s(])\[\*?((?:\w+\.)?[A-Z][\w.]*)\]`)

func synopsis(text string) string {
	if text == "" {
		return ""
	}
	if i := strings.Index(text, "\n\n"); i > 0 {
		text = text[:i]
	}
	return docLink.ReplaceAllString(new(doc.Package).Synopsis(text), "$1$2")
}

// doc is the documentation of a package ("" as name), of a package-level name, of Type.Method or Type.Field.
func (as *Assistant) doc(path, name string) string {
	if p := as.Modules.Package(path); p != nil {
		return p.Doc(name)
	}
	return as.Library.Doc(path, name)
}

// importable are the packages that cells can import: those of the library, and third-party ones that cells have
// imported.
func (as *Assistant) importable() []string {
	return append(as.Library.Paths(), as.Modules.Paths()...)
}
