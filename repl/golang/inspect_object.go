package golang

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// Description is what is known of a name.
type Description struct {
	Name   string
	Kind   string // as of a Match, or package, builtin, label
	Decl   string // the declaration as Go
	Call   string // the signature with the current parameter between ‹ and ›, when the cursor is in a call's arguments
	Notes  []string
	Facts  []Fact // of a value: filled in by whoever may look at it
	Doc    string // as a doc comment has it
	Import string // the path of the package that doc links are relative to
	Cell   string // that declared it
	Source string // of what a cell declared, with detail
	Var    string // the session's variable of that name: Peek gives its value
}

// Fact is a line about a value.
type Fact struct{ Name, Text string }

// Peek calls f with the value of a variable of the session, unless a cell runs, and reports whether it did. No cell begins
// while f runs.
func (e *Engine) Peek(name string, f func(any)) bool {
	if !e.running.TryLock() {
		return false
	}
	defer e.running.Unlock()
	v, err := e.Var(name)
	if err != nil {
		return false
	}
	f(v)
	return true
}

// object describes an object. path leads to where it stands in the code.
func (in *inspecting) object(o types.Object, path []ast.Node) Description {
	d := Description{Name: o.Name(), Kind: kindOfObject(o), Decl: declaration(o), Doc: in.e.docIn(in.v, o)}
	if o.Pkg() != nil {
		d.Import = o.Pkg().Path()
	}
	switch o := o.(type) {
	case *types.PkgName:
		in.pkg(o, &d)
		return d
	case *types.Builtin:
		d.Kind, d.Decl, d.Doc = "function", "func "+o.Name()+builtins[o.Name()].sig, builtins[o.Name()].doc
	case *types.Label:
		d.Kind, d.Decl = "label", o.Name()+":"
	case *types.Nil:
		d.Kind, d.Decl = "constant", "nil"
		d.Doc = "nil is the zero value of pointers, functions, slices, maps, channels and interfaces."
	case *types.TypeName:
		d.Notes = append(d.Notes, methodLines(o.Type())...)
	case *types.Var:
		if o.IsField() {
			if owner := in.owner(o, path); owner != nil {
				d.Notes = append(d.Notes, "field of "+display(owner))
				if t := in.e.libraryField(owner, o); t != "" {
					d.Doc = t
				}
			}
		} else if b := in.e.scope[o.Name()]; b != nil && b.obj == o {
			d.Cell, d.Var = b.cell, o.Name()
		}
	case *types.Func:
		if in.v != nil {
			if inst := in.instance(path); inst != nil && o.Signature().TypeParams().Len() > 0 {
				d.Notes = append(d.Notes, "here: func "+o.Name()+strings.TrimPrefix(display(inst), "func"))
			}
		}
		if owner := in.owner(o, path); owner != nil {
			d.Notes = append(d.Notes, "promoted to "+display(owner))
		}
	}
	if b := in.e.declOf(o); b != nil {
		d.Cell = b.cell
		if in.detail > 0 {
			d.Source = strings.TrimSpace(in.e.declSource(b))
		}
	} else if in.detail > 0 && in.v != nil && in.v.objs[o.Name()] == o && in.v.decls[o.Name()] != nil {
		d.Source = nodeText(in.v.decls[o.Name()])
	}
	return d
}

// instance is the type of a generic function's use.
func (in *inspecting) instance(path []ast.Node) types.Type {
	for i := len(path) - 1; i >= 0; i-- {
		var id *ast.Ident
		switch x := path[i].(type) {
		case *ast.Ident:
			id = x
		case *ast.SelectorExpr:
			id = x.Sel
		case *ast.IndexExpr, *ast.IndexListExpr:
			continue
		}
		if id != nil {
			if inst, ok := in.v.info.Instances[id]; ok {
				return inst.Type
			}
		}
		if _, ok := path[i].(*ast.CallExpr); ok {
			return nil
		}
	}
	return nil
}

// owner is the type that has a field; of a method, the type that it is promoted to.
func (in *inspecting) owner(o types.Object, path []ast.Node) types.Type {
	if in.v == nil {
		return nil
	}
	for i := len(path) - 1; i >= 0; i-- {
		switch x := path[i].(type) {
		case *ast.SelectorExpr:
			s := in.v.info.Selections[x]
			if s == nil || s.Obj() != o {
				continue
			}
			if _, isFunc := o.(*types.Func); isFunc {
				if len(s.Index()) < 2 {
					return nil
				}
				return s.Recv()
			}
			t := s.Recv()
			for _, i := range s.Index()[:len(s.Index())-1] {
				st, ok := pointee(t).Underlying().(*types.Struct)
				if !ok {
					break
				}
				t = st.Field(i).Type()
			}
			return pointee(t)
		case *ast.CompositeLit:
			if _, isVar := o.(*types.Var); isVar {
				if t := in.v.typeOf(x); t != nil {
					return pointee(t)
				}
			}
		}
	}
	return nil
}

// libraryField is the documentation of a field of a type of a package.
func (e *Engine) libraryField(owner types.Type, f types.Object) string {
	if n, ok := types.Unalias(owner).(*types.Named); ok && n.Obj().Pkg() != nil && !isSession(n.Obj()) {
		return e.doc(n.Obj().Pkg().Path(), n.Obj().Name()+"."+f.Name())
	}
	return ""
}

// methodLines list the methods of a type, as its pointers have them.
func methodLines(t types.Type) []string {
	if types.IsInterface(t) {
		return nil
	}
	if n, ok := types.Unalias(t).(*types.Named); !ok || n.TypeParams().Len() > n.TypeArgs().Len() {
		return nil
	}
	ms := methodSet(t)
	var r []string
	for i := range ms.Len() {
		f, ok := ms.At(i).Obj().(*types.Func)
		if ok && (f.Exported() || isSession(f)) {
			r = append(r, f.Name())
		}
	}
	if len(r) == 0 {
		return nil
	}
	return []string{"methods: " + nameList(r)}
}

// maxNames is how many names a list of them has.
const maxNames = 60

func nameList(names []string) string {
	more := ""
	if n := len(names) - maxNames; n > 0 {
		names, more = names[:maxNames], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ") + more
}

func (in *inspecting) pkg(o *types.PkgName, d *Description) {
	p := o.Imported()
	d.Kind, d.Name, d.Import = "package", p.Name(), p.Path()
	d.Decl = "package " + p.Name() + " // import \"" + p.Path() + "\""
	d.Doc = in.e.doc(p.Path(), "")
	if in.detail == 0 {
		return
	}
	names := map[string][]string{}
	for _, n := range p.Scope().Names() {
		if o := p.Scope().Lookup(n); o.Exported() && in.e.unavailable(o) == "" {
			names[kindOfObject(o)] = append(names[kindOfObject(o)], n)
		}
	}
	for _, k := range []string{"function", "type", "variable", "constant"} {
		if len(names[k]) > 0 {
			d.Notes = append(d.Notes, k+"s: "+nameList(names[k]))
		}
	}
}

// declaration is how an object would be declared.
func declaration(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		sig := strings.TrimPrefix(display(o.Type()), "func")
		if r := o.Signature().Recv(); r != nil {
			recv := display(r.Type())
			if r.Name() != "" && r.Name() != "_" {
				recv = r.Name() + " " + recv
			}
			return "func (" + recv + ") " + o.Name() + sig
		}
		name := o.Name()
		if o.Pkg() != nil && !isSession(o) {
			name = o.Pkg().Name() + "." + name
		}
		return "func " + name + sig
	case *types.TypeName:
		return typeDeclaration(o)
	case *types.Const:
		return "const " + qualified(o) + " " + typeIn(o) + " = " + o.Val().String()
	case *types.Var:
		if o.IsField() {
			return "field " + o.Name() + " " + display(o.Type())
		}
		return "var " + qualified(o) + " " + typeIn(o)
	}
	return o.Name()
}

// typeIn is an object's type as its own package calls it: tensor.DType, which is an alias, for tensor.F32.
func typeIn(o types.Object) string {
	n, ok := o.Type().(*types.Named)
	if !ok || o.Pkg() == nil || n.Obj().Pkg() == nil || o.Pkg() == n.Obj().Pkg() || o.Parent() != o.Pkg().Scope() {
		return display(o.Type())
	}
	if tn, ok := o.Pkg().Scope().Lookup(n.Obj().Name()).(*types.TypeName); ok && tn.Exported() && types.Identical(tn.Type(), n) {
		return display(tn.Type())
	}
	return display(n)
}

// qualified is a name with its package before it, where cells need that.
func qualified(o types.Object) string {
	if o.Pkg() == nil || isSession(o) || o.Parent() != o.Pkg().Scope() {
		return o.Name()
	}
	return o.Pkg().Name() + "." + o.Name()
}

// maxLine is how long a struct or interface may be in one line.
const maxLine = 72

func typeDeclaration(o *types.TypeName) string {
	if b, ok := o.Type().(*types.Basic); ok && o.Pkg() == nil {
		return "type " + b.Name()
	}
	head := "type " + qualified(o)
	if n, ok := o.Type().(*types.Named); ok && n.TypeParams().Len() > 0 {
		head = "type " + strings.TrimPrefix(display(n), "*") // with its parameters
	}
	if o.IsAlias() {
		return head + " = " + display(types.Unalias(o.Type()))
	}
	if p, ok := o.Type().(*types.TypeParam); ok {
		return "type parameter " + o.Name() + " " + display(p.Constraint())
	}
	u := o.Type().Underlying()
	line := head + " " + display(u)
	var rows []string
	hidden := false
	switch u := u.(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			f := u.Field(i)
			if !f.Exported() && !isSession(o) {
				hidden = true
				continue
			}
			row := f.Name() + " " + display(f.Type())
			if f.Embedded() {
				row = display(f.Type())
			}
			if tag := u.Tag(i); tag != "" {
				row += " `" + tag + "`"
			}
			rows = append(rows, row)
		}
		if len(line) <= maxLine && !hidden {
			return line
		}
		if hidden {
			rows = append(rows, "// unexported fields")
		}
		line = head + " struct {\n\t"
	case *types.Interface:
		if len(line) <= maxLine || !u.IsMethodSet() {
			return line
		}
		for i := range u.NumEmbeddeds() {
			rows = append(rows, display(u.EmbeddedType(i)))
		}
		for i := range u.NumExplicitMethods() {
			m := u.ExplicitMethod(i)
			rows = append(rows, m.Name()+strings.TrimPrefix(display(m.Type()), "func"))
		}
		line = head + " interface {\n\t"
	default:
		return line
	}
	line += strings.Join(rows, "\n\t") + "\n}"
	if f, err := format.Source([]byte("type T" + strings.TrimPrefix(line, head))); err == nil {
		return head + strings.TrimPrefix(string(f), "type T")
	}
	return line
}

// docIn is the documentation of an object; that of its type for a variable. v is the cell that it is asked in, or nil.
func (e *Engine) docIn(v *view, o types.Object) string {
	if v != nil && v.decls != nil && isSession(o) {
		name := o.Name()
		if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
			if n, ok := types.Unalias(pointee(f.Signature().Recv().Type())).(*types.Named); ok {
				name = n.Obj().Name() + "." + name
			}
		}
		if n := v.decls[name]; n != nil && (v.objs[o.Name()] == o || strings.Contains(name, ".")) {
			if t := docOfNode(n, o.Name()); t != "" {
				return t
			}
		}
	}
	if d := e.declOf(o); d != nil {
		return e.docOfDecl(d, o.Name())
	}
	switch o := o.(type) {
	case *types.Func:
		if r := o.Signature().Recv(); r != nil {
			if n, ok := types.Unalias(pointee(r.Type())).(*types.Named); ok && n.Obj().Pkg() != nil {
				return e.doc(n.Obj().Pkg().Path(), n.Obj().Name()+"."+o.Name())
			}
			return ""
		}
	case *types.Var:
		if o.IsField() {
			if t := e.fieldDoc(o); t != "" {
				return t
			}
		}
		if n, ok := types.Unalias(pointee(o.Type())).(*types.Named); ok && (o.Parent() == nil || isSession(o)) && n.Obj().Pkg() != nil {
			if isSession(n.Obj()) {
				if d := e.declOf(n.Obj()); d != nil {
					return e.docOfDecl(d, n.Obj().Name())
				}
				return ""
			}
			return e.doc(n.Obj().Pkg().Path(), n.Obj().Name())
		}
	case *types.Builtin:
		return builtins[o.Name()].doc
	}
	if o.Pkg() == nil || isSession(o) {
		return ""
	}
	return e.doc(o.Pkg().Path(), o.Name())
}

// docOfDecl is the comment of what a cell declared under a name. The cell's syntax has no comments outside of declarations.
func (e *Engine) docOfDecl(d *decl, name string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package main\n\n"+e.declSource(d), parser.SkipObjectResolution|parser.ParseComments)
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
				if slices.ContainsFunc(s.Names, func(id *ast.Ident) bool { return id.Name == name }) && s.Doc.Text()+s.Comment.Text() != "" {
					return strings.TrimSpace(s.Doc.Text() + s.Comment.Text())
				}
			}
		}
		return strings.TrimSpace(n.Doc.Text())
	}
	return ""
}

// fieldDoc is the comment of a field of a type that a cell declared.
func (e *Engine) fieldDoc(f *types.Var) (text string) {
	if !isSession(f) {
		return ""
	}
	for _, d := range e.decls {
		if d.spec == nil || text != "" {
			continue
		}
		b := e.scope[d.names[0]]
		if b == nil || b.obj == nil {
			continue
		}
		st, ok := b.obj.Type().Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for i := range st.NumFields() {
			if st.Field(i) != f {
				continue
			}
			ast.Inspect(d.spec.Type, func(n ast.Node) bool {
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
func (e *Engine) declOf(o types.Object) *decl {
	if b := e.scope[o.Name()]; b != nil && b.obj == o {
		return b.decl
	}
	for _, m := range e.methods {
		if m.obj == o {
			return m.decl
		}
	}
	if f, ok := o.(*types.Func); ok && f.Origin() != f {
		return e.declOf(f.Origin())
	}
	return nil
}

// synopsis is the first sentence of the documentation of a candidate.
func (v *view) synopsis(c candidate) string {
	switch {
	case c.obj != nil && isPackage(c.obj):
		return synopsis(v.e.doc(c.obj.(*types.PkgName).Imported().Path(), ""))
	case c.owner != nil && !isSession(c.obj):
		return synopsis(v.e.libraryField(c.owner, c.obj))
	case c.obj != nil:
		if o, ok := c.obj.(*types.Var); ok && isSession(o) {
			if o.IsField() {
				return synopsis(v.e.fieldDoc(o))
			}
			return "" // the type says it
		}
		return synopsis(v.e.docIn(v, c.obj))
	case c.kind == "package":
		return synopsis(v.e.doc(orElse(c.sig, strings.Trim(c.text, `"`)), ""))
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
func (e *Engine) doc(path, name string) string {
	if p := e.packages.Package(path); p != nil {
		return p.Doc(name)
	}
	return e.lib.Doc(path, name)
}

// importable are the packages that cells can import: those of the library, and third-party ones that cells have imported.
func (e *Engine) importable() []string {
	r := e.lib.Paths()
	for path := range e.srcs {
		if e.packages.Package(path) != nil {
			r = append(r, path)
		}
	}
	return r
}
