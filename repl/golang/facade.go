package golang

// What is asked of a session beside its cells. The answers come from packages check and assist.

import (
	"errors"
	"go/types"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/assist"
	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/native"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// Complete lists what may stand at the cursor, a byte offset. Nothing is run, and it may be called while a cell runs.
func (e *Engine) Complete(code string, cursor int) assist.Completion {
	return e.assist.Complete(code, cursor)
}

// Describe tells what is known of the name at the cursor: see Assistant.Describe.
func (e *Engine) Describe(code string, cursor, detail int) (assist.Description, bool) {
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

// Inspect is Describe as plain text, with the summary of a variable's value unless a cell runs. The summary may run
// methods of the value.
func (e *Engine) Inspect(code string, cursor, detail int) (text string, found bool) {
	d, ok := e.Describe(code, cursor, detail)
	if !ok {
		return "", false
	}
	if d.Var != "" && e.opt.Summary != nil {
		e.Peek(d.Var, func(v any) { d.Facts = append(d.Facts, assist.Fact{Name: "value", Text: e.opt.Summary(v)}) })
	}
	return d.Text(), true
}

// Peek calls f with the value of a variable of the session, unless a cell runs, and reports whether it did. No cell
// begins while f runs.
func (e *Engine) Peek(name string, f func(any)) bool {
	if !e.running.TryLock() {
		return false
	}
	defer e.running.Unlock()
	v, err := e.Var(name)
	if err != nil {
		return false
	}
	f(v)
	return true
}

// Alone reports whether no goroutine of a cell runs beside the running cell.
func Alone() bool { return run.Alone() }

// Captured lists the values that a function literal of the session keeps alive, which the id tells from others. The id
// is 0 while a goroutine of a cell runs, which could write to them, and for functions of other kinds.
func Captured(fn reflect.Value) (id uintptr, list []reflect.Value) {
	if !run.Alone() {
		return 0, nil
	}
	if id, list = native.Captured(fn); id != 0 {
		return id, list
	}
	return machine.Captured(fn)
}

// Keys lists at most n keys of a variable of the session that is a map from strings, or of a field of one, as v.Field.
// It lists none while a cell or a
// goroutine of one runs, which could write to the map: that would end the process.
func (e *Engine) Keys(name string, n int) (keys []string) {
	if !run.Alone() {
		return nil
	}
	name, fields, _ := strings.Cut(name, ".")
	e.Peek(name, func(v any) {
		m := reflect.ValueOf(v)
		for field := range strings.FieldsFuncSeq(fields, func(r rune) bool { return r == '.' }) {
			if m.Kind() == reflect.Pointer {
				m = m.Elem()
			}
			if m.Kind() != reflect.Struct {
				return
			}
			f, ok := m.Type().FieldByName(field)
			if !ok {
				return
			}
			var err error
			if m, err = m.FieldByIndexErr(f.Index); err != nil { // through a nil pointer
				return
			}
		}
		if m.Kind() != reflect.Map || m.Type().Key().Kind() != reflect.String {
			return
		}
		for i := m.MapRange(); len(keys) < n && i.Next(); {
			keys = append(keys, i.Key().String())
		}
	})
	slices.Sort(keys)
	return keys
}

// Names lists the names of the session: variables, functions, types, constants, imports.
func (e *Engine) Names() []Name {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	var r []Name
	for n, b := range e.scope.Bindings {
		if n == "_" {
			continue
		}
		nm := Name{Name: n, Kind: "package", Type: path.Base(b.Path)}
		if b.Object != nil {
			nm.Kind, nm.Type = check.KindOf(b.Object), check.Display(b.Object.Type())
		}
		r = append(r, nm)
	}
	return r
}

// Defined returns the variables that cells have bound since the last call.
func (e *Engine) Defined() []string {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	d := e.defined
	e.defined = nil
	return d
}

// Name is a name of the session.
type Name struct{ Name, Kind, Type string }

// Var returns the value of a variable of the session, or of a result such as _3. It must not be called while a cell
// runs.
func (e *Engine) Var(name string) (any, error) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	b := e.scope.Bindings[name]
	if b == nil {
		if v, ok := e.resultValue(name); ok {
			return v, nil
		}
		return nil, errors.New("no variable " + name)
	}
	v, ok := b.Object.(*types.Var)
	if !ok || e.state.Slots.Of(v) == nil {
		return nil, errors.New(name + " is not a variable")
	}
	return e.state.Value(e.state.Slots.Of(v), v.Type()), nil
}

// What the answers of Complete and Describe are.
type (
	Completion  = assist.Completion
	Text        = assist.Text
	Description = assist.Description
	Fact        = assist.Fact
)

// IsComplete says whether a cell can run as it stands: see assist.IsComplete.
func IsComplete(code string) (status, indent string) { return assist.IsComplete(code) }

// Interrupt stops the running cell, if one runs.
func (e *Engine) Interrupt() { e.rt.Interrupt() }

// SetOrigin says where in a file a cell stands: see run.Runtime.SetOrigin.
func (e *Engine) SetOrigin(cell, file string, line int) { e.rt.Traces.SetOrigin(cell, file, line) }

// Programs follows the programs that cells start.
type Programs = run.Programs

// StartProfile begins a CPU profile of what the calling goroutine runs of a cell: see run.Profile.
func StartProfile(e *Engine, cell string) (*run.Profile, error) { return run.StartProfile(e.rt, cell) }

// SignalsTaken reports whether cells of this process have ever asked for signals.
func SignalsTaken() bool { return run.SignalsTaken() }
