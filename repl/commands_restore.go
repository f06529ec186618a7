package repl

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/internal/owned"
	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/internal/checkpoint"
)

// restore brings back what a checkpoint holds.
func (c *Call) restore() *Error {
	set, rest, wrong := c.options("fr")
	if wrong != nil {
		return wrong
	}
	if _, again := set['r']; again {
		return runStatements(c, rest)
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
	whole, failure := c.restoreFrom(r)
	if failure == nil && whole { // the file would be replaced by one that has less
		c.session.checkpoints.resume(path)
	}
	return failure
}

// boxPrefix begins the names of variables that are declared for the types of values in interfaces.
const boxPrefix = "checkpointBox"

func (c *Call) restoreFrom(r *checkpoint.Reader) (whole bool, failure *Error) {
	s, h := c.session, r.Header
	p, failure := declarationsOf(c, h)
	if failure != nil {
		return false, failure
	}
	if out := s.eval(c.ctx, c.cell, p.code); out.Failure != nil {
		e := toError(out.Failure)
		e.Frames = nil // the cell has no such line
		e.Notes = append(e.Notes, "the declarations of the checkpoint do not compile in this session: "+getFirst)
		return false, e
	}
	h.Left = append(h.Left, p.left...)
	if failure := restoreVars(c, r, p); failure != nil {
		for i, v := range h.Vars { // they are zero, which they never were
			if p.vars[i] == "" {
				s.current().Forget(c.ctx, v.Name)
			}
		}
		failure.Notes = append(failure.Notes, "no variable of the checkpoint is restored; its functions and types are declared")
		return false, failure
	}
	back := runLiterals(c, &h)
	for i, v := range h.Vars {
		switch why := p.vars[i]; {
		case why != "":
			h.Lost = append(h.Lost, checkpoint.Lost{Name: v.Name, Type: v.Type, Why: why})
		case slices.Contains(r.Left, i):
			why := p.reason(h, r.Other) + "; it is zero now"
			h.Lost = append(h.Lost, checkpoint.Lost{Name: v.Name, Type: v.Type, Why: why})
		default:
			back = append(back, v)
		}
	}
	slices.SortStableFunc(back, func(a, b checkpoint.Variable) int { return strings.Compare(a.Name, b.Name) })
	s.sink.event(Event{Kind: Notice, Text: "restored: " + names(back)})
	for _, n := range r.Notes {
		s.sink.event(Event{Kind: Notice, Name: "stderr", Text: n})
	}
	s.checkpoints.tellLost(h)
	s.checkpoints.offer(h)
	if whole = len(r.Left) == 0 && !slices.ContainsFunc(p.vars, func(why string) bool { return why != "" }); !whole {
		text := "the file has more than this session can take"
		if len(r.Other) == 0 {
			text += ": " + getFirst + "; then %restore again"
		}
		s.checkpoints.notice(text)
	}
	return whole, nil
}

const getFirst = "packages that %get has brought must be there first"

// partly is what of a checkpoint a session can take.
type partly struct {
	code  string            // its declarations, without what does not compile
	left  []checkpoint.Left // that
	vars  []string          // why a variable does not compile, "" if it does
	boxes []string          // the same of the types of values in interfaces
}

// reason says why variables are left out that lead to values of types that the session lacks.
func (p partly) reason(h checkpoint.Header, other []string) string {
	if len(other) > 0 {
		return fmt.Sprintf("it leads to a value of a type that has other fields in gorocm %s, which has written the file: %s",
			h.Version, strings.Join(other, ", "))
	}
	var list []string
	for i, why := range p.boxes {
		if why != "" {
			list = append(list, h.Boxed[i])
		}
	}
	for i, why := range p.vars {
		if t := h.Vars[i].Type; why != "" && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return "it leads to a value of a type that this session lacks: " + strings.Join(list, ", ")
}

// declarationsOf are those of a checkpoint as a cell of this session, without what does not compile in it. In a session
// that goes on in another program nothing may be left out.
func declarationsOf(c *Call, h checkpoint.Header) (p partly, failure *Error) {
	imports, others := golang.SplitDeclarations(h.Declarations)
	var parts []string
	for _, text := range imports { // modules are not loaded by a check
		switch f := c.session.current().EvalNamed(c.ctx, c.cell, text).Failure; {
		case f == nil:
			if !strings.HasPrefix(text, "import . ") { // whose names would be declared twice
				parts = append(parts, text)
			}
		case c.session.moving.to != nil:
			return p, toError(f)
		default:
			p.left = append(p.left, checkpoint.Left{Name: nameOf(text), Why: f.Message})
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
		if checkpoint.TypeOfCode(t) != nil {
			t = "struct{}" // it has a name in checkpoints alone
		}
		parts = append(parts, declared(fmt.Sprint(boxPrefix, i), t))
	}
	failing, failed := golang.Failing(c.session.current(), parts, false)
	if failed != nil {
		return p, toError(failed)
	}
	for i, text := range parts {
		why := failing[i]
		switch {
		case why == "" && i < boxes:
			if zero[i] != nil {
				zero[i].Why += "; it is zero now"
			}
			p.code += text + "\n"
		case why != "" && i < functions:
			p.left = append(p.left, checkpoint.Left{Name: nameOf(text), Why: why})
		case why != "" && i >= needed && c.session.moving.to != nil:
			return p, c.failed(fmt.Errorf("%s: %s", strings.TrimPrefix(text, "var "), why))
		}
		switch {
		case i >= boxes:
			p.boxes = append(p.boxes, why)
		case i >= needed:
			p.vars = append(p.vars, why)
		}
	}
	return p, nil
}

// restoreVars sets the variables of a checkpoint, which are declared.
func restoreVars(c *Call, r *checkpoint.Reader, p partly) *Error {
	s := c.session
	boxed, failure := c.boxes(r.Header.Boxed, p.boxes)
	if failure != nil {
		return failure
	}
	memory := map[string]reflect.Value{}
	for _, v := range s.current().Vars(golang.NewQualifier(s.current())) {
		memory[v.Name] = v.Memory
	}
	var vars []reflect.Value
	for i, v := range r.Header.Vars {
		if p.vars[i] != "" {
			vars = append(vars, reflect.Value{})
			continue
		}
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

// boxes finds the types that are written so, by variables of them. Those that do not compile are nil.
func (c *Call) boxes(list, failing []string) (types []reflect.Type, failure *Error) {
	e := c.session.current()
	for i, text := range list {
		if failing[i] != "" {
			types = append(types, nil)
			continue
		}
		if t := checkpoint.TypeOfCode(text); t != nil {
			types = append(types, t)
			continue
		}
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
