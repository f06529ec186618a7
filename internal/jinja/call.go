package jinja

import (
	"fmt"
	"slices"
	"strings"
)

// args are the values that a function is called with.
type args struct {
	items []any
	names []string // of the last ones of items
}

// param is a parameter of a function: its name, where its value goes, and whether it must be given.
type param struct {
	name string
	to   any // *string, *int, *bool, *float64 or *any
	must bool
}

// take hands out the arguments of a call.
func (a args) take(of string, params ...param) error {
	plain := len(a.items) - len(a.names)
	if plain > len(params) {
		return fmt.Errorf("%s has %d arguments, not %d", of, len(params), plain)
	}
	given := make([]bool, len(params))
	for i, v := range a.items {
		at := i
		if i >= plain {
			name := a.names[i-plain]
			if at = slices.IndexFunc(params, func(p param) bool { return p.name == name }); at < 0 || given[at] {
				return fmt.Errorf("%s has no argument %q, or has it twice", of, name)
			}
		}
		given[at] = true
		if err := params[at].set(v); err != nil {
			return fmt.Errorf("%s: %w", of, err)
		}
	}
	for i, p := range params {
		if p.must && !given[i] {
			return fmt.Errorf("%s wants the argument %q", of, p.name)
		}
	}
	return nil
}

func (p param) set(v any) error {
	ok := true
	switch to := p.to.(type) {
	case *any:
		*to = v
	case *string:
		*to, ok = v.(string)
	case *int:
		*to, ok = v.(int)
	case *bool:
		*to = truth(v)
	case *float64:
		*to, ok = number(v)
	}
	if !ok {
		return fmt.Errorf("the argument %q cannot be a %s", p.name, typeName(v))
	}
	return nil
}

func (r *renderer) arguments(a arguments, s *scope) (args, error) {
	if len(a.items) == 0 {
		return args{}, nil
	}
	values, err := r.values(a.items, s)
	return args{values, a.names}, err
}

// macro is a macro and the scope in which it was defined.
type macro struct {
	*macroCode
	scope *scope
}

func (r *renderer) call(n call, s *scope) (any, error) {
	of, err := r.eval(n.of, s)
	if err != nil {
		return nil, err
	}
	given, err := r.arguments(n.args, s)
	if err != nil {
		return nil, err
	}
	return r.apply(of, given, nil)
}

// apply calls a value. caller is what the macro may call for the body of a call tag, or nil.
func (r *renderer) apply(of any, given args, caller *macro) (v any, err error) {
	switch f := of.(type) {
	case function:
		if caller != nil {
			return nil, fmt.Errorf("call wants a macro, not %s", f.name)
		}
		return f.call(r, given)
	case *macro:
		err = r.nested(func() error {
			v, err = r.expand(f, given, caller)
			return err
		})
		return v, err
	case *loop:
		if f.again == nil || len(given.items) != 1 {
			return nil, fmt.Errorf("loop is called in recursive loops, with one value")
		}
		return f.again(given.items[0])
	case undefined:
		return nil, fmt.Errorf("%w: it cannot be called", f.err())
	}
	return nil, fmt.Errorf("a %s cannot be called", typeName(of))
}

// expand is the text of a macro.
func (r *renderer) expand(m *macro, given args, caller *macro) (any, error) {
	inner := m.scope.inner()
	plain := len(given.items) - len(given.names)
	if plain > len(m.params) {
		return nil, fmt.Errorf("the macro %s has %d parameters, not %d", m.name, len(m.params), plain)
	}
	for i, v := range given.items {
		at := i
		if i >= plain {
			if at = slices.Index(m.params, given.names[i-plain]); at < 0 || at < plain {
				return nil, fmt.Errorf("the macro %s has no parameter %q, or has it twice", m.name, given.names[i-plain])
			}
		}
		inner.names[m.params[at]] = v
	}
	for i, name := range m.params {
		if _, ok := inner.names[name]; ok {
			continue
		}
		inner.names[name] = undefined{fmt.Sprintf("the parameter %q", name)}
		if d := i - (len(m.params) - len(m.defaults)); d >= 0 {
			v, err := r.eval(m.defaults[d], inner)
			if err != nil {
				return nil, err
			}
			inner.names[name] = v
		}
	}
	if caller != nil {
		inner.names["caller"] = caller
	}
	var b strings.Builder
	err := r.body(m.body, inner, &b)
	return b.String(), err
}

// callWith is a call tag.
func (r *renderer) callWith(n callStmt, s *scope) (any, error) {
	c := n.call.node.(call)
	of, err := r.eval(c.of, s)
	if err != nil {
		return nil, err
	}
	given, err := r.arguments(c.args, s)
	if err != nil {
		return nil, err
	}
	return r.apply(of, given, &macro{n.caller, s})
}
