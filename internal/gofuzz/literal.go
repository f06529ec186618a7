package gofuzz

import (
	"fmt"
	"strings"
)

// constant is an untyped constant that every integer type holds.
func (g exprs) constant() string {
	return fmt.Sprint(one(g.generator, 0, 1, 2, 3, 5, 7, 10, 64, 100, 127, g.n(128)))
}

// literal is a value of type t, with that type, that needs no variable.
func (g exprs) literal(t *typ) string {
	switch t.kind {
	case integer:
		switch {
		case t.signed && g.chance(4):
			return fmt.Sprintf("%s(-%d)", t.name, 1+g.n(128))
		case g.chance(6) && t.signed:
			return fmt.Sprintf("%s(-1 << %d)", t.name, t.bits-1)
		case g.chance(6) && t.signed:
			return fmt.Sprintf("%s(1<<%d - 1)", t.name, t.bits-1)
		case g.chance(6):
			return fmt.Sprintf("%s(1<<%d - 1)", t.name, t.bits-1)
		case t == g.int:
			return g.constant()
		}
		return t.name + "(" + g.constant() + ")"
	case complexes:
		return t.name + "(" + one(g.generator, "0", "1", "2i", "1.5 - 2i", "-3", "1e3 + 0.25i") + ")"
	case float:
		return t.name + "(" + one(g.generator, "0", "1.5", "-2", "0.25", "1e3", "1 << 20") + ")"
	case text:
		s := fmt.Sprintf("%q", one(g.generator, "", "a", "xyz", "é", "日本", "a\xffb", "0", "hello", "A b"))
		if t == g.string {
			return s
		}
		return t.name + "(" + s + ")"
	case boolean:
		return fmt.Sprintf("%s(%v)", t.name, g.chance(2))
	case slice:
		var s []string
		for range g.n(4) {
			s = append(s, g.element(t.elem))
		}
		return t.name + "{" + strings.Join(s, ", ") + "}"
	case array:
		var s []string
		for i := range t.size {
			if g.chance(2) {
				s = append(s, fmt.Sprintf("%d: %s", i, g.element(t.elem)))
			}
		}
		return t.name + "{" + strings.Join(s, ", ") + "}"
	case mapping:
		var s []string
		for i := range g.n(4) {
			if i == 0 || t.key.kind != boolean {
				s = append(s, g.distinct(t.key, i)+": "+g.element(t.elem))
			}
		}
		return t.name + "{" + strings.Join(s, ", ") + "}"
	case record:
		var s []string
		for _, f := range t.fields {
			if g.n(3) > 0 {
				s = append(s, f.name+": "+g.literal(f.t))
			}
		}
		return t.name + "{" + strings.Join(s, ", ") + "}"
	case pointer:
		if t.elem.kind == record {
			return "&" + g.literal(t.elem)
		}
		return "new(" + g.literal(t.elem) + ")"
	case function:
		return g.closure(t)
	case iface:
		if len(t.impls) == 0 {
			return fmt.Sprintf("errors.New(%q)", one(g.generator, "bad", "worse"))
		}
		return t.name + "(" + g.literal(one(g.generator, t.impls...)) + ")"
	case param:
		if t.number {
			return t.name + "(" + g.constant() + ")"
		}
	}
	return "*new(" + t.name + ")"
}

// element is a literal in a composite literal, which may leave out its type.
func (g exprs) element(t *typ) string {
	s := g.literal(t)
	if rest, ok := strings.CutPrefix(s, t.name+"{"); ok && t.kind != function && g.chance(2) {
		return "{" + rest
	}
	return s
}

// distinct is a literal of type t, in a composite literal, that differs for every i.
func (g exprs) distinct(t *typ, i int) string {
	switch t.kind {
	case text:
		return fmt.Sprintf("%q", string(rune('a'+i)))
	case array:
		return t.name + "{" + g.distinct(t.elem, i) + "}"
	case record:
		return t.name + "{" + t.fields[0].name + ": " + g.distinct(t.fields[0].t, i) + "}"
	case boolean:
		return fmt.Sprint(i%2 == 0)
	case iface:
		return g.distinct(t.impls[0], i)
	case param:
		return t.name + "(" + fmt.Sprint(i) + ")"
	}
	return fmt.Sprint(i)
}
