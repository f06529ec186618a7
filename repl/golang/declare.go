package golang

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// Finding is a mistake in a cell. Line and Column count from 1, in bytes; without a place they are 0.
type Finding struct {
	Line, Column int
	Message      string
	Hint         string // what the author may have meant
	Module       bool   // an import of a package that is not known here, and may be where the cell runs
}

// Mention is a name in a cell. Line and Column count from 1, in bytes. Declared is where the name is declared, as
// CELL:LINE:COLUMN; the same for every mention of what is declared there.
type Mention struct {
	Line, Column int
	Name         string
	Declared     string
	Top          bool // the session knows the name: it is no local one, nor a member of a type
	Method       bool // it is a method
	Abstract     bool // it is a method of an interface
}

// Declare checks a cell and declares what it declares, as if it had run: functions, types and variables, whose values
// are zero. Nothing of it runs, nor do the packages that it imports. A cell with findings declares nothing. notes are
// those that Eval would give.
func (e *Engine) Declare(ctx context.Context, name, src string) (found []Finding, notes []string, mentions []Mention) {
	e.running.Lock()
	defer e.running.Unlock()
	defer func() {
		if r := recover(); r != nil { // half-written code may find a bug in checking or lowering
			found = append(found, Finding{Message: check.BugFailure(r).Message})
		}
	}()
	c, f := e.parse(name, src)
	if f != nil {
		return syntaxFindings(e, name, src), nil, nil
	}
	for _, i := range e.moduleImports(c) {
		pkgs, err := e.scope.Modules.Load(ctx, importPath(i))
		if err != nil {
			p := e.scope.FrameOf(i)
			f := importFailure(importPath(i), err)
			found = append(found, Finding{Line: p.Line, Column: p.Column, Message: f.Message, Module: true})
			continue
		}
		e.adoptAll(pkgs)
		e.pending = nil
	}
	if len(found) > 0 {
		return found, nil, nil
	}
	problems, mentions := dryCheck(e, name, c)
	c, _ = e.parse(name, src) // the check has changed the syntax
	ck, code, out := e.compile(ctx, c, true, false)
	if ck == nil {
		if len(problems) == 0 {
			return []Finding{ofFailure(name, out.Failure)}, nil, mentions
		}
		return findings(name, problems), nil, mentions
	}
	defer e.returnSlots(ck, out.Failure == nil)
	if out.Failure != nil {
		return []Finding{ofFailure(name, out.Failure)}, nil, mentions
	}
	e.commitVars(ck, code, everything)
	return nil, out.Notes, mentions
}

// syntaxFindings are the syntax errors of a cell, each by itself.
func syntaxFindings(e *Engine, name, src string) []Finding {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	_, problems := e.scope.Parse(name, src)
	return findings(name, problems)
}

// dryCheck finds the problems of a cell and the names in it, and changes nothing of the session.
func dryCheck(e *Engine, name string, c *check.Cell) ([]check.Problem, []Mention) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	e.scope.OrderVariables(c)
	k := e.scope.DryCheck(c)
	return k.Problems, mentionsOf(e, name, k.Result)
}

// ofFailure is a finding where the cell does not compile for another reason than its problems.
func ofFailure(name string, f *check.Failure) Finding {
	r := Finding{Message: f.Message}
	for _, fr := range f.Frames {
		if fr.Cell == name {
			r.Line, r.Column = fr.Line, fr.Column
			break
		}
	}
	return r
}

// findings are the problems of a cell, without those that follow from one on the same place.
func findings(name string, problems []check.Problem) (r []Finding) {
	for _, p := range problems {
		f := Finding{Line: p.Pos.Line, Column: p.Pos.Column, Message: p.Message, Hint: p.Hint}
		if p.Pos.Filename != name {
			f.Line, f.Column = 0, 0
		}
		if !slices.ContainsFunc(r, func(g Finding) bool { return f.Line == g.Line && f.Column == g.Column }) {
			r = append(r, f)
		}
	}
	slices.SortStableFunc(r, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return r
}

// mentionsOf lists the names of a cell that cells declare. A variable that statements declare again is the same one.
func mentionsOf(e *Engine, cell string, ck *check.Checked) (list []Mention) {
	same := map[types.Object]types.Object{}
	top := map[types.Object]bool{}
	for _, v := range ck.Vars {
		same[v.Local], top[v.Slot] = v.Slot, true
	}
	for n, o := range ck.Objs {
		top[o] = !strings.Contains(n, ".")
	}
	place := func(pos token.Pos) (token.Position, string) {
		p := e.scope.Fset.Position(pos)
		return p, fmt.Sprintf("%s:%d:%d", p.Filename, p.Line, p.Column)
	}
	add := func(pos token.Pos, name string, o types.Object) {
		if s := same[o]; s != nil {
			o = s
		}
		if t := embedded(o); t != nil {
			o = t // the field has the name of its type
		}
		p, _ := place(pos)
		d, declared := place(o.Pos())
		if p.Filename != cell || d.Filename == "" || !e.scope.Sources.Has(d.Filename) || name == "_" {
			return
		}
		bound := e.scope.Bindings[name]
		m := Mention{Line: p.Line, Column: p.Column, Name: name, Declared: declared,
			Top: top[o] || bound != nil && bound.Object == o}
		if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
			m.Method, m.Abstract = true, types.IsInterface(f.Signature().Recv().Type())
		}
		list = append(list, m)
	}
	for id, o := range ck.Info.Defs {
		if o != nil {
			add(id.Pos(), id.Name, o)
		}
	}
	for id, o := range ck.Info.Uses {
		add(id.Pos(), id.Name, origin(o))
	}
	for n, o := range ck.Objs { // functions are checked under other names
		if p, _ := place(o.Pos()); p.Filename == cell {
			add(o.Pos(), baseName(n), o)
		}
	}
	slices.SortFunc(list, func(a, b Mention) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	list = slices.DeleteFunc(list, func(m Mention) bool { return !identifier(m.Name) })
	return slices.CompactFunc(list, func(a, b Mention) bool { return a.Line == b.Line && a.Column == b.Column })
}

// embedded is the type whose name an embedded field has, nil for any other object.
func embedded(o types.Object) types.Object {
	v, ok := o.(*types.Var)
	if !ok || !v.Embedded() {
		return nil
	}
	t := v.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	switch t := t.(type) {
	case *types.Named:
		return t.Origin().Obj()
	case *types.Alias:
		return t.Origin().Obj()
	}
	return nil
}

// LibraryInterface is an interface of a compiled package that has a method of a name, as fmt.Stringer for String, and
// no methods but those that has reports; empty for none.
func LibraryInterface(e *Engine, method string, has func(method string) bool) (found string) {
	if method == "Error" {
		return "error"
	}
	paths := importable(e)
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	for _, path := range slices.Compact(paths) {
		pkg, err := e.scope.Modules.Import(path)
		if err != nil {
			continue
		}
		for _, name := range pkg.Scope().Names() {
			t, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || !t.Exported() {
				continue
			}
			i, ok := t.Type().Underlying().(*types.Interface)
			asked, all := false, true
			for n := 0; ok && n < i.NumMethods(); n++ {
				m := i.Method(n).Name()
				asked, all = asked || m == method, all && (m == method || has(m))
			}
			if asked && all {
				return pkg.Name() + "." + name
			}
		}
	}
	return ""
}

// importable are the paths of the packages that cells import on first use.
func importable(e *Engine) []string {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	return slices.Collect(maps.Values(e.scope.AutoImports))
}

// origin is the generic object of an instance.
func origin(o types.Object) types.Object {
	switch o := o.(type) {
	case *types.Func:
		return o.Origin()
	case *types.Var:
		return o.Origin()
	}
	return o
}

// baseName is M for T.M.
func baseName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// identifier leaves out the names that checking makes, such as body.f.
func identifier(name string) bool { return token.IsIdentifier(name) }
