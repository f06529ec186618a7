// Package repl is a session: cells of Go and commands go in, events and values come out. Front ends drive a Session;
// this package knows none of them.
//
//	s, err := repl.New(repl.Options{})
//	reply := s.Eval(ctx, repl.Request{Code: "x := 2\nx + 40"}, func(e repl.Event) { … })
//
// New returns a Local, a Session of this process, which runs Go by package repl/golang. Front ends use package
// repl/worker, which runs one in a child process: a fault in a driver ends that process alone.
//
// # Files
//
//	session.go, local.go         Session, and Local; info.go describes one
//	eval.go                      a cell: commands and Go apart, one after the other; beside.go: cells of subshells
//	sink.go, notice.go, errors.go  events, notices and errors, as front ends show them
//	results.go, gradients.go     results, and how they are shown; late.go: errors that a GPU reports late
//	complete.go, inspect.go      answers for a cell that is being written; peek.go describes values
//	commands_table.go            the table of commands; commands.txt has their help, commands_*.go what they do
//	kernels*.go, devices.go      %%hip and profiles; how long devices work
//	held.go                      the tensors that a value holds, for %tensors
//	shell*.go                    lines that begin with !
//	debug.go                     the debugger, for its protocol and its prompt
//	save.go                      cells as files
//	analysis.go                  cells that are checked and not run, for editors
//	frontend.go, process.go      what cells can ask of the front end
//	moving.go                    a session that goes on in a program with modules compiled in
//
// # Invariants
//
//   - One cell of the main shell runs at a time. Every other method may be called meanwhile, and answers at once.
//   - Events reach a sink in order, never two at once.
//   - A user's mistake is a Reply, not a Go error.
//   - Packages display, comm and session are called without a session. They use the one whose cell began last, so cells
//     of two sessions of one process do not run at the same time.
package repl
