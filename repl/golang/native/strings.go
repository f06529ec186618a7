package native

import (
	"go/types"
	"reflect"
	"unicode/utf8"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/quick"
	"golang.org/x/tools/go/ssa"
)

// textRange is a loop over the characters of a string: the string, and where the next character is.
type textRange struct {
	s  []*ir.Value
	at address
}

// rangeText begins a loop over a string.
func (t goCalls) rangeText(in *ssa.Range) {
	at := t.frame(sizes.Sizeof(types.Typ[types.Int]))
	t.memory(ir.Store, ir.Int64, at, 0, t.int(0))
	t.texts[in] = textRange{t.value(in.X), at}
}

// nextText takes the next character: whether there is one, where it begins, and what it is.
func (t goCalls) nextText(in *ssa.Next) {
	r := t.texts[in.Iter]
	at := t.memory(ir.Load, ir.Int64, r.at, 0, nil)
	more := t.add(ir.Lt, ir.Bool, at, r.s[1])
	found := t.branch(more, []ir.Kind{ir.Int32, ir.Int64}, []*ir.Value{t.f.Int(ir.Int32, 0), at}, func() []*ir.Value {
		b := t.memory(ir.Load, ir.Uint8, address{base: r.s[0], index: at, scale: 1}, 0, nil)
		long := t.add(ir.Ge, ir.Bool, b, t.f.Int(ir.Uint8, utf8.RuneSelf))
		ascii := []*ir.Value{t.add(ir.Convert, ir.Int32, b), t.add(ir.Add, ir.Int64, at, t.int(1))}
		return t.branch(long, []ir.Kind{ir.Int32, ir.Int64}, ascii, func() []*ir.Value {
			s := site{code: leaveQuick, aux: quick.Func(decodeRune)}
			return t.leave(s, []ir.Kind{ir.Int32, ir.Int64}, r.s[0], r.s[1], at)
		})
	})
	t.memory(ir.Store, ir.Int64, r.at, 0, found[1])
	t.nexts[in] = [][]*ir.Value{{more}, {at}, {found[0]}}
}

// decodeRune decodes the character at a place of a string, and tells where the next one is.
func decodeRune(c *enter.Context) bool {
	at := c.Arg(2)
	r, size := utf8.DecodeRuneInString(c.Text(0)[at:])
	return c.SetInt(0, int(r)) && c.SetInt(1, at+size)
}

// convertText translates a conversion from or to a string. It reports false for any other.
func (t goCalls) convertText(in *ssa.Convert) bool {
	from, to := in.X.Type(), in.Type()
	if !isString(from) && !isString(to) {
		return false
	}
	var do func(to, from unsafe.Pointer)
	switch {
	case isString(from):
		do = textTo(elemKind(to))
	case elemKind(from) != types.Invalid:
		do = textFrom(elemKind(from))
	default:
		b, ok := from.Underlying().(*types.Basic)
		if !ok || b.Info()&types.IsInteger == 0 {
			t.no("it converts %s to %s", from, to)
		}
		t.character(in)
		return true
	}
	if do == nil {
		t.no("it converts %s to %s", from, to)
	}
	f, offsets := t.newForeign([]types.Type{from}, []types.Type{to}, []reflect.Type{t.typeOf(from), t.typeOf(to)})
	f.do = func(m unsafe.Pointer) { do(unsafe.Add(m, offsets[1]), unsafe.Add(m, offsets[0])) }
	t.values[in] = t.callForeign(f, t.value(in.X))
	return true
}

// character translates a conversion of an integer to a string.
func (t goCalls) character(in *ssa.Convert) {
	x := t.one(in.X)
	if x.Kind != ir.Int64 {
		x = t.add(ir.Convert, ir.Int64, x) // of a large unsigned number it is negative: neither is a character
	}
	f, offsets := t.newForeign([]types.Type{types.Typ[types.Int]}, []types.Type{in.Type()},
		[]reflect.Type{reflect.TypeFor[int](), t.typeOf(in.Type())})
	f.quick = func(c *enter.Context) bool { return c.Spend(16) && c.SetText(0, characterText(c.Arg(0))) }
	f.do = func(m unsafe.Pointer) { *(*string)(unsafe.Add(m, offsets[1])) = characterText(*(*int)(m)) }
	t.values[in] = t.callForeign(f, []*ir.Value{x})
}

// characterText is not inlined: what a function returns is not in the memory of its caller's frame.
//
//go:noinline
func characterText(n int) string {
	if n < 0 || n > utf8.MaxRune {
		n = utf8.RuneError
	}
	return string(rune(n))
}

// elemKind is the kind of the elements of a slice of bytes or characters, Invalid for any other type.
func elemKind(t types.Type) types.BasicKind {
	if s, ok := t.Underlying().(*types.Slice); ok {
		if b, ok := s.Elem().Underlying().(*types.Basic); ok && (b.Kind() == types.Byte || b.Kind() == types.Rune) {
			return b.Kind()
		}
	}
	return types.Invalid
}

func textTo(elem types.BasicKind) func(to, from unsafe.Pointer) {
	switch elem {
	case types.Byte:
		return func(to, from unsafe.Pointer) { *(*[]byte)(to) = []byte(*(*string)(from)) }
	case types.Rune:
		return func(to, from unsafe.Pointer) { *(*[]rune)(to) = []rune(*(*string)(from)) }
	}
	return nil
}

func textFrom(elem types.BasicKind) func(to, from unsafe.Pointer) {
	switch elem {
	case types.Byte:
		return func(to, from unsafe.Pointer) { *(*string)(to) = string(*(*[]byte)(from)) }
	case types.Rune:
		return func(to, from unsafe.Pointer) { *(*string)(to) = string(*(*[]rune)(from)) }
	}
	return nil
}
