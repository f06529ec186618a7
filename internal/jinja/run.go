package jinja

import (
	"errors"
	"fmt"
	"strings"
)

// What a template may do: templates are foreign.
const (
	maxSteps = 3_000_000 // expressions and statements
	maxText  = 64 << 20  // bytes of a text
	maxRange = 100_000   // numbers of a range, as in Jinja's sandbox
)

// renderer renders a template once.
type renderer struct {
	steps, depth int
}

// scope are the names of a part of a template; outer has those around it.
type scope struct {
	outer *scope
	names map[string]any
}

func (s *scope) get(name string) (any, bool) {
	for ; s != nil; s = s.outer {
		if v, ok := s.names[name]; ok {
			return v, true
		}
	}
	return nil, false
}

func (s *scope) inner() *scope { return &scope{s, map[string]any{}} }

// lined is an error with its line.
type lined struct {
	line int
	err  error
}

func (e *lined) Error() string { return fmt.Sprintf("jinja: line %d: %v", e.line, e.err) }
func (e *lined) Unwrap() error { return e.err }

// at gives an error the innermost line.
func at(line int, err error) error {
	if l := new(lined); err == nil || errors.As(err, &l) || errors.Is(err, errBreak) || errors.Is(err, errContinue) {
		return err
	}
	return &lined{line, err}
}

// The ways in which a statement ends the body of a loop.
var errBreak, errContinue = errors.New("break"), errors.New("continue")

// Raised is the error of a template that refuses its input with raise_exception.
type Raised struct{ Message string }

func (e *Raised) Error() string { return e.Message }

// Render returns the text that a template makes of variables, a dict (see Dict). Variables may be functions of text:
// func(string) (string, error). The error names the line; it is a *Raised when the template refuses its input.
func (t *Template) Render(variables any) (string, error) {
	vars, ok := variables.(*dict)
	if !ok {
		return "", fmt.Errorf("jinja: variables are a %T, not a dict: see Dict", variables)
	}
	r := &renderer{}
	if err := r.measure(vars, 0); err != nil {
		return "", fmt.Errorf("jinja: the variables: %w", err)
	}
	top := &scope{&scope{nil, globals}, map[string]any{}}
	for _, k := range vars.keys {
		if f, ok := vars.of[k].(func(string) (string, error)); ok {
			top.names[k] = textFunction(k, f)
			continue
		}
		v, err := valueOf(vars.of[k])
		if err != nil {
			return "", fmt.Errorf("%w: %s", err, k)
		}
		top.names[k] = v
	}
	var out strings.Builder
	err := r.body(t.body, top.inner(), &out)
	return out.String(), err
}

func textFunction(name string, f func(string) (string, error)) function {
	return function{name, func(_ *renderer, a args) (any, error) {
		var s string
		if err := a.take(name, param{"text", &s, true}); err != nil {
			return nil, err
		}
		return f(s)
	}}
}

// step counts what is done.
func (r *renderer) step() error {
	if r.steps++; r.steps > maxSteps {
		return fmt.Errorf("the template takes more than %d steps", maxSteps)
	}
	return nil
}

// measure counts the parts of a value that was made as steps: it bounds what a template can make, also where lists have
// a list several times, and so what comparing or writing such a value takes.
func (r *renderer) measure(v any, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("a value is nested more than %d levels deep", maxDepth)
	}
	if err := r.step(); err != nil {
		return err
	}
	switch v := v.(type) {
	case string:
		r.steps += len(v) / 64
	case list:
		for _, item := range v.items {
			if err := r.measure(item, depth+1); err != nil {
				return err
			}
		}
	case *dict:
		for _, k := range v.keys {
			if err := r.measure(v.of[k], depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// nested calls f one level deeper.
func (r *renderer) nested(f func() error) error {
	if r.depth++; r.depth > 10*maxDepth {
		return fmt.Errorf("calls are nested more than %d levels deep", 10*maxDepth)
	}
	defer func() { r.depth-- }()
	return f()
}

// write appends a text.
func write(out *strings.Builder, text string) error {
	if out.Len()+len(text) > maxText {
		return fmt.Errorf("the text has more than %d bytes", maxText)
	}
	out.WriteString(text)
	return nil
}

func (r *renderer) body(body []stmt, s *scope, out *strings.Builder) error {
	for i := range body {
		if err := r.step(); err != nil {
			return at(body[i].line, err)
		}
		if err := r.statement(body[i].node, s, out); err != nil {
			return at(body[i].line, err)
		}
	}
	return nil
}

func (r *renderer) statement(n node, s *scope, out *strings.Builder) error {
	switch n := n.(type) {
	case textStmt:
		return write(out, n.text)
	case outputStmt:
		v, err := r.eval(n.of, s)
		if err != nil {
			return err
		}
		t, err := text(v)
		if err != nil {
			return err
		}
		return write(out, t)
	case ifStmt:
		return r.ifStatement(n, s, out)
	case forStmt:
		items, err := r.items(n, s)
		if err != nil {
			return err
		}
		return r.loop(n, items, s, out, 0)
	case setStmt:
		return r.set(n, s)
	case macroStmt:
		s.names[n.name] = &macro{n.macroCode, s}
	case callStmt:
		v, err := r.callWith(n, s)
		if err != nil {
			return err
		}
		t, err := text(v)
		if err != nil {
			return err
		}
		return write(out, t)
	case filterStmt:
		t, err := r.filtered(n.body, n.filters, s)
		if err != nil {
			return err
		}
		return write(out, t)
	case withStmt:
		return r.with(n, s, out)
	case bodyStmt:
		return r.body(n.body, s.inner(), out)
	case doneStmt:
		if n.next {
			return errContinue
		}
		return errBreak
	}
	return nil
}

func (r *renderer) ifStatement(n ifStmt, s *scope, out *strings.Builder) error {
	for i, when := range n.when {
		v, err := r.eval(when, s)
		if err != nil {
			return err
		}
		if truth(v) {
			return r.body(n.then[i], s, out)
		}
	}
	return r.body(n.otherwise, s, out)
}

// items are what a loop goes through, without those that its condition leaves out.
func (r *renderer) items(n forStmt, s *scope) ([]any, error) {
	v, err := r.eval(n.in, s)
	if err != nil {
		return nil, err
	}
	return r.kept(n, v, s)
}

func (r *renderer) kept(n forStmt, v any, s *scope) ([]any, error) {
	all, err := iterate(v)
	if err != nil || n.when == nil {
		return all, err
	}
	var kept []any
	for _, item := range all {
		inner := s.inner()
		if err := r.assign(n.target, item, inner); err != nil {
			return nil, err
		}
		v, err := r.eval(n.when, inner)
		if err != nil {
			return nil, err
		}
		if truth(v) {
			kept = append(kept, item)
		}
	}
	return kept, nil
}

// loop is the variable of that name.
type loop struct {
	items   []any
	index0  int
	depth0  int
	changed *[]any // what changed was called with
	again   func(v any) (string, error)
}

func (r *renderer) loop(n forStmt, items []any, s *scope, out *strings.Builder, depth int) error {
	if len(items) == 0 {
		return r.body(n.otherwise, s.inner(), out)
	}
	var changed []any
	for i, item := range items {
		if err := r.step(); err != nil {
			return err
		}
		inner := s.inner()
		l := &loop{items: items, index0: i, depth0: depth, changed: &changed}
		if n.recursive {
			l.again = func(v any) (text string, err error) {
				items, err := r.kept(n, v, s)
				if err != nil {
					return "", err
				}
				var b strings.Builder
				err = r.nested(func() error { return r.loop(n, items, s, &b, depth+1) })
				return b.String(), err
			}
		}
		inner.names["loop"] = l
		if err := r.assign(n.target, item, inner); err != nil {
			return err
		}
		switch err := r.body(n.body, inner, out); {
		case errors.Is(err, errBreak):
			return nil
		case err != nil && !errors.Is(err, errContinue):
			return err
		}
	}
	return nil
}

// attribute is loop.name.
func (l *loop) attribute(name string) (any, bool) {
	n := len(l.items)
	switch name {
	case "index":
		return l.index0 + 1, true
	case "index0":
		return l.index0, true
	case "revindex":
		return n - l.index0, true
	case "revindex0":
		return n - l.index0 - 1, true
	case "first":
		return l.index0 == 0, true
	case "last":
		return l.index0 == n-1, true
	case "length":
		return n, true
	case "depth":
		return l.depth0 + 1, true
	case "depth0":
		return l.depth0, true
	case "previtem":
		if l.index0 == 0 {
			return undefined{"there is no previous item: loop.previtem"}, true
		}
		return l.items[l.index0-1], true
	case "nextitem":
		if l.index0 == n-1 {
			return undefined{"there is no next item: loop.nextitem"}, true
		}
		return l.items[l.index0+1], true
	case "cycle":
		return function{"loop.cycle", l.cycle}, true
	case "changed":
		return function{"loop.changed", l.hasChanged}, true
	}
	return nil, false
}

func (l *loop) cycle(_ *renderer, a args) (any, error) {
	if len(a.items) == 0 || len(a.names) > 0 {
		return nil, fmt.Errorf("loop.cycle wants at least one value")
	}
	return a.items[l.index0%len(a.items)], nil
}

func (l *loop) hasChanged(_ *renderer, a args) (any, error) {
	before := *l.changed
	*l.changed = append([]any{}, a.items...)
	return before == nil || !equal(list{items: before}, list{items: a.items}), nil
}

// assign sets the names of a target.
func (r *renderer) assign(t target, v any, s *scope) error {
	if t.attribute != "" {
		of, _ := s.get(t.names[0])
		ns, ok := of.(*namespace)
		if !ok {
			return fmt.Errorf("%s is no namespace: only attributes of one can be set", t.names[0])
		}
		ns.of.set(t.attribute, v)
		return nil
	}
	if !t.several {
		s.names[t.names[0]] = v
		return nil
	}
	all, err := iterate(v)
	if err != nil {
		return err
	}
	if len(all) != len(t.names) {
		return fmt.Errorf("there are %d values for %s", len(all), strings.Join(t.names, ", "))
	}
	for i, name := range t.names {
		s.names[name] = all[i]
	}
	return nil
}

func (r *renderer) set(n setStmt, s *scope) error {
	if n.value != nil {
		v, err := r.eval(n.value, s)
		if err != nil {
			return err
		}
		return r.assign(n.target, v, s)
	}
	t, err := r.filtered(n.body, n.filters, s)
	if err != nil {
		return err
	}
	return r.assign(n.target, t, s)
}

// filtered is the text of a body after filters.
func (r *renderer) filtered(body []stmt, filters []filter, s *scope) (string, error) {
	var b strings.Builder
	if err := r.body(body, s.inner(), &b); err != nil {
		return "", err
	}
	var v any = b.String()
	for _, f := range filters {
		var err error
		if v, err = r.filter(f, v, s); err != nil {
			return "", err
		}
	}
	return text(v)
}

func (r *renderer) with(n withStmt, s *scope, out *strings.Builder) error {
	inner := s.inner()
	for i, t := range n.targets {
		v, err := r.eval(n.values[i], s)
		if err != nil {
			return err
		}
		if err := r.assign(t, v, inner); err != nil {
			return err
		}
	}
	return r.body(n.body, inner, out)
}
