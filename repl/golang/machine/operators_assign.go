package machine

import "unsafe"

func integerChanges[T integer](c *code, n *Node, op string, to func(*Frame) unsafe.Pointer, slot int,
	v *operand[T]) func(*Frame) {
	switch op {
	case "shlAssign", "shrAssign":
		s := c.number(n)
		if s == nil {
			return nil
		}
		anc, count, left := n.Anc, c.count(n, s), op == "shlAssign"
		return func(f *Frame) {
			s := count(f)
			p := (*T)(to(f))
			if s < 0 {
				blame(f, anc)
			}
			if left {
				*p <<= s
			} else {
				*p >>= s
			}
		}
	case "quoAssign", "remAssign":
		anc, get, quo := n.Anc, v.get, op == "quoAssign"
		return func(f *Frame) {
			v := get(f)
			p := (*T)(to(f))
			if v == 0 {
				blame(f, anc)
			}
			if quo {
				*p /= v
			} else {
				*p %= v
			}
		}
	case "andAssign", "orAssign", "xorAssign", "andNotAssign":
		get := v.get
		switch op {
		case "andAssign":
			return func(f *Frame) { v := get(f); *(*T)(to(f)) &= v }
		case "orAssign":
			return func(f *Frame) { v := get(f); *(*T)(to(f)) |= v }
		case "xorAssign":
			return func(f *Frame) { v := get(f); *(*T)(to(f)) ^= v }
		}
		return func(f *Frame) { v := get(f); *(*T)(to(f)) &^= v }
	}
	return sumChanges(op, to, slot, v)
}

func floatChanges[T floats](_ *code, _ *Node, op string, to func(*Frame) unsafe.Pointer, slot int,
	v *operand[T]) func(*Frame) {
	if op == "quoAssign" {
		get := v.get
		return func(f *Frame) { v := get(f); *(*T)(to(f)) /= v }
	}
	return sumChanges(op, to, slot, v)
}

func stringChanges(c *code, n *Node, op string, to func(*Frame) unsafe.Pointer, _ int,
	v *operand[string]) func(*Frame) {
	if op != "addAssign" {
		return nil
	}
	get, anc := v.get, n.Anc
	return func(f *Frame) {
		v := get(f)
		p := (*string)(to(f))
		*p = c.joined(f, anc, *p, v)
	}
}

// sumChanges compiles +=, -= and *=.
func sumChanges[T integer | floats](op string, to func(*Frame) unsafe.Pointer, slot int, v *operand[T]) func(*Frame) {
	get := v.get
	switch op {
	case "addAssign":
		if slot >= 0 && v.fixed {
			v := v.value
			return func(f *Frame) { *at[T](f, slot) += v }
		}
		if slot >= 0 {
			return func(f *Frame) { v := get(f); *at[T](f, slot) += v }
		}
		return func(f *Frame) { v := get(f); *(*T)(to(f)) += v }
	case "subAssign":
		return func(f *Frame) { v := get(f); *(*T)(to(f)) -= v }
	case "mulAssign":
		return func(f *Frame) { v := get(f); *(*T)(to(f)) *= v }
	}
	return nil
}
