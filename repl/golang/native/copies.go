package native

import (
	"go/token"
	"go/types"
	"reflect"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"golang.org/x/tools/go/ssa"
)

// Values of more words than are held as values are copied from memory to memory: a load that is stored next, as of
// p := people[i], at once; any other by way of a variable of its own, of which parts are read.

// maxCopied is how many bytes are copied without Go code.
const maxCopied = 1 << 10

// findCopies finds the loads of such values.
func (t functions) findCopies() {
	for _, b := range t.fn.Blocks {
		for _, in := range b.Instrs {
			u, ok := in.(*ssa.UnOp)
			if ok && t.device == nil && !t.unmade[u] && isLarge(u) {
				t.unmade[u] = true
				t.larges[u] = storeOf(u) == nil
			}
		}
	}
}

// isLarge reports whether a load is of such a value, which is only copied, or of which parts are read.
func isLarge(u *ssa.UnOp) bool {
	if u.Op != token.MUL || words(u.Type()) != nil {
		return false
	}
	for _, r := range *u.Referrers() {
		switch r := r.(type) {
		case *ssa.Index:
			if r.X != u {
				return false
			}
		case *ssa.Store:
			if r.Val != u {
				return false
			}
		case *ssa.Field, *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

// storeOf is the store that is all that a load is for, with nothing between them that changes memory; nil for none.
func storeOf(u *ssa.UnOp) *ssa.Store {
	refs := *u.Referrers()
	if len(refs) != 1 {
		return nil
	}
	s, ok := refs[0].(*ssa.Store)
	if !ok || s.Val != u || s.Block() != u.Block() {
		return nil
	}
	for _, in := range s.Block().Instrs[indexOf(u)+1 : indexOf(s)] {
		switch in.(type) {
		case *ssa.IndexAddr, *ssa.FieldAddr, *ssa.BinOp, *ssa.DebugRef:
		default:
			return nil
		}
	}
	return s
}

// loadLarge copies a value where it is loaded, unless it is stored next.
func (t functions) loadLarge(in ssa.Instruction) {
	u, ok := in.(*ssa.UnOp)
	if !ok || !t.larges[u] {
		return
	}
	from := t.address(u.X)
	to := address{}
	if hasPointers(u.Type()) || sizes.Sizeof(u.Type()) > maxCopied {
		to.base = t.leave(site{code: leaveNew, aux: t.memoryType(u.Type())}, []ir.Kind{ir.Ptr})[0]
	} else {
		to = t.frame(sizes.Sizeof(u.Type()))
	}
	t.copy(to, from, u.Type())
	t.arrays[u] = to
}

// copied translates the store of a value that is not held as one. It reports false for any other store.
func (t functions) copied(in *ssa.Store) bool {
	if isLargeZero(in.Val) {
		t.clear(in, t.address(in.Addr), in.Val.Type())
		return true
	}
	u, ok := in.Val.(*ssa.UnOp)
	if !ok || !t.unmade[u] {
		return false
	}
	from, ok := t.arrays[u]
	if !ok {
		from = t.address(u.X)
	}
	t.copy(t.address(in.Addr), from, u.Type())
	return true
}

// copy copies a value.
func (t functions) copy(to, from address, typ types.Type) {
	size := sizes.Sizeof(typ)
	if hasPointers(typ) || size > maxCopied {
		t.leave(site{code: leaveMove, aux: t.memoryType(typ)}, nil, t.pointer(to), t.pointer(from))
		return
	}
	done := int64(0)
	for _, k := range []ir.Kind{ir.Uint64, ir.Uint32, ir.Uint16, ir.Uint8} {
		for n := int64(k.Size()); size-done >= n; done += n {
			t.memory(ir.Store, k, to, done, t.memory(ir.Load, k, from, done, nil))
		}
	}
}

// isLargeZero reports whether a value is the zero value of a type whose values are not held as such.
func isLargeZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil && words(c.Type()) == nil
}

// clear stores the zero value of a type.
func (t functions) clear(in *ssa.Store, to address, typ types.Type) {
	if _, whole := in.Addr.(*ssa.Alloc); whole && to.base.Op == ir.Frame {
		z := t.add(ir.Zero, ir.None, to.base)
		z.Imm, z.Size = to.base.Imm, int(sizes.Sizeof(typ))
		return
	}
	t.copy(to, address{base: t.fixed(reflect.New(t.memoryType(typ)).UnsafePointer())}, typ)
}

// isCopy reports whether a store is of such a value.
func isCopy(s *ssa.Store) bool {
	u, ok := s.Val.(*ssa.UnOp)
	return isLargeZero(s.Val) || ok && isLarge(u)
}

// field reads a field of a struct that is a value.
func (t functions) field(in *ssa.Field) {
	st := in.X.Type().Underlying().(*types.Struct)
	if at, ok := t.arrays[in.X]; ok {
		at.offset += fieldOffset(st, in.Field)
		t.values[in] = t.load(at, in.Type())
		return
	}
	n := 0
	for i := range in.Field {
		n += len(t.words(st.Field(i).Type()))
	}
	t.values[in] = t.value(in.X)[n : n+len(t.words(in.Type()))]
}
