package repl

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// mostGradients is how many gradients are listed each by itself.
const mostGradients = 16

// namedGradients are gradients as a cell shows them: with the names of their variables.
type namedGradients string

func (g namedGradients) String() string { return string(g) }

// named is what a cell shows of a value: gradients get the names that the session has for their variables.
func named(s *Local, v any) any {
	g, ok := v.(*tensor.GradStore)
	if !ok || g == nil {
		return v
	}
	ids := g.IDs()
	names := variableNames(s)
	total, width := int64(0), 0
	for i, id := range ids {
		total += int64(g.GetID(id).Bytes())
		if names[id] == "" {
			names[id] = fmt.Sprintf("ID %d", id)
		}
		if i < mostGradients {
			width = max(width, len(names[id]))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "gradients of %s, %s", count(len(ids), "variable"), size(total))
	for i, id := range ids {
		if i == mostGradients {
			fmt.Fprintf(&b, "\n  … %d more", len(ids)-i)
			break
		}
		d := g.GetID(id)
		fmt.Fprintf(&b, "\n  %-*s  %v %v, %s", width, names[id], d.Shape(), d.DType(), size(int64(d.Bytes())))
	}
	return namedGradients(b.String())
}

// variableNames are the names of variables that gradients are computed for, by their IDs: that of the session's
// variable, that of a parameter, or where another value has it.
func variableNames(s *Local) map[uint64]string {
	direct, parameters, inside := map[uint64]string{}, map[uint64]string{}, map[uint64]string{}
	e := s.current()
	for _, n := range e.Names() {
		if n.Kind != "variable" {
			continue
		}
		v, err := e.Var(n.Name)
		if err != nil {
			continue
		}
		switch v := v.(type) {
		case *tensor.Tensor:
			note(direct, v, n.Name)
			continue
		case *nn.Params:
			if v != nil {
				for _, p := range v.All() {
					note(parameters, p.Tensor, p.Name)
				}
			}
			continue
		}
		h := &holder{maps: golang.Alone(), left: heldMost, hops: heldHops, visiting: map[uintptr]bool{}}
		h.found = func(path string, x any) {
			if t, ok := x.(*tensor.Tensor); ok {
				note(inside, t, path)
			}
		}
		h.value(n.Name, reflect.ValueOf(v), 0)
	}
	for _, more := range []map[uint64]string{parameters, inside} {
		for id, name := range more {
			if direct[id] == "" {
				direct[id] = name
			}
		}
	}
	return direct
}

// note names a variable: the shortest name stays.
func note(names map[uint64]string, t *tensor.Tensor, name string) {
	if t == nil || !t.IsVariable() {
		return
	}
	if old := names[t.ID()]; old == "" || len(name) < len(old) || len(name) == len(old) && name < old {
		names[t.ID()] = name
	}
}
