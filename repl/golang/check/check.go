package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Checked is a cell that go/types accepts.
type Checked struct {
	*Cell
	Info      *types.Info
	Decls     []*Decl // the cell's, without those that change nothing, and dependants of what it changes
	again     map[*Decl]bool
	Objs      map[string]types.Object // declared by decls
	Funcs     []*Function
	Vars      []*variable
	Imports   map[string]string // name to path: new ones that lasted
	Uses      map[*Decl]map[types.Object]bool
	unchanged map[string]bool // names that the cell declares again as they are
	Phantom   []*types.Func   // methods that were added to an older type
	Dots      []string        // import paths
	KeepsLast bool            // the shown value becomes _
	Beside    bool            // it runs beside other cells
	Results   map[string]mentionedResult
	Retyped   map[string]retyped
}

// Names that no user can write, for calls that the session inserts. Lowering replaces them.
const (
	OutName  = "out."
	MustName = "must."
)

func (sc *Scope) Check(c *Cell) (*Checked, []string, []Problem) {
	all := c.Decls
	if c.Decls = sc.withoutKept(all); len(c.Decls) < len(all) {
		stale := map[*Decl]bool{}
		if ck, notes, ps := sc.check(c, stale); len(ps) == 0 && len(stale) == 0 {
			return ck, notes, nil
		}
		c.Decls = all // the cell changes what such a method uses
	}
	return sc.check(c, map[*Decl]bool{})
}

// check checks a cell, and notes the declarations that no longer compile with it.
func (sc *Scope) check(c *Cell, stale map[*Decl]bool) (*Checked, []string, []Problem) {
	var notes []string
	ck, again, ps := sc.checkOnce(c, nil)
	if len(ps) > 0 {
		if ck = sc.checkAgain(c, &ps, again, stale, &notes); ck == nil {
			return nil, nil, ps
		}
	}
	for range 8 {
		deps := sc.dependants(ck, stale, again)
		if len(deps) == len(ck.again) {
			return ck, append(notes, ck.notes()...), nil
		}
		next, _, ps := sc.checkOnce(c, deps)
		if len(ps) == 0 {
			ck = next
			continue
		}
		// What no longer compiles keeps what it was compiled with.
		sc.outdate(deps, ps, stale, &notes)
		if len(stale) == 0 {
			notes = append(notes, "earlier functions keep what they were compiled with")
			return ck, append(notes, ck.notes()...), nil
		}
	}
	return ck, append(notes, ck.notes()...), nil
}

// outdate notes the declarations that no longer compile, and reports whether there are any.
func (sc *Scope) outdate(deps []*Decl, ps []Problem, stale map[*Decl]bool, notes *[]string) bool {
	found := false
	for _, d := range deps {
		for _, p := range ps {
			if p.Pos.Filename == d.Cell && within(sc.Fset, p.Pos, d.Node) && !stale[d] {
				stale[d], found = true, true
				if sc.upToDate(d) { // otherwise it has been told
					*notes = append(*notes, fmt.Sprintf("%s (%s) still uses what it was compiled with: %s", d.Names[0],
						d.Cell, p.Message))
				}
			}
		}
	}
	return found
}

func within(fset *token.FileSet, pos token.Position, n ast.Node) bool {
	a, b := fset.Position(n.Pos()), fset.Position(n.End())
	return pos.Line >= a.Line && pos.Line <= b.Line
}

// checkAgain checks a cell that does not compile by itself together with what it changes: types that get other methods,
// and declarations that use what the cell declares again.
func (sc *Scope) checkAgain(
	c *Cell, ps *[]Problem, again map[string]bool, stale map[*Decl]bool, notes *[]string,
) *Checked {
	for range 8 {
		deps := sc.redeclared(c, again, stale)
		if len(deps) == 0 {
			return nil
		}
		ck, more, next := sc.checkOnce(c, deps)
		if len(next) == 0 {
			return ck
		}
		grew := false
		for n := range more {
			grew = grew || !again[n]
			again[n] = true
		}
		own := false
		for _, p := range next {
			own = own || p.Pos.Filename == c.Name
		}
		if own && !grew {
			if len(again) > 0 {
				*ps = slices.DeleteFunc(next, func(p Problem) bool { return p.Pos.Filename != c.Name })
			}
			return nil
		}
		if !grew {
			grew = sc.outdate(deps, next, stale, notes)
		}
		if !grew {
			return nil
		}
	}
	return nil
}

// dependants returns the declarations of older cells that use, directly or not, an object which ck replaces by a
// different one, and the types that are declared again for their methods.
func (sc *Scope) dependants(ck *Checked, stale map[*Decl]bool, again map[string]bool) []*Decl {
	changed := map[types.Object]bool{}
	mark := func(name string, obj types.Object) {
		if old := sc.Bindings[name]; old != nil && old.Object != nil && old.Object != obj && !SameUse(old.Object, obj) {
			changed[old.Object] = true
		}
	}
	for name, obj := range ck.Objs {
		mark(name, obj)
	}
	for _, v := range ck.Vars {
		if r, ok := ck.Retyped[v.Name]; !ok || r.New != v.Slot {
			mark(v.Name, v.Slot)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	var forced []*Decl
	for n := range again {
		if b := sc.Bindings[n]; b != nil && b.Decl != nil && !stale[b.Decl] {
			forced = append(forced, b.Decl)
		}
	}
	return sc.closure(ck.Cell, changed, stale, forced)
}

// SameUse reports whether a use of a compiles as it is when its name stands for b.
func SameUse(a, b types.Object) bool {
	switch a := a.(type) {
	case *types.Func:
		b, ok := b.(*types.Func)
		return ok && types.Identical(a.Type(), b.Type()) && a.Signature().TypeParams().Len() == 0
	case *types.Const:
		b, ok := b.(*types.Const)
		return ok && types.Identical(a.Type(), b.Type()) && a.Val().ExactString() == b.Val().ExactString()
	case *types.Var:
		b, ok := b.(*types.Var)
		return ok && types.Identical(a.Type(), b.Type())
	}
	return false
}

// checkOnce checks a cell with declarations of older cells. It returns the types that must be declared again with it.
func (sc *Scope) checkOnce(c *Cell, deps []*Decl) (*Checked, map[string]bool, []Problem) {
	k := sc.newChecker(c)
	k.all(deps)
	if len(k.Problems) == 0 {
		k.phantoms()
		k.record()
	}
	if len(k.Problems) > 0 {
		k.hints()
		return nil, k.again, k.Problems
	}
	k.retypeAll()
	return k.Result, k.again, nil
}

// nodes are the declarations that are checked, and the statements.
func (ck *Checked) nodes() []ast.Node { return nodesOf(ck.Decls, ck.Body) }

func (sc *Scope) newChecker(c *Cell) *Checker {
	k := &Checker{Scope: sc, declared: map[string]bool{}, mentioned: map[string]bool{}, again: map[string]bool{}}
	k.Result = &Checked{Cell: c, Results: map[string]mentionedResult{}, Retyped: map[string]retyped{},
		again: map[*Decl]bool{}, Objs: map[string]types.Object{}, Imports: map[string]string{},
		Uses: map[*Decl]map[types.Object]bool{}, unchanged: map[string]bool{}, Info: NewInfo()}
	return k
}

// all checks the cell together with declarations of older cells.
func (k *Checker) all(deps []*Decl) {
	c := k.Result.Cell
	k.imported = map[string]bool{}
	for _, g := range c.Imports {
		for _, s := range g.Specs {
			k.imported[k.importName(s.(*ast.ImportSpec))] = true
		}
	}
	for _, d := range c.Decls {
		if fd, ok := d.Node.(*ast.FuncDecl); ok && d.Names[0] == "init" {
			k.Problems = append(k.Problems,
				Problem{Pos: k.Scope.Fset.Position(fd.Name.Pos()), name: "TypeError",
					Message: "func init must have no arguments and no return values"})
			return
		}
		if d.Spec != nil && k.Scope.sameType(d, c) {
			k.Result.unchanged[d.Names[0]] = true
			continue
		}
		k.Result.Decls = append(k.Result.Decls, d)
	}
	for _, d := range deps {
		k.Result.Decls = append(k.Result.Decls, d)
		k.Result.again[d] = true
	}
	for _, d := range k.Result.Decls {
		for _, n := range d.Names {
			k.declared[n] = true
		}
		k.mention(d.Node)
	}
	if c.Body != nil {
		k.mention(c.Body)
	}
	nodes := k.Result.nodes()
	if k.Problems = append(k.Scope.longTexts(nodes), k.Scope.tooManyParts(nodes)...); len(k.Problems) > 0 {
		return
	}
	convertOrders(k)
	k.declarations()
	if c.Body != nil {
		k.statements()
	}
	k.bodies()
}

func NewInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses:      map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
}

// sameType reports whether a type is declared again as it is: then its variables keep their type.
func (sc *Scope) sameType(d *Decl, c *Cell) bool {
	old := sc.Bindings[d.Names[0]]
	if old == nil || old.Decl == nil || old.Decl.text != d.text {
		return false
	}
	for o := range sc.Uses[old.Decl] {
		if b := sc.Bindings[o.Name()]; b == nil || b.Object != o {
			return false
		}
		for _, other := range c.Decls {
			if other.Names[0] == o.Name() && other.text != sc.Bindings[o.Name()].Decl.text {
				return false
			}
		}
	}
	// Its methods in this cell must fit the ones that it has.
	for _, m := range c.Decls {
		if m.Receiver == d.Names[0] {
			if have := sc.Methods[m.Names[0]]; have != nil && have.SignatureText != SignatureText(m.Node) {
				return false
			}
		}
	}
	return true
}

// Checker holds the state of one check.
type Checker struct {
	Scope     *Scope
	Result    *Checked
	declared  map[string]bool // by the cell and its dependants, at package level
	mentioned map[string]bool
	Problems  []Problem
	late      []*Decl         // methods for types of earlier cells
	dry       bool            // nothing outlives the check
	imported  map[string]bool // by the cell itself
	again     map[string]bool // types that must be declared again for their methods
}

func (k *Checker) mention(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			k.mentioned[id.Name] = true
		}
		return true
	})
}

// maxMust is how many values beside an error a call can have to be unwrapped.
const maxMust = 4
