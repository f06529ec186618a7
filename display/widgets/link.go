package widgets

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Link keeps two properties of widgets the same, in the front end and without the session: the "value" of two sliders,
// or the "index" of a choice and the "selected_index" of a stack. It is called jslink in Python. The properties have
// the names that the front end has for them. Link panics for a property that a widget does not have, and for two of
// different types. Without a front end nothing is linked.
func Link(a Child, property string, b Child, other string) {
	link("Link", a, property, b, other)
}

// LinkOneWay makes a property of b follow one of a, and not the other way round: see Link. It is called jsdlink in
// Python.
func LinkOneWay(a Child, property string, b Child, follower string) {
	link("DirectionalLink", a, property, b, follower)
}

func link(class string, a Child, property string, b Child, other string) {
	from, to := a.Base().m, b.Base().m
	p, q := from.property(property), to.property(other)
	if !linkable(p, q) {
		panic(fmt.Errorf("widgets: %s of %s is of type %T and %s of %s of type %T: link properties of one type",
			property, from.class, p, other, to.class, q))
	}
	m := newModel(controls, class, map[string]any{"_view_name": nil, "source": []string{from.reference(), property},
		"target": []string{to.reference(), other}})
	m.parts = []*model{from, to}
	for _, end := range m.parts {
		end.mu.Lock()
		end.links = append(end.links, m)
		open := end.comm != nil
		end.mu.Unlock()
		if open {
			m.open()
		}
	}
}

// property is the value of a part of the state that may be linked.
func (m *model) property(name string) any {
	state := m.copy()
	maps.DeleteFunc(state, func(name string, _ any) bool {
		return strings.HasPrefix(name, "_") || slices.Contains([]string{"layout", "style", "children"}, name)
	})
	v, ok := state[name]
	if !ok {
		panic(fmt.Errorf("widgets: %s has no property %q, but %s", m.class, name,
			strings.Join(slices.Sorted(maps.Keys(state)), ", ")))
	}
	return v
}

// linkable reports whether a value of a property fits the other.
func linkable(a, b any) bool {
	kind := func(v any) string {
		if _, ok := v.(place); ok {
			v = 0
		}
		return fmt.Sprintf("%T", v)
	}
	return a == nil || b == nil || kind(a) == kind(b)
}
