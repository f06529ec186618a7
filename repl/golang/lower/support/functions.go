package support

import (
	"go/types"
	"reflect"
	"strconv"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower/typing"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// Functions has what lowered code of a session has been given: each function once, by what it does.
type Functions struct {
	scope *check.Scope
	rt    *run.Runtime
	types *typing.Types

	names       map[string]string       // of functions and variables, by key
	boxes       map[string]*box         // by type
	asserted    map[string]reflect.Type // the types that the assertions in names ask for
	typeNames   map[reflect.Type]string
	retypes     map[[2]reflect.Type]string
	conversions map[[2]reflect.Type]string
}

// New makes the functions of a new session.
func New(scope *check.Scope, rt *run.Runtime, ts *typing.Types) *Functions {
	return &Functions{scope: scope, rt: rt, types: ts,
		names: map[string]string{}, boxes: map[string]*box{}, asserted: map[string]reflect.Type{},
		typeNames: map[reflect.Type]string{}, retypes: map[[2]reflect.Type]string{},
		conversions: map[[2]reflect.Type]string{}}
}

// Type names a type that has no literal in yaegi.
func (fs *Functions) Type(t reflect.Type) string {
	if n, ok := fs.typeNames[t]; ok {
		return n
	}
	n := fs.rt.Provide("T", reflect.Zero(reflect.PointerTo(t)))
	fs.typeNames[t] = n
	return n
}

// once is the name of a function made for one type.
func (fs *Functions) once(key string, in, out []reflect.Type, f func([]reflect.Value) []reflect.Value) string {
	for _, t := range in {
		key += ":" + strconv.FormatUint(uint64(uintptr(typePointer(t))), 16)
	}
	if n, ok := fs.names[key]; ok {
		return n
	}
	fs.names[key] = fs.rt.Provide("G", reflect.MakeFunc(reflect.FuncOf(in, out, false), f))
	return fs.names[key]
}

// Clear is the function that clears a map, with its keys that are not equal to themselves, or a slice.
func (fs *Functions) Clear(t types.Type) string {
	return fs.once("clear", []reflect.Type{fs.scope.Inner(t)}, nil, func(in []reflect.Value) []reflect.Value {
		switch {
		case in[0].Kind() == reflect.Map:
			machine.ClearMap(in[0])
		case !in[0].IsNil(): // which reflect does not clear
			in[0].Clear()
		}
		return nil
	})
}

// Variable is the pointer to a variable of a compiled package, "" for anything else and for a variable whose type
// cannot be named.
func (fs *Functions) Variable(o types.Object) string {
	v, ok := o.(*types.Var)
	if !ok || v.IsField() || v.Pkg() == nil || check.IsSession(v) || v.Parent() != v.Pkg().Scope() ||
		check.UnexportedIn(v.Type()) != "" && !fs.scope.Library.Included(v.Pkg().Path()) {
		return ""
	}
	key := "variable:" + v.Pkg().Path() + "." + v.Name()
	if n, ok := fs.names[key]; ok {
		return n
	}
	value := fs.types.Symbol(v)
	if !value.CanAddr() {
		return ""
	}
	fs.names[key] = fs.rt.Provide("P", value.Addr())
	return fs.names[key]
}

// Instance is an instance of a generic function that the table of a compiled package has, "" for any other.
func (fs *Functions) Instance(f *types.Func, args []types.Type) string {
	if f.Pkg() == nil || check.IsSession(f) || len(args) != 1 {
		return ""
	}
	arg, ok := types.Unalias(args[0]).(*types.Basic)
	if !ok {
		return ""
	}
	name := f.Name() + "[" + types.Typ[arg.Kind()].Name() + "]" // not byte, which is another name of uint8
	v := fs.types.SymbolNamed(f.Pkg(), name)
	if !v.IsValid() {
		return ""
	}
	key := "compiled:" + f.Pkg().Path() + "." + name
	if _, ok := fs.names[key]; !ok {
		fs.names[key] = fs.rt.Provide("G", v)
	}
	return fs.names[key]
}
