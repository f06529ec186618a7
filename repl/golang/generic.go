package golang

import (
	"go/ast"
	"go/types"
	"strings"
)

// genericType is a generic type of a cell.
type genericType struct {
	decl *decl
	info *types.Info
}

// instanceName names an instance of a generic object: Map[int,string] is Mapʹint_stringʹ7.
func (l *lowerer) instanceName(o types.Object, args []types.Type) (name string, fresh bool) {
	var ts []string
	for _, t := range args {
		ts = append(ts, l.typeSource(t))
	}
	key := "instance:" + l.e.objectKey(o) + "[" + strings.Join(ts, ",") + "]"
	if n, ok := l.made[key]; ok {
		return n, false
	}
	if n, ok := l.e.made[key]; ok {
		return n, false
	}
	var b strings.Builder
	for _, c := range strings.Join(ts, "_") {
		if b.Len() < 24 && (c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			b.WriteRune(c)
		}
	}
	n := l.fresh(o.Name() + tick + b.String())
	l.made[key] = n
	return n, true
}

// funcInstance is the yaegi name of a generic function's instance, "" when the session has no source for it.
func (l *lowerer) funcInstance(f *types.Func, args []types.Type) string {
	g := l.generic(f)
	if g == nil {
		return ""
	}
	n, fresh := l.instanceName(f, args)
	if fresh {
		e := env{}
		for i, p := range g.tparams {
			e[p] = args[i]
		}
		l.queue = append(l.queue, func() { l.printFunc(g, n, "", e) })
	}
	return n
}

func (l *lowerer) generic(f *types.Func) *function {
	for _, g := range l.ck.funcs {
		if g.obj == f {
			return g
		}
	}
	return l.e.generics[f]
}

// namedInstance is the yaegi name of a generic type's instance; its methods are printed with it.
func (l *lowerer) namedInstance(t *types.Named) string {
	o := t.Origin()
	if !isSession(o.Obj()) {
		return l.pkg(o.Obj().Pkg().Path(), o.Obj().Pkg().Name()) + "." + o.Obj().Name()
	}
	var args []types.Type
	for i := range t.TypeArgs().Len() {
		args = append(args, t.TypeArgs().At(i))
	}
	n, fresh := l.instanceName(o.Obj(), args)
	if fresh {
		l.queue = append(l.queue, func() {
			l.printf("type %s %s\n", n, l.typeSource(t.Underlying()))
			for i := range o.NumMethods() {
				if g := l.generic(o.Method(i)); g != nil {
					e := env{}
					for k, p := range g.tparams {
						e[p] = args[k]
					}
					l.printFunc(g, o.Method(i).Name(), n, e)
				}
			}
		})
	}
	return n
}

// sourceOf is the declaration of a function, for Inspect.
func sourceOf(d *decl) *ast.FuncDecl {
	fd, _ := d.node.(*ast.FuncDecl)
	return fd
}
