package machine

import (
	"go/constant"
	"reflect"
	"unsafe"
)

// The types of values that closures work on, one for each size and kind; names of types make no difference.
type (
	signed interface {
		~int | ~int8 | ~int16 | ~int32 | ~int64
	}
	unsigned interface {
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
	}
	integer interface{ signed | unsigned }
	floats  interface{ ~float32 | ~float64 }
	ordered interface{ integer | floats | ~string }
	slice   struct {
		data     unsafe.Pointer
		len, cap int
	}
)

// blame notes which node is about to panic.
func blame(f *Frame, n *Node) { f.Debug = unsafe.Pointer(n) }

func headerAt(f *Frame, i int) *header { return (*header)(unsafe.Pointer(&f.Data[i])) }

// at is the memory of a value of a frame. It is for kinds that a reflect.Value never holds in itself.
func at[T any](f *Frame, i int) *T { return (*T)(headerAt(f, i).ptr) }

// word is the place of a value that is one pointer.
func word(h *header) *unsafe.Pointer {
	if h.flag&flagIndir == 0 {
		return &h.ptr
	}
	return (*unsafe.Pointer)(h.ptr)
}

// operand is a compiled value. It is a constant, a variable of the frame itself, or anything else.
type operand[T any] struct {
	get   func(*Frame) T
	slot  int // of a variable, or -1
	fixed bool
	value T // of a constant
}

// frameUp finds the frame of a function further out.
func frameUp(level int) func(*Frame) *Frame {
	switch level {
	case 0:
		return func(f *Frame) *Frame { return f }
	case 1:
		return func(f *Frame) *Frame { return f.Anc }
	}
	return func(f *Frame) *Frame {
		for range level {
			f = f.Anc
		}
		return f
	}
}

// stored compiles the value in a place of a frame.
func stored[T any](c *code, level, i int) *operand[T] {
	if kindOf[T]() == reflect.Pointer {
		up := frameUp(level)
		return computed(func(f *Frame) T { return *(*T)(unsafe.Pointer(word(headerAt(up(f), i)))) })
	}
	switch level {
	case 0:
		return &operand[T]{slot: i, get: func(f *Frame) T { return *at[T](f, i) }}
	case 1:
		return computed(func(f *Frame) T { return *at[T](f.Anc, i) })
	}
	up := frameUp(level)
	return computed(func(f *Frame) T { return *at[T](up(f), i) })
}

// kindOf is the kind that the closures' type stands for.
func kindOf[T any]() reflect.Kind {
	switch any(*new(T)).(type) {
	case slice:
		return reflect.Slice
	case unsafe.Pointer:
		return reflect.Pointer
	}
	return reflect.TypeFor[T]().Kind()
}

// kindIn is a type's kind, with one for all that is one pointer. Functions are not among them: yaegi has its own for
// them.
func kindIn(t reflect.Type) reflect.Kind {
	if t == nil {
		return reflect.Invalid
	}
	switch k := t.Kind(); k {
	case reflect.Map, reflect.Chan, reflect.UnsafePointer:
		return reflect.Pointer
	default:
		return k
	}
}

// value compiles a node's value, or returns nil. operators compiles what only some types have.
func value[T any](c *code, n *Node, operators func(*code, *Node) *operand[T]) *operand[T] {
	if n.Kind == kinds.parenExpr {
		return value(c, n.Child[0], operators)
	}
	if isConstant(n) {
		v, ok := constantOf[T](n.Rval)
		if !ok {
			return nil
		}
		return &operand[T]{slot: -1, fixed: true, value: v, get: func(*Frame) T { return v }}
	}
	if kindIn(c.typeOf(n)) != kindOf[T]() {
		return nil
	}
	switch {
	case isSymbol(n):
		h := new(header)
		*h = asHeader(n.Rval)
		if kindOf[T]() == reflect.Pointer {
			p := (*T)(unsafe.Pointer(word(h)))
			return computed(func(*Frame) T { return *p })
		}
		p := (*T)(h.ptr)
		return computed(func(*Frame) T { return *p })
	case isVariable(n):
		return stored[T](c, n.Level, n.Sym.Index)
	}
	before := len(c.leaves)
	if operators != nil {
		if r := operators(c, n); r != nil {
			return r
		}
		c.leaves = c.leaves[:before]
	}
	if p := c.address(n); p != nil {
		return computed(func(f *Frame) T { return *(*T)(p(f)) })
	}
	c.leaves = c.leaves[:before]
	if gen(n) == "getIndexMap" && n.Fnext == nil {
		if r := readEntry[T](c, n); r != nil {
			return r
		}
		c.leaves = c.leaves[:before]
	}
	return leaf[T](c, n)
}

// leaf compiles the result of a node that runs by itself, before the expression that it is a part of.
func leaf[T any](c *code, n *Node) *operand[T] {
	if c.guarded > 0 || n.Findex < 0 || n.Fnext != nil || n.Level != 0 || n.Gen == nil || gen(n) == "nop" ||
		n.Kind == kinds.funcLit {
		return nil
	}
	c.leaves = append(c.leaves, n)
	return stored[T](c, n.Level, n.Findex)
}

// number compiles a value that an index or a count may have: of any integer type, as an int.
func (c *code) number(n *Node) *operand[int] {
	if isConstant(n) {
		return value[int](c, n, nil)
	}
	s, ok := shapes[kindIn(c.typeOf(n))]
	if !ok {
		return nil
	}
	return s.asInt(c, n)
}

// constantOf is a constant as a T, if it is one.
func constantOf[T any](v reflect.Value) (r T, ok bool) {
	dst := reflect.ValueOf(&r).Elem()
	if !isUntyped(v) {
		if !v.IsValid() || v.Kind() != dst.Kind() || v.Kind() == reflect.Struct || v.Kind() == reflect.Pointer ||
			v.Kind() == reflect.UnsafePointer {
			return r, false
		}
		dst.Set(v.Convert(dst.Type()))
		return r, true
	}
	x := v.Interface().(constant.Value)
	switch k := dst.Kind(); {
	case k == reflect.Bool && x.Kind() == constant.Bool:
		dst.SetBool(constant.BoolVal(x))
	case k == reflect.String && x.Kind() == constant.String:
		dst.SetString(constant.StringVal(x))
	case dst.CanInt():
		i, exact := constant.Int64Val(constant.ToInt(x))
		if !exact || dst.OverflowInt(i) {
			return r, false
		}
		dst.SetInt(i)
	case dst.CanUint():
		i, exact := constant.Uint64Val(constant.ToInt(x))
		if !exact || dst.OverflowUint(i) {
			return r, false
		}
		dst.SetUint(i)
	case k == reflect.Float64:
		f, _ := constant.Float64Val(constant.ToFloat(x))
		dst.SetFloat(f)
	case k == reflect.Float32:
		f, _ := constant.Float32Val(constant.ToFloat(x))
		dst.SetFloat(float64(f))
	default:
		return r, false
	}
	return r, true
}
