package assist

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
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

// object describes an object. path leads to where it stands in the code.
func (in *inspecting) object(o types.Object, path []ast.Node) Description {
	d := Description{Name: o.Name(), Kind: check.KindOf(o), Decl: declaration(o), Doc: in.a.docIn(in.v, o)}
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
				d.Notes = append(d.Notes, "field of "+check.Display(owner))
				if t := in.a.libraryField(owner, o); t != "" {
					d.Doc = t
				}
			}
		} else if b := in.a.Bindings[o.Name()]; b != nil && b.Object == o {
			d.Cell, d.Var = b.Cell, o.Name()
		} else if _, x, _ := in.a.Results.Lookup(o.Name()); b == nil && x != nil && x.Names[o.Name()] == o {
			d.Cell, d.Var = check.CellLabel(x.Cell), o.Name()
		}
	case *types.Func:
		if in.v != nil {
			if inst := in.instance(path); inst != nil && o.Signature().TypeParams().Len() > 0 {
				d.Notes = append(d.Notes, "here: func "+o.Name()+strings.TrimPrefix(check.Display(inst), "func"))
			}
		}
		if owner := in.owner(o, path); owner != nil {
			d.Notes = append(d.Notes, "promoted to "+check.Display(owner))
		}
	}
	if b := in.a.declOf(o); b != nil {
		d.Cell = b.Cell
		if in.detail > 0 {
			d.Source = strings.TrimSpace(in.a.DeclSource(b))
		}
	} else if in.detail > 0 && in.v != nil && in.v.objs[o.Name()] == o && in.v.decls[o.Name()] != nil {
		d.Source = check.NodeText(in.v.decls[o.Name()])
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
				st, ok := check.Deref(t).Underlying().(*types.Struct)
				if !ok {
					break
				}
				t = st.Field(i).Type()
			}
			return check.Deref(t)
		case *ast.CompositeLit:
			if _, isVar := o.(*types.Var); isVar {
				if t := in.v.typeOf(x); t != nil {
					return check.Deref(t)
				}
			}
		}
	}
	return nil
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
		if ok && (f.Exported() || check.IsSession(f)) {
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
	d.Doc = in.a.doc(p.Path(), "")
	if in.detail == 0 {
		return
	}
	names := map[string][]string{}
	for _, n := range p.Scope().Names() {
		if o := p.Scope().Lookup(n); o.Exported() && in.a.Unavailable(o) == "" {
			names[check.KindOf(o)] = append(names[check.KindOf(o)], n)
		}
	}
	for _, k := range []string{"function", "type", "variable", "constant"} {
		if len(names[k]) > 0 {
			d.Notes = append(d.Notes, k+"s: "+nameList(names[k]))
		}
	}
}
