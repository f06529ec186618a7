package golang

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/debug"
	"github.com/gorocm/gorocm/repl/golang/lower"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// Debugging is what a debugger asks of an engine.
type Debugging struct{ e *Engine }

// Debugging returns what a debugger asks of the engine.
func (e *Engine) Debugging() Debugging { return Debugging{e} }

// Debugger stops the session's goroutines. Turn turns it on.
func (d Debugging) Debugger() *debug.Debugger { return d.e.rt.Debugger }

// Turn turns the debugger on or off: functions that cells have declared are lowered again, with hooks or without. It
// returns why that failed.
func (d Debugging) Turn(on bool) (f *check.Failure) {
	e := d.e
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	defer func() {
		if r := recover(); r != nil {
			f = check.BugFailure(r)
		}
	}()
	if e.rt.Debugger.On() == on {
		return nil
	}
	e.state.Debug(on)
	e.scope.Debugging = on
	for _, m := range e.scope.Methods {
		m.Turned = true // those of generic types are not checked again
	}
	ck := e.scope.Recheck()
	if ck == nil {
		return nil
	}
	e.giveSlots(ck)
	code := e.state.Lower(ck)
	e.pinSlots(ck, code)
	if f := e.state.Load(code); f != nil {
		return f
	}
	e.state.CommitDecls(ck)
	return nil
}

// EvalIn runs statements where one of the frames of a stopped goroutine is: they see its variables, and can set them.
// Nothing can be declared. frames are those from the one in question outwards. Cancelling ctx ends it. It may be called
// while a cell is stopped, not while one runs.
func (d Debugging) EvalIn(ctx context.Context, frames []*debug.Frame, src string) (out Outcome) {
	e := d.e
	defer func() {
		if r := recover(); r != nil {
			out.Failure = check.BugFailure(r)
		}
	}()
	c, f := e.parse(check.DebuggerName, src)
	if f != nil {
		return Outcome{Failure: f}
	}
	if len(c.Decls)+len(c.Imports) > 0 {
		return Outcome{Failure: &check.Failure{Name: "TypeError",
			Message: "a stopped goroutine can declare nothing: declare it in a cell"}}
	}
	ck, code, out := compileIn(e, c, frames)
	if ck != nil {
		defer e.returnSlots(ck, false)
	}
	if out.Failure != nil || code.Run == "" {
		return out
	}
	shown, f := run.Beside(e.rt, code.Run, ctx.Done())
	if out.Failure = f; f == nil {
		out.Values = valuesOf(shown, code)
	}
	return out
}

// compileIn checks and lowers statements with the variables of frames in place of those of the session.
func compileIn(e *Engine, c *check.Cell, frames []*debug.Frame) (ck *check.Checked,
	code *lower.Code, out Outcome) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	defer overlay(e, frames)()
	e.scope.OrderVariables(c)
	ck, _, problems := e.scope.Check(c)
	if len(problems) > 0 {
		return nil, nil, Outcome{Failure: hiddenNote(e.scope.Failure(problems), frames[0])}
	}
	if len(ck.Vars) > 0 {
		return nil, nil, Outcome{Failure: &check.Failure{Name: "TypeError",
			Message: "a stopped goroutine can declare nothing: assign with ="}}
	}
	for _, m := range ck.Results {
		m.Held = m.Held || m.Slot != nil // the stopped cell uses it
	}
	e.giveSlots(ck)
	code = e.state.Lower(ck)
	e.pinSlots(ck, code)
	out.Failure = e.state.Load(code)
	return ck, code, out
}

// hiddenNote says of a name that is undefined that it is a variable of which the frame's function has none.
func hiddenNote(f *check.Failure, frame *debug.Frame) *check.Failure {
	p := frame.Place()
	if p == nil {
		return f
	}
	for _, v := range p.Vars {
		if v.Hidden && strings.Contains(f.Message, "undefined: "+v.Name) {
			f.Notes = append(f.Notes, v.Name+" is a variable of the loop in which this function literal was made; "+
				"the literal has none of it, since it does not use it")
			return f
		}
	}
	return f
}

// overlay binds names to the variables of frames, those of the innermost first, until restore is called. Scope.Mu is
// held.
func overlay(e *Engine, frames []*debug.Frame) (restore func()) {
	type before struct {
		b  *check.Binding
		ok bool
	}
	saved := map[string]before{}
	var added []types.Object
	bind := func(v debug.Variable, at reflect.Value) {
		if _, again := saved[v.Name]; again || !at.IsValid() && !v.Hidden {
			return
		}
		b, ok := e.scope.Bindings[v.Name]
		saved[v.Name] = before{b, ok}
		if v.Hidden { // one of the session by that name is another
			delete(e.scope.Bindings, v.Name)
			return
		}
		object := v.Object
		if !v.Fixed.IsValid() {
			object = types.NewVar(token.NoPos, e.scope.Pkg, v.Name, v.Type)
			e.state.Slots.Set(object, e.state.SlotAt(at))
			added = append(added, object)
		}
		e.scope.Bindings[v.Name] = &check.Binding{Name: v.Name, Object: object}
	}
	for i, f := range frames {
		p := f.Place()
		if p == nil {
			continue
		}
		for _, v := range p.Vars {
			if i == 0 || v.Fixed.IsValid() { // of the cell that has called it
				bind(v, f.Address(v))
			}
		}
	}
	return func() {
		for n, b := range saved {
			if delete(e.scope.Bindings, n); b.ok {
				e.scope.Bindings[n] = b.b
			}
		}
		for _, o := range added {
			e.state.Slots.Delete(o)
		}
	}
}

// FrameVariable is a variable of a frame.
type FrameVariable struct {
	Name, Type string
	Value      any           // as an interface holds it
	Address    reflect.Value // of the variable in interpreted code; a pointer
	Global     bool          // it is one of the session
}

// FrameVariables are the variables in scope in a frame of a stopped goroutine.
func (d Debugging) FrameVariables(f *debug.Frame) (list []FrameVariable) {
	e := d.e
	p := f.Place()
	if p == nil {
		return nil
	}
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	for _, v := range p.Vars {
		at := f.Address(v)
		if !at.IsValid() || strings.HasPrefix(v.Name, "_") {
			continue
		}
		list = append(list, FrameVariable{Name: v.Name, Type: check.Display(v.Type),
			Value: e.state.Value(&check.Slot{Ptr: at}, v.Type), Address: at, Global: v.Fixed.IsValid()})
	}
	return list
}

// Globals are the variables of the session, in the order of their names. There are none while a cell runs that is not
// stopped.
func (d Debugging) Globals() (list []FrameVariable) {
	e := d.e
	if e.rt.Debugger.Stopped() == nil {
		if !e.running.TryLock() {
			return nil
		}
		defer e.running.Unlock()
	}
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	for name, b := range e.scope.Bindings {
		v, ok := b.Object.(*types.Var)
		if !ok || strings.HasPrefix(name, "_") || e.state.Slots.Of(v) == nil {
			continue
		}
		s := e.state.Slots.Of(v)
		list = append(list, FrameVariable{Name: name, Type: check.Display(v.Type()), Value: e.state.Value(s, v.Type()),
			Address: s.Ptr, Global: true})
	}
	slices.SortFunc(list, func(a, b FrameVariable) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Place is where a function or a method, as T.M, begins that a cell has declared, or that is of a third-party package,
// as pkg.F or pkg.T.M.
func (d Debugging) Place(name string) (cell string, line, lines int, ok bool) {
	e := d.e
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	for _, d := range e.scope.Decls {
		if _, isFunc := d.Node.(*ast.FuncDecl); isFunc && d.Names[0] == name {
			from, to := e.scope.Fset.Position(d.Node.Pos()), e.scope.Fset.Position(d.Node.End())
			return d.Cell, from.Line, to.Line - from.Line + 1, true
		}
	}
	return Debugging{e}.packagePlace(name)
}

// CellSource is the text of a cell, or of a file of a third-party package, as lines.
func (d Debugging) CellSource(cell string) []string {
	e := d.e
	if text, ok := d.PackageFile(cell); ok {
		return strings.Split(string(text), "\n")
	}
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	return e.scope.Sources.Lines(cell)
}

// CopyVariable makes a variable of the session of one of a frame: a copy of its value under a name.
func (d Debugging) CopyVariable(f *debug.Frame, from, to string) error {
	e := d.e
	if !token.IsIdentifier(to) || to == "_" {
		return fmt.Errorf("%q is no name for a variable", to)
	}
	p := f.Place()
	if p == nil {
		return errors.New("the function has not begun")
	}
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	for _, v := range p.Vars {
		at := f.Address(v)
		if v.Name != from || !at.IsValid() {
			continue
		}
		object := types.NewVar(token.NoPos, e.scope.Pkg, to, v.Type)
		s := e.state.NewSlot(v.Type)
		s.Ptr.Elem().Set(at.Elem())
		e.state.Slots.Set(object, s)
		e.scope.Bindings[to] = &check.Binding{Name: to, Object: object, Cell: check.DebuggerName}
		return nil
	}
	return fmt.Errorf("there is no variable %s", from)
}
