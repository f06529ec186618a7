// Package golang runs cells of Go. Engine is a facade over packages that own a phase, or a question, each.
//
//	e, err := golang.New(golang.Options{Stdout: os.Stdout, Stderr: os.Stderr})
//	out := e.Eval(ctx, 1, "x := 2\nx + 40")
//	out.Values[0] // 42
//
// # A cell
//
// Eval takes a cell through these phases (eval.go). Nothing of the session changes before the cell is loaded.
//
//	parse    check: one check.Cell, its imports, declarations and statements in any order
//	import   the third-party packages that it imports are loaded and initialised (packages.go)
//	check    check: go/types, against the objects of earlier cells that the cell mentions
//	lower    lower: the checked tree is printed as the Go that yaegi runs correctly
//	load     lower, run: the declarations are evaluated and bound
//	execute  run: the function that holds the statements is called; the variables that it defined are bound (commit.go)
//
// # Packages
//
//	library  types, docs and sources of what cells can import
//	check    the Scope, what the session has declared; splitting, parsing, checking, hints
//	assist   completion and inspection, on the Scope
//	lower    what the session's code has become, and how a cell is printed; below it typing, the types of lowered
//	         code, and support, the compiled functions that it calls
//	run      goroutines, stops, panics, limits; the interpreter
//	machine  yaegi's private memory, and faster code for what it runs
//	debug    breakpoints, steps, and where the variables of a stopped goroutine are
//	native   machine code for functions
//	rtype    run-time types for types that only go/types knows
//	symbols  the compiled packages that cells can use; generated
//	linked   what third-party packages reach by go:linkname
//	included modules that are compiled into this program
//	typekey  names of types that two runs of the type checker share
//	gotest   tests of cells, run by package testing
//	vet      what go vet says of cells
//	asprogram  cells as a Go program
//
// What is left to Engine: the phases, long ones of which an interrupt does not wait for (left.go), results of cells and
// the memory that they are in (results.go, measure.go), third-party packages, tests (tests.go), saving as a program
// (save.go), loops to be timed (timing.go), and the questions that assist and check answer (facade.go), and of a
// debugger (debugging.go).
//
// # What yaegi sees
//
// Little of Go is left to yaegi: functions, statements, unnamed types, and what looks to it like a compiled package,
// gorocm/cell, whose symbols the session makes as it goes (lower/symbols.go).
//
//   - Types. Interpreted code holds values without the names of their types: type Celsius float64 is a float64, a
//     struct is a compiled struct type. When a value becomes an interface, it gets a run-time type with its name and
//     methods, which package rtype builds; an assertion takes it off again (lower/support/interfaces.go). So %T,
//     fmt.Stringer, JSON, sort.Interface, errors.As and reflect work as in compiled Go.
//   - Methods are functions whose first parameter is the receiver; method tables call them through slots
//     (lower/methods.go).
//   - Generics are printed once for each instance (lower/generic.go).
//   - Variables of the session live in the session's memory, behind pointers.
//   - A panic's trace comes from the functions that it leaves, and the printed code is matched with what it was printed
//     from (run/trace.go).
//
// # Locks and goroutines
//
// Engine.running is held while a cell of the main shell runs, so there is one such cell at a time. Cells of subshells
// run beside it (EvalBeside), each with its own mark, runner and shown values; a variable that a name no longer stands
// for is released when no cell runs beside. Scope.Mu is held while a cell is parsed,
// checked, lowered and bound, but not while it runs: questions are answered meanwhile. Cells run in goroutines of
// package run.
//
// # Invariants
//
// A name of the session is bound to a types.Object, and the object to one name in lowered code that is never declared
// twice. Defining a name again binds it anew; what used the old object is checked and lowered again, or says that it
// still uses the old one.
//
// What is private to yaegi and needed all the same is in machine and in run/guard.go; a self-test at the start checks
// that it is as it was. docs/yaegi.md lists what is worked around, and why.
package golang

//go:generate go run ../../internal/gen/exports -o library/gen_std.zip std
//go:generate go run ../../internal/gen/exports -store -o library/gen_gorocm.zip github.com/gorocm/gorocm/tensor github.com/gorocm/gorocm/tensor/nn github.com/gorocm/gorocm/tensor/nn/train github.com/gorocm/gorocm/tensor/nn/optim github.com/gorocm/gorocm/tensor/stats github.com/gorocm/gorocm/tensor/stats/distributions github.com/gorocm/gorocm/tensor/special github.com/gorocm/gorocm/tensor/frame github.com/gorocm/gorocm/tensor/linalg github.com/gorocm/gorocm/tensor/autograd github.com/gorocm/gorocm/tensor/random github.com/gorocm/gorocm/tensor/sparse github.com/gorocm/gorocm/tensor/distributed github.com/gorocm/gorocm/tensor/fft github.com/gorocm/gorocm/tensor/signal github.com/gorocm/gorocm/tensor/optimize github.com/gorocm/gorocm/tensor/integrate github.com/gorocm/gorocm/tensor/interpolate github.com/gorocm/gorocm/tensor/spatial github.com/gorocm/gorocm/tensor/cluster github.com/gorocm/gorocm/tensor/ndimage github.com/gorocm/gorocm/tensor/quant github.com/gorocm/gorocm/tensor/formats github.com/gorocm/gorocm/tensor/limits github.com/gorocm/gorocm/tensor/tokenizers github.com/gorocm/gorocm/tensor/models github.com/gorocm/gorocm/tensor/models/vision github.com/gorocm/gorocm/tensor/models/speech github.com/gorocm/gorocm/tensor/models/finetune github.com/gorocm/gorocm/tensor/models/diffusion github.com/gorocm/gorocm/tensor/models/internal/encoder github.com/gorocm/gorocm/tensor/onnx github.com/gorocm/gorocm/rocm github.com/gorocm/gorocm/display github.com/gorocm/gorocm/display/comm github.com/gorocm/gorocm/display/widgets github.com/gorocm/gorocm/kernels github.com/gorocm/gorocm/repl/session github.com/gorocm/gorocm/repl/prelude github.com/gorocm/gorocm/repl/golang/linked modernc.org/sqlite
//go:generate go run ../../internal/gen/symbols -o symbols std github.com/gorocm/gorocm/tensor github.com/gorocm/gorocm/tensor/nn github.com/gorocm/gorocm/tensor/nn/train github.com/gorocm/gorocm/tensor/nn/optim github.com/gorocm/gorocm/tensor/stats github.com/gorocm/gorocm/tensor/stats/distributions github.com/gorocm/gorocm/tensor/special github.com/gorocm/gorocm/tensor/frame github.com/gorocm/gorocm/tensor/linalg github.com/gorocm/gorocm/tensor/autograd github.com/gorocm/gorocm/tensor/random github.com/gorocm/gorocm/tensor/sparse github.com/gorocm/gorocm/tensor/distributed github.com/gorocm/gorocm/tensor/fft github.com/gorocm/gorocm/tensor/signal github.com/gorocm/gorocm/tensor/optimize github.com/gorocm/gorocm/tensor/integrate github.com/gorocm/gorocm/tensor/interpolate github.com/gorocm/gorocm/tensor/spatial github.com/gorocm/gorocm/tensor/cluster github.com/gorocm/gorocm/tensor/ndimage github.com/gorocm/gorocm/tensor/quant github.com/gorocm/gorocm/tensor/formats github.com/gorocm/gorocm/tensor/limits github.com/gorocm/gorocm/tensor/tokenizers github.com/gorocm/gorocm/tensor/models github.com/gorocm/gorocm/tensor/models/vision github.com/gorocm/gorocm/tensor/models/speech github.com/gorocm/gorocm/tensor/models/finetune github.com/gorocm/gorocm/tensor/models/diffusion github.com/gorocm/gorocm/tensor/onnx github.com/gorocm/gorocm/rocm github.com/gorocm/gorocm/display github.com/gorocm/gorocm/display/comm github.com/gorocm/gorocm/display/widgets github.com/gorocm/gorocm/kernels github.com/gorocm/gorocm/repl/session github.com/gorocm/gorocm/repl/prelude github.com/gorocm/gorocm/repl/golang/linked modernc.org/sqlite
