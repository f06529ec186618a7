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

// A type that gets a method in a later cell has another run-time type from then on. Variables of the type have it, too;
// an interface that holds a value of it, such as the key of a context, keeps the older one, and compares it.

// maxHeld bounds how many parts of variables are looked at for what they hold.
const maxHeld = 200_000

// holders finds the types of what interfaces hold.
type holders struct {
	found map[reflect.Type]map[string]bool // to the variables
	seen  map[visited]bool
	name  string
	parts int
}

type visited struct {
	at  unsafe.Pointer
	typ reflect.Type
}

// addMethods says that methods of older types belong to a cell that has been checked. It returns a note on each
// variable that holds values of an older form of such a type. While goroutines of cells run, which may write to them,
// variables are not looked through. Scope.Mu is held.
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
	since := "before " + listOf(added) + " was declared"
	h := &holders{found: map[reflect.Type]map[string]bool{}, seen: map[visited]bool{}}
	if built && run.Alone() {
		for n, b := range e.scope.Bindings {
			if v, ok := b.Object.(*types.Var); ok && n != "_" && e.state.Slots.Of(v) != nil {
				h.name = n
				h.add(e.state.Slots.Of(v).Ptr.Elem())
			}
		}
	}
	maps.DeleteFunc(h.found, func(r reflect.Type, _ map[string]bool) bool {
		t := world.Static(r)
		return t == nil || world.Outer(t) != r // an older one already
	})
	e.setPhantom(methods, false)
	for r, names := range h.found {
		if t := world.Static(r); world.Outer(t) != r {
			notes = append(notes, fmt.Sprintf("%s: a %s in an interface is one from %s, which does not equal later ones",
				listOf(names), check.Display(t), since))
		}
	}
	slices.Sort(notes)
	return notes
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
