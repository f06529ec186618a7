// Package debug stops goroutines of cells at statements, and tells what their functions are in the middle of.
//
//	d := debug.New(debug.Runtime{…})
//	d.Enable(true)                    // what is lowered from now on has hooks
//	d.SetBreakpoints("cell[3]", []debug.Breakpoint{{Line: 2}})
//	d.Handlers(func(s *debug.Stop) { … s.Resume(debug.StepOver) … }, condition, log)
//
// # Hooks
//
// While debugging is on, package lower prints functions of cells with calls of three methods:
//
//	frame := session.Debug(7)         // Enter: the function begins. A function literal calls frame.Enter(8)
//	frame.At(21)                      // before each statement: 21 is a Place
//	x := f()
//	frame.Set(0, &x)                  // behind each declaration: where the variable is
//
// A function literal begins with a Set of each variable of the functions around it that it uses: it has those of the
// iteration that made it, where the frame around it has those of the last one.
//
// A Place knows its line and which variables are in scope there, by their numbers in the frame, or in that of an
// enclosing function. So a debugger reads and sets variables through their own addresses. At costs one atomic load
// where nothing may stop. Code that was lowered while debugging was off has no hooks, and costs nothing.
//
// Around each function with hooks, package run calls Begin and the function that it returns: they keep the frames of a
// goroutine, also where a panic leaves it.
//
// # Stops
//
// One goroutine is stopped at a time, the Stop. Others of cells wait at their next statement with a hook until it is
// resumed; those in compiled code, and in functions without hooks, go on. A goroutine that evaluates something for the
// debugger never stops. Interrupting the cell releases all goroutines, and ends debugging of none.
//
// A step ends at the next statement on another line: of any function (StepIn), of the same function or one that called
// it (StepOver), or of one that called it (StepOut). The head of a loop counts as a statement before each iteration.
//
// # Locks
//
// Debugger.mu guards breakpoints, steps and the stop. It is not held while a handler, a condition or user code runs.
// Frames belong to their goroutine; others read them only while it is stopped.
package debug
