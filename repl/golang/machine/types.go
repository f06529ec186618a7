package machine

import (
	"go/constant"
	"reflect"
)

// places tells where the values of a function are in its frames, and of which types they are.
type places struct {
	fn       *Node
	outer    []*Node      // the functions around it, the innermost first
	captured map[int]bool // the variables of the frame that something may refer to from elsewhere: see capture
}

// frameTypes are the types of what a frame holds that is a number of functions further out.
func (ps *places) frameTypes(level int) []reflect.Type {
	switch {
	case level == 0:
		return ps.fn.Types
	case level > 0 && level <= len(ps.outer):
		return ps.outer[level-1].Types
	}
	return nil
}

// slotType is the type of a place in a frame, or nil.
func (ps *places) slotType(level, index int) reflect.Type {
	t := ps.frameTypes(level)
	if index < 0 || index >= len(t) {
		return nil
	}
	return t[index]
}

// isConstant reports whether a node is a constant of the source.
func isConstant(n *Node) bool { return n.Rval.IsValid() && !isSymbol(n) }

// isSymbol reports whether a node is what Use has given yaegi: its Rval is the value, or the variable.
func isSymbol(n *Node) bool {
	return n.Rval.IsValid() && (n.Kind == kinds.identExpr || n.Kind == kinds.selectorExpr) && !isUntyped(n.Rval)
}

func isUntyped(v reflect.Value) bool { return v.Type().Implements(reflect.TypeFor[constant.Value]()) }

// isVariable reports whether a node is a variable in a frame.
func isVariable(n *Node) bool {
	return n.Kind == kinds.identExpr && !n.Rval.IsValid() && n.Sym != nil && n.Sym.Index >= 0 && !n.Sym.Global
}

// typeOf is the type of a node's value, or nil for constants and for what is not known.
func (ps *places) typeOf(n *Node) reflect.Type {
	switch {
	case n.Kind == kinds.parenExpr:
		return ps.typeOf(n.Child[0])
	case isConstant(n):
		return nil
	case isSymbol(n):
		return n.Rval.Type()
	case isVariable(n):
		return ps.slotType(n.Level, n.Sym.Index)
	}
	switch gen(n) {
	case "deref":
		if t := ps.typeOf(n.Child[0]); t != nil && t.Kind() == reflect.Pointer {
			return t.Elem()
		}
		return nil
	case "getIndexSeq", "getPtrIndexSeq", "getIndexSeqField":
		t := ps.typeOf(n.Child[0])
		if t != nil && t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		return field(t, n.Val)
	case "getIndexArray":
		switch t := ps.typeOf(n.Child[0]); {
		case t == nil:
		case t.Kind() == reflect.String:
			return reflect.TypeFor[byte]()
		case t.Kind() == reflect.Slice, t.Kind() == reflect.Array:
			return t.Elem()
		}
		return nil
	}
	return ps.slotType(n.Level, n.Findex)
}

// field is the type of the field of a struct that a path leads to without a pointer on its way, or nil.
func field(t reflect.Type, path any) reflect.Type {
	index, ok := path.([]int)
	if !ok {
		return nil
	}
	for _, i := range index {
		if t == nil || t.Kind() != reflect.Struct || i >= t.NumField() {
			return nil
		}
		t = t.Field(i).Type
	}
	return t
}

// offset is where the field is.
func offset(t reflect.Type, path any) uintptr {
	var r uintptr
	for _, i := range path.([]int) {
		f := t.Field(i)
		r += f.Offset
		t = f.Type
	}
	return r
}

// isField reports whether a generator is one of a selector of a field.
func isField(gen string) bool {
	return gen == "getIndexSeq" || gen == "getPtrIndexSeq" || gen == "getIndexSeqField"
}
