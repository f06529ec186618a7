package native

import (
	"go/constant"
	"go/types"
	"reflect"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"golang.org/x/tools/go/ssa"
)

// An array whose elements are constants, and are only read once they have been set, is made once, when a function is
// compiled: [...]string{"idle", "running"}[s], or a variable of which only elements are read.

// table is such an array.
type table struct {
	stores []*ssa.Store
	parts  []ssa.Instruction // what is not translated for it
	loads  []*ssa.UnOp       // of the whole array, whose elements are read
}

// findTables finds them.
func (t functions) findTables() {
	if t.device != nil {
		return
	}
	for _, b := range t.fn.Blocks {
		for _, in := range b.Instrs {
			a, ok := in.(*ssa.Alloc)
			if !ok {
				continue
			}
			typ, ok := a.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
			if !ok || typ.Len() == 0 || typ.Len() > 1<<10 {
				continue
			}
			if _, ok := typ.Elem().Underlying().(*types.Basic); !ok {
				continue
			}
			if x := tableOf(a); x != nil {
				t.makeTable(a, typ, x)
			}
		}
	}
}

// tableOf is what is done with an array, nil for one that is no table.
func tableOf(a *ssa.Alloc) *table {
	x := &table{parts: []ssa.Instruction{a}}
	var reads []ssa.Instruction
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.IndexAddr:
			set, ok := onlySet(r)
			if set != nil {
				x.stores, x.parts = append(x.stores, set), append(x.parts, r, set)
			}
			if !ok {
				return nil
			}
			if set == nil {
				reads = append(reads, r)
			}
		case *ssa.UnOp:
			for _, u := range *r.Referrers() {
				if i, ok := u.(*ssa.Index); !ok || i.X != r {
					return nil
				}
			}
			x.loads, x.parts, reads = append(x.loads, r), append(x.parts, r), append(reads, r)
		default:
			return nil
		}
	}
	last := -1
	for _, s := range x.stores {
		if s.Block() != a.Block() {
			return nil
		}
		last = max(last, indexOf(s))
	}
	for _, r := range reads {
		if last < 0 || r.Block() == a.Block() && indexOf(r) < last {
			return nil
		}
	}
	return x
}

// onlySet is the store of a constant that an address of a constant index is for. ok is unset where it is used in some
// other way than to read the element.
func onlySet(r *ssa.IndexAddr) (set *ssa.Store, ok bool) {
	for _, u := range *r.Referrers() {
		switch u := u.(type) {
		case *ssa.UnOp:
			if set != nil {
				return nil, false
			}
		case *ssa.Store:
			_, index := r.Index.(*ssa.Const)
			c, value := u.Val.(*ssa.Const)
			if !index || !value || c.Value == nil || len(*r.Referrers()) != 1 {
				return nil, false
			}
			set = u
		default:
			return nil, false
		}
	}
	return set, true
}

func indexOf(in ssa.Instruction) int {
	for i, x := range in.Block().Instrs {
		if x == in {
			return i
		}
	}
	return -1
}

// makeTable makes the array.
func (t functions) makeTable(a *ssa.Alloc, typ *types.Array, x *table) {
	r := t.typeOf(typ)
	if r == nil || sameLayout(typ, r) != nil {
		return
	}
	at := reflect.New(r)
	for _, s := range x.stores {
		i, _ := constant.Int64Val(constant.ToInt(s.Addr.(*ssa.IndexAddr).Index.(*ssa.Const).Value))
		if i < 0 || i >= typ.Len() || !setConstant(at.Elem().Index(int(i)), s.Val.(*ssa.Const).Value) {
			return
		}
	}
	base := t.fixed(at.UnsafePointer())
	t.addrs[a] = address{base: base}
	for _, l := range x.loads {
		t.tables[l] = base
	}
	for _, p := range x.parts {
		t.unmade[p] = true
	}
}

func setConstant(v reflect.Value, c constant.Value) bool {
	switch k := v.Kind(); {
	case k == reflect.String && c.Kind() == constant.String:
		v.SetString(constant.StringVal(c))
	case k == reflect.Bool && c.Kind() == constant.Bool:
		v.SetBool(constant.BoolVal(c))
	case v.CanInt():
		n, ok := constant.Int64Val(constant.ToInt(c))
		v.SetInt(n)
		return ok
	case v.CanUint():
		n, ok := constant.Uint64Val(constant.ToInt(c))
		v.SetUint(n)
		return ok
	case k == reflect.Float64:
		f, _ := constant.Float64Val(constant.ToFloat(c))
		v.SetFloat(f)
	case k == reflect.Float32:
		f, _ := constant.Float32Val(constant.ToFloat(c))
		v.SetFloat(float64(f))
	default:
		return false
	}
	return true
}

// tableElement reads an element of a table or of a copy of an array. It reports false for any other array.
func (t functions) tableElement(in *ssa.Index) bool {
	at, ok := t.arrays[in.X]
	if base := t.tables[in.X]; base != nil {
		at, ok = address{base: base}, true
	}
	if !ok && !isLargeZero(in.X) {
		return false
	}
	typ, i := in.X.Type().Underlying().(*types.Array), t.one(in.Index)
	t.check(ir.IndexTest, site{code: leaveIndex, aux: i.Kind.Signed()}, i, t.int(typ.Len()))
	if !ok {
		t.values[in] = t.constant(ssa.NewConst(nil, typ.Elem()))
		return true
	}
	t.values[in] = t.load(t.element(at, i, sizes.Sizeof(typ.Elem())), typ.Elem())
	return true
}
