package emulator

import "fmt"

// expr writes an expression of a type.
func (p *program) expr(t scalar, depth int) string {
	if depth <= 0 || p.r.IntN(8) == 0 {
		return p.leaf(t)
	}
	switch t.kind {
	case 'f':
		return p.floatExpr(t, depth)
	case 'p':
		return p.pairExpr(t, depth)
	}
	return p.intExpr(t, depth)
}

func (p *program) leaf(t scalar) string {
	if p.same || p.r.IntN(12) == 0 {
		switch {
		case t.kind == 'p':
			return fmt.Sprintf("__builtin_bit_cast(%s, u.word[%d])", t.name, p.r.IntN(4))
		case t.kind == 'f':
			return fmt.Sprintf("(%s)u.real[%d]", t.name, p.r.IntN(2))
		case t.bits == 64:
			return fmt.Sprintf("(%s)u.wide[%d]", t.name, p.r.IntN(2))
		}
		return fmt.Sprintf("(%s)u.word[%d]", t.name, p.r.IntN(4))
	}
	if t.kind != 'p' && p.r.IntN(12) == 0 {
		return p.memory(t)
	}
	switch {
	case t.kind == 'p' || p.r.IntN(4) > 0:
		return p.variable(t)
	case t.kind == 'f':
		return fmt.Sprintf("(%s)%s", t.name, p.pick("0.5", "-1.0", "3.25", "0.1", "-0.0", "1e-3", "100.0", "65504.0", "1e-7", "-2.0"))
	case t.name == "u32" && p.shared && p.r.IntN(2) == 0:
		at := fmt.Sprintf("(t * %d + %d) %% BLOCK", 1+2*p.r.IntN(4), p.r.IntN(32))
		return p.pick("l->w32["+at+"]", "(u32)l->w8["+at+"]", "(u32)l->w16["+at+"]", "(u32)l->w64["+at+"]", "bits(l->wf["+at+"])", "l->sum[t & 7]", "(u32)l->wide[0]", "(u32)l->least", "(u32)l->most")
	case t.name == "u32":
		return p.pick("t", "g", "s->got", fmt.Sprintf("in[(t + %d) & 1023]", p.r.IntN(1024)), fmt.Sprintf("s->list[%s & 7]", p.variable(t)), "0xffffffffu", "0x80000000u", "255u")
	case t.bits == 64:
		return fmt.Sprintf("(%s)%s", t.name, p.pick("0x123456789abcdefull", "-1", "(1ull << 63)", "0xffffffffull", "100", "-16"))
	}
	return fmt.Sprintf("(%s)%s", t.name, p.pick("1", "-1", "7", "64", "65", "-17", "0x7f", "0x8000", "0x12345678", "0x7fffffff"))
}

func (p *program) intExpr(t scalar, depth int) string {
	if !p.same && t.bits >= 32 && depth > 1 && p.r.IntN(6) == 0 {
		p.same = true
		defer func() { p.same = false }()
	}
	x := func() string { return p.expr(t, depth-1) }
	cast := func(format string, args ...any) string {
		return "(" + t.name + ")(" + fmt.Sprintf(format, args...) + ")"
	}
	switch p.r.IntN(22) {
	case 0, 1:
		return cast("%s + %s", x(), x())
	case 2:
		return cast("%s - %s", x(), x())
	case 3:
		if t.bits < 32 {
			return cast("(u32)%s * (u32)%s", x(), x())
		}
		return cast("%s * %s", x(), x())
	case 4:
		return cast("%s %s %s", x(), p.pick("&", "|", "^"), x())
	case 5:
		return cast("(%s %s %s) %s %s", x(), p.pick("&", "|", "^"), x(), p.pick("&", "|", "^"), x())
	case 6:
		return cast("%s << (%s & %d)", x(), p.expr(scalars[1], depth-1), t.bits-1)
	case 7:
		return cast("%s >> (%s & %d)", x(), p.expr(scalars[1], depth-1), t.bits-1)
	case 8:
		return cast("%s(%s, %s)", p.pick("quotient<"+t.name+">", "remainder_<"+t.name+">"), x(), x())
	case 9:
		return cast("%s ? %s : %s", p.condition(depth), x(), x())
	case 10:
		return cast("__builtin_elementwise_%s(%s, %s)", p.pick("min", "max"), x(), x())
	case 11:
		return cast("__builtin_elementwise_%s(%s, %s)", p.pick("add_sat", "sub_sat"), x(), x())
	case 12:
		return cast("~%s", x())
	case 13:
		return cast("-%s", x())
	case 14:
		return cast("%s((u32)%s)", p.pick("__builtin_popcount", "__builtin_bitreverse32", "__builtin_bswap32"), x())
	case 15:
		return cast("%s((u32)%s | %s)", p.pick("__builtin_clz", "__builtin_ctz"), x(), p.pick("1u", "0x80000000u"))
	case 16:
		return cast("%s((u64)%s | 1)", p.pick("__builtin_clzll", "__builtin_ctzll", "__builtin_popcountll", "__builtin_bitreverse64", "__builtin_bswap64"), x())
	case 17:
		word := p.pick("u32", "i32")
		return cast("mulhi((%s)%s, (%s)%s)", word, x(), word, x())
	case 18:
		return cast("%s >> %d & %d", x(), p.r.IntN(t.bits-1), 1<<p.r.IntN(t.bits-1)-1)
	case 19:
		if t.kind == 'u' {
			return cast("rotate<%s>(%s, (u32)%s, %d)", t.name, x(), x(), t.bits)
		}
		return cast("(%s >> 3) + (%s << 2)", x(), x())
	case 20:
		f := scalars[4+p.r.IntN(2)]
		lo, hi := "0", "100"
		if t.kind == 'i' {
			lo = "-100"
		}
		if t.bits >= 32 {
			hi = "1e9"
		}
		return cast("whole<%s, %s>(%s, %s, %s)", t.name, f.name, p.expr(f, depth-1), lo, hi)
	default:
		if from := p.scalar(); from.kind != 'f' && from.kind != 'p' {
			return cast("%s", p.expr(from, depth-1))
		} else if from.bits <= 32 || t.bits == 64 {
			return cast("bits(%s)", p.expr(from, depth-1))
		}
	}
	return x()
}

func (p *program) floatExpr(t scalar, depth int) string {
	x := func() string { return p.expr(t, depth-1) }
	cast := func(format string, args ...any) string {
		return "(" + t.name + ")(" + fmt.Sprintf(format, args...) + ")"
	}
	n := p.r.IntN(20)
	if t.bits == 16 && n >= 8 && n < 16 {
		n %= 8
	}
	switch n {
	case 0, 1:
		return cast("%s + %s", x(), x())
	case 2:
		return cast("%s - %s", x(), x())
	case 3, 4:
		return cast("%s * %s", x(), x())
	case 5:
		return cast("%s / %s", x(), x())
	case 6:
		return cast("%s ? %s : %s", p.condition(depth), x(), x())
	case 7:
		return cast("-%s", x())
	case 8, 9:
		return cast("fma_(%s, %s, %s)", x(), x(), x())
	case 10:
		return cast("sqrt_(abs_(%s))", x())
	case 11:
		return cast("%s(%s)", p.pick("floor_", "ceil_", "trunc_", "rint_", "abs_"), x())
	case 12:
		return cast("sign_(%s, %s)", x(), x())
	case 13:
		return cast("scale_(%s, %s & 31)", x(), p.expr(scalars[0], depth-1))
	case 14:
		return cast("scale_(%s, -(%s & 127))", x(), p.expr(scalars[0], depth-1))
	case 15:
		a, b := x(), x()
		return cast("%s %s %s ? %s : %s", a, p.pick("<", ">"), b, a, b)
	case 16, 17:
		if t.bits == 64 {
			return cast("%s", p.expr(p.number(), depth-1))
		}
		return cast("opaque((f32)%s)", p.expr(p.number(), depth-1)) // clang's v_fma_mixlo_f16 of a product loses the sign of a zero
	}
	return cast("%s * %s + %s", x(), x(), x())
}

func (p *program) pairExpr(t scalar, depth int) string {
	x := func() string { return p.expr(t, depth-1) }
	if t.name == "f16x2" {
		return "(" + p.pick(x()+" + "+x(), x()+" - "+x(), x()+" * "+x(), "-"+x(), x()+".yx", t.name+"{(f16)opaque("+p.expr(scalars[4], 1)+"), "+x()+".x}") + ")"
	}
	other := scalars[11]
	if t.name == "u16x2" {
		other = scalars[12]
	}
	elem := t.name[:3]
	switch p.r.IntN(9) {
	case 0:
		return "(" + x() + " + " + x() + ")"
	case 1:
		return "(" + x() + " - " + x() + ")"
	case 2:
		return "(" + x() + " * " + x() + ")"
	case 3:
		return fmt.Sprintf("(%s %s (%s & (%s)15))", x(), p.pick("<<", ">>"), x(), elem)
	case 4:
		return fmt.Sprintf("__builtin_elementwise_%s(%s, %s)", p.pick("min", "max", "add_sat", "sub_sat"), x(), x())
	case 5:
		return "(" + x() + p.pick(" & ", " | ", " ^ ") + x() + ")"
	case 6:
		return fmt.Sprintf("%s{(%s)%s, %s.x}", t.name, elem, p.expr(scalars[1], depth-1), x())
	case 7:
		return fmt.Sprintf("__builtin_bit_cast(%s, %s)", t.name, p.expr(other, depth-1))
	}
	return x() + ".yx"
}
