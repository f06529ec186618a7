// Package golang runs cells of Go on the yaegi interpreter, and is the only importer of yaegi.
//
//	e, err := golang.New(golang.Options{Stdout: os.Stdout, Stderr: os.Stderr})
//	out := e.Eval(ctx, 1, "x := 2\nx + 40")
//	out.Values[0] // 42
//
// A cell goes through four steps. Nothing of the session changes before the third has succeeded.
//
//	split  imports, declarations and statements, in any order, found by go/scanner
//	check  go/types, against the objects of earlier cells that the cell mentions
//	lower  the checked tree is printed again as the Go that yaegi runs correctly; every name of the session becomes unique
//	run    one Eval for the declarations, one call of the function that holds the statements
//
// # What yaegi sees
//
// Little of Go is left to yaegi: functions, statements, unnamed types, and what looks to it like a compiled package, gorocm/cell,
// whose symbols the session makes as it goes (symbols.go).
//
//   - Types. Interpreted code holds values without the names of their types: type Celsius float64 is a float64, a struct is a
//     compiled struct type. When a value becomes an interface, it gets a run-time type with its name and methods, which package
//     rtype builds; an assertion takes it off again (interfaces.go). So %T, fmt.Stringer, JSON, sort.Interface, errors.As and
//     reflect work as in compiled Go.
//   - Methods are functions whose first parameter is the receiver; method tables call them through slots (methods.go).
//   - Generics are printed once for each instance (generic.go).
//   - Variables of the session live in the engine's memory, behind pointers.
//   - A panic's places come from the functions that it leaves, and the printed code is matched with what it was printed from
//     (trace.go).
//
// # Invariants
//
// User statements never reach yaegi's top level, which keeps every temporary alive for ever. A cell's statements are the
// body of a function.
//
// An interface holds values with their own types, everything else values without.
//
// A name of the session is bound to a types.Object, and the object to one yaegi name that is never declared twice. Defining a
// name again binds it anew; what used the old object is checked and emitted again, or says that it still uses the old one.
//
// What is private to yaegi and needed all the same is in guard.go; a self-test at the start checks that it is as it
// was. docs/yaegi.md lists what is worked around, and why.
package golang

//go:generate go run ../../internal/gen/exports -o library/gen_std.zip std
//go:generate go run ../../internal/gen/exports -store -o library/gen_gorocm.zip github.com/gorocm/gorocm/tensor github.com/gorocm/gorocm/tensor/nn github.com/gorocm/gorocm/tensor/quant github.com/gorocm/gorocm/tensor/formats github.com/gorocm/gorocm/tensor/tokenizers github.com/gorocm/gorocm/tensor/models github.com/gorocm/gorocm/rocm github.com/gorocm/gorocm/display github.com/gorocm/gorocm/display/comm github.com/gorocm/gorocm/display/widgets github.com/gorocm/gorocm/kernels github.com/gorocm/gorocm/repl/session github.com/gorocm/gorocm/repl/prelude
//go:generate go run ../../internal/gen/symbols -o symbols std github.com/gorocm/gorocm/tensor github.com/gorocm/gorocm/tensor/nn github.com/gorocm/gorocm/tensor/quant github.com/gorocm/gorocm/tensor/formats github.com/gorocm/gorocm/tensor/tokenizers github.com/gorocm/gorocm/tensor/models github.com/gorocm/gorocm/rocm github.com/gorocm/gorocm/display github.com/gorocm/gorocm/display/comm github.com/gorocm/gorocm/display/widgets github.com/gorocm/gorocm/kernels github.com/gorocm/gorocm/repl/session github.com/gorocm/gorocm/repl/prelude
