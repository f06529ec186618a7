package run

import (
	"context"
	"reflect"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
)

// A cell of a subshell runs beside the running cell, on a goroutine of its own. It is a runner like that of the
// running cell: it can be stopped, is watched, and has its own mark and shown values. Everything else it shares with
// the running cell, as goroutines do.

// NewMark makes a mark for a cell that runs beside others. Scope.Mu is held.
func NewMark(rt *Runtime, cell string) *Mark {
	v := new(int)
	return &Mark{Symbol: rt.Provide("at", reflect.ValueOf(v)), Value: v, Cell: cell}
}

// RunBeside calls the function that holds the statements of a cell beside the running one, and returns what it has
// shown.
func RunBeside(outer context.Context, rt *Runtime, fn string, m *Mark) (shown []any, failure *check.Failure) {
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	f, err := rt.function(fn)
	if err != nil {
		return nil, rt.Unsupported(err, fn)
	}
	r := newRunner(m.name())
	r.beside = true
	defer rt.watchMemory(ctx, r, cancel)()
	machine.Enter()
	go func() { // it inherits the profiler's labels, by which a worker knows whose output something is
		defer close(r.done)
		defer machine.Leave()
		rt.stops.beginBeside(r)
		defer rt.stops.end(r)
		r.err = errGoexit
		r.call(rt, f)
	}()
	select {
	case <-r.done:
		if outer.Err() != nil {
			<-ctx.Done()
		}
	case <-ctx.Done():
	}
	ended := true
	if ctx.Err() != nil {
		ended = rt.stop(r)
	}
	if failure = rt.outcome(ctx, m, r, ended, nil); failure != nil || !ended {
		return nil, failure
	}
	return r.shown, nil
}

// SetShells says how many shells there are beside the main one. While there are any, a later cell of theirs may wake
// what the running cell waits for, so that it is in no deadlock.
func SetShells(rt *Runtime, n int) { rt.shells.Store(int32(n)) }

// takeOut takes the values that a cell has shown.
func takeOut(rt *Runtime, v []any) {
	v = append([]any(nil), v...)
	g, _ := goroutine()
	if r := rt.stops.besideOf(g); r != nil {
		r.shown = v
		return
	}
	rt.shown = v
}

// beginBeside makes the calling goroutine that of a cell beside the running one.
func (s *stops) beginBeside(r *runner) {
	g, _ := goroutine()
	r.g.Store(g)
	r.id = goroutineID()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setBeside(append(s.listBeside(), r))
	close(r.ready)
}

// endBeside is its end. s.mu is held.
func (s *stops) endBeside(r *runner) {
	var rest []*runner
	for _, x := range s.listBeside() {
		if x != r {
			rest = append(rest, x)
		}
	}
	s.setBeside(rest)
}

// listBeside is a copy of the list of the runners beside the running cell's.
func (s *stops) listBeside() []*runner {
	if list := s.beside.Load(); list != nil {
		return append([]*runner(nil), *list...)
	}
	return nil
}

func (s *stops) setBeside(list []*runner) {
	if len(list) == 0 {
		s.beside.Store(nil)
		return
	}
	s.beside.Store(&list)
}

// besideOf is the runner beside the running cell's that has a goroutine, nil where none has.
func (s *stops) besideOf(g uintptr) *runner {
	list := s.beside.Load()
	if list == nil {
		return nil
	}
	for _, r := range *list {
		if r.g.Load() == g {
			return r
		}
	}
	return nil
}

// of is the runner of a goroutine, nil where it is no cell's.
func (s *stops) of(g uintptr) *runner {
	if r := s.cell.Load(); r != nil && r.g.Load() == g {
		return r
	}
	return s.besideOf(g)
}
