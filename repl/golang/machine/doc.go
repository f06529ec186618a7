// Package machine knows what yaegi keeps private, and makes what yaegi runs faster.
//
// yaegi compiles a function to a graph of nodes. Running it means calling a closure for each node, which takes its
// operands out of the frame as reflect.Values, and leaves its result there. A frame has an allocation for every value.
//
//	for exec := n.exec; exec != nil; {
//		exec = exec(f)
//	}
//
// Optimize, between yaegi's compilation and its first run, gives nodes closures of its own:
//
//   - An expression of numbers, strings, booleans, slices or pointers becomes one closure with its types known, which
//     reads and writes the frame's memory without reflection. Its inner nodes leave the graph (expr.go, address.go,
//     root.go).
//   - A call of a function that keeps nothing of its frame uses one frame again and again (call.go).
//   - Entries of maps with usual keys are read and set by the compiler's own code for maps (maps.go).
//   - Channel operations and calls that wait for other goroutines note where they do (waits.go).
//   - Operations on maps panic where the runtime would end the process, because goroutines use one map at the same time
//     (conflicts.go).
//   - Compiled functions and methods are called with their arguments in registers (native.go), and call function
//     literals and methods of the session so (trampoline.go, method.go, method_held.go). Where the compiler does
//     otherwise, all goes through package reflect.
//   - What yaegi goes on doing itself, with indices, slices and shifts, is checked first, so that it panics with Go's
//     own errors and numbers (bounds.go).
//
// Nothing else changes: what is not known here stays as yaegi made it, and the two work on the same frames.
//
// The functions of a cell are taken one by one: code (optimize.go) replaces nodes, guards (bounds.go) has those that
// stay do something first, and both ask places (types.go) where values are and of which types.
//
// The layouts of yaegi's types are in layout.go alone. Check compares them with yaegi's before anything relies on them.
package machine
