package native

import (
	"go/types"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/quick"
	"golang.org/x/tools/go/ssa"
)

// Go code makes the first interface of a type, and looks at the first value of a type that an assertion meets; what it
// has found is remembered, as the first words of interfaces, and generated code does the same for others.

// boxed is the first word of interfaces that a conversion makes, while what Packages.Box points to is the same.
type boxed struct{ while, word unsafe.Pointer }

// box translates a conversion to an interface.
func (t goCalls) box(in ssa.Value, from ssa.Value) {
	p := t.s.Packages
	to := in.Type()
	if p.Box == nil {
		t.no("it makes an interface value")
	}
	inner, iface := t.typeOf(from.Type()), t.typeOf(to)
	if inner == nil || iface == nil {
		t.no("it makes an interface value")
	}
	f, offsets := t.newForeign([]types.Type{from.Type()}, []types.Type{to}, []reflect.Type{inner, iface})
	make, current := p.Box(to, from.Type())
	if make == nil {
		t.no("it makes an interface value of type %s", from.Type())
	}
	if current == nil || inner.Size() > quick.Most {
		f.do = func(m unsafe.Pointer) { make(unsafe.Add(m, offsets[1]), unsafe.Add(m, offsets[0])) }
		t.values[in] = t.callForeign(f, t.value(from))
		return
	}
	known := new(atomic.Pointer[boxed])
	f.do = func(m unsafe.Pointer) {
		now, at := atomic.LoadPointer(current), unsafe.Add(m, offsets[1])
		make(at, unsafe.Add(m, offsets[0]))
		if now == atomic.LoadPointer(current) {
			known.Store(&boxed{now, *(*unsafe.Pointer)(at)})
		}
	}
	t.values[in] = t.boxed(known, current, inner, from, f)
}

// boxed makes the interface without what Go code does the first time.
func (t goCalls) boxed(known *atomic.Pointer[boxed], current *unsafe.Pointer, inner reflect.Type, from ssa.Value,
	f *foreign) []*ir.Value {
	t.memoryType(from.Type())
	words := t.value(from)
	field := func(at address, offset uintptr) *ir.Value { return t.memory(ir.Load, ir.Ptr, at, int64(offset), nil) }
	null := t.f.Int(ir.Ptr, 0)
	last := field(address{base: t.functions().fixed(unsafe.Pointer(known))}, 0)
	one := func(cond *ir.Value, then func() []*ir.Value) []*ir.Value { // else nothing
		return t.branch(cond, []ir.Kind{ir.Ptr}, []*ir.Value{null}, then)
	}
	word := one(t.add(ir.Ne, ir.Bool, last, null), func() []*ir.Value {
		now := field(address{base: t.functions().fixed(unsafe.Pointer(current))}, 0)
		while := field(address{base: last}, unsafe.Offsetof(boxed{}.while))
		return one(t.add(ir.Eq, ir.Bool, now, while), func() []*ir.Value {
			return []*ir.Value{field(address{base: last}, unsafe.Offsetof(boxed{}.word))}
		})
	})[0]
	two := []ir.Kind{ir.Ptr, ir.Ptr}
	return t.either(t.add(ir.Ne, ir.Bool, word, null), two, func() []*ir.Value {
		if isDirect(inner) {
			return []*ir.Value{word, words[0]}
		}
		at := t.leave(site{code: leaveNew, aux: inner}, []ir.Kind{ir.Ptr})[0]
		t.store(address{base: at}, from.Type(), words)
		return []*ir.Value{word, at}
	}, func() []*ir.Value { return t.callForeign(f, words) })
}

// asserted are the first words of interfaces of which an assertion knows what is in them: one whose value has the type,
// and one whose value has another.
type asserted struct{ is, other unsafe.Pointer }

// assert translates a type assertion.
func (t goCalls) assert(in *ssa.TypeAssert) {
	if t.bindsInterface(in) {
		return
	}
	p := t.s.Packages
	from, to := in.X.Type(), in.AssertedType
	iface, inner := t.typeOf(from), t.typeOf(to)
	if p.Assert == nil || iface == nil || inner == nil {
		t.no("it has a type assertion")
	}
	results, have := []types.Type{to}, []reflect.Type{iface, inner}
	if in.CommaOk {
		results, have = append(results, types.Typ[types.Bool]), append(have, reflect.TypeFor[bool]())
	}
	f, offsets := t.newForeign([]types.Type{from}, results, have)
	take := p.Assert(from, to, in.CommaOk)
	known := &asserted{}
	f.do = func(m unsafe.Pointer) {
		var ok unsafe.Pointer
		if in.CommaOk {
			ok = unsafe.Add(m, offsets[2])
		}
		x := unsafe.Add(m, offsets[0])
		word := *(*unsafe.Pointer)(x)
		take(unsafe.Add(m, offsets[1]), ok, x)
		if ok == nil || *(*bool)(ok) {
			atomic.StorePointer(&known.is, word)
		} else if word != nil {
			atomic.StorePointer(&known.other, word)
		}
	}
	x := t.value(in.X)
	other := func() []*ir.Value { return t.callForeign(f, x) }
	if types.IsInterface(to) {
		t.values[in] = other()
		return
	}
	t.values[in] = t.asserted(known, in, inner, x, other)
}

// asserted takes the value out of an interface of which it is known what is in it.
func (t goCalls) asserted(known *asserted, in *ssa.TypeAssert, inner reflect.Type, x []*ir.Value,
	other func() []*ir.Value) []*ir.Value {
	cell := address{base: t.functions().fixed(unsafe.Pointer(known))}
	is := func(offset uintptr) *ir.Value {
		return t.add(ir.Eq, ir.Bool, x[0], t.memory(ir.Load, ir.Ptr, cell, int64(offset), nil))
	}
	kinds := t.words(in.AssertedType)
	if in.CommaOk {
		kinds = append(kinds[:len(kinds):len(kinds)], ir.Bool)
	}
	with := func(list []*ir.Value, ok int64) []*ir.Value {
		if in.CommaOk {
			return append(list[:len(list):len(list)], t.f.Int(ir.Bool, ok))
		}
		return list
	}
	rest := other
	if in.CommaOk {
		rest = func() []*ir.Value {
			return t.either(is(unsafe.Offsetof(known.other)), kinds, func() []*ir.Value {
				var none []*ir.Value
				for _, k := range t.words(in.AssertedType) {
					none = append(none, t.f.Int(k, 0))
				}
				return with(none, 0)
			}, other)
		}
	}
	some := t.add(ir.And, ir.Bool, t.add(ir.Ne, ir.Bool, x[0], t.f.Int(ir.Ptr, 0)), is(unsafe.Offsetof(known.is)))
	return t.either(some, kinds, func() []*ir.Value {
		if isDirect(inner) {
			return with([]*ir.Value{x[1]}, 1)
		}
		return with(t.load(address{base: x[1]}, in.AssertedType), 1)
	}, rest)
}
