package support

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
	machinecode "github.com/gorocm/gorocm/repl/golang/native"
	"github.com/gorocm/gorocm/repl/golang/native/layouts"
	"github.com/gorocm/gorocm/repl/golang/rtype"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// calledPackages are the compiled packages whose functions machine code calls. None of these waits for other
// goroutines, which the session would have to know, or asks who has called it.
var calledPackages = map[string]bool{
	"bytes": true, "context": true, "container/heap": true, "container/list": true, "container/ring": true, "encoding/base64": true, "encoding/binary": true, "encoding/hex": true, "encoding/json": true,
	"errors": true, "fmt": true, "hash/crc32": true, "hash/fnv": true, "hash/maphash": true, "html": true, "math": true,
	"math/big": true, "math/bits": true, "math/cmplx": true, "math/rand": true, "math/rand/v2": true, "path": true, "path/filepath": true,
	"regexp": true, "sort": true, "strconv": true, "strings": true, "text/tabwriter": true, "time": true,
	"unicode": true, "unicode/utf16": true, "unicode/utf8": true,
}

// waitingFunctions are those of these packages that do wait.
var waitingFunctions = map[string]bool{"fmt.Scan": true, "fmt.Scanf": true, "fmt.Scanln": true, "fmt.Fscan": true,
	"fmt.Fscanf": true, "fmt.Fscanln": true}

// calledBy is what machine code needs of compiled packages, and of the types of the session.
type calledBy struct{ *Functions }

// Packages is what machine code needs of compiled packages.
func (fs *Functions) Packages() machinecode.Packages {
	c := calledBy{fs}
	return machinecode.Packages{Func: c.function, Defers: run.DeferFunction(fs.rt), Waiting: c.waiting,
		Instance: c.instance, Caller: machine.Caller, CallValue: machine.ValueCaller, MayInvoke: c.mayInvoke,
		Invoker: machine.Invoker, Channels: run.Channels(fs.rt),
		Maps: c.maps, Method: c.method, Box: c.boxing, Assert: c.assertion}
}

// function is a function or method of a compiled package that machine code may call.
func (fs calledBy) function(f *types.Func) reflect.Value {
	p := f.Pkg()
	if p != nil && (p.Path() == "sync" || p.Path() == "time" || p.Path() == "context") {
		if start := run.Starts(fs.rt)[f.FullName()]; start != nil {
			return reflect.ValueOf(start)
		}
	}
	if p != nil && p.Path() == "sync" {
		return fs.lock(f)
	}
	if f.FullName() == layouts.BenchmarkLoopName {
		return reflect.ValueOf((*testing.B).Loop)
	}
	if p == nil || !calledPackages[p.Path()] || waitingFunctions[p.Path()+"."+f.Name()] || fs.types.Of(p) != nil {
		return reflect.Value{}
	}
	recv := f.Signature().Recv()
	if recv == nil {
		v := run.Symbol(fs.rt, p.Path(), f.Name())
		if v.IsValid() && v.Kind() != reflect.Func {
			return reflect.Value{}
		}
		return v
	}
	if types.IsInterface(recv.Type()) {
		return reflect.Value{}
	}
	m, _ := fs.scope.Inner(recv.Type()).MethodByName(f.Name())
	return m.Func
}

// locks are the methods of package sync that machine code calls, by the types of their receivers.
var locks = map[string]string{
	"*sync.Mutex": "Lock TryLock Unlock", "*sync.RWMutex": "Lock RLock RUnlock TryLock TryRLock Unlock",
	"*sync.WaitGroup": "Add Done Wait", "*sync.Once": "Do",
	"*sync.Map": "Clear Delete Load LoadAndDelete LoadOrStore Range Store Swap",
}

// lock is one of them.
func (fs calledBy) lock(f *types.Func) (v reflect.Value) {
	recv := f.Signature().Recv()
	if recv == nil || !slices.Contains(strings.Fields(locks[types.TypeString(recv.Type(), nil)]), f.Name()) {
		return v
	}
	m, _ := fs.scope.Inner(recv.Type()).MethodByName(f.Name())
	return m.Func
}

// waiting is one of them that may wait for other goroutines, at a place of a function in a cell.
func (fs calledBy) waiting(f *types.Func, at token.Pos, in string) (v reflect.Value) {
	if f.Pkg() == nil || f.Pkg().Path() != "sync" || f.Signature().Recv() == nil {
		return v
	}
	fn := run.WaitingMethod(fs.rt, types.TypeString(f.Signature().Recv().Type(), nil)+"."+f.Name(), at, in)
	if fn == nil {
		return v
	}
	return reflect.ValueOf(fn)
}

// instances are the generic functions of compiled packages that machine code calls.
var instances = map[string]bool{"cmp.Compare": true, "slices.Sort": true, "slices.SortFunc": true,
	"slices.SortStableFunc": true}

// instance is an instance of one of these.
func (fs calledBy) instance(f *types.Func, args []types.Type) reflect.Value {
	if f.Pkg() == nil || !IsNative(f) || !instances[f.Pkg().Path()+"."+f.Name()] {
		return reflect.Value{}
	}
	if len(args) == 0 {
		return reflect.ValueOf(true)
	}
	sig, err := types.Instantiate(nil, f.Signature(), args, false)
	if err != nil {
		return reflect.Value{}
	}
	s := fs.types.Subst(sig, nil).(*types.Signature)
	return reflect.MakeFunc(fs.scope.Inner(s), natives[f.Pkg().Path()+"."+f.Name()](fs.Functions, args, s))
}

// boxing is what makes an interface of a value in machine code.
func (fs calledBy) boxing(to, from types.Type) (box func(to, from unsafe.Pointer), current *unsafe.Pointer) {
	iface, inner := fs.scope.Outer(to), fs.scope.Inner(from)
	if iface.Kind() != reflect.Interface {
		return nil, nil
	}
	if types.IsInterface(from) {
		return func(to, from unsafe.Pointer) {
			reflect.NewAt(iface, to).Elem().Set(reflect.NewAt(inner, from).Elem())
		}, nil
	}
	b := fs.box(from)
	return func(to, from unsafe.Pointer) {
		reflect.NewAt(iface, to).Elem().Set(rtype.Retype(reflect.NewAt(inner, from).Elem(), *b.outer.Load()))
	}, (*unsafe.Pointer)(unsafe.Pointer(&b.outer))
}

// assertion is an assertion in machine code: it gives the value, and whether there is one where both results are
// asked for; else it panics.
func (fs calledBy) assertion(from, to types.Type, commaOk bool) func(to, ok, from unsafe.Pointer) {
	t := fs.Dynamic(to)
	have, iface := fs.scope.Inner(from), fs.scope.Outer(from)
	if t.isInterface { // of which the runtime says no more
		iface = nil
	}
	return func(to, ok, from unsafe.Pointer) {
		v := reflect.NewAt(have, from).Elem()
		var dynamic reflect.Type
		if !v.IsNil() {
			dynamic = v.Elem().Type()
		}
		matches := t.matches(dynamic)
		r := reflect.NewAt(t.inner, to).Elem()
		switch {
		case matches:
			r.Set(t.take(v.Elem().Interface()))
		case !commaOk:
			panic(assertionError(iface, dynamic, t.outer))
		default:
			r.SetZero()
		}
		if commaOk {
			*(*bool)(ok) = matches
		}
	}
}

// askingMethods are methods that ask who has called them, or wait for other goroutines, in what compiled packages have:
// testing.T, loggers, files, connections, locks.
var askingMethods = map[string]bool{}

func init() {
	for _, name := range strings.Fields(`Accept Add Close Debug Debugf Done Error Errorf Exec Exit Fail FailNow Fatal Fatalf
		Fatalln Flush Get Helper Info Infof Lock Log Logf Next Output Panic Panicf Panicln Ping Print Printf Println Put Query
		RLock Read ReadByte ReadFrom ReadRune ReadString Recv Run Scan Seek Send Serve Skip Skipf SkipNow Sync Wait Warn Warnf
		Write WriteByte WriteString WriteTo`) {
		askingMethods[name] = true
	}
}

// mayInvoke reports whether machine code may call a method of an interface.
func (fs calledBy) mayInvoke(f *types.Func) bool {
	switch {
	case f.Pkg() == nil || !f.Exported(): // error's; or one of the session's own types
		return true
	case f.Pkg().Path() == "context": // whose Done waits for nothing
		return true
	case f.Pkg() != fs.scope.Pkg && !calledPackages[f.Pkg().Path()]:
		return false
	}
	return !askingMethods[f.Name()] || f.Name() == "Error" && f.Signature().Params().Len() == 0
}

// method finds a method that cells have declared for a run-time type.
func (fs calledBy) method(dynamic reflect.Type, name string, do func(*types.Func, bool)) {
	fs.scope.Mu.Lock()
	defer fs.scope.Mu.Unlock()
	t := fs.scope.World.Static(dynamic)
	pointer := false
	if p, ok := t.(*types.Pointer); ok {
		t, pointer = p.Elem(), true
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !check.IsSession(n.Obj()) || n.TypeArgs().Len() > 0 {
		do(nil, false)
		return
	}
	for m := range n.Methods() {
		if m.Name() == name {
			do(m, pointer)
			return
		}
	}
	do(nil, false)
}

// maps are the operations on maps in machine code.
func (fs calledBy) maps(t reflect.Type) *machinecode.Maps {
	ops := machine.MapOf(t)
	reflect.PointerTo(t) // so that reflect takes no lock when an iterator looks for this type
	return &machinecode.Maps{Get: ops.Get, Set: ops.Set, Delete: ops.Delete, Clear: ops.Clear, Hash: ops.Hash, TryGet: ops.TryGet,
		TrySet: ops.TrySet, TryDelete: ops.TryDelete, Others: machine.Others(),
		Make:  func(n int) unsafe.Pointer { return reflect.MakeMapWithSize(t, n).UnsafePointer() },
		Begin: func(m unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer(machine.NewMapIter(t, m)) },
		Next:  func(loop unsafe.Pointer) (key, elem unsafe.Pointer) { return (*machine.MapIter)(loop).Next() },
		TryBegin: func(m unsafe.Pointer) (loop unsafe.Pointer, done bool) {
			i, done := machine.TryMapIter(t, m)
			return unsafe.Pointer(i), done
		},
		IterAt: machine.IterAt(),
		TryNext: func(loop unsafe.Pointer) (key, elem unsafe.Pointer, done bool) {
			return (*machine.MapIter)(loop).TryNext()
		}}
}
