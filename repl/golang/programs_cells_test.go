package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/library"
)

// typedCells is a program as one would type it: the imports, then each top-level declaration as a cell of its own, each
// after those that it needs. Declarations that need each other share a cell. A method comes apart from its type, but
// before what would not compile without it and before the variables whose values may call it.
func typedCells(lib *library.Library, src string) ([]string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	text := func(n ast.Node) string { return src[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset] }
	var cells []string
	var decls []ast.Decl
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			cells = append(cells, text(d))
			continue
		}
		decls = append(decls, d)
	}
	o := ordering{lib: lib, fset: fset, file: f, decls: decls}
	if err := o.collect(); err != nil {
		return nil, err
	}
	for _, group := range o.groups() {
		var parts []string
		for _, i := range group {
			parts = append(parts, text(decls[i]))
		}
		cells = append(cells, strings.Join(parts, "\n\n"))
	}
	return cells, nil
}

// ordering finds an order of declarations in which each needs only earlier ones.
type ordering struct {
	lib   *library.Library
	fset  *token.FileSet
	file  *ast.File
	decls []ast.Decl

	needs   []map[int]bool // declaration to the declarations that it mentions
	methods map[int][]int  // the declaration of a type to those of its methods
}

// check type-checks some of the declarations and says whether they compile together.
func (o *ordering) check(decls []ast.Decl, info *types.Info) bool {
	ok := true
	conf := types.Config{Importer: o.lib, GoVersion: "go1.26", Error: func(err error) {
		if e := err.(types.Error); !e.Soft { // an import that only later cells use is soft
			ok = false
		}
	}}
	f := *o.file
	f.Decls = nil
	for _, d := range o.file.Decls {
		if g, is := d.(*ast.GenDecl); is && g.Tok == token.IMPORT {
			f.Decls = append(f.Decls, d)
		}
	}
	f.Decls = append(f.Decls, decls...)
	_, _ = conf.Check("main", o.fset, []*ast.File{&f}, info)
	return ok
}

// collect fills needs and methods.
func (o *ordering) collect() error {
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	o.check(o.decls, info)
	owner := map[types.Object]int{}
	o.methods = map[int][]int{}
	for i, d := range o.decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && info.Defs[id] != nil {
				owner[info.Defs[id]] = i
			}
			return true
		})
	}
	vars := map[int]bool{}
	o.needs = make([]map[int]bool, len(o.decls))
	for i, d := range o.decls {
		o.needs[i] = map[int]bool{}
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && info.Uses[id] != nil {
				obj := info.Uses[id]
				switch x := obj.(type) {
				case *types.Func:
					obj = x.Origin()
				case *types.Var:
					obj = x.Origin()
				}
				if j, ok := owner[obj]; ok && j != i {
					o.needs[i][j] = true
				}
			}
			return true
		})
		switch d := d.(type) {
		case *ast.GenDecl:
			vars[i] = d.Tok == token.VAR
		case *ast.FuncDecl:
			if d.Recv == nil {
				break
			}
			ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if tn, ok := info.Uses[id].(*types.TypeName); ok && tn.Parent() == tn.Pkg().Scope() {
						o.methods[owner[tn]] = append(o.methods[owner[tn]], i)
						return false
					}
				}
				return true
			})
		}
	}
	// Variables get their values in the order that Go gives them.
	last := -1
	for _, v := range info.InitOrder {
		i := owner[v.Lhs[0]]
		if last >= 0 && last != i {
			o.needs[i][last] = true
		}
		last = i
	}
	// The value of a variable may call, by way of interfaces, any method of the types that it reaches. A func init runs
	// after every variable has its value, and main after all else.
	for i, d := range o.decls {
		fd, _ := d.(*ast.FuncDecl)
		if vars[i] {
			o.reachMethods(i)
		}
		if fd != nil && fd.Recv == nil && fd.Name.Name == "init" {
			for j := range o.decls {
				if vars[j] {
					o.needs[i][j] = true
				}
			}
			o.reachMethods(i)
		}
	}
	return nil
}

// reachMethods adds to what a declaration needs the methods of all types that it reaches.
func (o *ordering) reachMethods(i int) {
	seen := map[int]bool{}
	var visit func(j int)
	visit = func(j int) {
		if seen[j] {
			return
		}
		seen[j] = true
		for k := range o.needs[j] {
			visit(k)
		}
		for _, k := range o.methods[j] {
			visit(k)
		}
	}
	visit(i)
	delete(seen, i)
	o.needs[i] = seen
}

// groups lists the declarations of each cell, in order.
func (o *ordering) groups() [][]int {
	left := o.components()
	var order [][]int
	var have []ast.Decl
	done := map[int]bool{}
	fits := func(g []int) bool {
		for _, i := range g {
			for j := range o.needs[i] {
				if !done[j] && !slices.Contains(g, j) {
					return false
				}
			}
		}
		with := slices.Clone(have)
		for _, i := range g {
			with = append(with, o.decls[i])
		}
		return o.check(with, nil)
	}
	take := func(at int) {
		g := left[at]
		left = slices.Delete(left, at, at+1)
		order = append(order, g)
		for _, i := range g {
			done[i] = true
			have = append(have, o.decls[i])
		}
	}
	for len(left) > 0 {
		if at := slices.IndexFunc(left, fits); at >= 0 {
			take(at)
			continue
		}
		if len(left) == 1 {
			take(0) // does not compile at all: the test will say so
			continue
		}
		// Two that need each other without naming each other, as a type's methods do through an interface.
		left[0] = append(left[0], left[1]...)
		slices.Sort(left[0])
		left = slices.Delete(left, 1, 2)
	}
	// main runs in the end and may be taken early; it reads best last.
	for i, g := range order {
		if fd, ok := o.decls[g[0]].(*ast.FuncDecl); ok && len(g) == 1 && fd.Recv == nil && fd.Name.Name == "main" {
			return append(slices.Delete(order, i, i+1), g)
		}
	}
	return order
}

// components finds the strongly connected components of needs, by first declaration (Tarjan).
func (o *ordering) components() [][]int {
	index, low := map[int]int{}, map[int]int{}
	on := map[int]bool{}
	var stack []int
	var r [][]int
	var visit func(v int)
	visit = func(v int) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack, on[v] = append(stack, v), true
		for w := range o.needs[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if on[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		at := slices.Index(stack, v)
		g := slices.Clone(stack[at:])
		for _, w := range g {
			on[w] = false
		}
		stack = stack[:at]
		slices.Sort(g)
		r = append(r, g)
	}
	for v := range o.decls {
		if index[v] == 0 {
			visit(v)
		}
	}
	slices.SortFunc(r, func(a, b []int) int { return a[0] - b[0] })
	return r
}
