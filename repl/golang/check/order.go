package check

import (
	"go/ast"
	"go/token"
	"slices"
)

// OrderVariables puts the statements of a cell in the order in which a Go file initialises: a variable declaration
// comes after those that it needs, also through functions of the cell, and each func init runs after them. Names
// that the session has already keep their order: they stand for what they stood for.
func (sc *Scope) OrderVariables(c *Cell) {
	inits := c.takeInits()
	if c.Body == nil {
		if len(inits) == 0 {
			return
		}
		c.Body = &ast.BlockStmt{Lbrace: inits[0].Pos(), Rbrace: inits[0].End()}
	}
	var list []ast.Stmt
	for _, s := range c.Body.List { // one statement for each variable of a group
		if g := varDecl(s); g != nil && len(g.Specs) == 1 {
			// each is initialised for itself
			if vs := g.Specs[0].(*ast.ValueSpec); len(vs.Names) > 1 && len(vs.Names) == len(vs.Values) && c.mayWait(s) {
				for i := range vs.Names {
					one := &ast.ValueSpec{Names: vs.Names[i : i+1 : i+1], Type: vs.Type,
						Values: vs.Values[i : i+1 : i+1]}
					list = append(list, &ast.DeclStmt{Decl: &ast.GenDecl{TokPos: one.Pos(), Tok: token.VAR,
						Specs: []ast.Spec{one}}})
				}
				continue
			}
		}
		if g := varDecl(s); g != nil && len(g.Specs) > 1 {
			for _, spec := range g.Specs {
				list = append(list, &ast.DeclStmt{Decl: &ast.GenDecl{TokPos: spec.Pos(), Tok: token.VAR,
					Specs: []ast.Spec{spec}}})
			}
			continue
		}
		list = append(list, s)
	}
	needs := c.needs()
	order := map[ast.Stmt]int{}
	for i, s := range list {
		order[s] = i
	}
	for i, moves := 0, 0; i < len(list); i++ {
		if varDecl(list[i]) == nil {
			continue
		}
		want := map[string]bool{}
		collect(list[i], needs, want)
		for j := i + 1; j < len(list) && moves < maxMoves; j++ {
			if sc.declaresWanted(list[j], want) {
				s := list[j]
				list = slices.Insert(slices.Delete(list, j, j+1), i, s)
				moves++
				i-- // what was moved may need something too
				break
			}
		}
	}
	c.initialise(list, order, needs)
	c.Body.List = slices.Insert(list, initsAt(list, inits, needs), inits...)
}

// initsAt is where among the statements of a cell the functions init run: behind the variable declarations at the
// beginning, and behind those, also with :=, of the variables that they use.
func initsAt(list, inits []ast.Stmt, needs map[string][]string) (at int) {
	want := map[string]bool{}
	for _, s := range inits {
		mentioned(s, needs, want)
	}
	for i, s := range list {
		if varDecl(s) != nil && (i == at || declares(s, want)) {
			at = i + 1
		}
		if n, ok := s.(*ast.AssignStmt); ok && n.Tok == token.DEFINE {
			for _, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && want[id.Name] {
					at = i + 1
				}
			}
		}
	}
	return at
}

// mayWait reports whether a variable declaration mentions another variable that the cell declares so, itself or through
// a function.
func (c *Cell) mayWait(s ast.Stmt) bool {
	want := map[string]bool{}
	collect(s, c.needs(), want)
	for _, other := range c.Body.List {
		if varDecl(other) != nil && declares(other, want) {
			return true
		}
	}
	return false
}

// initialise puts each run of adjacent variable declarations in the order of Go: the first of them, as they were
// written, that needs none of those that are still to come is next.
func (c *Cell) initialise(list []ast.Stmt, order map[ast.Stmt]int, needs map[string][]string) {
	for at := 0; at < len(list); at++ {
		end := at
		for end < len(list) && varDecl(list[end]) != nil {
			end++
		}
		run := list[at:end]
		slices.SortFunc(run, func(a, b ast.Stmt) int { return order[a] - order[b] })
		wants := map[ast.Stmt]map[string]bool{}
		for _, s := range run {
			wants[s] = map[string]bool{}
			collect(s, needs, wants[s])
		}
		for len(run) > 1 {
			next := slices.IndexFunc(run, func(s ast.Stmt) bool {
				return !slices.ContainsFunc(run,
					func(other ast.Stmt) bool { return other != s && declares(other, wants[s]) })
			})
			if next > 0 {
				s := run[next]
				copy(run[1:next+1], run[:next])
				run[0] = s
			}
			run = run[1:]
		}
		at = max(at, end)
	}
}

// declares reports whether a variable declaration declares one of the names.
func declares(s ast.Stmt, names map[string]bool) bool {
	for _, spec := range varDecl(s).Specs {
		for _, n := range spec.(*ast.ValueSpec).Names {
			if names[n.Name] {
				return true
			}
		}
	}
	return false
}

// maxMoves bounds the moves in a cell whose variables need each other in a circle.
const maxMoves = 1000

func varDecl(s ast.Stmt) *ast.GenDecl {
	if d, ok := s.(*ast.DeclStmt); ok {
		if g := d.Decl.(*ast.GenDecl); g.Tok == token.VAR {
			return g
		}
	}
	return nil
}

// takeInits removes the functions init from the declarations and returns calls of them.
func (c *Cell) takeInits() (calls []ast.Stmt) {
	c.Decls = slices.DeleteFunc(c.Decls, func(d *Decl) bool {
		fd, ok := d.Node.(*ast.FuncDecl)
		if !ok || fd.Recv != nil || fd.Name.Name != "init" || fd.Body == nil ||
			fd.Type.Params.NumFields()+fd.Type.Results.NumFields()+fd.Type.TypeParams.NumFields() > 0 {
			return false
		}
		lit := &ast.FuncLit{Type: fd.Type, Body: fd.Body}
		calls = append(calls, &ast.ExprStmt{X: &ast.CallExpr{Fun: lit, Lparen: fd.Body.Rbrace, Rparen: fd.Body.Rbrace}})
		return true
	})
	return calls
}

// needs lists the names that each function or method of the cell mentions, under its own name.
func (c *Cell) needs() map[string][]string {
	r := map[string][]string{}
	for _, d := range c.Decls {
		if fd, ok := d.Node.(*ast.FuncDecl); ok && fd.Body != nil {
			ast.Inspect(fd.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					r[fd.Name.Name] = append(r[fd.Name.Name], id.Name)
				}
				return true
			})
		}
	}
	return r
}

// collect notes the names that a variable declaration's values mention, and those that the functions among them
// mention.
func collect(s ast.Stmt, needs map[string][]string, want map[string]bool) {
	for _, spec := range varDecl(s).Specs {
		for _, v := range spec.(*ast.ValueSpec).Values {
			mentioned(v, needs, want)
		}
	}
}

// mentioned notes the names that some code mentions, and those that the functions among them mention.
func mentioned(n ast.Node, needs map[string][]string, want map[string]bool) {
	var add func(name string)
	add = func(name string) {
		if !want[name] {
			want[name] = true
			for _, n := range needs[name] {
				add(n)
			}
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			add(id.Name)
		}
		return true
	})
}

func (sc *Scope) declaresWanted(s ast.Stmt, want map[string]bool) bool {
	g := varDecl(s)
	if g == nil {
		return false
	}
	for _, spec := range g.Specs {
		for _, n := range spec.(*ast.ValueSpec).Names {
			if want[n.Name] && sc.Bindings[n.Name] == nil {
				return true
			}
		}
	}
	return false
}
