package native

import (
	"go/ast"
	"strconv"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"golang.org/x/tools/go/ssa"
)

// A function literal that is only called is compiled in the place of each call. Then what it captures are variables of
// the function, which ir.Promote takes out of memory. One that is used as a value in any other way is not compiled.

// LiteralFn is what traces call a function literal in a cell's statements.
const LiteralFn = "func literal"

// onlyCalled reports whether a literal is used for calls alone.
func onlyCalled(m *ssa.MakeClosure) bool {
	if m.Fn.(*ssa.Function).Parent() == nil { // a method of a value
		return false
	}
	for _, r := range *m.Referrers() {
		switch r := r.(type) {
		case *ssa.Call:
			for _, a := range r.Call.Args {
				if a == m {
					return false
				}
			}
		case *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

// inline translates a call of a function in its place, whose scope is given.
func (t *translator) inline(in *ssa.Call, s *scope) []*ir.Value {
	callee := s.fn
	if callee.Recover != nil {
		t.no("it defers a call")
	}
	if len(callee.Blocks) == 0 {
		t.no("it calls %s", callee.Name())
	}
	results, _, bad := tupleWords(callee.Signature.Results())
	if bad != nil {
		t.no("it has a result of type %s", bad)
	}
	s.inlined, s.from = true, t.scope
	for i, p := range callee.Params {
		t.functions().give(s, p, in.Call.Args[i])
	}
	from, at := t.b, t.at
	t.scope = s
	t.body(func() {
		from.Kind, from.Succs = ir.Jump, []*ir.Block{t.b}
		t.b.Preds = []*ir.Block{from}
	})
	t.scope, t.at = s.from, at
	t.b = t.f.NewBlock()
	t.b.In = t.in
	list := make([]*ir.Value, len(results))
	for i, k := range results {
		list[i] = t.add(ir.Phi, k)
	}
	for _, r := range s.returns {
		r.b.Kind, r.b.Succs = ir.Jump, []*ir.Block{t.b}
		t.b.Preds = append(t.b.Preds, r.b)
		for i, v := range r.results {
			list[i].Args = append(list[i].Args, v)
		}
	}
	return list
}

// ret ends a block with a return.
func (t *translator) ret(in *ssa.Return) {
	var list []*ir.Value
	if k := t.functions().returns(in); k != nil {
		t.scope.result = k
		list = []*ir.Value{t.f.Int(ir.Ptr, 0)}
	} else {
		for _, r := range in.Results {
			list = append(list, t.value(r)...)
		}
	}
	if t.inlined {
		t.returns = append(t.returns, returned{t.b, list})
		return
	}
	t.b.Kind, t.b.Results = ir.Return, list
}

// literalNames are what traces call the literals of the function, as the compiler does: f.func1, and f.func1.2 for one
// in it.
func (s *Source) literalNames() map[*ast.FuncLit]string {
	names := map[*ast.FuncLit]string{}
	var walk func(body ast.Node, prefix string)
	walk = func(body ast.Node, prefix string) {
		n := 0
		ast.Inspect(body, func(x ast.Node) bool {
			lit, ok := x.(*ast.FuncLit)
			if !ok {
				return true
			}
			n++
			names[lit] = LiteralFn
			if prefix != "" {
				names[lit] = prefix + strconv.Itoa(n)
			}
			inner := ""
			if prefix != "" {
				inner = names[lit] + "."
			}
			walk(lit.Body, inner)
			return false
		})
	}
	prefix := s.Stack
	if prefix != "" {
		prefix += ".func"
	}
	walk(s.Syntax.Body, prefix)
	return names
}
