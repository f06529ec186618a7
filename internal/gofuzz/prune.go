package gofuzz

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// pruneEdits drops all declarations that main does not reach.
func pruneEdits(fset *token.FileSet, f *ast.File) []edit {
	return []edit{func() {
		info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
		if checkWith(types.Config{GoVersion: "go1.26"}, fset, f, info) != nil {
			return
		}
		p := pruner{info: info, owner: map[types.Object]ast.Decl{}, methods: map[types.Object][]ast.Decl{},
			reached: map[ast.Decl]bool{}}
		for _, d := range f.Decls {
			p.own(d)
		}
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Name.Name == "main" {
				p.reach(d)
			}
		}
		f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
			g, ok := d.(*ast.GenDecl)
			return !p.reached[d] && (!ok || g.Tok != token.IMPORT)
		})
	}}
}

// pruner finds the declarations that others mention, directly or not.
type pruner struct {
	info    *types.Info
	owner   map[types.Object]ast.Decl   // of a name, what declares it
	methods map[types.Object][]ast.Decl // of a type
	reached map[ast.Decl]bool
}

func (p *pruner) own(d ast.Decl) {
	fd, isFunc := d.(*ast.FuncDecl)
	if isFunc && fd.Recv != nil {
		ast.Inspect(fd.Recv.List[0].Type, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if ok && p.info.Uses[id] != nil {
				p.methods[p.info.Uses[id]] = append(p.methods[p.info.Uses[id]], d)
			}
			return true
		})
		return
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && p.info.Defs[id] != nil {
			p.owner[p.info.Defs[id]] = d
		}
		return true
	})
}

// reach marks what the declaration mentions. A type includes its methods, which interfaces may call.
func (p *pruner) reach(d ast.Decl) {
	if p.reached[d] {
		return
	}
	p.reached[d] = true
	ast.Inspect(d, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		obj := p.info.Uses[id]
		if to := p.owner[obj]; to != nil {
			p.reach(to)
		}
		for _, m := range p.methods[obj] {
			p.reach(m)
		}
		return true
	})
}
