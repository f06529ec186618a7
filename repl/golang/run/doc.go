// Package run runs lowered code on yaegi: it starts and stops goroutines, follows panics, and stands in for what the
// standard library would do to the process.
//
//	rt := run.New(scope, run.Options{Stdout: os.Stdout, Stderr: os.Stderr})
//	err := rt.UseSymbols(nil)              // before anything is run
//	err = rt.Start()                       // checks that yaegi is the one that this package was made for
//	file, err := rt.Declare("func f() {}") // lowered code
//	failure := rt.Run(ctx, "f", nil)
//
// # Parts
//
//   - state.go is Runtime. interpreter.go gives code and symbols to yaegi; runtime.go has the functions that lowered
//     code calls.
//   - run.go runs a cell's function in a goroutine of its own and makes a failure of how that ends; mark.go knows which
//     statement it is at.
//   - stops.go ends goroutines. guard.go puts the guard around every interpreted function, which looks for stops and
//     notes where panics pass. goroutine_*.s tell which goroutine runs.
//   - trace.go is panic traces: it finds the statement of a cell that a place in lowered code comes from. panics.go
//     makes failures of panics, defers.go runs deferred calls, select.go selects.
//   - callstack.go walks the stack for runtime.Caller and its like, which callstack_runtime.go replaces.
//   - watch.go and limits.go limit the memory that cells use; deadlock.go ends a cell whose goroutines all wait.
//   - debugger.go connects package debug with goroutines, panics and stops.
//   - stdio.go, logging.go, programs.go, standins.go, testing.go and print.go stand in for functions that write to the
//     process's files, start programs or end the process.
//
// # Goroutines
//
// A cell runs in a goroutine that Run starts and waits for. Goroutines that cells start go through goEnd or guarded,
// which report their panics: Run takes them, or the next cell tells. One goroutine for each running cell watches memory
// and deadlocks; see observer.
//
// # Invariants
//
// A stop reaches a goroutine at its next step of interpreted code, or where it waits for a channel, a timer or
// time.Sleep. It stops no other goroutine. One that is in a compiled call which cannot be woken is left behind, and the
// session goes on.
//
// Every interpreted function runs under guard. A panic passes each guard once, from the inside out.
//
// Nothing of this package is called by a cell by its name: lowered code reaches it through the symbols of
// gorocm/session.
package run
