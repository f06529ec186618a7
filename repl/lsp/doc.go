// Package lsp is a language server for cells: notebooks in VS Code and JupyterLab, and .go files with // %% lines.
//
//	err := lsp.Serve(os.Stdin, os.Stdout, "1.0")
//
// It speaks the Language Server Protocol 3.17 over a pipe: diagnostics while one types, completion, documentation,
// signatures, definitions, references and renaming across cells. The answers come from the session's own checker
// (repl.Analysis), so that they are what running the cells in order would say. Nothing of a cell runs.
//
// # Parts
//
//	rpc.go        JSON-RPC 2.0 messages on a pipe
//	protocol.go   the parts of the protocol that are used
//	text.go       positions in UTF-16 code units <-> byte offsets; edits of texts
//	document.go   documents, and the cells that they consist of
//	analyse.go    the checks of a document, and what they have found; again.go: which cells an edit has checked again
//	server.go     Serve: the loop and the table of methods; sync.go: what opens, changes and closes documents
//	features.go   completion, hover, signature; names.go: definition, references, rename
//
// # Cells of one text
//
// JupyterLab sends a notebook as one text, in which empty lines stand between cells. A text is taken apart at // %%
// lines, or where two or more empty lines follow a whole statement. That may give smaller cells than the notebook has,
// which means the same.
//
// # Invariants
//
//   - One goroutine handles messages, one after the other; another only reads them.
//   - Diagnostics are sent once no message has come for a moment; a question about names waits for them.
//   - A cell with mistakes declares what it declared when it had none, so that one mistake does not follow another.
package lsp
