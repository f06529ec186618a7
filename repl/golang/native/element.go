package native

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/gorocm/gorocm/internal/element"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/layouts"
)

// A function over elements (see package element) is compiled twice: to machine code that loops over elements, and to
// the source of device code, by device.go.

// loopSignature is that of a loop over elements: its parameter is the address of an element.Block.
var loopSignature = types.NewSignatureType(nil, nil, nil,
	types.NewTuple(types.NewVar(token.NoPos, nil, "", types.NewPointer(types.Typ[types.Uint8]))), nil, false)

// Elements makes the source of a function over elements from that of a function or a literal whose body it is.
// captured are variables of others, which the function gets as further parameters.
func Elements(s Source, typ *ast.FuncType, body *ast.BlockStmt, sig *types.Signature, captured []*types.Var) Source {
	fields := &ast.FieldList{List: append([]*ast.Field(nil), typ.Params.List...)}
	params := make([]*types.Var, 0, sig.Params().Len()+len(captured))
	for v := range sig.Params().Variables() {
		params = append(params, v)
	}
	s.Passed = map[*ast.Ident]*types.Var{}
	for _, v := range captured {
		id := ast.NewIdent(v.Name())
		s.Passed[id] = v
		fields.List = append(fields.List, &ast.Field{Names: []*ast.Ident{id}})
		params = append(params, v)
	}
	name := ast.NewIdent("element")
	s.Syntax = &ast.FuncDecl{Name: name, Type: &ast.FuncType{Func: typ.Func, Params: fields, Results: typ.Results},
		Body: body}
	s.Object = types.NewFunc(body.Pos(), s.Object.Pkg(), name.Name,
		types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), false))
	return s
}

// KindOf is the kind of the values of a type that functions over elements take, None for any other.
func KindOf(t types.Type) ir.Kind {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsUntyped == 0 && b.Kind() != types.UnsafePointer {
		return layouts.Kinds[b.Kind()]
	}
	return ir.None
}

// CompileLoop makes machine code that computes a function, of Elements, for the elements of blocks. The last captured
// parameters are the same for all of them.
func (p *Program) CompileLoop(s Source, captured int) (*Proc, *Reason) {
	var b element.Block
	at := &ir.Places{N: int64(unsafe.Offsetof(b.N)), Out: int64(unsafe.Offsetof(b.Out))}
	for i := range s.Object.Signature().Params().Len() - captured {
		at.In = append(at.In, int64(unsafe.Offsetof(b.In))+int64(8*i))
		at.Step = append(at.Step, int64(unsafe.Offsetof(b.Step))+int64(8*i))
	}
	for i := range captured {
		at.Captured = append(at.Captured, int64(unsafe.Offsetof(b.Captured))+int64(8*i))
	}
	o := p.Compile([]Unit{{Source: s, Name: s.Object.Name(), Called: s.Object, Loop: at}})[0]
	return o.Proc, o.Reason
}

// RunLoop runs code of CompileLoop.
func (c *Compiled) RunLoop(h *Host, used uintptr, b *element.Block) {
	at := unsafe.Pointer(b)
	c.Run(h, used, []unsafe.Pointer{unsafe.Pointer(&at)}, nil)
}

// CallingElements makes the source of a function over elements that calls another one, which an expression names.
func CallingElements(s Source, name ast.Expr, f *types.Func) Source {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}}
	sig := f.Signature()
	fun := &ast.Ident{Name: f.Name(), NamePos: name.Pos()}
	info.Uses[fun], info.Types[fun] = f, types.TypeAndValue{Type: sig}
	typ := &ast.FuncType{Func: name.Pos(), Params: &ast.FieldList{}, Results: &ast.FieldList{}}
	call := &ast.CallExpr{Fun: fun, Lparen: name.End(), Rparen: name.End()}
	var params []*types.Var
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		id := &ast.Ident{Name: "x" + strconv.Itoa(i), NamePos: name.Pos()}
		v := types.NewParam(name.Pos(), s.Object.Pkg(), id.Name, t)
		params = append(params, v)
		use := &ast.Ident{Name: id.Name, NamePos: name.Pos()}
		info.Defs[id], info.Uses[use], info.Types[use] = v, v, types.TypeAndValue{Type: t}
		typ.Params.List = append(typ.Params.List, &ast.Field{Names: []*ast.Ident{id}})
		call.Args = append(call.Args, use)
	}
	info.Types[call] = types.TypeAndValue{Type: sig.Results().At(0).Type()}
	typ.Results.List = []*ast.Field{{}}
	body := &ast.BlockStmt{Lbrace: name.Pos(), Rbrace: name.End(),
		List: []ast.Stmt{&ast.ReturnStmt{Return: name.Pos(), Results: []ast.Expr{call}}}}
	s.Info = info
	sig = types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), false)
	return Elements(s, typ, body, sig, nil)
}

// WordOf is a number as Block.Captured holds it.
func WordOf(v reflect.Value) uint64 {
	switch {
	case v.Kind() == reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case v.CanInt():
		return uint64(v.Int())
	case v.CanUint():
		return v.Uint()
	case v.Kind() == reflect.Float32:
		return uint64(math.Float32bits(float32(v.Float())))
	}
	return math.Float64bits(v.Float())
}
