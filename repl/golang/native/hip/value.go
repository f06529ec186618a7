package hip

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

var operators = map[ir.Op]string{ir.Add: "+", ir.Sub: "-", ir.Mul: "*", ir.And: "&", ir.Or: "|", ir.Xor: "^",
	ir.Eq: "==", ir.Ne: "!=", ir.Lt: "<", ir.Le: "<=", ir.Gt: ">", ir.Ge: ">="}

var tests = map[ir.Test]string{ir.IndexTest: "(u64)%s < (u64)%s", ir.UpToTest: "(u64)%s <= (u64)%s",
	ir.DivideTest: "%s != 0", ir.ShiftTest: "%s >= 0"}

// careful are the functions of element.h for operations of 64 bits that a compiler may have wrong.
var careful = map[ir.Op]string{ir.Or: "go_or", ir.Xor: "go_xor"}

// value writes what computes a value.
func (p *printer) value(v *ir.Value, b *ir.Block) {
	switch v.Op {
	case ir.Phi, ir.Result, ir.Const, ir.Frame:
	case ir.Param:
		p.line("v%d = p%d;", v.ID, p.param(v))
	case ir.Check:
		var args []any
		for _, a := range v.Args {
			args = append(args, p.operand(a))
		}
		p.line("if (!("+tests[v.Test]+")) {", args...)
		p.fail()
		p.line("}")
	case ir.Leave:
		p.fail()
	case ir.Call:
		p.call(v, b)
	case ir.Zero:
		p.line("for (i32 i = 0; i < %d; i++) frame[%d + i] = 0;", v.Size, v.Imm)
	case ir.Load:
		p.line("v%d = *(const %s*)(%s);", v.ID, memoryType(v.Kind), p.address(v, len(v.Args) == 2))
	case ir.Store:
		x := v.Args[len(v.Args)-1]
		p.line("*(%s*)(%s) = %s;", memoryType(x.Kind), p.address(v, len(v.Args) == 3), p.operand(x))
	default:
		p.line("v%d = %s;", v.ID, p.pure(v))
	}
}

// param is which of the parameters a value is: Imm counts those of its class.
func (p *printer) param(v *ir.Value) int {
	n := int64(0)
	for i, k := range p.f.Params {
		if k.IsFloat() != v.Kind.IsFloat() {
			continue
		}
		if n == v.Imm {
			return i
		}
		n++
	}
	panic("a parameter that the function does not have")
}

// memoryType is the type of a variable in the frame.
func memoryType(k ir.Kind) string {
	if k == ir.Bool {
		return "u8"
	}
	return types[k]
}

// address is where in the frame a value is read or written.
func (p *printer) address(v *ir.Value, indexed bool) string {
	if v.Args[0].Op != ir.Frame {
		panic("an address in device code")
	}
	if !indexed {
		return fmt.Sprintf("frame + %d", v.Imm+v.Args[0].Imm)
	}
	return fmt.Sprintf("frame + %d + (i64)%s * %d", v.Imm+v.Args[0].Imm, p.operand(v.Args[1]), v.Scale)
}

func (p *printer) call(v *ir.Value, b *ir.Block) {
	name := p.callees[v.Proc]
	var args []string
	for _, a := range v.Args {
		args = append(args, p.operand(a))
	}
	_, isGo := strings.CutPrefix(name, "go_")
	if isGo {
		args = append(args, "failed")
	} else {
		p.w.usesMath = true
	}
	results := callResults(v, b)
	to := ""
	if len(results) > 0 {
		to = fmt.Sprintf("v%d = ", v.ID)
	}
	p.line("%s%s(%s);", to, name, strings.Join(args, ", "))
	if isGo {
		p.line("if (failed) return %s();", p.result)
	}
	for _, r := range results {
		if p.w.tuples[name] {
			p.line("v%d = v%d.r%d;", r.ID, v.ID, r.Imm)
		} else {
			p.line("v%d = v%d;", r.ID, v.ID)
		}
	}
}

// pure is the expression of a value that depends on its operands alone.
func (p *printer) pure(v *ir.Value) string {
	k := types[v.Kind]
	x := p.operand(v.Args[0])
	if len(v.Args) == 1 {
		return p.unary(v, k, x)
	}
	y := p.operand(v.Args[1])
	switch v.Op {
	case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge:
		return fmt.Sprintf("%s %s %s", x, operators[v.Op], y)
	case ir.Shl, ir.Shr:
		return fmt.Sprintf("%s((%s)%s, (u64)%s)", map[ir.Op]string{ir.Shl: "go_shl", ir.Shr: "go_shr"}[v.Op], k, x, y)
	case ir.Div, ir.Rem:
		if v.Kind.IsFloat() {
			return fmt.Sprintf("%s / %s", x, y)
		}
		return fmt.Sprintf("%s((%s)%s, (%s)%s)", map[ir.Op]string{ir.Div: "go_div", ir.Rem: "go_rem"}[v.Op], k, x, k, y)
	case ir.AndNot:
		return fmt.Sprintf("(%s)((u64)%s & ~(u64)%s)", k, x, y)
	}
	switch {
	case v.Kind.IsFloat():
		return fmt.Sprintf("%s %s %s", x, operators[v.Op], y)
	case careful[v.Op] != "" && v.Kind.Size() == 8:
		return fmt.Sprintf("(%s)%s((u64)%s, (u64)%s)", k, careful[v.Op], x, y)
	case v.Kind.Size() <= 4:
		return fmt.Sprintf("(%s)((u32)%s %s (u32)%s)", k, x, operators[v.Op], y)
	}
	return fmt.Sprintf("(%s)((u64)%s %s (u64)%s)", k, x, operators[v.Op], y)
}

func (p *printer) unary(v *ir.Value, k, x string) string {
	from := v.Args[0].Kind
	switch v.Op {
	case ir.Neg:
		if v.Kind.IsFloat() {
			return "-(" + x + ")"
		}
		return fmt.Sprintf("(%s)(0 - (u64)%s)", k, x)
	case ir.Com:
		return fmt.Sprintf("(%s)~(u64)%s", k, x)
	case ir.Convert:
		if from.IsFloat() && !v.Kind.IsFloat() {
			return fmt.Sprintf("go_int<%s>(%s)", k, x)
		}
		return fmt.Sprintf("(%s)%s", k, x)
	case ir.Bits:
		return fmt.Sprintf("bitcast<%s>(%s)", k, x)
	case ir.Sqrt:
		return fmt.Sprintf("sqrt(%s)", x)
	case ir.Abs:
		return fmt.Sprintf("abs(%s)", x)
	}
	panic(fmt.Sprintf("operation %d in device code", v.Op))
}
