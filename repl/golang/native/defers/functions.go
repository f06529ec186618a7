// Package defers rewrites functions with deferred calls, so that generated code needs no frames that the runtime knows:
//
//	func f(x int) (err error) {        func f(x int) (err error) {
//		defer g(x)                         d := New()
//		return h()               is         Run(d, func() {
//	}                                          { t := x; Direct(d, "g"); Add(d, func() { g(t) }) }
//	                                           { err = h(); return }
//	                                       })
//	                                       return err
//	                                   }
//
// The functions are Go code, the same that runs deferred calls of interpreted code: it takes a panic of the body, calls
// what was deferred, and goes on with the panic unless one of these calls has recovered it. A call of recover in a
// deferred literal is one of Recover.
//
// Where no deferred call can recover, there is less to do: nothing but a panic leaves the body before its end, and then
// Go code makes the deferred calls. On any other way generated code does.
//
//	func f(x int) (err error) {
//		Begin()
//		done: switch { default:
//			{ t := x; Later(func(int) { close(t) }) }
//			{ err = h(); break done }
//		}
//		for more := true; more; {
//			var f func(int)
//			if f, more = Next(); f != nil { f(0) }
//		}
//		return err
//	}
//
// A go statement becomes a call of Go, likewise: go g(x) is { t := x; Go(func() { g(t) }) }.
package defers

import (
	"go/token"
	"go/types"
)

// Package has the functions that rewritten ones call.
var Package = types.NewPackage("gorocm/defers", "defers")

// Later is the type of what Later is given. Its parameter means nothing: as functions without any are called by the
// runtime, too, function values of these are more to make.
var Later = types.NewSignatureType(nil, nil, nil,
	types.NewTuple(types.NewParam(token.NoPos, nil, "", types.Typ[types.Int])), nil, false)

func init() {
	d, call := types.NewPointer(types.Typ[types.Byte]), types.NewSignatureType(nil, nil, nil, nil, nil, false)
	any := types.Universe.Lookup("any").Type()
	add := func(name string, result types.Type, params ...types.Type) {
		tuple := func(list ...types.Type) *types.Tuple {
			var vars []*types.Var
			for _, t := range list {
				if t != nil {
					vars = append(vars, types.NewParam(token.NoPos, Package, "", t))
				}
			}
			return types.NewTuple(vars...)
		}
		sig := types.NewSignatureType(nil, nil, nil, tuple(params...), tuple(result), false)
		Package.Scope().Insert(types.NewFunc(token.NoPos, Package, name, sig))
	}
	add("New", d)
	add("Run", nil, d, call)
	add("Add", nil, d, call)
	add("Recover", any, d)
	add("Direct", nil, d, types.Typ[types.String]) // the function of that name is called as what was deferred
	add("Go", nil, nil, call)                      // starts a goroutine
	add("Begin", nil)
	add("Later", nil, Later)
	next := types.NewTuple(types.NewParam(token.NoPos, Package, "", Later),
		types.NewParam(token.NoPos, Package, "", types.Typ[types.Bool]))
	Package.Scope().Insert(types.NewFunc(token.NoPos, Package, "Next",
		types.NewSignatureType(nil, nil, nil, nil, next, false)))
	add("Nil", nil) // panics, as a receiver that is nil does
	Package.MarkComplete()
}

// Means is what the source of a rewritten function does where a function of Package is called, "" for other functions.
func Means(f *types.Func) string {
	switch {
	case f.Pkg() != Package:
		return ""
	case f.Name() == "Go":
		return "it starts a goroutine"
	case f.Name() == "Recover":
		return "it calls recover"
	case f.Name() == "Nil":
		return "it has a method of a pointer that may be nil"
	}
	return "it defers a call"
}

// object is one of the functions.
func object(name string) *types.Func { return Package.Scope().Lookup(name).(*types.Func) }
