package lower

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

func (l *speller) ident(n *ast.Ident) ast.Expr {
	o := l.info.ObjectOf(n)
	if o == nil {
		return check.Ident(n.Name)
	}
	if f, ok := o.(*types.Func); ok {
		if x := l.funcName(f, n); x != nil {
			return x
		}
	}
	if s := l.u.slotOf(o); s != nil {
		return variableOf(s)
	}
	if name := l.u.name(o); name != "" {
		return check.Ident(name)
	}
	if v, ok := o.(*types.Var); ok && !v.IsField() && (v.Pkg() == nil || v.Parent() != v.Pkg().Scope()) {
		return check.Ident(l.local(v))
	}
	// Through a pointer: of what it takes for constant, yaegi reads some variables when it compiles.
	if x := l.u.funcs.Variable(o); x != "" {
		return &ast.StarExpr{X: source(x)}
	}
	// through a dot import, or of a package's source
	if p := o.Pkg(); p != nil && !check.IsSession(o) && o.Parent() == p.Scope() {
		return source(l.u.pkg(p.Path(), p.Name()) + "." + o.Name())
	}
	return check.Ident(n.Name)
}

// funcName spells a reference to a package-level function, or to the instance of a generic one that id stands for.
func (l *speller) funcName(f *types.Func, id *ast.Ident) ast.Expr {
	if in, ok := l.info.Instances[id]; ok {
		var args []types.Type
		for i := range in.TypeArgs.Len() {
			args = append(args, l.subst(in.TypeArgs.At(i)))
		}
		if s := l.u.funcInstance(f, args); s != "" {
			return source(s)
		}
		return nil
	}
	if f.Signature().Recv() != nil {
		return nil
	}
	if check.IsSession(f) {
		if n := l.u.name(l.u.newest(f)); n != "" {
			return source(n)
		}
	} else if l.types.IsIncluded(f) {
		if n := l.u.funcs.Hidden(f); n != "" {
			return source(n)
		}
	} else if l.types.IsLowered(f) {
		if n := l.u.funcInstance(f, nil); n != "" {
			return source(n)
		}
	}
	return nil
}

// newest is the function that has taken the place of f, as a generic function of an earlier cell mentions it: yaegi has
// no name for f any more.
func (u *unit) newest(f *types.Func) *types.Func {
	o := u.ck.Objs[f.Name()]
	if b := u.st.scope.Bindings[f.Name()]; o == nil && b != nil {
		o = b.Object
	}
	if g, ok := o.(*types.Func); ok && check.SameUse(f, g) {
		return g
	}
	return f
}

// instance is the function that an index expression on a generic function stands for.
func (l *speller) instantiated(x ast.Expr) ast.Expr {
	id, ok := x.(*ast.Ident)
	if s, isSel := x.(*ast.SelectorExpr); isSel {
		id, ok = s.Sel, true
	}
	if !ok {
		return nil
	}
	if f, ok := l.info.Uses[id].(*types.Func); ok {
		if _, ok := l.info.Instances[id]; ok {
			return l.funcName(f, id)
		}
	}
	return nil
}

// helper returns the name of a generated function, printed once for each key. text has a verb for the name.
func (u *unit) helper(base, key, text string) string {
	key = base + ":" + key
	if n, ok := u.helpers[key]; ok {
		return n
	}
	if n, ok := u.st.helpers[key]; ok {
		return n
	}
	n := u.fresh(base)
	u.helpers[key] = n
	u.queue = append(u.queue, func() { u.out.text.WriteString(strings.Replace(text, "%s", n, 1) + "\n\n") })
	return n
}

// name is the yaegi name of an object of the session, "" for anything local.
func (u *unit) name(o types.Object) string {
	if n, ok := u.names[o]; ok {
		return n
	}
	return u.st.names[o]
}

// local is the yaegi name of a function's variable. No two of a function share a name: yaegi confuses some that do, and
// some with what is declared elsewhere.
func (l *speller) local(o types.Object) string {
	if n, ok := l.u.locals[o]; ok {
		return n
	}
	n := o.Name()
	if n == "_" {
		return n
	}
	if l.used[n] || l.u.st.versions[n] > 0 || types.Universe.Lookup(n) != nil {
		n = l.u.fresh(n)
	}
	l.used[n] = true
	l.u.locals[o] = n
	return n
}

// newName gives an object its yaegi name: its own, or one with a number when that was taken before or has a meaning to
// yaegi.
func (u *unit) newName(o types.Object, base string) string {
	base = strings.ReplaceAll(base, ".", run.Tick)
	u.st.versions[base]++
	n := base
	if v := u.st.versions[base]; v > 1 || base == "main" || base == "init" || base == "_" ||
		types.Universe.Lookup(base) != nil {
		n = base + run.Tick + strconv.Itoa(v)
	}
	if o != nil {
		u.names[o] = n
	}
	return n
}

// fresh makes a name for a helper.
func (u *unit) fresh(base string) string {
	u.st.serial++
	return base + run.Tick + strconv.Itoa(u.st.serial)
}

func (u *unit) pkg(path, name string) string {
	if a, ok := u.aliases[path]; ok {
		return a
	}
	a := u.st.alias(path, name, u.aliases)
	u.imports[path], u.aliases[path] = name, a
	return a
}
