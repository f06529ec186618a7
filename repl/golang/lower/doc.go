// Package lower prints checked cells as the Go that yaegi runs correctly, and keeps what the session's code has
// become.
//
//	code := state.Lower(checked)   // prints the cell
//	failure := state.Load(code)    // gives it to the interpreter
//	state.CommitDecls(checked)     // binds what it declares
//
// # Parts
//
// A type knows those that stand before it here, and has its own state. Back goes only a beginning: a State begins
// units, a unit its functions, and exprs has stmts lower the literals in an expression (check.Copier.Hook).
//
//   - State (state.go) lives as long as the session: what its objects are called in lowered code, and which helpers
//     that code has. commit.go loads a cell and binds what it declares, symbols.go makes variables. Below it, package
//     typing knows types, and package support makes the compiled functions that lowered code calls.
//   - unit (unit.go) is what is loaded at once: a cell, the initialisation of a third-party package (packages.go;
//     package data stores its tables of constants), or a function that is lowered when it is called (late.go). It has
//     the names (names.go) and instances (generic.go) that it adds to the session, and its output (output.go), whose
//     functions order.go orders. spell.go spells types in it.
//   - facts (facts.go) are asked about the syntax of one function: its types, what is pure (operands.go) or may fail
//     (places.go), and which variables outlive their block (escape.go).
//   - speller (spell.go) spells objects, constants and conversions in that function, from facts alone: constant.go,
//     names.go, interfaces.go (values on their way into interfaces and out of them), methods.go (which give run-time
//     types their methods, too).
//   - exprs (expr.go) lowers expressions: calls.go, builtin.go, composite.go, operands.go, generic_cleanup.go;
//     package data makes long literals of constants without yaegi, standins.go calls what the session has in place of
//     functions of the standard library.
//   - assigns (assign.go, temps.go) lowers assignments and declarations of variables.
//   - hooks (hooks.go) has what is called at statements while the debugger is on.
//   - stmts (body.go) lowers a function: its statements (stmt.go, range.go, switch.go, channel.go, labels.go), in the
//     order of Go's compiler (ordered.go), what it defers (defer.go), and the literals in it.
//   - cell (cell.go) lowers the statements of a cell, and shows their values. native.go plans which of its functions
//     and loops become machine code.
//
// # Invariants
//
// Interpreted code holds values without the names of their types; an interface holds values with their own types.
//
// An object of the session has one name in lowered code, which is never declared twice. User statements never reach
// yaegi's top level, which keeps every temporary alive for ever: a cell's statements are the body of a function.
//
// State changes under Scope.Mu only. A unit changes nothing of the session until Load, but for names that it uses up.
package lower
