package native

import (
	"go/types"
	"reflect"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"golang.org/x/tools/go/ssa"
)

// moreBuiltins translates builtins other than len and cap.
func (t *translator) moreBuiltins(in *ssa.Call, name string) {
	args := in.Call.Args
	switch name {
	case "append":
		t.append(in)
	case "copy":
		elem := args[0].Type().Underlying().(*types.Slice).Elem()
		dst, src := t.value(args[0]), t.value(args[1])
		t.values[in] = t.leave(site{code: leaveCopy, aux: reflect.SliceOf(t.memoryType(elem))}, []ir.Kind{ir.Int64},
			dst[0], dst[1], dst[2], src[0], src[1])
	case "close":
		t.inGo().closeChan(in)
	case "delete":
		t.inGo().delete(in)
	case "clear":
		t.inGo().clear(in)
	case "min", "max":
		t.leastOrMost(in, name)
	default:
		t.no("it calls %s", name)
	}
}

// branch ends the block: where a condition holds, other is computed next, else nothing. Both go on in the block that is
// current then. It returns what the two ways result in.
func (t *translator) branch(cond *ir.Value, kinds []ir.Kind, without []*ir.Value,
	other func() []*ir.Value) (list []*ir.Value) {
	from, inside, next := t.b, t.f.NewBlock(), t.f.NewBlock()
	inside.In, next.In = t.in, t.in
	from.Kind, from.Control, from.Succs = ir.If, cond, []*ir.Block{inside, next}
	inside.Preds = []*ir.Block{from}
	t.b = inside
	with := other()
	t.b.Kind, t.b.Succs = ir.Jump, []*ir.Block{next}
	next.Preds = []*ir.Block{from, t.b}
	t.b = next
	for i, k := range kinds {
		list = append(list, t.add(ir.Phi, k, without[i], with[i]))
	}
	return list
}

// append translates append(s, x, y), whose elements need no slice of their own, and append(s, more...).
func (t *translator) append(in *ssa.Call) {
	elem := in.Type().Underlying().(*types.Slice).Elem()
	typ := reflect.SliceOf(t.memoryType(elem))
	three := []ir.Kind{ir.Ptr, ir.Int64, ir.Int64}
	s := t.value(in.Call.Args[0])
	if len(in.Call.Args) == 1 {
		t.values[in] = s
		return
	}
	list := t.listed[in.Call.Args[1]]
	if list == nil {
		more := t.value(in.Call.Args[1])
		some := t.add(ir.Ne, ir.Bool, more[1], t.int(0))
		t.values[in] = t.branch(some, three, s, func() []*ir.Value {
			return t.leave(site{code: leaveAppend, aux: typ}, three, s[0], s[1], s[2], more[0], more[1])
		})
		return
	}
	n := t.add(ir.Add, ir.Int64, s[1], t.int(int64(len(list.stores))))
	full := t.add(ir.Gt, ir.Bool, n, s[2])
	r := t.branch(full, []ir.Kind{ir.Ptr, ir.Int64}, []*ir.Value{s[0], s[2]}, func() []*ir.Value {
		t.b.Cold = true
		g := t.leave(site{code: leaveGrow, aux: typ}, three, s[0], s[1], s[2], t.int(int64(len(list.stores))))
		return []*ir.Value{g[0], g[2]}
	})
	size := sizes.Sizeof(elem)
	for i, st := range list.stores {
		a := t.element(address{base: r[0]}, s[1], size)
		a.offset += int64(i) * size
		t.store(a, elem, t.value(st.Val))
	}
	t.values[in] = []*ir.Value{r[0], n, r[1]}
}

// listing is an array of the values that are appended, which is never made.
type listing struct{ stores []*ssa.Store }

// findListings finds the arrays that package ssa makes for append(s, x, y): each element is stored once, and the array
// is used for the append alone.
func (t *translator) findListings() {
	for _, b := range t.fn.Blocks {
		for _, in := range b.Instrs {
			if a, ok := in.(*ssa.Alloc); ok && a.Comment == "varargs" {
				t.findListing(a)
			}
		}
	}
}

func (t *translator) findListing(a *ssa.Alloc) {
	var slice *ssa.Slice
	l := &listing{}
	parts := []ssa.Instruction{a}
	for _, r := range *a.Referrers() {
		parts = append(parts, r)
		switch r := r.(type) {
		case *ssa.Slice:
			slice = r
		case *ssa.IndexAddr:
			if len(*r.Referrers()) != 1 {
				return
			}
			st, ok := (*r.Referrers())[0].(*ssa.Store)
			if !ok || st.Addr != r {
				return
			}
			l.stores = append(l.stores, st)
			parts = append(parts, st)
		default:
			return
		}
	}
	if slice == nil || len(*slice.Referrers()) != 1 || len(l.stores) == 0 {
		return
	}
	c, ok := (*slice.Referrers())[0].(*ssa.Call)
	if !ok {
		return
	}
	if b, ok := c.Call.Value.(*ssa.Builtin); !ok || b.Name() != "append" || c.Call.Args[1] != slice {
		return
	}
	t.listed[slice] = l
	for _, p := range parts {
		t.unmade[p] = true
	}
}

// leastOrMost translates min and max.
func (t *translator) leastOrMost(in *ssa.Call, name string) {
	k := t.kind(in.Type())
	v := t.one(in.Call.Args[0])
	for _, a := range in.Call.Args[1:] {
		x := t.one(a)
		if k.IsFloat() {
			v = t.leastOrMostFloat(k, name, v, x)
			continue
		}
		op := ir.Lt
		if name == "max" {
			op = ir.Gt
		}
		v = t.branch(t.add(op, ir.Bool, x, v), []ir.Kind{k}, []*ir.Value{v}, func() []*ir.Value {
			return []*ir.Value{x}
		})[0]
	}
	t.values[in] = []*ir.Value{v}
}

// leastOrMostFloat translates min or max of two floats: NaN wins, and of two zeros the one whose sign says so.
func (t *translator) leastOrMostFloat(k ir.Kind, name string, v, x *ir.Value) *ir.Value {
	op, join, word := ir.Lt, ir.Or, ir.Uint64
	if name == "max" {
		op, join = ir.Gt, ir.And
	}
	if k == ir.Float32 {
		word = ir.Uint32
	}
	one := func(x *ir.Value) func() []*ir.Value { return func() []*ir.Value { return []*ir.Value{x} } }
	equal := t.add(ir.Eq, ir.Bool, v, x)
	y := t.branch(t.add(op, ir.Bool, x, v), []ir.Kind{k}, []*ir.Value{v}, one(x))
	y = t.branch(t.add(ir.Ne, ir.Bool, x, x), []ir.Kind{k}, y, one(x))
	return t.branch(equal, []ir.Kind{k}, y, func() []*ir.Value {
		bits := t.add(join, word, t.add(ir.Bits, word, v), t.add(ir.Bits, word, x))
		return []*ir.Value{t.add(ir.Bits, k, bits)}
	})[0]
}
