package golang

import (
	"go/types"
	"strings"
)

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
	if g == nil || g.fd.Body == nil {
		return l.withoutSource(f, args)
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
	if g := l.e.generics[f]; g != nil || isSession(f) {
		return g
	}
	if p := l.e.source(f.Pkg().Path()); p != nil {
		return p.funcs[f.Name()]
	}
	return nil
}

// namedInstance is the yaegi name of a generic type's instance; its methods are printed with it.
func (l *lowerer) namedInstance(t *types.Named) string {
	o := t.Origin()
	if o.Obj().Pkg().Path() == "iter" {
		return l.typeSource(t.Underlying()) // Seq and Seq2 are functions
	}
	src := l.e.fromSource(o.Obj().Pkg())
	if !isSession(o.Obj()) && src == nil {
		if r := l.e.standIn(t); r != nil {
			return l.namedInstance(r)
		}
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
				g := l.generic(o.Method(i))
				if src != nil {
					g = src.funcs[o.Obj().Name()+"."+o.Method(i).Name()]
				}
				if g != nil {
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

// withoutSource stands in for a function that the runtime provides.
func (l *lowerer) withoutSource(f *types.Func, args []types.Type) string {
	if f.Pkg().Path() != "maps" || f.Name() != "clone" {
		return ""
	}
	return l.helper("clone", "", "func %s(m interface{}) interface{} { return "+runtimePkg+".CloneMap(m) }")
}
