// Package term is the terminal front end of a session: it reads cells from a terminal or a pipe and draws what they show.
//
//	code, err := term.Run(ctx, start, term.Options{HistoryFile: path})
//
// Files: repl.go the loop · eval.go a running cell and Ctrl-C · printer.go events as text · editor.go the line editor on
// chzyer/readline · keys.go what the terminal sends, bracketed paste included · complete.go TAB · paint.go colours · plain.go pipes and
// dumb terminals.
//
// # A cell in the line editor
//
// A cell is read line by line: as long as the session calls it incomplete there is a further line. A pasted block arrives as
// one line in which newlines are a rune of their own, drawn as ␤, because readline draws one line only. The same form keeps a cell of
// several lines as one entry of the history.
//
// # What readline leaves undone
//
// Bracketed paste, Home and End as ESC[1~ and ESC[4~, words by Ctrl and Alt with the arrows: keys.go translates them. A Delete key that
// leaves the session on an empty line, Ctrl-L that clears nothing, Ctrl-Z that stops the parent: editor.go intercepts them. Its
// completion menu divides by zero in narrow windows: complete.go lists matches itself. Close beside a Readline in progress hangs:
// it is never called then; the terminal's state is saved and restored here.
package term
