package native

import (
	"go/types"
	"reflect"

	"github.com/gorocm/gorocm/repl/golang/native/ahead"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/layouts"
	"golang.org/x/tools/go/ssa"
)

// alloc makes room in the frame for a variable of which only parts are used; Go code allocates any other. One that may
// hold pointers is in the frame until ir.Promote makes values of it.
func (t *translator) alloc(in *ssa.Alloc) {
	typ := in.Type().Underlying().(*types.Pointer).Elem()
	size := sizes.Sizeof(typ)
	pointers := hasPointers(typ)
	moves := false
	if size > 1<<10 || !t.functions().onlyAccessed(in, pointers, &moves) || moves && !canMove(typ) {
		t.values[in] = t.leave(site{code: leaveNew, aux: t.memoryType(typ)}, []ir.Kind{ir.Ptr})
		t.addrs[in] = address{base: t.values[in][0]}
		return
	}
	a := t.frame(max(size, 1))
	if pointers {
		a.base.Size = 1
	}
	t.addrs[in] = a
	if size == 0 {
		return
	}
	z := t.add(ir.Zero, ir.None, a.base)
	z.Imm, z.Size = a.base.Imm, int(size)
	if moves {
		m := moved{t.frame(8), typ}
		m.at.base.Size = 1
		t.memory(ir.Store, ir.Ptr, m.at, 0, t.f.Int(ir.Ptr, 0))
		t.moved[a.base] = m
	}
}

// frame makes room in the frame.
func (t *translator) frame(size int64) address {
	f := t.f.New(nil, ir.Frame, ir.None)
	f.Imm = int64(t.f.Memory)
	t.f.Memory += int(size+7) / 8 * 8
	return address{base: f}
}

// memoryType is the run-time type of memory that Go code allocates.
func (t *translator) memoryType(typ types.Type) reflect.Type {
	r := t.typeOf(typ)
	if r == nil || sameLayout(typ, r) != nil {
		t.no("it allocates a %s", types.TypeString(typ, func(p *types.Package) string { return p.Name() }))
	}
	reflect.PointerTo(r) // so that reflect takes no lock when it looks for these: see callOut
	reflect.PointerTo(reflect.SliceOf(r))
	return r
}

// onlyAccessed reports whether the address of a variable is used for its parts alone, in the function and in literals
// that are compiled in the place of their calls; known, whether all of these are known beforehand. moves is set where a
// closure of such a literal may have to be made.
func (t functions) onlyAccessed(v ssa.Value, known bool, moves *bool) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.IndexAddr:
			if known || r.X != v || !t.onlyAccessed(r, known, moves) {
				return false
			}
		case *ssa.FieldAddr:
			if !t.onlyAccessed(r, known, moves) {
				return false
			}
		case *ssa.UnOp:
			if words(r.Type()) == nil && (known || !isLarge(r)) {
				return false
			}
		case *ssa.Store:
			if r.Val == v || words(r.Val.Type()) == nil && (known || !isCopy(r)) {
				return false
			}
		case *ssa.MakeClosure:
			if !onlyCalled(r) {
				if a, ok := v.(*ssa.Alloc); ok && setOnce(a) {
					continue
				}
				if !t.isGiven(r) {
					return false
				}
				*moves = true
			}
			if !t.onlyAccessed(ahead.Captured(r, v), known, moves) {
				return false
			}
		case *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

// canMove reports whether a variable of a type can be on the heap at times.
func canMove(t types.Type) bool { return len(words(t)) > 0 && !layouts.HasArray(t) }
