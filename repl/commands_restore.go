package repl

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/gorocm/gorocm/internal/owned"
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/internal/checkpoint"
)

// restore brings back what a checkpoint holds.
func (c *Call) restore() *Error {
	set, rest, wrong := c.options("f")
	if wrong != nil {
		return wrong
	}
	path := checkpointFile
	if rest != "" {
		path = expand(rest)
	}
	f, err := os.Open(path)
	if err != nil {
		return c.failed(openError(err))
	}
	defer f.Close()
	if _, force := set['f']; !force && !owned.IsOurs(f) {
		e := c.failed(fmt.Errorf("%s belongs to another user, whose functions would run in this session", path))
		e.Notes = []string{"%restore -f " + path + " takes it all the same"}
		return e
	}
	r, err := checkpoint.Open(f)
	if err != nil {
		return c.failed(fmt.Errorf("%s: %w", path, err))
	}
	if e := c.restoreFrom(r); e != nil {
		return e
	}
	c.session.checkpoints.resume(path)
	return nil
}

// boxPrefix begins the names of variables that are declared for the types of values in interfaces.
const boxPrefix = "checkpointBox"

func (c *Call) restoreFrom(r *checkpoint.Reader) *Error {
	s, h := c.session, r.Header
	code, left, failure := declarationsOf(c, h)
	if failure != nil {
		return failure
	}
	if out := s.eval(c.ctx, c.cell, code); out.Failure != nil {
		e := toError(out.Failure)
		e.Frames = nil // the cell has no such line
		e.Notes = append(e.Notes, "the declarations of the checkpoint do not compile in this session: "+
			"packages that %get has brought must be there first")
		return e
	}
	h.Left = append(h.Left, left...)
	if failure := restoreVars(c, r); failure != nil {
		for _, v := range h.Vars { // they are zero, which they never were
			s.current().Forget(c.ctx, v.Name)
		}
		failure.Notes = append(failure.Notes, "no variable of the checkpoint is restored; its functions and types are declared")
		return failure
	}
	s.sink.event(Event{Kind: Notice, Text: "restored: " + names(h.Vars)})
	for _, n := range r.Notes {
		s.sink.event(Event{Kind: Notice, Name: "stderr", Text: n})
	}
	s.checkpoints.tellLost(h)
	return nil
}

// declarationsOf are those of a checkpoint as a cell of this session, without what does not compile in it: left. They
// fail where that takes the type of a variable or of a value along.
func declarationsOf(c *Call, h checkpoint.Header) (code string, left []checkpoint.Left, failure *Error) {
	imports, others := golang.SplitDeclarations(h.Declarations)
	var parts []string
	for _, text := range imports { // modules are not loaded by a check
		switch f := c.session.current().EvalNamed(c.ctx, c.cell, text).Failure; {
		case f == nil:
			if !strings.HasPrefix(text, "import . ") { // whose names would be declared twice
				parts = append(parts, text)
			}
		case c.session.moving.to != nil:
			return "", nil, toError(f)
		default:
			left = append(left, checkpoint.Left{Name: nameOf(text), Why: f.Message})
		}
	}
	parts = append(parts, others...)
	functions := len(parts)
	zero := map[int]*checkpoint.Lost{}
	for i, l := range h.Lost { // functions may mention them
		if l.Spellable() {
			zero[len(parts)] = &h.Lost[i]
			parts = append(parts, declared(l.Name, l.Type))
		}
	}
	needed := len(parts)
	for _, v := range h.Vars {
		parts = append(parts, declared(v.Name, v.Type))
	}
	boxes := len(parts)
	for i, t := range h.Boxed {
		parts = append(parts, declared(fmt.Sprint(boxPrefix, i), t))
	}
	failing, failed := golang.Failing(c.session.current(), parts, false)
	if failed != nil {
		return "", nil, toError(failed)
	}
	for i, text := range parts {
		why := failing[i]
		switch {
		case why == "" && i < boxes:
			if zero[i] != nil {
				zero[i].Why += "; it is zero now"
			}
			code += text + "\n"
		case why != "" && i < functions:
			left = append(left, checkpoint.Left{Name: nameOf(text), Why: why})
		case why != "" && i >= needed:
			what := strings.TrimPrefix(text, "var ")
			if i >= boxes {
				what = "a value in an interface has the type " + h.Boxed[i-boxes]
			}
			e := c.failed(fmt.Errorf("%s: %s", what, why))
			for _, l := range left {
				e.Notes = append(e.Notes, l.Name+" does not compile in this session: "+l.Why)
			}
			e.Notes = append(e.Notes, "nothing of the checkpoint is restored: "+
				"packages that %get has brought must be there first")
			return "", nil, e
		}
	}
	return code, left, nil
}

// restoreVars sets the variables of a checkpoint, which are declared.
func restoreVars(c *Call, r *checkpoint.Reader) *Error {
	s := c.session
	boxed, failure := c.boxes(r.Header.Boxed)
	if failure != nil {
		return failure
	}
	memory := map[string]reflect.Value{}
	for _, v := range s.current().Vars(golang.NewQualifier(s.current())) {
		memory[v.Name] = v.Memory
	}
	var vars []reflect.Value
	for _, v := range r.Header.Vars {
		if !memory[v.Name].IsValid() {
			return c.failed(fmt.Errorf("the variable %s could not be declared", v.Name))
		}
		vars = append(vars, memory[v.Name])
	}
	if err := r.Read(vars, boxed); err != nil {
		return c.failed(err)
	}
	return nil
}

// boxes finds the types that are written so, by variables of them.
func (c *Call) boxes(list []string) (types []reflect.Type, failure *Error) {
	e := c.session.current()
	for i, text := range list {
		name := fmt.Sprint(boxPrefix, i)
		if out := e.EvalNamed(c.ctx, c.cell, "var "+name+" "+text); out.Failure != nil {
			return nil, c.failed(fmt.Errorf("a value in an interface has the type %s: %s", text, out.Failure.Message))
		}
		v, err := e.Var(name)
		if err != nil || v == nil {
			return nil, c.failed(fmt.Errorf("a value in an interface has the type %s, which is none", text))
		}
		types = append(types, reflect.TypeOf(v))
		e.Forget(c.ctx, name)
	}
	return types, nil
}
