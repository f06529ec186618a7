// Package lower prints checked cells as the Go that yaegi runs correctly, and keeps what the session's code has become.
//
//	code, l := state.Lower(checked)   // prints the cell
//	failure := state.Load(l, code)    // gives it to the interpreter
//	state.CommitDecls(checked, l)     // binds what it declares
//
// # Parts
//
//   - state.go is State: what the objects of a session are called in lowered code, and which helpers that code has.
//     symbols.go gives it variables and types; types.go spells types and substitutes type parameters.
//   - lower.go is Lowerer, which prints one cell, on the facts that go/types and escape analysis know. cell.go prints
//     the cell's statements, stmt.go and its neighbours single statements, expr.go and its neighbours expressions;
//     calls.go and builtin.go calls, operands.go the order in which operands are evaluated.
//   - escape.go finds the variables that outlive their block. defer.go prints functions that defer.
//   - interfaces.go converts values on their way into interfaces and out of them; methods.go gives run-time types their
//     methods.
//   - generic.go prints instances, source.go finds the source of generic packages; generic_*.go are functions of the
//     runtime and of package sort that are compiled.
//   - packages.go lowers third-party packages, late.go their functions when they are called; table.go stores their
//     tables of constants. standins.go calls what the session has in place of functions of the
//     standard library.
//   - hooks.go puts hooks into functions while the debugger is on; order.go orders the printed functions.
//   - commit.go loads a cell and binds what it declares.
//
// # Invariants
//
// Interpreted code holds values without the names of their types; an interface holds values with their own types.
//
// An object of the session has one name in lowered code, which is never declared twice. User statements never reach
// yaegi's top level, which keeps every temporary alive for ever: a cell's statements are the body of a function.
//
// State changes under Scope.Mu only. A Lowerer changes nothing of the session until Load.
package lower
