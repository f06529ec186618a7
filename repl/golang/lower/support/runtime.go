package support

import (
	"go/types"
	"hash/maphash"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"
	"weak"

	_ "database/sql" // convertAssign

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/rtype"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// A native is a function of the standard library's generic source that is not interpreted, because it needs the runtime
// or what its package does not export, or because it would take too long. It is made for one instance, and takes and
// returns values as interpreted code has them.
type native func(fs *Functions, args []types.Type, sig *types.Signature) func(in []reflect.Value) []reflect.Value

var natives = map[string]native{
	"cmp.Compare":                  nativeCompare,
	"cmp.Less":                     nativeLess,
	"database/sql.convertAssign":   nativeConvertAssign,
	"hash/maphash.Comparable":      nativeComparable,
	"hash/maphash.WriteComparable": nativeWriteComparable,
	"maps.clone":                   nativeCloneMap,
	"runtime.AddCleanup":           nativeAddCleanup,
	"slices.Sort":                  nativeSort,
	"slices.SortFunc":              nativeSortFunc(slices.SortFunc[[]int]),
	"slices.SortStableFunc":        nativeSortFunc(slices.SortStableFunc[[]int]),
	"unique.Make":                  nativeUnique,
	"weak.register":                nativeWeakRegister,
	"weak.strong":                  nativeWeakStrong,
}

// IsNative reports whether a function is a native.
func IsNative(f *types.Func) bool {
	return f.Pkg() != nil && !check.IsSession(f) && f.Signature().Recv() == nil &&
		natives[f.Pkg().Path()+"."+f.Name()] != nil
}

// Native is an instance of a native, "" where the type arguments do not fit.
func (fs *Functions) Native(f *types.Func, args []types.Type) string {
	key := "native:" + f.Pkg().Path() + "." + f.Name()
	for _, t := range args {
		key += "[" + fs.types.Key(t) + "]"
	}
	if n, ok := fs.names[key]; ok {
		return n
	}
	var t types.Type = f.Signature()
	if len(args) > 0 {
		i, err := types.Instantiate(nil, t, args, false)
		if err != nil {
			return ""
		}
		t = i
	}
	sig := fs.types.Subst(t, nil).(*types.Signature)
	of := natives[f.Pkg().Path()+"."+f.Name()]
	fs.names[key] = fs.rt.Provide("G", reflect.MakeFunc(fs.scope.Inner(sig), of(fs, args, sig)))
	return fs.names[key]
}

// outside is a value of interpreted code as an interface holds it.
func (fs *Functions) outside(v reflect.Value, t types.Type) any {
	if v.Kind() == reflect.Interface {
		return v.Interface()
	}
	return rtype.Retype(v, fs.scope.Outer(t)).Interface()
}

func nativeCloneMap(fs *Functions, _ []types.Type, _ *types.Signature) func([]reflect.Value) []reflect.Value {
	return func(in []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(run.CloneMap(in[0].Interface()))}
	}
}

// convertAssign is for packages like this one: see go.dev/issue/67401.
//
//go:linkname convertAssign database/sql.convertAssign
func convertAssign(dest, src any) error

func nativeConvertAssign(*Functions, []types.Type, *types.Signature) func([]reflect.Value) []reflect.Value {
	return func(in []reflect.Value) []reflect.Value {
		err := convertAssign(in[0].Interface(), in[1].Interface())
		return []reflect.Value{reflect.ValueOf(&err).Elem()}
	}
}

// Hashes are those of the value in an interface, which are alike for equal values.

func nativeComparable(fs *Functions, args []types.Type, _ *types.Signature) func([]reflect.Value) []reflect.Value {
	return func(in []reflect.Value) []reflect.Value {
		seed := in[0].Interface().(maphash.Seed)
		return []reflect.Value{reflect.ValueOf(maphash.Comparable(seed, fs.outside(in[1], args[0])))}
	}
}

func nativeWriteComparable(fs *Functions, args []types.Type, _ *types.Signature) func([]reflect.Value) []reflect.Value {
	return func(in []reflect.Value) []reflect.Value {
		maphash.WriteComparable(in[0].Interface().(*maphash.Hash), fs.outside(in[1], args[0]))
		return nil
	}
}

// A cleanup that panics is reported as a goroutine's panic is.
func nativeAddCleanup(fs *Functions, _ []types.Type, _ *types.Signature) func([]reflect.Value) []reflect.Value {
	return func(in []reflect.Value) []reflect.Value {
		ptr, cleanup, arg := in[0].UnsafePointer(), in[1], in[2]
		if k := arg.Kind(); (k == reflect.Pointer || k == reflect.UnsafePointer) && ptr != nil &&
			arg.UnsafePointer() == ptr {
			panic("runtime.AddCleanup: ptr is equal to arg, cleanup will never run")
		}
		c := runtime.AddCleanup((*byte)(ptr), func(arg reflect.Value) {
			defer func() {
				if r := recover(); r != nil {
					fs.rt.ReportPanic(r)
				}
			}()
			cleanup.Call([]reflect.Value{arg})
		}, arg)
		return []reflect.Value{reflect.ValueOf(c)}
	}
}

// A weak pointer is the same for every type of what it points to.

func nativeWeakRegister(*Functions, []types.Type, *types.Signature) func([]reflect.Value) []reflect.Value {
	return func(in []reflect.Value) []reflect.Value {
		w := weak.Make((*byte)(in[0].UnsafePointer()))
		return []reflect.Value{reflect.ValueOf(*(*unsafe.Pointer)(unsafe.Pointer(&w)))}
	}
}

func nativeWeakStrong(*Functions, []types.Type, *types.Signature) func([]reflect.Value) []reflect.Value {
	return func(in []reflect.Value) []reflect.Value {
		var w weak.Pointer[byte]
		*(*unsafe.Pointer)(unsafe.Pointer(&w)) = in[0].UnsafePointer()
		return []reflect.Value{reflect.ValueOf(unsafe.Pointer(w.Value()))}
	}
}

// interned are the values of one type that handles point to. They live as long as a handle does.
type interned struct {
	mu sync.Mutex
	by map[any]weak.Pointer[byte]
}

func nativeUnique(fs *Functions, args []types.Type, sig *types.Signature) func([]reflect.Value) []reflect.Value {
	t, handle := fs.scope.Inner(args[0]), fs.scope.Inner(sig.Results().At(0).Type())
	u := &interned{by: map[any]weak.Pointer[byte]{}}
	return func(in []reflect.Value) []reflect.Value {
		r := reflect.New(handle)
		*(*unsafe.Pointer)(r.UnsafePointer()) = u.find(in[0], t)
		return []reflect.Value{r.Elem()}
	}
}

// find returns the address of the value that stands for all values equal to v.
func (u *interned) find(v reflect.Value, t reflect.Type) unsafe.Pointer {
	if t.Size() == 0 {
		return reflect.New(t).UnsafePointer() // all of them have the same address
	}
	key := v.Interface()
	u.mu.Lock()
	defer u.mu.Unlock()
	if p := u.by[key].Value(); p != nil {
		return unsafe.Pointer(p)
	}
	// Room for a pointer keeps a small value out of the blocks that small objects share and that stay alive together.
	room := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "V", Type: t},
		{Name: "P", Type: reflect.TypeFor[*byte]()}})).Elem()
	room.Field(0).Set(v)
	own(room.Field(0))
	p := room.Addr().UnsafePointer()
	if key == key { // not NaN, which equals nothing
		key = room.Field(0).Interface()
		u.by[key] = weak.Make((*byte)(p))
		runtime.AddCleanup((*byte)(p), u.forget, key)
	}
	return p
}

// forget takes out a value that no handle points to any more, unless it has been made anew.
func (u *interned) forget(key any) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.by[key].Value() == nil {
		delete(u.by, key)
	}
}

// own copies the strings of a value, which may be parts of larger ones.
func own(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.Clone(v.String()))
	case reflect.Array:
		for i := range v.Len() {
			own(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() { // compiled types have fields that are not exported
				own(f)
			}
		}
	}
}
