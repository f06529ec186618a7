package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// constant spells a constant, so that yaegi computes none.
func (l *speller) constant(tv types.TypeAndValue) ast.Expr {
	t := l.subst(tv.Type)
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return nil
	}
	def := types.Default(b).(*types.Basic)
	var s string
	kind := token.INT
	switch v := tv.Value; {
	case def.Info()&types.IsBoolean != 0:
		s = strconv.FormatBool(constant.BoolVal(v))
		kind = token.IDENT
	case def.Info()&types.IsString != 0:
		s, kind = strconv.Quote(constant.StringVal(v)), token.STRING
	case def.Info()&types.IsInteger != 0:
		i := constant.ToInt(v)
		if i.Kind() != constant.Int {
			return nil
		}
		s = i.ExactString()
	case def.Info()&types.IsFloat != 0:
		bits := 64
		if def.Kind() == types.Float32 {
			bits = 32
		}
		f, _ := constant.Float64Val(constant.ToFloat(v))
		s, kind = strconv.FormatFloat(f, 'g', -1, bits), token.FLOAT
		if strings.ContainsAny(s, "IN") {
			return nil
		}
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
	case def.Info()&types.IsComplex != 0:
		return l.complexConstant(v, t)
	default:
		return nil
	}
	var x ast.Expr = &ast.BasicLit{Kind: kind, Value: s}
	if kind == token.IDENT {
		x = check.Ident(s)
	}
	switch compiled := l.types.IsCompiled(t); {
	case compiled:
		return &ast.CallExpr{Fun: l.typeExpr(t), Args: []ast.Expr{x}}
	case def.Kind() == types.Int || def.Kind() == types.Float64 || def.Kind() == types.String ||
		def.Kind() == types.Bool:
		if s[0] == '-' {
			return &ast.ParenExpr{X: x}
		}
		return x
	}
	return &ast.CallExpr{Fun: check.Ident(def.Name()), Args: []ast.Expr{x}}
}

// complexConstant spells a complex constant by its parts.
func (l *speller) complexConstant(v constant.Value, t types.Type) ast.Expr {
	v = constant.ToComplex(v)
	part := func(v constant.Value) ast.Expr {
		f, _ := constant.Float64Val(v)
		return &ast.CallExpr{Fun: check.Ident("float64"),
			Args: []ast.Expr{&ast.BasicLit{Kind: token.FLOAT, Value: strconv.FormatFloat(f, 'e', -1, 64)}}}
	}
	return &ast.CallExpr{Fun: l.typeExpr(t),
		Args: []ast.Expr{call("complex", part(constant.Real(v)), part(constant.Imag(v)))}}
}

func isInteger(t types.Type) bool {
	b, ok := check.Underlying(t).(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func isComplex(t types.Type) bool {
	b, ok := check.Underlying(t).(*types.Basic)
	return ok && b.Info()&types.IsComplex != 0
}

// fitsInt reports whether yaegi takes a number for an int.
func fitsInt(v constant.Value) bool {
	_, exact := constant.Int64Val(constant.ToInt(v))
	return exact
}

// shift lowers x << n. yaegi takes a constant x for an int.
func (l *exprs) shift(n *ast.BinaryExpr) ast.Expr {
	x := l.expr(n.X)
	if tv := l.info.Types[n.X]; tv.Value != nil {
		t := l.typeOf(n)
		if c := l.sp.constant(types.TypeAndValue{Type: t, Value: constant.ToInt(tv.Value)}); c != nil {
			x = &ast.CallExpr{Fun: parenType(l.sp.typeExpr(types.Default(t))), Args: []ast.Expr{unconverted(c)}}
		}
	}
	return &ast.BinaryExpr{X: x, Op: n.Op, Y: l.shiftCount(n.Y)}
}

// shiftCount lowers the count of a shift. yaegi gives an operation there the type of what is shifted, unless it is
// converted.
func (l *exprs) shiftCount(x ast.Expr) ast.Expr {
	if v := l.info.Types[x].Value; v != nil {
		return l.sp.constant(types.TypeAndValue{Type: types.Typ[types.Uint], Value: constant.ToInt(v)})
	}
	y := l.expr(x)
	if _, ok := ast.Unparen(y).(*ast.BinaryExpr); ok {
		t := parenType(l.sp.typeExpr(types.Default(l.typeOf(x))))
		return &ast.CallExpr{Fun: t, Args: []ast.Expr{ast.Unparen(y)}}
	}
	return y
}

// unconverted takes a constant out of its conversion.
func unconverted(x ast.Expr) ast.Expr {
	if c, ok := x.(*ast.CallExpr); ok && len(c.Args) == 1 {
		return c.Args[0]
	}
	return x
}
