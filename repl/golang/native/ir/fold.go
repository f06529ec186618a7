package ir

import (
	"math"
	"math/bits"
)

// Wrap is an integer as a value of a kind holds it.
func Wrap(k Kind, n int64) int64 {
	switch k {
	case Bool:
		return n & 1
	case Int8:
		return int64(int8(n))
	case Int16:
		return int64(int16(n))
	case Int32:
		return int64(int32(n))
	case Uint8:
		return int64(uint8(n))
	case Uint16:
		return int64(uint16(n))
	case Uint32:
		return int64(uint32(n))
	}
	return n
}

// fold returns what a value can be replaced with, nil for none. Operations of integers that have constant operands are
// computed; floats are left to the processor.
func (f *Func) fold(v *Value) *Value {
	if !v.Pure() || len(v.Args) == 0 || v.Args[0].Kind.IsFloat() || v.Kind.IsFloat() {
		return nil
	}
	x := v.Args[0]
	if v.Op == Convert && x.Op == Const {
		return f.Int(v.Kind, Wrap(v.Kind, x.Imm))
	}
	if v.Op == Convert && x.Kind == v.Kind {
		return x
	}
	if len(v.Args) == 1 {
		return f.foldUnary(v, x)
	}
	y := v.Args[1]
	if x.Op == Const && y.Op == Const {
		if n, ok := binary(v.Op, x.Kind, x.Imm, y.Imm, y.Kind); ok {
			return f.Int(v.Kind, Wrap(v.Kind, n))
		}
	}
	if x.Op == Const && (v.Op == Add || v.Op == Mul || v.Op == And || v.Op == Or || v.Op == Xor) && v.Kind != Ptr {
		v.Args[0], v.Args[1] = y, x
		x, y = y, x
	}
	if y.Op != Const {
		return nil
	}
	return f.foldRight(v, x, y.Imm)
}

func (f *Func) foldUnary(v, x *Value) *Value {
	if x.Op != Const {
		return nil
	}
	switch v.Op {
	case Neg:
		return f.Int(v.Kind, Wrap(v.Kind, -x.Imm))
	case Com:
		return f.Int(v.Kind, Wrap(v.Kind, ^x.Imm))
	}
	return nil
}

// foldRight simplifies an operation whose second operand is a constant.
func (f *Func) foldRight(v, x *Value, n int64) *Value {
	switch {
	case n == 0 && (v.Op == Add || v.Op == Sub || v.Op == Or || v.Op == Xor || v.Op == Shl || v.Op == Shr ||
		v.Op == AndNot),
		n == 1 && (v.Op == Mul || v.Op == Div):
		return x
	case n == 0 && (v.Op == Mul || v.Op == And), n == 1 && v.Op == Rem:
		return f.Int(v.Kind, 0)
	case v.Op == Mul && n > 0 && n&(n-1) == 0 && n != 8 && n != 4 && n != 2:
		v.Op, v.Args[1] = Shl, f.Int(Uint64, int64(bits.TrailingZeros64(uint64(n))))
	case (v.Op == Div || v.Op == Rem) && !v.Kind.Signed() && n > 0 && n&(n-1) == 0:
		if v.Op == Div {
			v.Op, v.Args[1] = Shr, f.Int(Uint64, int64(bits.TrailingZeros64(uint64(n))))
		} else {
			v.Op, v.Args[1] = And, f.Int(v.Kind, n-1)
		}
	}
	return nil
}

// binary computes an operation of constants.
func binary(op Op, k Kind, x, y int64, count Kind) (n int64, ok bool) {
	ux, uy := uint64(x), uint64(y)
	truth := func(b bool) (int64, bool) {
		if b {
			return 1, true
		}
		return 0, true
	}
	less := func() bool {
		if k.Signed() {
			return x < y
		}
		return ux < uy
	}
	switch op {
	case Add:
		return x + y, true
	case Sub:
		return x - y, true
	case Mul:
		return x * y, true
	case And:
		return x & y, true
	case Or:
		return x | y, true
	case Xor:
		return x ^ y, true
	case AndNot:
		return x &^ y, true
	case Shl:
		return x << uy, !count.Signed() || y >= 0
	case Shr:
		if k.Signed() {
			return x >> uy, !count.Signed() || y >= 0
		}
		return int64(ux >> uy), !count.Signed() || y >= 0
	case Div, Rem:
		return divide(op, k, x, y)
	case Eq:
		return truth(x == y)
	case Ne:
		return truth(x != y)
	case Lt:
		return truth(less())
	case Le:
		return truth(less() || x == y)
	case Gt:
		return truth(!less() && x != y)
	case Ge:
		return truth(!less())
	}
	return 0, false
}

func divide(op Op, k Kind, x, y int64) (int64, bool) {
	if y == 0 {
		return 0, false
	}
	if !k.Signed() {
		if op == Div {
			return int64(uint64(x) / uint64(y)), true
		}
		return int64(uint64(x) % uint64(y)), true
	}
	if x == math.MinInt64 && y == -1 {
		if op == Div {
			return x, true
		}
		return 0, true
	}
	if op == Div {
		return x / y, true
	}
	return x % y, true
}
