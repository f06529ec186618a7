package native

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/quick"
	"golang.org/x/tools/go/ssa"
)

// A complex number is two floats. The compiler multiplies those of 64 bits in floats of 64 bits each, and has the
// runtime divide.

// partOf is the kind of the parts of a complex type.
func partOf(t types.Type) ir.Kind { return layout(t)[0].Kind }

// complexConst are the parts of a constant.
func (t functions) complexConst(c *ssa.Const) (list []*ir.Value) {
	k := partOf(c.Type())
	z := constant.ToComplex(c.Value)
	for _, x := range []constant.Value{constant.Real(z), constant.Imag(z)} {
		if k == ir.Float32 {
			f, _ := constant.Float32Val(x)
			list = append(list, t.f.Int(k, int64(math.Float32bits(f))))
		} else {
			f, _ := constant.Float64Val(x)
			list = append(list, t.f.Int(k, int64(math.Float64bits(f))))
		}
	}
	return list
}

// complexBinary is an operation of two complex numbers.
func (t functions) complexBinary(in *ssa.BinOp) []*ir.Value {
	k := partOf(in.X.Type())
	x, y := t.value(in.X), t.value(in.Y)
	op := binaryOps[in.Op]
	each := func(k ir.Kind) []*ir.Value {
		return []*ir.Value{t.add(op, k, x[0], y[0]), t.add(op, k, x[1], y[1])}
	}
	switch op {
	case ir.Add, ir.Sub:
		return each(k)
	case ir.Eq:
		same := each(ir.Bool)
		return []*ir.Value{t.add(ir.And, ir.Bool, same[0], same[1])}
	case ir.Ne:
		other := each(ir.Bool)
		return []*ir.Value{t.add(ir.Or, ir.Bool, other[0], other[1])}
	}
	x, y = t.parts(x, ir.Float64), t.parts(y, ir.Float64)
	if op == ir.Div {
		if t.device != nil {
			t.no("it divides complex numbers")
		}
		s := site{code: leaveQuick, aux: quick.Func(divideComplex)}
		return t.parts(t.leave(s, []ir.Kind{ir.Float64, ir.Float64}, x[0], x[1], y[0], y[1]), k)
	}
	mul := func(a, b *ir.Value) *ir.Value { return t.add(ir.Mul, ir.Float64, a, b) }
	re := t.add(ir.Sub, ir.Float64, mul(x[0], y[0]), mul(x[1], y[1]))
	im := t.add(ir.Add, ir.Float64, mul(x[0], y[1]), mul(x[1], y[0]))
	return t.parts([]*ir.Value{re, im}, k)
}

// parts are those of a complex number as floats of a kind.
func (t functions) parts(list []*ir.Value, k ir.Kind) (out []*ir.Value) {
	for _, v := range list {
		if v.Kind != k {
			v = t.add(ir.Convert, k, v)
		}
		out = append(out, v)
	}
	return out
}

func divideComplex(c *enter.Context) bool {
	z := complex(c.Float(0), c.Float(1)) / complex(c.Float(2), c.Float(3))
	return c.SetFloat(0, real(z)) && c.SetFloat(1, imag(z))
}

// complexUnary is -z.
func (t functions) complexUnary(in *ssa.UnOp) (list []*ir.Value) {
	if in.Op != token.SUB {
		t.no("it has an operation of type %s that is not compiled", in.Type())
	}
	for _, v := range t.value(in.X) {
		list = append(list, t.add(ir.Neg, v.Kind, v))
	}
	return list
}
