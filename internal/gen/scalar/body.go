package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

func (w *writer) block(b *ast.BlockStmt) {
	w.depth++
	for _, s := range b.List {
		w.statement(s)
	}
	w.depth--
}

func (w *writer) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.IfStmt:
		w.branch("", s)
	case *ast.ForStmt:
		w.line("#pragma unroll 1")
		w.line("for (%s; %s; %s) {", w.simple(s.Init), w.condition(s.Cond), w.simple(s.Post))
		w.block(s.Body)
		w.line("}")
	case *ast.RangeStmt:
		w.counted(s)
	case *ast.ReturnStmt:
		w.line("return %s;", w.expr(s.Results[0]))
	case *ast.BranchStmt:
		if s.Label != nil {
			w.refuse(s, "there are no labels")
		}
		w.line("%s;", s.Tok)
	default:
		w.line("%s;", w.simple(s))
	}
}

func (w *writer) branch(before string, s *ast.IfStmt) {
	if s.Init != nil {
		w.refuse(s, "an if has only a condition")
	}
	w.line("%sif (%s) {", before, w.expr(s.Cond))
	w.block(s.Body)
	switch e := s.Else.(type) {
	case nil:
		w.line("}")
	case *ast.IfStmt:
		w.branch("} else ", e)
	case *ast.BlockStmt:
		w.line("} else {")
		w.block(e)
		w.line("}")
	}
}

// counted is a loop over the numbers below a constant.
func (w *writer) counted(s *ast.RangeStmt) {
	name := "count"
	if s.Key != nil {
		name = snake(s.Key.(*ast.Ident).Name)
	}
	if s.Value != nil || w.info.Types[s.X].Value == nil {
		w.refuse(s, "ranges are numbers")
	}
	w.line("#pragma unroll 1")
	w.line("for (i32 %s = 0; %s < %s; %s++) {", name, name, w.expr(s.X), name)
	w.block(s.Body)
	w.line("}")
}

func (w *writer) condition(e ast.Expr) string {
	if e == nil {
		return ""
	}
	return w.expr(e)
}

// simple is a statement without its end.
func (w *writer) simple(s ast.Stmt) string {
	switch s := s.(type) {
	case nil:
		return ""
	case *ast.IncDecStmt:
		return w.expr(s.X) + map[token.Token]string{token.INC: " += 1", token.DEC: " -= 1"}[s.Tok]
	case *ast.AssignStmt:
		if len(s.Lhs) != 1 || len(s.Rhs) != 1 {
			w.refuse(s, "an assignment has one value")
		}
		to := w.expr(s.Lhs[0])
		if s.Tok == token.DEFINE {
			object := w.info.Defs[s.Lhs[0].(*ast.Ident)]
			return w.typ(s, object.Type()) + " " + to + " = " + w.expr(s.Rhs[0])
		}
		return to + " " + s.Tok.String() + " " + w.expr(s.Rhs[0])
	}
	w.refuse(s, "there is no such statement")
	return ""
}

func (w *writer) expr(e ast.Expr) string {
	if v := w.info.Types[e]; v.Value != nil {
		return w.constant(e, v)
	}
	switch e := e.(type) {
	case *ast.Ident:
		return snake(e.Name)
	case *ast.ParenExpr:
		return "(" + w.expr(e.X) + ")"
	case *ast.UnaryExpr:
		return e.Op.String() + w.expr(e.X)
	case *ast.BinaryExpr:
		return w.operand(e, e.X) + " " + e.Op.String() + " " + w.operand(e, e.Y)
	case *ast.IndexExpr:
		return w.expr(e.X) + "[" + w.expr(e.Index) + "]"
	case *ast.CallExpr:
		return w.call(e)
	}
	w.refuse(e, "there is no such expression")
	return ""
}

// operand has parentheses where the precedences of C differ from Go's: of comparisons and logical operators.
func (w *writer) operand(of *ast.BinaryExpr, e ast.Expr) string {
	if inner, ok := e.(*ast.BinaryExpr); ok && of.Op.Precedence() <= 3 && inner.Op.Precedence() <= 3 {
		return "(" + w.expr(e) + ")"
	}
	return w.expr(e)
}

func (w *writer) constant(e ast.Expr, v types.TypeAndValue) string {
	switch w.typ(e, v.Type) {
	case "bool":
		return v.Value.String()
	case "i32":
		return v.Value.ExactString()
	}
	f, _ := constant.Float64Val(constant.ToFloat(v.Value))
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// ofMath are the functions of package math that have another name in the headers.
var ofMath = map[string]string{"Min": "fmin", "Max": "fmax"}

func (w *writer) call(e *ast.CallExpr) string {
	var arguments []string
	for _, a := range e.Args {
		arguments = append(arguments, w.expr(a))
	}
	list := "(" + strings.Join(arguments, ", ") + ")"
	switch f := e.Fun.(type) {
	case *ast.Ident:
		return snake(f.Name) + list
	case *ast.SelectorExpr:
		switch f.Sel.Name {
		case "NaN":
			return "Float<f64>::nan()"
		case "Inf":
			return strings.TrimSuffix(arguments[0], "1") + "Float<f64>::inf()"
		}
		name := ofMath[f.Sel.Name]
		if name == "" {
			name = strings.ToLower(f.Sel.Name)
		}
		return name + list
	}
	w.refuse(e, "there is no such call")
	return ""
}
