package asprogram

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// A cell that defines a variable again assigns to it where the types are the same, so that functions and closures see
// the new value. With another type it is another variable, which gets a name of its own.

// redefine mends definitions of variables that an earlier statement has defined. Go would not take some of them, and
// takes others as variables of their own. It returns an error where functions of the session would go over to a
// variable of another type.
func (p *program) redefine() error {
	known := map[string]*types.Var{}
	for name := range p.hoisted {
		if v, ok := p.pkg.Scope().Lookup(name).(*types.Var); ok {
			known[name] = v
		}
	}
	for _, s := range p.statements() {
		var again, first []*ast.Ident
		for _, id := range defines(s) {
			old := known[id.Name]
			if id.Name == "_" {
				continue
			}
			if old == nil {
				if err := p.takesName(id); err != nil {
					return err
				}
				first = append(first, id)
				known[id.Name], _ = p.info.Defs[id].(*types.Var)
				continue
			}
			t := p.definedType(s, id)
			if t == nil || hasInvalid(t) {
				return nil // until more is known
			}
			if !types.Identical(old.Type(), t) {
				return p.rename(s, id, old, t)
			}
			again = append(again, id)
		}
		if len(again) > 0 && !p.isAssigned(s, again, first, known) {
			p.assign(s, again, first)
			return nil
		}
	}
	return nil
}

// takesName says that a name that a statement defines is also that of a declaration: which one counts depends on the
// order of the cells.
func (p *program) takesName(id *ast.Ident) error {
	switch o := p.pkg.Scope().Lookup(id.Name); o.(type) {
	case nil, *types.Var:
		return nil
	default:
		return fmt.Errorf("the cells cannot be written as a program: %s is a variable and a declaration: "+
			"choose the cells of one of them", id.Name)
	}
}

// definedType is the type that a statement gives to a variable, nil where it is not known.
func (p *program) definedType(s ast.Stmt, id *ast.Ident) types.Type {
	of := func(names []ast.Expr, values []ast.Expr) types.Type {
		i := slices.Index(names, ast.Expr(id))
		if len(values) == len(names) {
			return defaultType(p.info.TypeOf(values[i]))
		}
		if t, ok := p.info.TypeOf(values[0]).(*types.Tuple); ok && t.Len() == len(names) {
			return defaultType(t.At(i).Type())
		}
		return nil
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		return of(s.Lhs, s.Rhs)
	case *ast.DeclStmt:
		for _, sp := range s.Decl.(*ast.GenDecl).Specs {
			sp := sp.(*ast.ValueSpec)
			var names []ast.Expr
			for _, n := range sp.Names {
				names = append(names, n)
			}
			switch {
			case !slices.Contains(names, ast.Expr(id)):
			case sp.Type != nil:
				return p.info.TypeOf(sp.Type)
			default:
				return of(names, sp.Values)
			}
		}
	}
	return nil
}

func defaultType(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return types.Default(t)
}

// isAssigned reports whether a statement is Go that assigns to the variables that are defined again.
func (p *program) isAssigned(s ast.Stmt, again, first []*ast.Ident, known map[string]*types.Var) bool {
	if _, ok := s.(*ast.AssignStmt); !ok || len(first) == 0 {
		return false
	}
	return !slices.ContainsFunc(again, func(id *ast.Ident) bool { return p.info.Uses[id] != known[id.Name] })
}

// assign has a statement assign to its variables. Those that it defines for the first time are declared before it.
func (p *program) assign(s ast.Stmt, again, first []*ast.Ident) {
	var above strings.Builder
	for _, id := range first {
		t := p.definedType(s, id)
		if t == nil || hasInvalid(t) {
			return
		}
		fmt.Fprintf(&above, "var %s %s\n", id.Name, types.TypeString(t, check.Qualifier))
	}
	from, to := p.offset(s.Pos()), p.offset(s.End())
	switch s := s.(type) {
	case *ast.AssignStmt:
		at := p.offset(s.TokPos)
		p.edits = append(p.edits, edit{at, at + 2, "="}, edit{from, from, above.String()})
	case *ast.DeclStmt:
		p.edits = append(p.edits, edit{from, to, above.String() + strings.Join(p.assignments(s, again), "\n")})
	}
}

// assignments are what a declaration of variables does, once they are declared. Those that are defined again and have
// no value get their zero value.
func (p *program) assignments(s *ast.DeclStmt, again []*ast.Ident) (list []string) {
	for _, sp := range s.Decl.(*ast.GenDecl).Specs {
		sp := sp.(*ast.ValueSpec)
		var names, values []string
		for _, id := range sp.Names {
			if len(sp.Values) == 0 && slices.Contains(again, id) {
				list = append(list, fmt.Sprintf("%s = *new(%s)", id.Name, p.text(sp.Type)))
			}
			names = append(names, id.Name)
		}
		for _, x := range sp.Values {
			values = append(values, p.text(x))
		}
		if len(values) > 0 {
			list = append(list, strings.Join(names, ", ")+" = "+strings.Join(values, ", "))
		}
	}
	return list
}

// rename gives a variable another name from the statement on that defines it with another type. A function that uses
// the name must be one that keeps the older variable.
func (p *program) rename(s ast.Stmt, id *ast.Ident, old *types.Var, t types.Type) error {
	if user := p.follows(old, t); user != "" {
		return fmt.Errorf("the cells cannot be written as a program: %s is defined again with another type, and %s uses it: "+
			"give it another name there, or choose the cells of one of them", id.Name, user)
	}
	name := p.fresh(id.Name)
	now := p.info.Defs[id]
	defined := map[*ast.Ident]bool{id: true} // of the cells, in later statements
	for _, s := range p.statements() {
		for _, d := range defines(s) {
			defined[d] = true
		}
	}
	ast.Inspect(p.mainBody(), func(n ast.Node) bool {
		use, ok := n.(*ast.Ident)
		if !ok || use.Name != id.Name || use != id && use.Pos() < s.End() {
			return true
		}
		if o := p.info.Uses[use]; defined[use] || o != nil && (o == old || o == now) {
			p.replace(use, name)
		}
		return true
	})
	return nil
}

// replace gives an identifier another name. As the key of a composite literal, or as a selector, it has no object.
func (p *program) replace(id *ast.Ident, name string) {
	p.edits = append(p.edits, edit{p.offset(id.Pos()), p.offset(id.End()), name})
}

// fresh is a name like the given one that nothing has.
func (p *program) fresh(name string) string {
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			try += strconv.Itoa(n)
		}
		if !p.used[try] && types.Universe.Lookup(try) == nil {
			p.used[try] = true
			return try
		}
	}
}

// follows is a function that uses a variable and would use one of another type, empty for none: what still compiles is
// compiled again for the newer variable when a cell defines it.
func (p *program) follows(old *types.Var, t types.Type) string {
	users := map[string]bool{}
	for id, o := range p.info.Uses {
		if fd := p.functionAt(id.Pos()); o == old && fd != nil {
			users[functionName(fd)] = true
		}
	}
	if len(users) == 0 {
		return ""
	}
	fset := token.NewFileSet()
	var parsed []*ast.File
	for i, f := range p.files {
		text := f.text
		if i == 0 {
			other := *f
			other.main, other.decls = "", slices.Clone(f.decls)
			for i, d := range other.decls {
				if strings.HasPrefix(d, "var "+old.Name()+" ") {
					other.decls[i] = "var " + old.Name() + " " + types.TypeString(t, check.Qualifier)
				}
			}
			other.print()
			text = other.text
		}
		x, err := parser.ParseFile(fset, f.name, text, parser.SkipObjectResolution)
		if err != nil {
			return old.Name()
		}
		parsed = append(parsed, x)
	}
	conf := types.Config{Importer: p.s.Importer, GoVersion: check.GoVersion, Sizes: types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			if te, ok := err.(types.Error); ok {
				for _, x := range parsed {
					if fd := functionIn(x, te.Pos); fd != nil {
						delete(users, functionName(fd))
					}
				}
			}
		}}
	_, _ = conf.Check("main", fset, parsed, nil) // the errors are what is asked for
	for user := range users {
		return user
	}
	return ""
}

// functionAt is the declared function around a place, nil for none and in main's body.
func (p *program) functionAt(pos token.Pos) *ast.FuncDecl {
	for _, f := range p.files {
		if fd := functionIn(f.syntax, pos); fd != nil && fd.Body != p.mainBody() {
			return fd
		}
	}
	return nil
}

func functionIn(f *ast.File, pos token.Pos) *ast.FuncDecl {
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Pos() <= pos && pos < fd.End() {
			return fd
		}
	}
	return nil
}

func functionName(fd *ast.FuncDecl) string {
	if fd.Recv != nil && len(fd.Recv.List) > 0 {
		return strings.TrimPrefix(types.ExprString(fd.Recv.List[0].Type), "*") + "." + fd.Name.Name
	}
	return fd.Name.Name
}
