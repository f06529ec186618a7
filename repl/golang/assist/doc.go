// Package assist answers questions about cells that are being written: what may stand at the cursor, what a name means,
// whether a cell is complete. Nothing is run.
//
//	a := assist.Assistant{Scope: scope}
//	a.Complete("person.Na", 9)      // Name
//	a.Describe("person.Name", 9, 0) // var person.Name string, with its documentation
//
// # Parts, from the text up
//
//   - iscomplete.go says whether brackets, strings and statements are closed, from tokens alone.
//   - complete_lexical.go says whether the cursor is in a string or a comment; complete_repair.go closes what is still
//     open.
//   - complete_look.go checks the part of the repaired cell that the cursor is in, as package check does a cell.
//   - complete_want.go finds what type the place at the cursor asks for; complete_names.go, complete_members.go and
//     complete_string.go list candidates; complete_rank.go sorts them by how well they fit.
//   - complete.go is Complete, which puts these together.
//   - inspect.go is Describe; inspect_object.go, inspect_decl.go and inspect_doc.go find out about an object,
//     inspect_words.go about keywords and built-in functions; inspect_text.go prints the description as text and HTML.
//
// # Invariants
//
// A question leaves no trace: the Scope has the same names afterwards, and no file set of the session grows. The Scope
// is locked for as long as a question takes, so any goroutine may ask while a cell runs.
//
// Half-written code makes go/types panic now and then. That is an empty answer, and a failure in tests.
package assist
