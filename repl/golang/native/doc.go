// Package native compiles functions of cells to machine code.
//
//	p := native.New(typeOf)
//	for _, o := range p.Compile(units) { … }      // o.Proc, or o.Reason why it stays interpreted
//	o.Proc.Code().Run(host, used, params, results) // in the memory of an interpreted call
//
// # Parts
//
//   - source.go looks for what is not compiled and has package ssa of x/tools build the function; package order has it
//     evaluate operands as the compiler does where Go leaves open how. Package defers rewrites what defers calls.
//   - translate.go and its neighbours (instructions.go, slices.go, strings.go, builtins.go, calls.go) make typed code
//     of it, literals.go of function literals in the place of their calls, funcvalues.go of those that are values.
//   - instances.go compiles instances of generic functions.
//   - foreign.go has Go code call compiled functions and make interfaces, maps.go use maps;
//     mapfind.go finds their elements, dispatch.go calls methods of interfaces, and builders.go writes short texts to
//     builders without Go code.
//   - channels.go has Go code use channels: package channels does the operations.
//   - paste.go has the code of short functions in the place of their calls.
//   - given.go has functions that are given function literals there, with these; package ahead finds which.
//   - Package ir has that code, makes values of variables in the frame, computes constants and equal values once and
//     removes checks that cannot fail.
//   - Package regalloc gives values registers, package amd64 writes instructions.
//   - program.go plans what is compiled, install.go puts it in place; Proc is a function under all its versions of the
//     same type.
//   - callback.go has what Go code calls as a function value, contexts.go the contexts that wait for that, and
//     resume.go goes on where such code leaves.
//   - run.go runs it; leave.go and request.go do what it leaves to Go code, package quick what can be done at once;
//     leaving.go makes the deferred calls of what a panic leaves; callout.go calls interpreted functions; stops.go
//     finds what is known of the place at which it was left.
//   - element.go compiles functions over elements (tensor.Map) as loops, device.go for GPUs: package hip writes C++.
//   - Package enter has the memory of code and the way into it and out. Its documentation states the invariants by
//     which generated code and the runtime live together.
//
// # Invariants
//
// A function is compiled whole or stays interpreted. What is compiled does what the compiler's code does: the texts of
// panics are the runtime's, because Go code raises them after generated code was left.
//
// Functions of compiled code call each other through entries, words that hold the address of the newest version. Where
// that is interpreted, it is the address of a stub, which leaves for Go code to call it.
//
// Code of a function that is in the place of a call runs only while no newer version has been installed, nor the
// function been made interpreted: it looks at a word for that before.
//
// What generated code is left for is done at once, by a function value of package quick that the code names, where that
// does it; otherwise by what stops.go knows of the place.
//
// A function of a compiled package is called where the session says that it may be: it neither asks for its caller nor
// waits for other goroutines, which interpreted code would have noted.
//
// A function value is a closure, which Go code allocates and generated code only reads: see callback.go. A call of one
// compares the first word, and leaves for Go code to call any other function.
//
// A pointer that generated code holds is one that it was given, that it has read from memory, or one of these within
// the same variable. It never holds one past the end of a variable.
//
// # Another processor
//
// Package amd64 is all that knows the processor, with the assembly of package enter. Another one needs its own Emit,
// Gate and Stub, and a gate that flushes the instruction cache; until then Unsupported says so there.
package native
