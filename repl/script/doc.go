// Package script runs the cells of a file on a session, and writes what they showed as a notebook.
//
//	file, err := cells.Read("demo.go")
//	result := script.Execute(ctx, session, file, script.Options{Sink: draw})
//	err = script.WriteNotebook(w, result)
package script
