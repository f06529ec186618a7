// Package check reads cells and checks them with go/types against what the session has declared.
//
//	c, problems := scope.Parse("cell[3]", src)      // one value for the later phases
//	checked, notes, problems := scope.Check(c)      // nothing of the session has changed yet
//
// # Parts
//
//   - split.go scans a cell and splits it into imports, declarations and statements; parse.go parses these into a Cell.
//   - order.go puts a cell's variable declarations into the order in which Go initialises them.
//   - scope.go is the Scope: what the names of the session stand for, what uses what, the text of every cell.
//   - check.go checks a cell, with those declarations of older cells that it changes; bodies.go its functions and
//     methods; environment.go says what a check sees; statements.go its statements, and what they need to be Go: a
//     shown value, an error that nobody takes.
//   - redefine.go finds what a redefinition affects, and the variables that get the newer type.
//   - results.go and results_name.go are the results of cells: _3, Out[3], __.
//   - nesting.go, constants.go and contained.go refuse syntax that would take minutes to check; large.go refuses
//     checked types and values for which there is no memory, by their layout (layout.go). interrupt.go ends a check.
//   - hints.go and hints_syntax.go say what the author of an error may have meant; failed.go knows the names that
//     failed cells would have declared.
//   - failure.go makes one Failure of a cell's problems.
//   - query.go answers questions about types, names and sources; edits.go changes the text of a cell at places of its
//     tree.
//
// # Invariants
//
// A check changes the Scope only where a method is added to a type of an older cell, because a types.Named cannot lose
// methods: Phantom has those of cells that failed, and no later check lets them be used.
//
// Every cell is checked as the same package, with a scope that is emptied for it: see Scope.FreshScope.
//
// Positions of syntax trees are in Scope.Fset, and their file names are the names of cells.
//
// All goroutines hold Scope.Mu while they read or change a Scope.
package check
