package repl

import (
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/internal/opened"
)

// lateFailure is what a GPU says only now about the ids that a cell has given it: without it the mistake would come up
// in a later cell, or be lost among the elements that a value is shown with.
func lateFailure() *golang.Failure {
	for _, d := range opened.Devices() {
		if err := d.CheckIDs(); err != nil {
			name, message, notes, _ := describe(err)
			return &golang.Failure{Name: name, Message: message, Notes: notes}
		}
	}
	return nil
}
