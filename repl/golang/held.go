package golang

import (
	"fmt"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// A type that gets a method in a later cell has another run-time type from then on. Variables of the type have it, too,
// and interfaces that the session's variables reach are told of it: see renewal. Others that hold a value of it keep
// the older one, and compare it.

// maxHeld bounds how many parts of variables are looked at for what they hold.
const maxHeld = 200_000

// holders finds the types of what interfaces hold.
type holders struct {
	found map[reflect.Type]map[string]bool // to the variables
	seen  map[visited]bool
	name  string
	parts int

	channels map[string]bool // the variables with channels that have values, which nothing can look at
}

type visited struct {
	at  unsafe.Pointer
	typ reflect.Type
}

// addMethods says that methods of older types belong to a cell that has been checked. It returns a note on each
// variable that still holds values of an older form of such a type, as the key of a map that is not equal to itself, or
// may hold them in a channel. While goroutines of cells run, which may write to variables, these are not looked
// through. Scope.Mu is held.
func addMethods(e *Engine, methods []*types.Func) (notes []string) {
	if len(methods) == 0 {
		return nil
	}
	world := e.scope.World
	added, built := map[string]bool{}, false
	for _, m := range methods {
		t := check.ReceiverType(m)
		added[t.Obj().Name()+"."+m.Name()] = true
		built = built || world.Built(t)
	}
	const differs = ", without the method, which does not equal later ones"
	since := "from before " + listOf(added) + " was declared"
	h := &holders{found: map[reflect.Type]map[string]bool{}, seen: map[visited]bool{}}
	if built && run.Alone() {
		h = holdersOf(e)
		if len(h.channels) > 0 {
			notes = append(notes, "values in the channels of "+listOf(h.channels)+" may be "+since+differs)
		}
	} else if built && run.HasGoroutines(e.rt) {
		notes = append(notes, "goroutines run: interfaces may hold values "+since+differs)
	}
	was := map[reflect.Type]bool{} // older ones of before
	for r := range h.found {
		t := world.Static(r)
		was[r] = t == nil || world.Outer(t) != r
	}
	e.setPhantom(methods, false)
	if len(h.found) > 0 {
		h = renewed(e, h.found)
	}
	for r, names := range h.found {
		if was[r] {
			continue
		}
		if t := world.Static(r); t != nil && world.Outer(t) != r {
			notes = append(notes, fmt.Sprintf("%s: a %s in an interface is one %s%s", listOf(names), check.Display(t),
				since, differs))
		}
	}
	slices.Sort(notes)
	return notes
}

// holdersOf finds what interfaces hold in the variables of the session.
func holdersOf(e *Engine) *holders {
	h := &holders{found: map[reflect.Type]map[string]bool{}, seen: map[visited]bool{}, channels: map[string]bool{}}
	for n, b := range e.scope.Bindings {
		if v, ok := b.Object.(*types.Var); ok && n != "_" && e.state.Slots.Of(v) != nil {
			h.name = n
			h.add(e.state.Slots.Of(v).Ptr.Elem())
		}
	}
	return h
}

// renewed has interfaces in the variables of the session hold the newest forms of types in the place of older ones, and
// finds what they hold then.
func renewed(e *Engine, found map[reflect.Type]map[string]bool) *holders {
	world := e.scope.World
	r := &renewal{newest: map[reflect.Type]reflect.Type{}, seen: map[visited]bool{}}
	for old := range found {
		if t := world.Static(old); t != nil && world.Outer(t) != old {
			r.newest[old] = world.Outer(t)
		}
	}
	for _, b := range e.scope.Bindings {
		if v, ok := b.Object.(*types.Var); ok && e.state.Slots.Of(v) != nil {
			r.renew(e.state.Slots.Of(v).Ptr.Elem())
		}
	}
	return holdersOf(e)
}

func listOf(names map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(names)), ", ") }

func (h *holders) add(v reflect.Value) {
	if h.parts++; h.parts > maxHeld || !v.IsValid() {
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		h.held(v)
	case reflect.Pointer:
		if at := (visited{v.UnsafePointer(), v.Type()}); !v.IsNil() && !h.seen[at] {
			h.seen[at] = true
			h.add(v.Elem())
		}
	case reflect.Struct:
		if m, ok := syncMap(v); ok {
			m.Range(func(key, value any) bool {
				h.add(reflect.ValueOf(&key).Elem())
				h.add(reflect.ValueOf(&value).Elem())
				return true
			})
		}
		for i := range v.NumField() {
			if refers(v.Type().Field(i).Type) {
				h.add(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice {
			at := visited{v.UnsafePointer(), v.Type()}
			if h.seen[at] && v.Len() > 0 {
				return
			}
			h.seen[at] = true
		}
		for i := 0; refers(v.Type().Elem()) && i < v.Len() && h.parts <= maxHeld; i++ {
			h.add(v.Index(i))
		}
	case reflect.Chan:
		if v.Len() > 0 && refers(v.Type().Elem()) {
			h.channels[h.name] = true
		}
	case reflect.Map:
		if at := (visited{v.UnsafePointer(), v.Type()}); v.IsNil() || h.seen[at] ||
			!refers(v.Type().Key()) && !refers(v.Type().Elem()) {
			return
		} else {
			h.seen[at] = true
		}
		for it := v.MapRange(); h.parts <= maxHeld && it.Next(); {
			h.add(it.Key())
			h.add(it.Value())
		}
	}
}

// held notes what an interface holds. A type that is held stands for its values.
func (h *holders) held(v reflect.Value) {
	if v.IsNil() {
		return
	}
	t := v.Elem().Type()
	if v.CanInterface() {
		if r, ok := v.Interface().(reflect.Type); ok {
			t = r
		}
	}
	if h.found[t] == nil {
		h.found[t] = map[string]bool{}
	}
	h.found[t][h.name] = true
	h.add(v.Elem())
}

// syncMap is a struct as a sync.Map.
func syncMap(v reflect.Value) (*sync.Map, bool) {
	if v.Type() != reflect.TypeFor[sync.Map]() || !v.CanAddr() {
		return nil, false
	}
	return (*sync.Map)(v.Addr().UnsafePointer()), true
}
