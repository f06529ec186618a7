package gofuzz

import (
	"fmt"
	"strings"
)

// expr is an expression of type t, at most depth operators deep, that obeys the mode.
func (g exprs) expr(t *typ, depth int) string {
	if depth <= 0 || g.chance(6) {
		if g.chance(3) {
			return g.literal(t)
		}
		return g.value(t)
	}
	if g.mode == calling && g.chance(2) {
		if s := g.call(t, depth); s != "" {
			return s
		}
	}
	if g.chance(12) && t.kind != function && (!g.hot || g.mode == calling) {
		return fmt.Sprintf("choose(%s, %s, %s)", g.expr(g.bool, depth-1), g.expr(t, depth-1), g.expr(t, depth-1))
	}
	switch t.kind {
	case integer:
		return g.arithmetic(t, depth)
	case complexes:
		if t == g.complex && g.chance(3) {
			return "complex(" + g.value(g.float) + ", " + g.expr(g.float, depth-1) + ")"
		}
		return "(" + g.value(t) + one(g.generator, " + ", " - ", " * ") + g.expr(t, depth-1) + ")"
	case float:
		if t == g.float && g.chance(6) && !g.hot {
			return one(g.generator, "real", "imag") + "(" + g.value(g.complex) + ")"
		}
		if g.chance(3) {
			return t.name + "(" + g.value(one(g.generator, g.ints...)) + ")"
		}
		return t.name + "(" + g.value(t) + one(g.generator, " + ", " - ", " * ") + g.expr(t, depth-1) + ")"
	case text:
		return g.texts(t, depth)
	case boolean:
		return g.condition(t, depth)
	case slice:
		return g.slices(t, depth)
	case array, record, mapping:
		if g.chance(2) {
			return g.composite(t, depth)
		}
	case pointer:
		if s := g.address(t); s != "" {
			return s
		}
	case iface:
		if len(t.impls) > 0 && g.chance(2) {
			return t.name + "(" + g.expr(one(g.generator, t.impls...), depth-1) + ")"
		}
	case param:
		if t.number {
			return "(" + g.value(t) + one(g.generator, " + ", " - ", " * ", " & ", " | ", " ^ ") + g.expr(t, depth-1) +
				")"
		}
	}
	return g.value(t)
}

// arithmetic is an integer expression. No operator has two constant operands, which might overflow.
func (g exprs) arithmetic(t *typ, depth int) string {
	x := g.value(t)
	y := func() string {
		if g.chance(3) {
			return g.constant()
		}
		return g.expr(t, depth-1)
	}
	if g.hot && g.chance(3) {
		return g.hotArithmetic(t, depth)
	}
	switch g.n(14) {
	case 0, 1, 2:
		return "(" + x + one(g.generator, " + ", " - ", " * ") + y() + ")"
	case 3:
		return "(" + x + one(g.generator, " & ", " | ", " ^ ", " &^ ") + y() + ")"
	case 4:
		return fmt.Sprintf("(%s %s %d)", x, one(g.generator, "/", "%"), 1+g.n(9))
	case 5:
		if g.mode == risky && g.risks > 0 {
			g.risks--
			return "(" + x + one(g.generator, " / ", " % ") + g.value(t) + ")"
		}
		return "-" + x
	case 6, 7:
		by := fmt.Sprintf("%s & %d", g.value(one(g.generator, g.ints...)), one(g.generator, 7, 63, 127))
		if g.chance(4) {
			by = fmt.Sprint(g.n(70))
		}
		return "(" + x + one(g.generator, " << ", " >> ") + "(" + by + "))"
	case 8:
		return "^" + x
	case 9, 10:
		return t.name + "(" + g.value(one(g.generator, g.ints...)) + ")"
	case 11:
		if s := g.length(); s != "" {
			return t.name + "(" + s + ")"
		}
		return "+" + x
	case 12:
		return one(g.generator, "min", "max") + "(" + x + ", " + y() + ")"
	}
	return "(" + x + one(g.generator, " + ", " - ") + g.expr(t, depth-1) + ")"
}

// length is the len or cap of something, of type int.
func (g exprs) length() string {
	p, ok := g.anyPlace(func(p place) bool {
		return p.t.kind == text || p.t.kind == slice || p.t.kind == array || p.t.kind == mapping && g.mode != calling
	})
	if !ok {
		return ""
	}
	return "len(" + p.text + ")"
}

func (g exprs) texts(t *typ, depth int) string {
	switch g.n(8) {
	case 0, 1:
		return "(" + g.value(t) + " + " + g.literal(t) + ")"
	case 2:
		return "clip(" + g.value(t) + " + " + g.expr(t, depth-1) + ")"
	case 3:
		return t.name + "(rune(" + g.value(one(g.generator, g.ints...)) + " & 127))"
	case 4:
		return "clip(" + t.name + "(fmt.Sprint(" + g.expr(g.typeThat(isPlain), depth-1) + ")))"
	case 5:
		return t.name + "(strings." + one(g.generator, "ToUpper", "TrimSpace", "ToLower") + "(string(" + g.value(t) +
			")))"
	case 6:
		b := g.sliceOf(g.types[one(g.generator, "uint8", "int32")])
		return "clip(" + t.name + "(" + b.name + "(" + g.value(t) + ")))"
	}
	s := g.value(t)
	if strings.ContainsAny(s, "([") {
		return s
	}
	return fmt.Sprintf("%s[:min(%d, len(%s))]", s, g.n(4), s)
}

func (g exprs) condition(t *typ, depth int) string {
	wrap := func(s string) string {
		if t == g.bool {
			return "(" + s + ")"
		}
		return t.name + "(" + s + ")"
	}
	switch g.n(8) {
	case 0, 1:
		return "(" + g.expr(t, depth-1) + one(g.generator, " && ", " || ") + g.expr(t, depth-1) + ")"
	case 2:
		return "!" + g.value(t)
	case 3:
		if p, ok := g.anyPlace(func(p place) bool {
			return p.t.kind == slice || p.t.kind == mapping || p.t.kind == pointer || p.t.kind == iface
		}); ok {
			return wrap(p.text + one(g.generator, " == ", " != ") + "nil")
		}
	}
	o := g.typeThat(isEqual)
	op := one(g.generator, " == ", " != ")
	if o.kind == integer || o.kind == text || o.kind == float {
		op = one(g.generator, " == ", " != ", " < ", " <= ", " > ", " >= ")
	}
	if o.kind == iface && len(o.impls) > 0 && g.chance(2) { // an interface and a value of another type
		if impl := one(g.generator, o.impls...); impl.equal {
			return wrap(g.value(o) + op + g.expr(impl, depth-1))
		}
	}
	return wrap(g.value(o) + op + g.expr(o, depth-1))
}

func (g exprs) slices(t *typ, depth int) string {
	switch g.n(5) {
	case 0:
		return g.composite(t, depth)
	case 1:
		return "append(" + t.name + "(nil), first(" + g.value(t) + ", " + fmt.Sprint(g.n(4)) + ")...)"
	case 2:
		return "append(" + t.name + "{" + g.expr(t.elem, depth-1) + "}, " + g.expr(t.elem, depth-1) + ", " +
			g.expr(t.elem, depth-1) + ")"
	case 3:
		return fmt.Sprintf("make(%s, %d, %d)", t.name, g.n(3), 3+g.n(2))
	case 4:
		if g.mode == risky && g.risks > 0 {
			g.risks--
			return g.value(t) + one(g.generator, "[1:]", "[:2]", "[1:2]", "[:1:2]", "["+g.index()+":]")
		}
	}
	return g.value(t)
}

// composite is a composite literal of expressions.
func (g exprs) composite(t *typ, depth int) string {
	var s []string
	switch t.kind {
	case slice:
		for range g.n(4) {
			s = append(s, g.expr(t.elem, depth-1))
		}
	case array:
		for range g.n(t.size + 1) {
			s = append(s, g.expr(t.elem, depth-1))
		}
	case mapping:
		s = append(s, g.distinct(t.key, 1)+": "+g.expr(t.elem, depth-1))
		if t.key.kind != boolean {
			s = append(s, g.distinct(t.key, 2)+": "+g.expr(t.elem, depth-1))
		}
	case record:
		keyed := g.n(3) > 0
		for _, f := range t.fields {
			if e := g.expr(f.t, depth-1); !keyed {
				s = append(s, e)
			} else if g.n(4) > 0 {
				s = append(s, f.name+": "+e)
			}
		}
		if keyed {
			g.r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
		}
	}
	return t.name + "{" + strings.Join(s, ", ") + "}"
}

// address is the address of a place that may be shared, or of a new value.
func (g exprs) address(t *typ) string {
	if v, ok := g.find(func(v variable) bool { return v.t == t.elem && v.shared && !v.fixed }); ok && g.chance(2) {
		return "&" + v.name
	}
	if g.chance(3) && t.elem.kind != iface && t.elem.kind != function && t.elem.kind != param {
		return "new(" + g.value(t.elem) + ")"
	}
	if g.chance(2) {
		return g.literal(t)
	}
	return ""
}
