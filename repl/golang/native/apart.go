package native

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/defers"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"golang.org/x/tools/go/ssa"
)

// A function literal of interpreted code is compiled by itself, as one that captures the addresses of the variables of
// the functions around it. Interpreted code has Go code make its closures.
//
// What is known of it is forgotten when nothing has its closures any longer, and nothing runs it (release.go).

// Literal is a function literal of interpreted code that is planned to become machine code.
type Literal struct {
	maker  closureMaker
	n      int     // how many variables it captures
	passed bool    // it is a loop: the addresses of these are its parameters
	bytes  int     // of code, with the literals in it
	why    *Reason // there is no code after all
}

// Literal plans a literal of an interpreted function, whose source is given. captured are the variables of the
// functions around the literal that it uses, but for those whose address the source knows.
func (pl *Plan) Literal(around Source, lit *ast.FuncLit, captured []*types.Var) (*Literal, *Reason) {
	return pl.literal(around, lit, captured, around.literalNames(), false)
}

// Loop plans a loop of an interpreted function, which nothing but its end and return statements leave, as a function
// that is called in its place, with the addresses of the variables. r is nil without return statements.
func (pl *Plan) Loop(around Source, loop ast.Stmt, r *Returns, captured []*types.Var) (*Literal, *Reason) {
	if at := defers.Find(loop); at != nil { // what it defers runs when the function around it ends
		return nil, refuse(at.Pos(), "it defers a call")
	}
	lit, forget := r.literal(&around, loop)
	defer forget()
	names := around.literalNames()
	name, size := around.Stack, around.Syntax.End()-around.Syntax.Pos()
	for l, n := range names {
		if l.Pos() <= loop.Pos() && loop.End() <= l.End() && l.End()-l.Pos() < size { // the innermost literal around it
			name, size = n, l.End()-l.Pos()
		}
	}
	names[lit] = Piece + name
	return pl.literal(around, lit, captured, names, true)
}

// Piece begins the name, in traces, of what is in the place of a piece of a function, whose name follows.
const Piece = "\x00"

func (pl *Plan) literal(around Source, lit *ast.FuncLit, captured []*types.Var, names map[*ast.FuncLit]string,
	passed bool) (*Literal, *Reason) {
	if why := pl.p.off; why != "" {
		return nil, refuse(lit.Pos(), "%s", why)
	}
	sig, ok := types.Unalias(around.Info.TypeOf(lit)).(*types.Signature)
	if !ok {
		return nil, refuse(lit.Pos(), "it has no type")
	}
	source := around.holding(lit, sig, captured)
	w := pl.p.newWork(Unit{Source: source, Called: source.Object})
	w.literal, w.names = &Literal{n: len(captured), passed: passed}, names
	pl.apart = append(pl.apart, w)
	from := len(pl.more)
	w.why = pl.translate(w)
	pl.settle(from)
	for _, x := range w.literals {
		if w.why == nil {
			if x.code, w.why = pl.p.emit(x); w.why == nil {
				w.literal.bytes += len(x.code.Bytes)
			}
		}
	}
	if w.why != nil {
		pl.p.dropForeigns(w.version.remains)
		w.literals = nil
		return nil, w.why
	}
	return w.literal, nil
}

// holding is the source of a function that has a literal as its result, and as its parameters what that captures.
func (s Source) holding(lit *ast.FuncLit, sig *types.Signature, captured []*types.Var) Source {
	typ := &ast.FuncType{Func: lit.Pos(), Params: &ast.FieldList{}, Results: &ast.FieldList{List: []*ast.Field{{}}}}
	s.Passed = map[*ast.Ident]*types.Var{}
	for _, v := range captured {
		id := ast.NewIdent(v.Name())
		s.Passed[id] = v
		typ.Params.List = append(typ.Params.List, &ast.Field{Names: []*ast.Ident{id}})
	}
	name := ast.NewIdent("literal")
	s.Syntax = &ast.FuncDecl{Name: name, Type: typ, Body: &ast.BlockStmt{Lbrace: lit.Pos(), Rbrace: lit.End() - 1,
		List: []ast.Stmt{&ast.ReturnStmt{Return: lit.Pos(), Results: []ast.Expr{lit}}}}}
	result := types.NewTuple(types.NewVar(lit.Pos(), s.Object.Pkg(), "", sig))
	s.Object = types.NewFunc(lit.Pos(), s.Object.Pkg(), name.Name,
		types.NewSignatureType(nil, nil, nil, types.NewTuple(captured...), result, false))
	return s
}

// separate makes the typed code of the literal that a function of holding has as its result.
func (t functions) separate(fn *ssa.Function) *Reason {
	w := t.work
	from := &w.u.Source
	t.scope = newScope(fn, nil, &origin{from, from.places(), from.calledAt(), w.names})
	t.at, t.left = from.Syntax.Pos(), maxInstructions
	if len(fn.AnonFuncs) != 1 {
		return refuse(t.at, "its form is not known")
	}
	lit := fn.AnonFuncs[0]
	list, ok := captureAddresses(fn, lit, w.u.Object.Signature().Params())
	if !ok {
		return refuse(t.at, "its form is not known")
	}
	for i := range list {
		c := &list[i]
		c.run = reflect.PointerTo(t.memoryType(c.v.Type().Underlying().(*types.Pointer).Elem()))
	}
	if w.literal.passed {
		var params []*types.Var
		for _, c := range list {
			params = append(params, types.NewVar(token.NoPos, nil, "", c.v.Type()))
		}
		s := t.signature(types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), lit.Signature.Results(),
			false))
		w.literal.maker = closureMaker{p: t.compileLiteral(lit, list), s: s}
		return nil
	}
	s := t.signature(lit.Signature)
	p := t.compileLiteral(lit, list)
	p.capture(list)
	w.literal.maker = closureMaker{p.object, enter.TypeOf(p.object), p, s}
	return nil
}

// captureAddresses are what a literal captures, in the order of the parameters of the function that makes it.
func captureAddresses(fn, lit *ssa.Function, params *types.Tuple) (list []capturedVar, ok bool) {
	at := map[ssa.Value]*ssa.FreeVar{}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if m, ok := in.(*ssa.MakeClosure); ok && m.Fn == lit {
				for i, x := range m.Bindings {
					at[x] = lit.FreeVars[i]
				}
			}
		}
	}
	of := map[*types.Var]*ssa.FreeVar{}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			s, isStore := in.(*ssa.Store)
			if !isStore || at[s.Addr] == nil {
				continue
			}
			if p, isParam := s.Val.(*ssa.Parameter); isParam {
				if v, isVar := p.Object().(*types.Var); isVar {
					of[v] = at[s.Addr]
				}
			}
		}
	}
	for v := range params.Variables() {
		if of[v] == nil {
			return nil, false
		}
		list = append(list, capturedVar{v: of[v]})
	}
	return list, len(list) == len(lit.FreeVars)
}

// Bytes is how much code a literal and those in it have.
func (l *Literal) Bytes() int { return l.bytes }

// Failed says why a planned literal has no code after all, nil if it has.
func (l *Literal) Failed() error {
	if l.why == nil {
		return nil
	}
	return l.why
}

// Make makes a function value of a literal, for the addresses of what it captures, or of a loop, which has these as
// parameters. It may be called once the plan is installed.
func (l *Literal) Make(captured []unsafe.Pointer) unsafe.Pointer {
	if l.n == 0 || l.passed {
		return l.maker.p.value(l.maker.s)
	}
	at := l.maker.new()
	for i, p := range captured {
		*(*unsafe.Pointer)(unsafe.Add(at, l.maker.p.captured[i])) = p
	}
	return l.maker.value(at)
}
