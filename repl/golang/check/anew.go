package check

import (
	"go/token"
	"go/types"
	"strings"
)

// Anew is a scope with nothing declared, for checks of what a new session makes of declarations. Dots are the packages
// whose names need no qualifier there. sc.Mu guards what they share.
func (sc *Scope) Anew(dots func(path string) bool) (*Scope, error) {
	a := &Scope{
		Library: sc.Library, Modules: sc.Modules, Fset: token.NewFileSet(), Compiled: sc.Compiled,
		AutoImports: sc.AutoImports, Dots: map[string]types.Object{}, Pkg: types.NewPackage("main", "main"),
		World: sc.World, Bindings: map[string]*Binding{}, Uses: map[*Decl]map[types.Object]bool{},
		Methods: map[string]*Method{}, Phantom: map[*types.Func]bool{},
	}
	a.Results = &Results{pkg: a.Pkg}
	for name, o := range sc.Dots {
		if dots(o.Pkg().Path()) {
			a.Dots[name] = o
		}
	}
	return a, a.DeclareWrappers()
}

// WithoutFailing finds what has to be left out of declarations, so that the others compile: those with mistakes, those
// that use them, and so on. It returns their errors by index.
func (sc *Scope) WithoutFailing(decls []string) (failing map[int]string, failure *Failure) {
	const name = "declarations"
	failing = map[int]string{}
	for {
		var text strings.Builder
		var of []int // the declaration of each line
		for i, d := range decls {
			if failing[i] == "" {
				text.WriteString(d + "\n")
				for range strings.Count(d, "\n") + 1 {
					of = append(of, i)
				}
			}
		}
		sc.Sources.Set(name, strings.Split(text.String(), "\n"))
		c, ps := sc.Parse(name, text.String())
		if len(ps) == 0 {
			ps = sc.DryCheck(c).Problems
		}
		if len(ps) == 0 {
			return failing, nil
		}
		before := len(failing)
		for _, p := range ps {
			line := p.Pos.Line - 1
			if p.Pos.Filename == name && line >= 0 && line < len(of) && failing[of[line]] == "" {
				failing[of[line]] = FirstLine(p.Message)
			}
		}
		if len(failing) == before {
			return nil, sc.Failure(ps)
		}
	}
}
