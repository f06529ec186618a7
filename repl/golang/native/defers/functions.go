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
// A go statement becomes a call of Go, likewise: go g(x) is { t := x; Go(func() { g(t) }) }.
package defers

import (
	"go/token"
	"go/types"
)

// Package has the functions that rewritten ones call.
var Package = types.NewPackage("gorocm/defers", "defers")

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
	add("Nil", nil)                                // panics, as a receiver that is nil does
	Package.MarkComplete()
}

// object is one of the functions.
func object(name string) *types.Func { return Package.Scope().Lookup(name).(*types.Func) }
