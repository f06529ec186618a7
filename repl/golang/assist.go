package golang

import (
	"github.com/gorocm/gorocm/repl/golang/check"
)

// Assistant answers what may be written in a cell, and what it means.
type Assistant struct{ *check.Scope }

// Complete lists what may stand at the cursor, a byte offset. Nothing is run, and it may be called while a cell runs.
func (e *Engine) Complete(code string, cursor int) Completion { return e.assist.Complete(code, cursor) }

// Describe tells what is known of the name at the cursor: see Assistant.Describe.
func (e *Engine) Describe(code string, cursor, detail int) (Description, bool) {
	return e.assist.Describe(code, cursor, detail)
}

// TypeOf is the static type of an expression: see Scope.TypeOf.
func (e *Engine) TypeOf(src string) (text string, failure *check.Failure) { return e.scope.TypeOf(src) }

// Source is the source of what a cell declared: see Scope.Source.
func (e *Engine) Source(name string) (text, where string, ok bool) { return e.scope.Source(name) }

// Members are the exported names of a package that cells can use: see Scope.Members.
func (e *Engine) Members(path string) (name string, members []string) { return e.scope.Members(path) }

// Packages lists the import paths that cells can use.
func (e *Engine) Packages() []string { return e.scope.Packages() }
