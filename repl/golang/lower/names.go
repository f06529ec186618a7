package lower

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

func (l *Lowerer) ident(n *ast.Ident) ast.Expr {
	o := l.info.ObjectOf(n)
	if o == nil {
		return check.Ident(n.Name)
	}
	if f, ok := o.(*types.Func); ok {
		if x := l.funcName(f, n); x != nil {
			return x
		}
	}
	if s := l.slotOf(o); s != nil {
		return variableOf(s)
	}
	if name := l.name(o); name != "" {
		return check.Ident(name)
	}
	if v, ok := o.(*types.Var); ok && !v.IsField() && (v.Pkg() == nil || v.Parent() != v.Pkg().Scope()) {
		return check.Ident(l.local(v))
	}
	// Through a pointer: of what it takes for constant, yaegi reads some variables when it compiles.
	if x := l.st.funcs.Variable(o); x != "" {
		return &ast.StarExpr{X: source(x)}
	}
	// through a dot import, or of a package's source
	if p := o.Pkg(); p != nil && !check.IsSession(o) && o.Parent() == p.Scope() {
		return source(l.pkg(p.Path(), p.Name()) + "." + o.Name())
	}
	return check.Ident(n.Name)
}

// funcName spells a reference to a package-level function, or to the instance of a generic one that id stands for.
func (l *Lowerer) funcName(f *types.Func, id *ast.Ident) ast.Expr {
	if in, ok := l.info.Instances[id]; ok {
		var args []types.Type
		for i := range in.TypeArgs.Len() {
			args = append(args, l.subst(in.TypeArgs.At(i)))
		}
		if s := l.funcInstance(f, args); s != "" {
			return source(s)
		}
		return nil
	}
	if f.Signature().Recv() != nil {
		return nil
	}
	if check.IsSession(f) {
		if n := l.name(l.newest(f)); n != "" {
			return source(n)
		}
	} else if l.st.Types.Of(f.Pkg()) != nil {
		if n := l.funcInstance(f, nil); n != "" {
			return source(n)
		}
	}
	return nil
}

// newest is the function that has taken the place of f, as a generic function of an earlier cell mentions it: yaegi has
// no name for f any more.
func (q *facts) newest(f *types.Func) *types.Func {
	o := q.ck.Objs[f.Name()]
	if b := q.st.scope.Bindings[f.Name()]; o == nil && b != nil {
		o = b.Object
	}
	if g, ok := o.(*types.Func); ok && check.SameUse(f, g) {
		return g
	}
	return f
}

// instance is the function that an index expression on a generic function stands for.
func (l *Lowerer) instantiated(x ast.Expr) ast.Expr {
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
func (l *Lowerer) helper(base, key, text string) string {
	key = base + ":" + key
	if n, ok := l.helpers[key]; ok {
		return n
	}
	if n, ok := l.st.helpers[key]; ok {
		return n
	}
	n := l.fresh(base)
	l.helpers[key] = n
	l.queue = append(l.queue, func() { l.out.WriteString(strings.Replace(text, "%s", n, 1) + "\n\n") })
	return n
}

// name is the yaegi name of an object of the session, "" for anything local.
func (l *Lowerer) name(o types.Object) string {
	if n, ok := l.names[o]; ok {
		return n
	}
	return l.st.names[o]
}

// local is the yaegi name of a function's variable. No two of a function share a name: yaegi confuses some that do, and
// some with what is declared elsewhere.
func (l *Lowerer) local(o types.Object) string {
	if n, ok := l.locals[o]; ok {
		return n
	}
	n := o.Name()
	if n == "_" {
		return n
	}
	if l.used[n] || l.st.versions[n] > 0 || types.Universe.Lookup(n) != nil {
		n = l.fresh(n)
	}
	l.used[n] = true
	l.locals[o] = n
	return n
}

// newName gives an object its yaegi name: its own, or one with a number when that was taken before or has a meaning to
// yaegi.
func (l *Lowerer) newName(o types.Object, base string) string {
	base = strings.ReplaceAll(base, ".", run.Tick)
	l.st.versions[base]++
	n := base
	if v := l.st.versions[base]; v > 1 || base == "main" || base == "init" || base == "_" ||
		types.Universe.Lookup(base) != nil {
		n = base + run.Tick + strconv.Itoa(v)
	}
	if o != nil {
		l.names[o] = n
	}
	return n
}

// fresh makes a name for a helper.
func (l *Lowerer) fresh(base string) string {
	l.st.serial++
	return base + run.Tick + strconv.Itoa(l.st.serial)
}

func (l *Lowerer) pkg(path, name string) string {
	if a, ok := l.aliases[path]; ok {
		return a
	}
	a := l.st.alias(path, name)
	for other, n := range l.aliases {
		if n == a && other != path {
			a = strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(path) + run.Tick
		}
	}
	l.imports[path], l.aliases[path] = name, a
	return a
}
