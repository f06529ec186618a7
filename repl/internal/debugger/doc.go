// Package debugger is what users of a debugger see: the debug adapter protocol, as Jupyter clients speak it, and a
// prompt for terminals. What stops goroutines is package golang/debug.
//
//		d := debugger.New(debugger.Host{…})
//		messages := d.Handle(ctx, []byte(`{"type": "request", "command": "attach", …}`)) // the response, and events
//
//	  - debugger.go says where the session's cells are, and what happens at a stop. source.go gives cells their paths.
//	  - adapter.go dispatches requests, requests.go and variables.go answer them.
//	  - values.go shows values, and what they consist of.
//	  - console.go is the prompt.
//
// # Jupyter's dialect
//
// JupyterLab names a cell by the path of its text: a prefix, the Murmur2 hash of the text, and a suffix, which
// debugInfo tells. No file of that name is written. JupyterLab asks for thread 1, whichever has stopped: it is the
// cell's goroutine, and a request for it reaches the one that is stopped.
//
// # Locks
//
// Debugger.mu guards what clients have been told. It is not held while anything is evaluated.
package debugger
