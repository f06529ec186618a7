package modules

import (
	"errors"
	"strings"
)

// ErrNoGo is what errors.Is finds in the error of a machine without a Go toolchain.
var ErrNoGo = errors.New("there is no go command")

// Error is why a package cannot be had or interpreted.
type Error struct {
	Message string   // one sentence
	Notes   []string // what to do, or facts
	Output  string   // what the go command said, empty when it was not asked

	cause error
}

// Error returns the message and the notes, one a line.
func (e *Error) Error() string { return strings.Join(append([]string{e.Message}, e.Notes...), "\n") }

// Unwrap returns ErrNoGo, the context's error, or the error of starting the go command, where one of them is the cause.
func (e *Error) Unwrap() error { return e.cause }

func failure(message string, notes ...string) *Error {
	return &Error{Message: message, Notes: notes}
}
