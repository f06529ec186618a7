package rtype

import (
	"fmt"
	"go/types"
	"maps"
	"reflect"
	"sync"
	"unsafe"

	"golang.org/x/tools/go/types/typeutil"
)

// Config says what a World cannot know.
type Config struct {
	// Compiled returns the run-time type of a defined type of a compiled package, or nil for a type that is to be
	// built. It must not call the World.
	Compiled func(*types.Named) reflect.Type
	// Canonical returns the type that stands for t wherever t occurs, with methods of the same names: a session has
	// instances of generic types from two sources. Nil leaves every type as it is. Like Compiled it must not call the
	// World.
	Canonical func(t *types.Named) *types.Named
	// Hidden reports whether m is to be left out of method tables. Nil hides none.
	Hidden func(m *types.Func) bool
	// Method returns the function that runs method m: func(receiver, parameters...) results, in Inner types, with the
	// receiver as declared (T or *T). It is asked at every call, so a session can replace a method.
	Method func(m *types.Func) reflect.Value
	// Call calls what Method has returned. Nil stands for reflect's own way.
	Call func(fn reflect.Value, args []reflect.Value) []reflect.Value
	// Enter returns a closure for method tables, of a function of type t whose first parameter is the address of the
	// receiver; the receiver is that pointer, or what it points to. m is the method, and slow a closure that does the
	// same. Nil, of the function or of what it returns, stands for slow. place is where the table has the closure; another
	// one may be stored there, atomically.
	Enter func(t reflect.Type, pointer bool, m *types.Func, slow unsafe.Pointer, place *unsafe.Pointer) unsafe.Pointer
}

// World holds the run-time types of one session. Types of different Worlds are different types, except for compiled
// ones. Its methods may be called by several goroutines at once.
//
// A type given to a World must not contain type parameters. Identical types have the same forms.
type World struct {
	cfg Config

	mu      sync.Mutex
	entries typeutil.Map                // types.Type to *entry
	static  map[reflect.Type]types.Type // Outer types that are, or are made of, types built here
	structs map[string]reflect.Type     // Inner structs by what they are made of
	names   map[string]int              // how often an Inner type has taken a name
	blanks  typeutil.Map                // types.Type to reflect.Type: see blank
	stubs   map[stubKey]int32
	methods map[reflect.Type]reflect.Type // function types with the address of a receiver before, by those without
	singles map[*types.Func]reflect.Type
}

// entry is what is known of one type.
type entry struct {
	id        int
	forms     [3]reflect.Type // by form; nil when not built
	like      reflect.Type    // stand-in, see there
	recursive *bool
}

// form is one of the run-time types of a type.
type form int

const (
	inner     form = iota
	outer          // the newest version
	signature      // the first version, which method signatures use
)

// New returns a World without types.
func New(cfg Config) *World {
	if cfg.Call == nil {
		cfg.Call = call
	}
	return &World{
		cfg:     cfg,
		static:  map[reflect.Type]types.Type{},
		structs: map[string]reflect.Type{},
		names:   map[string]int{},
		stubs:   map[stubKey]int32{},
		methods: map[reflect.Type]reflect.Type{},
		singles: map[*types.Func]reflect.Type{},
	}
}

// Inner returns the type with which interpreted code holds values of t. It is the same for ever.
func (w *World) Inner(t types.Type) reflect.Type {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.typ(t, inner)
}

// Outer returns the type with which interfaces hold values of t: with its name and methods.
func (w *World) Outer(t types.Type) reflect.Type {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.typ(t, outer)
}

// Static returns the type of which r is the Outer form or an older version of it, when r is built here or made of such
// types; for any other it returns nil. Of types that only reflect has made it knows pointers, slices, arrays, channels
// and maps.
func (w *World) Static(r reflect.Type) types.Type {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.staticOf(r)
}

// Built reports whether t has an Outer form already, so that interfaces may hold it.
func (w *World) Built(t types.Type) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	e, ok := w.entries.At(w.canonical(t)).(*entry)
	return ok && e.forms[outer] != nil
}

// Changed says that t got a method. The next Outer form of t, and of every type that is made of it, is a new type.
func (w *World) Changed(t *types.Named) {
	w.mu.Lock()
	defer w.mu.Unlock()
	without := map[types.Type]bool{}
	w.entries.Iterate(func(k types.Type, v any) {
		e := v.(*entry)
		if e.forms[outer] == nil {
			return
		}
		seen := map[types.Type]bool{}
		if w.madeOf(k, t, seen, without) {
			e.forms[outer] = nil
		} else {
			maps.Copy(without, seen)
		}
	})
}

func (w *World) entry(t types.Type) *entry {
	if e, ok := w.entries.At(t).(*entry); ok {
		return e
	}
	e := &entry{id: w.entries.Len()}
	w.entries.Set(t, e)
	return e
}

// typ returns a form of t and builds it if need be.
func (w *World) typ(t types.Type, f form) reflect.Type {
	t = w.canonical(t)
	if b, ok := t.(*types.Basic); ok {
		return basic(b)
	}
	e := w.entry(t)
	if r := e.forms[f]; r != nil {
		return r
	}
	if r := w.build(t, e, f); e.forms[f] == nil {
		e.forms[f] = r
	}
	r := e.forms[f]
	if f != inner && w.local(t) {
		if _, ok := w.static[r]; !ok {
			w.static[r] = t
		}
	}
	return r
}

// build makes a form of t. Types that can contain themselves enter themselves into e before their parts are made.
func (w *World) build(t types.Type, e *entry, f form) reflect.Type {
	switch t := t.(type) {
	case *types.Named:
		return w.defined(t, e, f)
	case *types.Pointer:
		return reflect.PointerTo(w.typ(t.Elem(), f))
	case *types.Slice:
		return reflect.SliceOf(w.typ(t.Elem(), f))
	case *types.Array:
		return reflect.ArrayOf(int(t.Len()), w.typ(t.Elem(), f))
	case *types.Map:
		return reflect.MapOf(w.typ(t.Key(), f), w.typ(t.Elem(), f))
	case *types.Chan:
		return chanOf(direction(t.Dir()), w.typ(t.Elem(), f))
	case *types.Signature:
		return w.funcOf(t, f)
	case *types.Struct:
		return w.unnamedStruct(t, e, f)
	case *types.Interface:
		return w.interfaceOf(t, t, e)
	}
	panic(fmt.Sprintf("rtype: %v has no run-time type", t))
}

// canonical returns the type that stands for t, which is not an alias.
func (w *World) canonical(t types.Type) types.Type {
	t = types.Unalias(t)
	if n, ok := t.(*types.Named); ok && w.cfg.Canonical != nil {
		return w.cfg.Canonical(n)
	}
	return t
}

// compiled returns the run-time type of a type that exists without a session, or nil.
func (w *World) compiled(t *types.Named) reflect.Type {
	if t.Obj().Pkg() == nil { // the universe has one defined type that is not a constraint
		if t.Obj().Name() == "error" {
			return reflect.TypeFor[error]()
		}
		panic(fmt.Sprintf("rtype: %v is a constraint and has no run-time type", t))
	}
	return w.cfg.Compiled(t)
}

func (w *World) defined(t *types.Named, e *entry, f form) reflect.Type {
	if r := w.compiled(t); r != nil {
		e.forms = [3]reflect.Type{r, r, r}
		return r
	}
	if u, ok := t.Underlying().(*types.Interface); ok {
		return w.interfaceOf(t, u, e)
	}
	if f != inner {
		return w.outerDefined(t, e)
	}
	if w.recursive(t) {
		return w.innerDefined(t, e)
	}
	return w.typ(t.Underlying(), inner)
}

// funcOf returns a form of a signature, without its receiver.
func (w *World) funcOf(s *types.Signature, f form) reflect.Type {
	var in, out []reflect.Type
	for v := range s.Params().Variables() {
		in = append(in, w.typ(v.Type(), f))
	}
	for v := range s.Results().Variables() {
		out = append(out, w.typ(v.Type(), f))
	}
	return reflect.FuncOf(in, out, s.Variadic())
}

// chanOf is reflect.ChanOf, which leaves in a new type what it has copied from a compiled one: the place of that one's
// pointer type.
func chanOf(d reflect.ChanDir, elem reflect.Type) reflect.Type {
	c := reflect.ChanOf(d, elem)
	for _, known := range typesByString(c.String()) {
		if known == descriptor(c) {
			return c
		}
	}
	descriptor(c).ptrToThis = 0
	return c
}

func direction(d types.ChanDir) reflect.ChanDir {
	switch d {
	case types.SendOnly:
		return reflect.SendDir
	case types.RecvOnly:
		return reflect.RecvDir
	}
	return reflect.BothDir
}

var basics = map[types.BasicKind]reflect.Type{}

func init() {
	for _, v := range []any{false, 0, int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0),
		uint64(0), uintptr(0),
		float32(0), float64(0), complex64(0), complex128(0), ""} {
		t := reflect.TypeOf(v)
		basics[types.Universe.Lookup(t.Name()).Type().(*types.Basic).Kind()] = t
	}
}

func basic(b *types.Basic) reflect.Type {
	if b.Kind() == types.UnsafePointer {
		return unsafePointer
	}
	if r, ok := basics[b.Kind()]; ok {
		return r
	}
	panic(fmt.Sprintf("rtype: %v has no run-time type", b))
}
