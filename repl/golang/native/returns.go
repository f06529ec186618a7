package native

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
)

// Returns are the return statements of a loop of an interpreted function. While the loop is planned as a literal they
// return true behind the function's results, and the end of the loop false behind zeros.
type Returns struct {
	Results *types.Tuple // of the function
	list    []*ast.ReturnStmt
	was     [][]ast.Expr
	info    *types.Info
}

// NewReturns changes return statements, until Restore is called, of a function with the given results. It returns nil
// where one returns the results of a call.
func NewReturns(info *types.Info, list []*ast.ReturnStmt, results *types.Tuple) *Returns {
	r := &Returns{Results: results, list: list, info: info}
	for _, n := range list {
		if len(n.Results) != 0 && len(n.Results) != results.Len() || len(n.Results) == 0 && results.Len() > 0 &&
			results.At(0).Name() == "" {
			return nil
		}
		for v := range results.Variables() {
			if len(n.Results) == 0 && v.Name() == "_" {
				return nil
			}
		}
	}
	for _, n := range list {
		r.was = append(r.was, n.Results)
		all := n.Results[:len(n.Results):len(n.Results)]
		if len(all) == 0 {
			for v := range results.Variables() {
				id := &ast.Ident{Name: v.Name(), NamePos: n.Pos()}
				info.Uses[id], info.Types[id] = v, types.TypeAndValue{Type: v.Type()}
				all = append(all, id)
			}
		}
		yes := &ast.Ident{Name: "true", NamePos: n.Pos()}
		info.Types[yes] = types.TypeAndValue{Type: types.Typ[types.Bool], Value: constant.MakeBool(true)}
		n.Results = append(all, yes)
	}
	return r
}

// Restore makes the statements what they were.
func (r *Returns) Restore() {
	for i, n := range r.list {
		delete(r.info.Types, n.Results[len(n.Results)-1])
		n.Results = r.was[i]
	}
}

// Signature is the type of the literal that the loop becomes.
func (r *Returns) Signature() *types.Signature {
	if r == nil {
		return types.NewSignatureType(nil, nil, nil, nil, nil, false)
	}
	var list []*types.Var
	for v := range r.Results.Variables() {
		list = append(list, types.NewVar(token.NoPos, nil, "", v.Type()))
	}
	list = append(list, types.NewVar(token.NoPos, nil, "", types.Typ[types.Bool]))
	return types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(list...), false)
}

// literal is the loop as a literal. forget removes what it adds to what is known of the source.
func (r *Returns) literal(s *Source, loop ast.Stmt) (lit *ast.FuncLit, forget func()) {
	lit = &ast.FuncLit{Type: &ast.FuncType{Func: loop.Pos(), Params: &ast.FieldList{}},
		Body: &ast.BlockStmt{Lbrace: loop.Pos(), List: []ast.Stmt{loop}, Rbrace: loop.End() - 1}}
	var names []*ast.Ident
	sig := r.Signature()
	if r != nil {
		lit.Type.Results = &ast.FieldList{}
		var vars []*types.Var
		for v := range sig.Results().Variables() {
			id := &ast.Ident{Name: "result" + strconv.Itoa(len(names)), NamePos: loop.Pos()}
			v = types.NewVar(loop.Pos(), s.Object.Pkg(), id.Name, v.Type())
			s.Info.Defs[id] = v
			names, vars = append(names, id), append(vars, v)
			lit.Type.Results.List = append(lit.Type.Results.List, &ast.Field{Names: []*ast.Ident{id}})
		}
		lit.Body.List = append(lit.Body.List, &ast.ReturnStmt{Return: loop.End() - 1})
		sig = types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(vars...), false)
	}
	exprs := []ast.Expr{lit, lit.Type}
	for _, x := range exprs {
		s.Info.Types[x] = types.TypeAndValue{Type: sig}
	}
	return lit, func() {
		for _, x := range exprs {
			delete(s.Info.Types, x)
		}
		for _, id := range names {
			delete(s.Info.Defs, id)
		}
	}
}
