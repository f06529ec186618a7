package machine

import "reflect"

// called compiles a call of a compiled function of numbers, as package math has many, without reflection.
func called[T floats](c *code, n *Node) *operand[T] {
	f := n.Child[0]
	if !isSymbol(f) || f.Rval.Kind() != reflect.Func || f.Rval.IsNil() || f.Rval.CanAddr() {
		return nil
	}
	switch fn := f.Rval.Interface().(type) {
	case func(T) T:
		if len(n.Child) != 2 {
			return nil
		}
		if a := value(c, n.Child[1], floatOperators[T]); a != nil {
			x := a.get
			return computed(func(f *Frame) T { return fn(x(f)) })
		}
	case func(T, T) T:
		if len(n.Child) != 3 {
			return nil
		}
		a := value(c, n.Child[1], floatOperators[T])
		if a == nil {
			return nil
		}
		if b := value(c, n.Child[2], floatOperators[T]); b != nil {
			x, y := a.get, b.get
			return computed(func(f *Frame) T {
				a := x(f)
				return fn(a, y(f))
			})
		}
	}
	return nil
}
