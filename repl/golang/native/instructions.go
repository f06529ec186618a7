package native

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/quick"
	"golang.org/x/tools/go/ssa"
)

// instruction translates one.
func (t *translator) instruction(in ssa.Instruction) {
	if t.device != nil {
		t.onDevice(in)
	}
	switch in := in.(type) {
	case *ssa.Phi, *ssa.DebugRef, *ssa.RunDefers:
	case *ssa.Alloc:
		t.alloc(in)
	case *ssa.BinOp:
		switch x := t.value(in.X); {
		case len(x) == 2 && in.Op == token.ADD && isString(in.Type()):
			y := t.value(in.Y)
			t.values[in] = t.leave(site{code: leaveConcat}, []ir.Kind{ir.Ptr, ir.Int64}, x[0], x[1], y[0], y[1])
		case isComplex(in.X.Type()):
			t.values[in] = t.functions().complexBinary(in)
		default:
			t.values[in] = []*ir.Value{t.binary(in)}
		}
	case *ssa.UnOp:
		t.unary(in)
	case *ssa.ChangeType:
		t.words(in.Type())
		if t.values[in.X] != nil || t.functions().known(in.X) == nil {
			t.values[in] = t.value(in.X)
		}
	case *ssa.Convert:
		if isComplex(in.Type()) {
			t.values[in] = t.functions().parts(t.value(in.X), partOf(in.Type()))
			return
		}
		if !t.inGo().convertText(in) {
			t.values[in] = []*ir.Value{t.convert(in)}
		}
	case *ssa.IndexAddr:
		if !isOnTheWay(in) {
			t.functions().chosen(in, t.functions().elementAddress(in))
		}
	case *ssa.Index:
		t.index(in)
	case *ssa.FieldAddr:
		if !isOnTheWay(in) {
			t.functions().chosen(in, t.functions().fieldAddress(in))
		}
	case *ssa.Field:
		t.functions().field(in)
	case *ssa.Slice:
		t.slice(in)
	case *ssa.MakeSlice:
		t.makeSlice(in)
	case *ssa.Store:
		if !t.functions().keeps(in) && !t.functions().copied(in) {
			t.store(t.address(in.Addr), in.Val.Type(), t.value(in.Val))
		}
	case *ssa.Call:
		t.functions().atLoop(in)
		t.call(in)
	case *ssa.Extract:
		if parts := t.nexts[in.Tuple]; parts != nil {
			t.values[in] = parts[in.Index]
			return
		}
		_, first, _ := tupleWords(in.Tuple.Type().(*types.Tuple))
		t.values[in] = t.value(in.Tuple)[first[in.Index]:first[in.Index+1]]
	case *ssa.Panic:
		t.panic(in)
	case *ssa.Jump:
		t.b.Kind = ir.Jump
	case *ssa.If:
		t.b.Kind, t.b.Control = ir.If, t.one(in.Cond)
	case *ssa.Return:
		t.ret(in)
	case *ssa.MakeClosure:
		t.functions().makeClosure(in)
	default:
		t.inGo().instruction(in)
	}
}

// constant are the values of a constant.
func (t *translator) constant(c *ssa.Const) (list []*ir.Value) {
	kinds := t.words(c.Type())
	if c.Value == nil {
		for _, k := range kinds {
			list = append(list, t.f.Int(k, 0))
		}
		return list
	}
	if isComplex(c.Type()) {
		return t.functions().complexConst(c)
	}
	if c.Value.Kind() == constant.String {
		s := constant.StringVal(c.Value)
		*t.keep = append(*t.keep, s)
		return []*ir.Value{t.f.Int(ir.Ptr, int64(uintptr(unsafe.Pointer(unsafe.StringData(s))))),
			t.int(int64(len(s)))}
	}
	switch k := kinds[0]; k {
	case ir.Bool:
		n := int64(0)
		if constant.BoolVal(c.Value) {
			n = 1
		}
		return []*ir.Value{t.f.Int(k, n)}
	case ir.Float64:
		f, _ := constant.Float64Val(constant.ToFloat(c.Value))
		return []*ir.Value{t.f.Int(k, int64(math.Float64bits(f)))}
	case ir.Float32:
		f, _ := constant.Float32Val(constant.ToFloat(c.Value))
		return []*ir.Value{t.f.Int(k, int64(math.Float32bits(f)))}
	default:
		n := constant.ToInt(c.Value)
		if i, ok := constant.Int64Val(n); ok {
			return []*ir.Value{t.f.Int(k, i)}
		}
		u, _ := constant.Uint64Val(n)
		return []*ir.Value{t.f.Int(k, int64(u))}
	}
}

var binaryOps = map[token.Token]ir.Op{token.ADD: ir.Add, token.SUB: ir.Sub, token.MUL: ir.Mul, token.QUO: ir.Div,
	token.REM: ir.Rem, token.AND: ir.And, token.OR: ir.Or, token.XOR: ir.Xor, token.AND_NOT: ir.AndNot,
	token.SHL: ir.Shl, token.SHR: ir.Shr, token.EQL: ir.Eq, token.NEQ: ir.Ne, token.LSS: ir.Lt, token.LEQ: ir.Le,
	token.GTR: ir.Gt, token.GEQ: ir.Ge}

// binary translates an operation of two operands.
func (t *translator) binary(in *ssa.BinOp) *ir.Value {
	op := binaryOps[in.Op]
	x, y := t.value(in.X), t.value(in.Y)
	switch in.X.Type().Underlying().(type) {
	case *types.Struct, *types.Array:
		return t.compareWords(in, op, x, y)
	}
	if len(x) != 1 || len(y) != 1 {
		return t.compareWords(in, op, x, y)
	}
	a, b := x[0], y[0]
	k := t.kind(in.Type())
	switch {
	case op == ir.Shl || op == ir.Shr:
		if b.Kind.Signed() {
			t.check(ir.ShiftTest, site{code: leaveShift}, b)
		}
	case (op == ir.Div || op == ir.Rem) && !k.IsFloat():
		t.check(ir.DivideTest, site{code: leaveDivide}, b)
		if b.Op == ir.Const && k.Signed() && b.Imm > 1 && b.Imm&(b.Imm-1) == 0 {
			return t.divideByPower(op, k, a, b)
		}
	}
	return t.add(op, k, a, b)
}

// divideByPower divides a signed integer by a power of two: a negative one is rounded towards zero.
func (t *translator) divideByPower(op ir.Op, k ir.Kind, a, b *ir.Value) *ir.Value {
	n := int64(0)
	for 1<<n < b.Imm {
		n++
	}
	count := func(n int64) *ir.Value { return t.f.Int(ir.Uint64, n) }
	// in 64 bits, whatever the kind: the sum cannot leave them where it matters
	sign := t.add(ir.Shr, ir.Int64, a, count(63))
	bias := t.add(ir.And, ir.Int64, sign, t.int(b.Imm-1))
	sum := t.add(ir.Add, ir.Int64, a, bias)
	if op == ir.Div {
		q := t.add(ir.Shr, ir.Int64, sum, count(n))
		if k == ir.Int64 {
			return q
		}
		return t.add(ir.Convert, k, q)
	}
	down := t.add(ir.And, ir.Int64, sum, t.int(-b.Imm))
	r := t.add(ir.Sub, ir.Int64, a, down)
	if k == ir.Int64 {
		return r
	}
	return t.add(ir.Convert, k, r)
}

// compareWords compares values of several words: strings, slices with nil, structs and arrays.
func (t *translator) compareWords(in *ssa.BinOp, op ir.Op, x, y []*ir.Value) *ir.Value {
	switch in.X.Type().Underlying().(type) {
	case *types.Slice: // with nil
		if isNil(in.X) {
			x = y
		}
		return t.add(op, ir.Bool, x[0], t.f.Int(ir.Ptr, 0))
	case *types.Basic:
		switch op {
		case ir.Eq:
			return t.equalStrings(x, y)
		case ir.Ne:
			return t.add(ir.Xor, ir.Bool, t.equalStrings(x, y), t.f.Int(ir.Bool, 1))
		}
		return t.add(op, ir.Bool, t.compareStrings(x, y), t.int(0))
	case *types.Interface:
		if isNil(in.X) {
			x = y
		} else if !isNil(in.Y) {
			same := t.inGo().sameInterfaces(in.X.Type(), x, y)
			if op == ir.Ne {
				same = t.add(ir.Xor, ir.Bool, same, t.f.Int(ir.Bool, 1))
			}
			return same
		}
		return t.add(op, ir.Bool, x[0], t.f.Int(ir.Ptr, 0))
	}
	same := t.equal(in.X.Type(), x, y)
	if same == nil { // there is nothing in them
		same = t.f.Int(ir.Bool, 1)
	}
	if op == ir.Ne {
		same = t.add(ir.Xor, ir.Bool, same, t.f.Int(ir.Bool, 1))
	}
	return same
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil
}

// compareStrings is negative, zero or positive.
func (t *translator) compareStrings(x, y []*ir.Value) *ir.Value {
	return t.add(ir.Compare, ir.Int64, x[0], x[1], y[0], y[1])
}

// equalStrings compares strings of the same length alone.
func (t *translator) equalStrings(x, y []*ir.Value) *ir.Value {
	same := t.add(ir.Eq, ir.Bool, x[1], y[1])
	return t.branch(same, []ir.Kind{ir.Bool}, []*ir.Value{t.f.Int(ir.Bool, 0)}, func() []*ir.Value {
		return []*ir.Value{t.add(ir.Eq, ir.Bool, t.compareStrings(x, y), t.int(0))}
	})[0]
}

// equal compares values of a type.
func (t *translator) equal(typ types.Type, x, y []*ir.Value) *ir.Value {
	var same *ir.Value
	part := func(typ types.Type) {
		n := len(t.words(typ))
		if e := t.equal(typ, x[:n], y[:n]); same == nil {
			same = e
		} else if e != nil {
			same = t.add(ir.And, ir.Bool, same, e)
		}
		x, y = x[n:], y[n:]
	}
	switch u := typ.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			part(f.Type())
		}
	case *types.Array:
		for range u.Len() {
			part(u.Elem())
		}
	case *types.Basic:
		if isString(typ) {
			return t.equalStrings(x, y)
		}
		if same = t.add(ir.Eq, ir.Bool, x[0], y[0]); isComplex(typ) {
			same = t.add(ir.And, ir.Bool, same, t.add(ir.Eq, ir.Bool, x[1], y[1]))
		}
		return same
	case *types.Pointer, *types.Chan:
		return t.add(ir.Eq, ir.Bool, x[0], y[0])
	default: // maps and functions are compared with nil alone, interfaces in a certain order
		t.no("it compares values of type %s", typ)
	}
	return same
}

func (t *translator) unary(in *ssa.UnOp) {
	switch in.Op {
	case token.MUL:
		if k := t.scope.known[in.X]; k != nil { // a variable of such a function value
			t.scope.known[in] = k
			return
		}
		if refs := in.Referrers(); !in.Pos().IsValid() && len(*refs) == 1 {
			switch c := (*refs)[0].(type) {
			case *ssa.Call: // the receiver of a method
				if c.Pos().IsValid() {
					t.at = c.Pos()
				}
			case *ssa.MakeClosure:
				t.at = c.Pos()
			}
		}
		t.values[in] = t.load(t.address(in.X), in.Type())
		t.functions().leftLoop(in)
	case token.SUB:
		if isComplex(in.Type()) {
			t.values[in] = t.functions().complexUnary(in)
			return
		}
		t.values[in] = []*ir.Value{t.add(ir.Neg, t.kind(in.Type()), t.one(in.X))}
	case token.XOR:
		t.values[in] = []*ir.Value{t.add(ir.Com, t.kind(in.Type()), t.one(in.X))}
	case token.NOT:
		t.values[in] = []*ir.Value{t.add(ir.Xor, ir.Bool, t.one(in.X), t.f.Int(ir.Bool, 1))}
	case token.ARROW:
		t.inGo().receive(in)
	default:
		t.no("it has an operation that is not compiled: %s", in)
	}
}

func (t *translator) convert(in *ssa.Convert) *ir.Value {
	from, to := kindOf(in.X.Type()), kindOf(in.Type())
	if from == ir.None || to == ir.None || from == ir.Ptr || to == ir.Ptr {
		t.no("it converts %s to %s", in.X.Type(), in.Type())
	}
	if from.IsFloat() && !to.IsFloat() && !to.Signed() && t.device == nil {
		return t.leave(site{code: leaveQuick, aux: quick.Unsigned(from, to)}, []ir.Kind{to}, t.one(in.X))[0]
	}
	return t.add(ir.Convert, to, t.one(in.X))
}

// elementAddress is the address of an element.
func (t functions) elementAddress(in *ssa.IndexAddr) address {
	var a address
	var n *ir.Value
	i := t.one(in.Index)
	var elem types.Type
	switch u := in.X.Type().Underlying().(type) {
	case *types.Slice:
		s := t.value(in.X)
		a, n, elem = address{base: s[0]}, s[1], u.Elem()
	case *types.Pointer:
		array := u.Elem().Underlying().(*types.Array)
		a, n, elem = t.address(in.X), t.int(array.Len()), array.Elem()
		if a.index != nil {
			a = address{base: t.pointer(a)}
		}
	default:
		t.no("it indexes a %s", in.X.Type())
	}
	if isEmpty(elem) {
		t.no("it has elements of type %s", elem)
	}
	t.check(ir.IndexTest, site{code: leaveIndex, aux: i.Kind.Signed()}, i, n)
	return t.element(a, i, sizes.Sizeof(elem))
}

// isOnTheWay reports whether the address of a field or an element is needed for that of a part alone. It is computed
// with that: package ssa has it first in an assignment to the part, which fails only when it comes to that.
func isOnTheWay(in ssa.Instruction) bool {
	list := *in.(ssa.Value).Referrers()
	if len(list) != 1 || list[0].Block() != in.Block() {
		return false
	}
	switch list[0].(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr:
		return true
	}
	return false
}

// fieldAddress is the address of a field.
func (t functions) fieldAddress(in *ssa.FieldAddr) address {
	a := t.address(in.X)
	st := in.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	a.offset += fieldOffset(st, in.Field)
	return a
}

// chosen notes an address. One of several, of which a phi chooses, is computed at once.
func (t functions) chosen(in ssa.Value, a address) {
	t.addrs[in] = a
	for _, r := range *in.Referrers() {
		if _, ok := r.(*ssa.Phi); ok {
			t.values[in] = []*ir.Value{t.pointer(a)}
			return
		}
	}
}

// element is the address of an element of the given size.
func (t *translator) element(a address, i *ir.Value, size int64) address {
	switch size {
	case 1, 2, 4, 8:
		a.index, a.scale = i, uint8(size)
	default:
		if size%8 == 0 {
			a.index, a.scale = t.add(ir.Mul, ir.Int64, i, t.int(size/8)), 8
		} else {
			a.index, a.scale = t.add(ir.Mul, ir.Int64, i, t.int(size)), 1
		}
	}
	return a
}

// index reads a byte of a string.
func (t *translator) index(in *ssa.Index) {
	if t.functions().tableElement(in) {
		return
	}
	s, i := t.value(in.X), t.one(in.Index)
	if a, ok := in.X.Type().Underlying().(*types.Array); ok && !hasPointers(a) {
		f := t.frame(sizes.Sizeof(a))
		t.store(f, a, s)
		t.check(ir.IndexTest, site{code: leaveIndex, aux: i.Kind.Signed()}, i, t.int(a.Len()))
		t.values[in] = t.load(t.element(f, i, sizes.Sizeof(a.Elem())), a.Elem())
		return
	}
	if !isString(in.X.Type()) {
		t.no("it indexes a %s", in.X.Type())
	}
	t.check(ir.IndexTest, site{code: leaveIndex, aux: i.Kind.Signed()}, i, s[1])
	t.values[in] = []*ir.Value{t.memory(ir.Load, ir.Uint8, address{base: s[0], index: i, scale: 1}, 0, nil)}
}

func onlyPanics(in *ssa.MakeInterface) bool {
	for _, r := range *in.Referrers() {
		if _, ok := r.(*ssa.Panic); !ok {
			return false
		}
	}
	_, isConst := in.X.(*ssa.Const)
	b, basic := in.X.Type().(*types.Basic)
	return isConst && basic && (b.Kind() == types.String || b.Kind() == types.Int)
}

// panic leaves for a panic with a constant.
func (t *translator) panic(in *ssa.Panic) {
	if t.functions().loopPanics(in) {
		return
	}
	m, ok := in.X.(*ssa.MakeInterface)
	if !ok || !onlyPanics(m) {
		x := t.value(in.X)
		t.leave(site{code: leaveThrow}, nil, x[0], x[1])
		t.b.Kind = ir.Dead
		return
	}
	c := m.X.(*ssa.Const)
	var v any = int(0)
	if c.Value.Kind() == constant.String {
		v = constant.StringVal(c.Value)
	} else {
		v = int(c.Int64())
	}
	t.leave(site{code: leavePanic, aux: v}, nil)
	t.b.Kind = ir.Dead
}
