package check

import (
	"context"
	"go/types"
)

// Interrupted is what checking and lowering panic with when they are to end.
type Interrupted struct{}

func (Interrupted) Error() string { return "the cell was interrupted" }

// Interruptible has Checkpoint panic with Interrupted once ctx is cancelled, until the returned function is called.
// Mu is held meanwhile. It does not ask for ctx.Done, as what runs a cell does: %time counts from there.
func Interruptible(sc *Scope, ctx context.Context) (done func()) {
	sc.interrupted = ctx.Err
	return func() { sc.interrupted = nil }
}

// Checkpoint is called wherever a cell is looked at piece by piece, while nothing of the session has changed.
func Checkpoint(sc *Scope) {
	if sc.interrupted != nil && sc.interrupted() != nil {
		panic(Interrupted{})
	}
}

// Changing ends what Interruptible began: the session changes from here on, and a cell does so as a whole.
func Changing(sc *Scope) {
	Checkpoint(sc)
	sc.interrupted = nil
}

// InterruptedFailure is the failure of an interrupted cell.
func InterruptedFailure() *Failure {
	return &Failure{Name: "Interrupted", Message: Interrupted{}.Error()}
}

// checkpoints are sizes that the type checker asks for, once for each constant of a type int among others.
type checkpoints struct {
	types.Sizes
	scope *Scope
}

func (c checkpoints) Sizeof(t types.Type) int64 {
	Checkpoint(c.scope)
	return c.Sizes.Sizeof(t)
}
