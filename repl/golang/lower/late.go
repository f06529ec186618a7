package lower

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower/typing"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// Most of the functions of third-party packages are never called. So each is lowered when it is first called: what
// calls it by name is compiled against a declaration without a body (machine.Later), and a method that is called
// through an interface, by package reflect or by compiled code is found by its slot. The packages were checked before
// (see modules.Checked.Body).
//
// So are methods of an instance of a generic type of the session that only machine code has made.

// instance is a function, or an instance of a generic one, that is lowered from source.
type instance struct {
	key, name string // in State.helpers; in lowered code
	of        *check.Function
	args      []types.Type
	slot      *machine.Target // of a method
	body      string          // what the function is called that a declared one runs, once it has been lowered
}

// instance has an instance printed: a declaration only, for a package whose functions are lowered late.
func (u *unit) instance(i *instance) {
	if p := u.st.Types.Of(i.of.Object.Pkg()); p != nil && p.Late {
		u.late = append(u.late, i)
		u.queue = append(u.queue, func() { u.declare(i) })
		return
	}
	u.queue = append(u.queue, func() { u.printInstance(i, i.name) })
	u.instances = append(u.instances, i)
}

// printInstance prints an instance under a name.
func (u *unit) printInstance(i *instance, name string) {
	env := typing.NewEnv(i.of.TypeParams, i.args)
	if u.failure == nil {
		lg := u.st.large(i.of.Info, env)
		if p := u.st.Types.Of(i.of.Object.Pkg()); len(i.args) == 0 && p != nil && p.Late {
			lg.Layouts = &u.st.layouts
		}
		u.failure = lg.In(i.of.Syntax)
	}
	if u.failure != nil {
		return
	}
	u.printFunc(i.of, name, false, env)
	if i.slot != nil {
		u.register(name, i.slot)
	}
}

// declare prints a function without what is in its body.
func (u *unit) declare(i *instance) {
	l := u.body(i.of.Info, typing.NewEnv(i.of.TypeParams, i.args))
	sig := i.of.Info.Defs[i.of.Syntax.Name].(*types.Func).Signature()
	body := &ast.BlockStmt{}
	u.out.Funcs[body] = run.Func{Name: i.of.StackName(), Pos: i.of.Syntax.Pos()}
	u.out.print(&ast.FuncDecl{Name: check.Ident(i.name), Body: body, Type: &ast.FuncType{
		Params:  l.x.params(i.of.Syntax.Type.Params),
		Results: l.sp.resultFields(l.subst(sig.Results()).(*types.Tuple))}})
}

// lowerDeclared lowers a function that is declared only, unless another goroutine has done so, and returns the name of
// what it runs.
func (st *State) lowerDeclared(i *instance) (string, *check.Failure) {
	st.scope.Mu.Lock()
	defer st.scope.Mu.Unlock()
	if i.body != "" {
		return i.body, nil
	}
	u := st.lateUnit(i.name)
	if err := i.of.Complete(); err != nil {
		return "", bodyFailure(err)
	}
	name := u.fresh(i.of.Object.Name())
	u.helpers[i.key] = name // what is lowered from now on calls it at once
	u.printInstance(i, name)
	if f := u.load(); f != nil {
		return "", f
	}
	i.body = name
	delete(st.declared, i.name)
	st.lowered = append(st.lowered, i)
	return name, nil
}

// anew has the functions of third-party packages be lowered again when they are next called: with hooks, or without.
func (st *State) anew() {
	for _, i := range st.lowered {
		if i.body == "" { // it was never declared only
			delete(st.helpers, i.key)
		} else {
			run.Anew(st.rt, i.name, i.body)
			st.declared[i.name], st.helpers[i.key] = i, i.name
			i.body = ""
		}
		if i.slot != nil {
			i.slot.Clear()
		}
	}
	st.lowered = nil
}

// method is what has the function that runs a method.
func (st *State) method(m *types.Func) *machine.Target {
	s := st.methodSlot(m)
	if s.Func().IsValid() {
		return s
	}
	if st.Types.Interpreted(m) && (!check.IsSession(m) || len(receiverArgs(m)) > 0) {
		st.rt.Apart(func() *check.Failure { return st.lowerMethod(m, s) })
		if s.Func().IsValid() {
			return s
		}
	}
	panic(fmt.Errorf("method %s of the session has no code: please report this", m.FullName()))
}

// lowerMethod gives a slot its function.
func (st *State) lowerMethod(m *types.Func, s *machine.Target) *check.Failure {
	i, f := st.methodInstance(m, s)
	if i == nil {
		return f
	}
	_, f = st.lowerDeclared(i)
	return f
}

// methodInstance gives a slot its function, or returns the one that is still to be lowered.
func (st *State) methodInstance(m *types.Func, s *machine.Target) (*instance, *check.Failure) {
	st.scope.Mu.Lock()
	defer st.scope.Mu.Unlock()
	if s.Func().IsValid() {
		return nil, nil // another goroutine has done so
	}
	u := st.lateUnit(m.FullName())
	args := receiverArgs(m)
	key, name, fresh := u.instanceName(m.Origin(), args)
	switch i := st.declared[name]; {
	case i != nil:
		return i, nil
	case fresh:
		g := u.generic(m.Origin())
		if g == nil || !g.HasBody() {
			return nil, nil
		}
		if err := g.Complete(); err != nil {
			return nil, bodyFailure(err)
		}
		i = &instance{key: key, name: name, of: g, args: args, slot: s}
		u.printInstance(i, name)
		u.instances = append(u.instances, i)
		if p := st.Types.Of(m.Pkg()); p != nil && p.Late {
			st.lowered = append(st.lowered, i)
		}
	default:
		u.register(name, s)
	}
	return nil, u.load()
}

// bodyFailure is that of a function that has been checked before, in a session whose files are no longer the same.
func bodyFailure(err error) *check.Failure {
	return &check.Failure{Name: "ImportError", Message: err.Error()}
}

// lateUnit begins the lowering of what a running goroutine needs.
func (st *State) lateUnit(name string) *unit {
	return st.newUnit(&check.Checked{Cell: &check.Cell{Name: name}, Info: check.NewInfo()})
}

// load ends the printing of such a unit and loads it.
func (u *unit) load() *check.Failure {
	u.printQueued()
	r := &Code{unit: u}
	u.finish(r)
	return u.st.Load(r)
}
