package check

import (
	"context"
	"go/types"
	"sync"
)

// Interrupted is what checking and lowering panic with when they are to end.
type Interrupted struct{}

func (Interrupted) Error() string { return "the cell was interrupted" }

// Interruptible has Checkpoint panic with Interrupted once ctx is cancelled, until the returned function is called.
// Mu is held meanwhile. It does not ask for ctx.Done, as what runs a cell does: %time counts from there.
func Interruptible(sc *Scope, ctx context.Context) (done func()) {
	sc.interrupted, sc.changing = ctx.Err, ctx.Err
	if l, ok := ctx.(*Leavable); ok {
		sc.changing = l.change
	}
	return func() { sc.interrupted, sc.changing = nil, nil }
}

// Checkpoint is called wherever a cell is looked at piece by piece, while nothing of the session has changed.
func Checkpoint(sc *Scope) {
	if sc.interrupted != nil && sc.interrupted() != nil {
		panic(Interrupted{})
	}
}

// Changing ends what Interruptible began: the session changes from here on, and a cell does so as a whole. It returns
// the failure of a cell that has been interrupted before.
func Changing(sc *Scope) *Failure {
	if sc.changing != nil && sc.changing() != nil {
		return InterruptedFailure()
	}
	sc.interrupted, sc.changing = nil, nil
	return nil
}

// Leavable is the context of a cell that nobody may wait for any more while it is checked and lowered.
type Leavable struct {
	context.Context
	mu       sync.Mutex
	changing bool // the session changes, so the cell is waited for
}

// Leave reports whether the cell, which has been interrupted, will change nothing of the session: it has not begun to.
func (l *Leavable) Leave() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Err() != nil && !l.changing
}

// change notes that the session changes, unless the cell has been interrupted.
func (l *Leavable) change() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.Err()
	l.changing = err == nil
	return err
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
