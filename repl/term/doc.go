// Package term is the terminal front end of a session: it reads cells from a terminal or a pipe and draws what they
// show.
//
//	code, err := term.Run(ctx, start, term.Options{HistoryFile: path})
//
// docs/terminal.md tells users what it does.
//
// # Files
//
// The loop: repl.go, eval.go a running cell and Ctrl-C, ask.go a cell's questions, edit.go the user's own editor.
//
// What cells show: printer.go events as text, bars.go progress, waiting.go what a cell waits for, look.go what the
// terminal can show.
//
// The line editor: editor.go what keys do, newline.go what Enter does, keys.go what the terminal sends, typist.go one
// key at a time, ahead.go what was typed before the prompt, buffer.go the text and its cursor, layout.go its rows,
// screen.go rows in place on the terminal, paint.go colours and brackets, menu.go completion, hint.go the call's
// documentation, recall.go earlier cells. plain.go reads pipes and dumb terminals.
//
// The terminal itself: tty_unix.go modes and job control, guard_unix.go restores it after kill -9.
//
// # What of readline is used
//
// Readline's Terminal decodes keys (typist.go). What it does not know a reader of ours makes into runes of their own
// before (keys.go): Ctrl and Alt with the arrows, Home as ESC[1~, Delete, which it takes for Ctrl-D, bracketed paste.
// It would read on beyond a key, so it is given one at a time. Its buffer and its history are not used: the buffer
// draws one line, and a newline in it makes it draw all of it again at each key, in the wrong place; the history is one
// file of lines. Hence buffer, layout and screen here, and package history. Colours come from go/scanner, not from a
// highlighter for many languages: that is what the session reads, it is exact for half a line, and it finds the
// brackets, too.
//
// # Invariants
//
// The editor's state is changed and drawn under editor.mu; the screen has a lock of its own, since cells print while a
// cell is edited. The session is never waited for while a key is drawn, except for Enter and Tab, which ask it. The
// terminal is in one of three modes: as it was found, raw, and running, in which keys are not echoed and wait, and
// Ctrl-C is a signal. Keys are read only while the editor waits for one: at any other time they are the terminal's, for
// programs that cells or the editor start.
package term
