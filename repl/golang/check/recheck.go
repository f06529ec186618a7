package check

import (
	"go/ast"
	"slices"
)

// DebuggerName is the cell of what is evaluated for a debugger.
const DebuggerName = "debugger"

// Recheck checks the functions and methods that cells have declared once more, as a cell that declares them again as
// they are would. It leaves out those that do not compile any more, and methods of generic types, which cannot be
// declared without their type. It is nil where nothing is left.
func (sc *Scope) Recheck() *Checked {
	c := &Cell{Name: DebuggerName}
	var again []*Decl
	for _, d := range sc.Decls {
		if fd, ok := d.Node.(*ast.FuncDecl); ok && fd.Body != nil && !sc.ofGeneric(d) {
			again = append(again, d)
		}
	}
	for len(again) > 0 {
		ck, _, problems := sc.checkOnce(c, again)
		if len(problems) == 0 {
			return ck
		}
		n := len(again)
		again = slices.DeleteFunc(again, func(d *Decl) bool {
			return slices.ContainsFunc(problems, func(p Problem) bool {
				return p.Pos.Filename == d.Cell && within(sc.Fset, p.Pos, d.Node)
			})
		})
		if len(again) == n {
			return nil
		}
	}
	return nil
}

// ofGeneric reports whether a declaration is a method of a generic type.
func (sc *Scope) ofGeneric(d *Decl) bool {
	b := sc.Bindings[d.Receiver]
	return d.Receiver != "" && (b == nil || b.Object == nil || IsGeneric(b.Object.Type()))
}

// withoutKept is a cell's declarations without the methods of generic types that stand there as they are declared
// already: to declare such a method is to declare its type, which would be another one than that of the values that
// there are. The debugger looks for their lines in the last cell.
func (sc *Scope) withoutKept(list []*Decl) []*Decl {
	return slices.DeleteFunc(slices.Clone(list), func(d *Decl) bool {
		m := sc.Methods[d.Names[0]]
		return m != nil && !sc.Debugging && !m.Turned && m.Decl.text == d.text && sc.ofGeneric(d) &&
			sc.upToDate(m.Decl)
	})
}

// Same reports whether two declarations are the same text.
func (d *Decl) Same(other *Decl) bool { return d.text == other.text }
