package assist

import (
	"go/format"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// declaration is how an object would be declared.
func declaration(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		sig := strings.TrimPrefix(check.Display(o.Type()), "func")
		if r := o.Signature().Recv(); r != nil {
			recv := check.Display(r.Type())
			if r.Name() != "" && r.Name() != "_" {
				recv = r.Name() + " " + recv
			}
			return "func (" + recv + ") " + o.Name() + sig
		}
		name := o.Name()
		if o.Pkg() != nil && !check.IsSession(o) {
			name = o.Pkg().Name() + "." + name
		}
		return "func " + name + sig
	case *types.TypeName:
		return typeDeclaration(o)
	case *types.Const:
		return "const " + qualified(o) + " " + typeIn(o) + " = " + o.Val().String()
	case *types.Var:
		if o.IsField() {
			return "field " + o.Name() + " " + check.Display(o.Type())
		}
		return "var " + qualified(o) + " " + typeIn(o)
	}
	return o.Name()
}

// typeIn is an object's type as its own package calls it: tensor.DType, which is an alias, for tensor.F32.
func typeIn(o types.Object) string {
	n, ok := o.Type().(*types.Named)
	if !ok || o.Pkg() == nil || n.Obj().Pkg() == nil || o.Pkg() == n.Obj().Pkg() || o.Parent() != o.Pkg().Scope() {
		return check.Display(o.Type())
	}
	if tn, ok := o.Pkg().Scope().Lookup(n.Obj().Name()).(*types.TypeName); ok && tn.Exported() &&
		types.Identical(tn.Type(), n) {
		return check.Display(tn.Type())
	}
	return check.Display(n)
}

// qualified is a name with its package before it, where cells need that.
func qualified(o types.Object) string {
	if o.Pkg() == nil || check.IsSession(o) || o.Parent() != o.Pkg().Scope() {
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
		head = "type " + strings.TrimPrefix(check.Display(n), "*") // with its parameters
	}
	if o.IsAlias() {
		return head + " = " + check.Display(types.Unalias(o.Type()))
	}
	if p, ok := o.Type().(*types.TypeParam); ok {
		return "type parameter " + o.Name() + " " + check.Display(p.Constraint())
	}
	u := o.Type().Underlying()
	line := head + " " + check.Display(u)
	var rows []string
	hidden := false
	switch u := u.(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			f := u.Field(i)
			if !f.Exported() && !check.IsSession(o) {
				hidden = true
				continue
			}
			row := f.Name() + " " + check.Display(f.Type())
			if f.Embedded() {
				row = check.Display(f.Type())
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
			rows = append(rows, check.Display(u.EmbeddedType(i)))
		}
		for i := range u.NumExplicitMethods() {
			m := u.ExplicitMethod(i)
			rows = append(rows, m.Name()+strings.TrimPrefix(check.Display(m.Type()), "func"))
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
