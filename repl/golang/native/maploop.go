package native

import (
	"go/types"
	"reflect"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/amd64"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"golang.org/x/tools/go/ssa"
)

// A loop over a map goes on with the runtime's iterator, without Go code, from entry to entry of a table. What is left
// to Go code: the next table, maps that have grown since the last entry, that another goroutine writes or that have
// large keys or elements, and all of them while operations on maps have to be listed.

// rangeMap begins a loop over a map.
func (t goCalls) rangeMap(in *ssa.Range) {
	m := t.mapOf(in.X.Type())
	f, at := memoryOf([]types.Type{nil}, []types.Type{nil}, []reflect.Type{pointerType, pointerType})
	f.do = func(p unsafe.Pointer) { *(*unsafe.Pointer)(unsafe.Add(p, at[1])) = m.Begin(pointerAt(p, at[0])) }
	if m.TryBegin != nil {
		f.try = func(p unsafe.Pointer) (done bool) {
			*(*unsafe.Pointer)(unsafe.Add(p, at[1])), done = m.TryBegin(pointerAt(p, at[0]))
			return done
		}
		f.room = roomIter
	}
	t.values[in] = t.callForeign(f, t.value(in.X))
}

// roomIter is how many bytes an iterator takes.
const roomIter = 144

// nextOfMap takes the next key and element.
func (t goCalls) nextOfMap(in *ssa.Next) {
	loop := in.Iter.(*ssa.Range)
	n := &nextEntry{mapAccess: mapAccess{goCalls: t, mapType: t.mapOf(loop.X.Type())}, loop: t.one(loop)}
	for i, typ := range []types.Type{n.mapType.key, n.mapType.elem} {
		if n.uses[i] = isExtracted(in, i+1); n.uses[i] {
			n.kinds = append(n.kinds, t.words(typ)...)
		}
	}
	var more *ir.Value
	var list []*ir.Value
	if l, ok := enter.MapEntriesOf(n.r); ok && n.IterAt > 0 {
		more, list = n.eitherWay(l)
	} else {
		more, list = n.byGo()
	}
	k := 0
	if n.uses[0] {
		k = len(layout(n.mapType.key))
	}
	t.nexts[in] = [][]*ir.Value{{more}, list[:k], list[k:]}
}

// isExtracted reports whether a part of what a loop comes to is used.
func isExtracted(in *ssa.Next, part int) bool {
	for _, r := range *in.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && e.Index == part {
			return true
		}
	}
	return false
}

// nextEntry is the next entry of a loop in work.
type nextEntry struct {
	mapAccess
	loop  *ir.Value
	uses  [2]bool   // of the key and the element
	kinds []ir.Kind // of what is used
}

// eitherWay goes on by machine code, or else by Go code.
func (n *nextEntry) eitherWay(l enter.MapEntries) (more *ir.Value, list []*ir.Value) {
	code := codeFor(&mapCode.next, l, amd64.Next)
	if code == 0 {
		return n.byGo()
	}
	n.alone()
	state := n.add(ir.Next, ir.Int64, n.add(ir.Add, ir.Ptr, n.loop, n.int(int64(n.IterAt))))
	state.Imm = int64(code)
	key := n.add(ir.Result, ir.Ptr, state)
	n.must(n.add(ir.Le, ir.Bool, state, n.int(1)))
	more = n.add(ir.Ne, ir.Bool, state, n.int(0))
	list = n.entry(more, address{base: key}, address{base: key, offset: int64(l.Elem)})
	fast := n.b
	n.slowly()
	more2, list2 := n.byGo()
	n.b.Cold = true
	done := n.join([]*ir.Block{fast, n.b})
	both := func(x, y *ir.Value) *ir.Value {
		v := n.f.New(done, ir.Phi, x.Kind, x, y)
		done.Values = append(done.Values, v)
		return v
	}
	more = both(more, more2)
	for i, x := range list {
		list[i] = both(x, list2[i])
	}
	return more, list
}

// byGo has Go code go on.
func (n *nextEntry) byGo() (more *ir.Value, list []*ir.Value) {
	f, at := memoryOf([]types.Type{nil}, []types.Type{nil, nil}, []reflect.Type{pointerType, pointerType, pointerType})
	set := func(p, key, elem unsafe.Pointer) {
		*(*unsafe.Pointer)(unsafe.Add(p, at[1])), *(*unsafe.Pointer)(unsafe.Add(p, at[2])) = key, elem
	}
	next, tryNext := n.Next, n.TryNext
	f.do = func(p unsafe.Pointer) {
		key, elem := next(pointerAt(p, at[0]))
		set(p, key, elem)
	}
	f.try = func(p unsafe.Pointer) bool {
		key, elem, done := tryNext(pointerAt(p, at[0]))
		set(p, key, elem)
		return done
	}
	found := n.callForeign(f, []*ir.Value{n.loop})
	more = n.add(ir.Ne, ir.Bool, found[0], n.f.Int(ir.Ptr, 0))
	return more, n.entry(more, address{base: found[0]}, address{base: found[1]})
}

// entry loads what is used of an entry, if there is one.
func (n *nextEntry) entry(some *ir.Value, key, elem address) []*ir.Value {
	var zero []*ir.Value
	for _, k := range n.kinds {
		zero = append(zero, n.f.Int(k, 0))
	}
	return n.branch(some, n.kinds, zero, func() (list []*ir.Value) {
		if n.uses[0] {
			list = n.load(key, n.mapType.key)
		}
		if n.uses[1] {
			list = append(list, n.load(elem, n.mapType.elem)...)
		}
		return list
	})
}
