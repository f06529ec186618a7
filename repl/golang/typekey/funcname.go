package typekey

import "go/types"

// BoundSuffix ends the names of method values.
const BoundSuffix = "-fm"

// MethodName is a method's name as package runtime has it, in a package of the given path.
func MethodName(m *types.Func, path string) string {
	t := m.Signature().Recv().Type()
	p, isPointer := types.Unalias(t).(*types.Pointer)
	if isPointer {
		t = p.Elem()
	}
	name := types.TypeString(t, func(*types.Package) string { return "" })
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if name = n.Obj().Name(); n.TypeParams().Len() > 0 || n.TypeArgs().Len() > 0 {
			name += "[...]"
		}
	}
	if isPointer {
		name = "(*" + name + ")"
	}
	if m.Pkg() != nil { // else it is error's
		name = path + "." + name
	}
	return name + "." + m.Name()
}
