package native

import (
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/amd64"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"golang.org/x/tools/go/ssa"
)

// Elements of maps whose keys are texts, or are compared by their bytes, are found without Go code, and changed in
// place; entries whose keys are neither texts nor have pointers are added where the table has room. What is left to Go
// code: other new elements, maps that another goroutine writes, and all of them while operations on
// maps have to be listed, since several goroutines run.

// mapCode is code for maps, by their layout: what finds elements, and what goes on with iterators.
var mapCode struct {
	sync.Mutex
	find map[enter.MapLayout]uintptr
	put  map[enter.MapLayout]uintptr
	next map[enter.MapEntries]uintptr
}

// findersOf are the layout of maps of a type and the addresses of the code that finds elements and of that which adds
// entries, 0 where there is none.
func findersOf(r reflect.Type, pointers bool) (l enter.MapLayout, find, put uintptr) {
	l, ok := enter.MapLayoutOf(r)
	if !ok {
		return l, 0, 0
	}
	if l.Key > 0 && !pointers {
		put = codeFor(&mapCode.put, l, amd64.Put)
	}
	return l, codeFor(&mapCode.find, l, amd64.Find), put
}

// codeFor is the address of the code that is made once for each layout, 0 where there is none.
func codeFor[L comparable](list *map[L]uintptr, l L, make func(L) []byte) uintptr {
	mapCode.Lock()
	defer mapCode.Unlock()
	if code, ok := (*list)[l]; ok {
		return code
	}
	code, err := enter.Map(make(l))
	if err != nil {
		return 0
	}
	if *list == nil {
		*list = map[L]uintptr{}
	}
	(*list)[l] = code
	return code
}

// mapElement is one that has been found: at is its address, 0 where there is none or Go code has looked it up.
type mapElement struct {
	lookup *ssa.Lookup
	at     *ir.Value
}

// mapAccess is an operation on a map in work.
type mapAccess struct {
	goCalls
	mapType
	of   *ir.Value
	key  []*ir.Value
	slow []*ir.Block // ways to Go code
}

// must goes on where a condition holds, else to Go code.
func (a *mapAccess) must(cond *ir.Value) {
	next, other := a.f.NewBlock(), a.f.NewBlock()
	a.b.Kind, a.b.Control, a.b.Succs = ir.If, cond, []*ir.Block{next, other}
	for _, b := range a.b.Succs {
		b.In, b.Preds = a.in, []*ir.Block{a.b}
	}
	a.slow = append(a.slow, other)
	a.b = next
}

// slowly goes on where Go code does it.
func (a *mapAccess) slowly() {
	for _, b := range append(a.slow, a.join(a.slow)) {
		b.Cold = true
	}
}

// join goes on in a block to which other blocks jump.
func (a *mapAccess) join(list []*ir.Block) *ir.Block {
	next := a.f.NewBlock()
	next.In = a.in
	for _, b := range list {
		b.Kind, b.Succs = ir.Jump, []*ir.Block{next}
		next.Preds = append(next.Preds, b)
	}
	a.b = next
	return next
}

// alone has Go code do it where operations have to be listed.
func (a *mapAccess) alone() {
	others := address{base: a.f.Int(ir.Ptr, int64(uintptr(unsafe.Pointer(a.Others))))}
	a.must(a.add(ir.Eq, ir.Bool, a.memory(ir.Load, ir.Int32, others, 0, nil), a.f.Int(ir.Int32, 0)))
}

// still has Go code do it where another goroutine writes.
func (a *mapAccess) still() {
	writing := a.memory(ir.Load, ir.Uint8, address{base: a.of}, enter.MapWritingAt, nil)
	a.must(a.add(ir.Eq, ir.Bool, writing, a.f.Int(ir.Uint8, 0)))
}

// address finds the element of a map that is not nil by code that Find or Put has made.
func (a *mapAccess) address(code uintptr) *ir.Value {
	p := a.add(ir.Find, ir.Ptr, append([]*ir.Value{a.of}, a.key...)...)
	p.Imm, p.Size = int64(code), a.layout.Key
	return p
}

// elementToSet is the address of the element that is about to be set, 0 where Go code is to add it.
func (a *mapAccess) elementToSet(in *ssa.MapUpdate) *ir.Value {
	null := a.f.Int(ir.Ptr, 0)
	look := func(code uintptr) *ir.Value {
		a.must(a.add(ir.Ne, ir.Bool, a.of, null))
		a.still()
		return a.address(code)
	}
	at := a.foundBefore(in)
	switch {
	case at == nil && a.put != 0:
		return look(a.put)
	case at == nil:
		return look(a.find)
	case a.put == 0:
		return at
	}
	return a.branch(a.add(ir.Eq, ir.Bool, at, null), []ir.Kind{ir.Ptr}, []*ir.Value{at},
		func() []*ir.Value { return []*ir.Value{look(a.put)} })[0]
}

// isUpdated reports whether a lookup is that of m[k]++ or the like, which Go does as an assignment.
func isUpdated(in *ssa.Lookup) bool {
	return slices.ContainsFunc(in.Block().Instrs, func(i ssa.Instruction) bool {
		u, ok := i.(*ssa.MapUpdate)
		return ok && u.Map == in.X && u.Key == in.Index && u.Pos() == in.Pos()
	})
}

// lookup translates m[k].
func (t goCalls) lookup(in *ssa.Lookup) {
	m := t.mapOf(in.X.Type())
	a := &mapAccess{goCalls: t, mapType: m, of: t.one(in.X), key: t.value(in.Index)}
	if m.find == 0 {
		t.looked(in, t.get(m, a.of, a.key, isUpdated(in)))
		return
	}
	null := t.f.Int(ir.Ptr, 0)
	a.alone()
	var without []*ir.Block
	some := func(cond *ir.Value) { // else there is no such element
		slow := a.slow
		a.must(cond)
		without, a.slow = append(without, a.slow[len(slow)]), slow
	}
	some(t.add(ir.Ne, ir.Bool, a.of, null))
	a.still()
	at := a.address(a.find)
	some(t.add(ir.Ne, ir.Bool, at, null))
	hit := append(append([]*ir.Value{at}, t.load(address{base: at}, m.elem)...), t.f.Int(ir.Bool, 1))
	found := t.b
	absent := a.join(without)
	a.slowly()
	got := append([]*ir.Value{null}, t.get(m, a.of, a.key, false)...)
	done := a.join([]*ir.Block{found, absent, t.b})
	list := make([]*ir.Value, len(hit))
	for i, v := range hit {
		list[i] = t.f.New(done, ir.Phi, v.Kind, v, t.f.Int(v.Kind, 0), got[i])
		done.Values = append(done.Values, list[i])
	}
	t.found = mapElement{in, list[0]}
	t.looked(in, list[1:])
}

// looked has the results of a lookup: the element, and whether there is one.
func (t goCalls) looked(in *ssa.Lookup, list []*ir.Value) {
	if !in.CommaOk {
		list = list[:len(list)-1]
	}
	t.values[in] = list
}

// mapUpdate translates m[k] = v.
func (t goCalls) mapUpdate(in *ssa.MapUpdate) {
	m := t.mapOf(in.Map.Type())
	a := &mapAccess{goCalls: t, mapType: m, of: t.one(in.Map), key: t.value(in.Key)}
	elem := t.value(in.Value)
	if m.find == 0 {
		t.set(m, a.of, a.key, elem)
		return
	}
	a.alone()
	at := a.elementToSet(in)
	a.must(t.add(ir.Ne, ir.Bool, at, t.f.Int(ir.Ptr, 0)))
	t.store(address{base: at}, m.elem, elem)
	found := t.b
	a.slowly()
	t.set(m, a.of, a.key, elem)
	a.join([]*ir.Block{found, t.b})
}

// foundBefore is the address of the element of m[k] = v, if m[k] has been looked up before and nothing has changed a
// map since, as for m[k]++; nil for any other.
func (t goCalls) foundBefore(in *ssa.MapUpdate) *ir.Value {
	l := t.found.lookup
	if l == nil || l.Block() != in.Block() || l.X != in.Map || l.Index != in.Key {
		return nil
	}
	after := false
	for _, x := range l.Block().Instrs {
		if x == in {
			return t.found.at
		}
		switch x := x.(type) {
		case *ssa.BinOp, *ssa.UnOp, *ssa.Extract, *ssa.ChangeType, *ssa.Convert, *ssa.Field, *ssa.FieldAddr,
			*ssa.IndexAddr, *ssa.Store, *ssa.DebugRef:
		case *ssa.Lookup:
			after = after || x == l
		default:
			if after {
				return nil
			}
		}
	}
	return nil
}
