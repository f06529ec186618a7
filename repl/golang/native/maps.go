package native

import (
	"go/types"
	"reflect"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/quick"
	"golang.org/x/tools/go/ssa"
)

// Maps is what generated code needs of maps of a type. Keys and elements are in memory.
type Maps struct {
	Get    func(m, key, elem unsafe.Pointer) bool // elem becomes zero where there is none
	Set    func(m, key, elem unsafe.Pointer)
	Delete func(m, key unsafe.Pointer)
	Clear  func(m unsafe.Pointer)
	// Hash panics for a key that cannot be hashed, as an assignment does. It is nil for keys that always can.
	Hash func(key unsafe.Pointer)
	// TryGet, TrySet and TryDelete do the same while the goroutine is pinned, or report that they have not. They may be
	// nil.
	TryGet    func(m, key, elem unsafe.Pointer) (found, done bool)
	TrySet    func(m, key, elem unsafe.Pointer) bool
	TryDelete func(m, key unsafe.Pointer) bool
	// Make makes a map with room for n elements. Begin begins a loop, and Next gives the addresses of the next key and
	// element, nil where there are no more; TryBegin, which may be nil, and TryNext do so while the goroutine is pinned,
	// or report that they have not. IterAt is where the runtime's iterator is in what Begin returns: before Next goes on,
	// generated code may have gone on with it.
	Make     func(n int) unsafe.Pointer
	Begin    func(m unsafe.Pointer) unsafe.Pointer
	Next     func(loop unsafe.Pointer) (key, elem unsafe.Pointer)
	TryBegin func(m unsafe.Pointer) (loop unsafe.Pointer, done bool)
	TryNext  func(loop unsafe.Pointer) (key, elem unsafe.Pointer, done bool)
	IterAt   int
	// Others is not 0 while operations on maps have to be listed.
	Others *int32
}

// mapType is what is known of a type of maps.
type mapType struct {
	*Maps
	key, elem types.Type
	r         reflect.Type
	layout    enter.MapLayout
	find, put uintptr // the addresses of code that finds elements, and of that which adds some; 0 where Go code does it
}

func (t goCalls) mapOf(typ types.Type) mapType {
	m, ok := typ.Underlying().(*types.Map)
	r := t.typeOf(typ)
	if !ok || r == nil || r.Kind() != reflect.Map || t.s.Packages.Maps == nil {
		t.no("it uses a value of type %s", typ)
	}
	if sameLayout(m.Key(), r.Key()) != nil || sameLayout(m.Elem(), r.Elem()) != nil {
		t.no("it uses a map of %s", m.Elem())
	}
	t.words(m.Key())
	t.words(m.Elem())
	layout, find, put := findersOf(r, hasPointers(m.Key()))
	return mapType{t.s.Packages.Maps(r), m.Key(), m.Elem(), r, layout, find, put}
}

var (
	pointerType = reflect.TypeFor[unsafe.Pointer]()
	boolType    = reflect.TypeFor[bool]()
)

func pointerAt(m unsafe.Pointer, offset uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Add(m, offset))
}

// get has Go code look up m[k], which may be updated then.
func (t goCalls) get(m mapType, of *ir.Value, key []*ir.Value, updated bool) []*ir.Value {
	f, at := memoryOf([]types.Type{nil, m.key}, []types.Type{m.elem, types.Typ[types.Bool]},
		[]reflect.Type{pointerType, m.r.Key(), m.r.Elem(), boolType})
	f.do = func(p unsafe.Pointer) {
		if updated && m.Hash != nil {
			m.Hash(unsafe.Add(p, at[1]))
		}
		*(*bool)(unsafe.Add(p, at[3])) = m.Get(pointerAt(p, at[0]), unsafe.Add(p, at[1]), unsafe.Add(p, at[2]))
	}
	if m.TryGet != nil {
		f.try = func(p unsafe.Pointer) bool {
			found, done := m.TryGet(pointerAt(p, at[0]), unsafe.Add(p, at[1]), unsafe.Add(p, at[2]))
			*(*bool)(unsafe.Add(p, at[3])) = found
			return done
		}
	}
	return t.callForeign(f, append([]*ir.Value{of}, key...))
}

// set has Go code do m[k] = v.
func (t goCalls) set(m mapType, of *ir.Value, key, elem []*ir.Value) {
	f, at := memoryOf([]types.Type{nil, m.key, m.elem}, nil, []reflect.Type{pointerType, m.r.Key(), m.r.Elem()})
	f.do = func(p unsafe.Pointer) { m.Set(pointerAt(p, at[0]), unsafe.Add(p, at[1]), unsafe.Add(p, at[2])) }
	if m.TrySet != nil {
		f.try = func(p unsafe.Pointer) bool {
			return m.TrySet(pointerAt(p, at[0]), unsafe.Add(p, at[1]), unsafe.Add(p, at[2]))
		}
		f.room = 4 * (int(m.r.Key().Size()+m.r.Elem().Size()) + 8)
	}
	t.callForeign(f, append(append([]*ir.Value{of}, key...), elem...))
}

// delete translates delete(m, k).
func (t goCalls) delete(in *ssa.Call) {
	m := t.mapOf(in.Call.Args[0].Type())
	f, at := memoryOf([]types.Type{nil, m.key}, nil, []reflect.Type{pointerType, m.r.Key()})
	f.do = func(p unsafe.Pointer) { m.Delete(pointerAt(p, at[0]), unsafe.Add(p, at[1])) }
	if m.TryDelete != nil {
		f.try = func(p unsafe.Pointer) bool { return m.TryDelete(pointerAt(p, at[0]), unsafe.Add(p, at[1])) }
	}
	t.callForeign(f, append(t.value(in.Call.Args[0])[:1:1], t.value(in.Call.Args[1])...))
	t.values[in] = nil
}

// clear translates clear(m) and clear(s).
func (t goCalls) clear(in *ssa.Call) {
	x := in.Call.Args[0]
	t.values[in] = nil
	if s, ok := x.Type().Underlying().(*types.Slice); ok {
		r := reflect.SliceOf(t.memoryType(s.Elem()))
		f, at := memoryOf([]types.Type{x.Type()}, nil, []reflect.Type{r})
		f.do = func(p unsafe.Pointer) { reflect.NewAt(r, unsafe.Add(p, at[0])).Elem().Clear() }
		if !hasPointers(s.Elem()) {
			f.quick = quick.Clear(int(r.Elem().Size()))
		}
		t.callForeign(f, t.value(x))
		return
	}
	m := t.mapOf(x.Type())
	f, at := memoryOf([]types.Type{nil}, nil, []reflect.Type{pointerType})
	f.do = func(p unsafe.Pointer) { m.Clear(pointerAt(p, at[0])) }
	t.callForeign(f, t.value(x))
}

// makeMap translates make of a map without a size, or with a constant one.
func (t goCalls) makeMap(in *ssa.MakeMap) {
	const most = 1 << 16
	n := 0
	if in.Reserve != nil {
		c, ok := in.Reserve.(*ssa.Const)
		if !ok || c.Int64() < 0 || c.Int64() > most {
			t.no("it makes a map of a size that is not a constant")
		}
		n = int(c.Int64())
	}
	m := t.mapOf(in.Type())
	f, at := memoryOf(nil, []types.Type{nil}, []reflect.Type{pointerType})
	f.do = func(p unsafe.Pointer) { *(*unsafe.Pointer)(unsafe.Add(p, at[0])) = m.Make(n) }
	t.values[in] = t.callForeign(f, nil)
}

// mapLen translates len of a map: its first word, or 0 for nil.
func (t goCalls) mapLen(m *ir.Value) *ir.Value {
	some := t.add(ir.Ne, ir.Bool, m, t.f.Int(ir.Ptr, 0))
	return t.branch(some, []ir.Kind{ir.Int64}, []*ir.Value{t.int(0)}, func() []*ir.Value {
		return []*ir.Value{t.memory(ir.Load, ir.Int64, address{base: m}, 0, nil)}
	})[0]
}

// attempt runs a foreign call while the goroutine is pinned, if it can be: it reports whether it was.
func (f *foreign) attempt(c *enter.Context, r *running) bool {
	m := r.memory(f)
	f.begin(c, m)
	if !f.try(m) {
		return false
	}
	f.end(c, m)
	return true
}
