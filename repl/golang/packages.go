package golang

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/modules"
)

// Third-party packages are lowered as the generic packages of the standard library are: a function is printed when something that is
// printed needs it. Their variables live in slots, like those of cells, and their initialisation runs once, in the first cell that
// imports them.

// Get adds a module to the session, so that cells can import its packages: see modules.Get. The notes tell what imported packages
// stay as they are. It may be called while a cell runs.
func (e *Engine) Get(ctx context.Context, query string, progress func(line string)) (r modules.Result, notes []string, err error) {
	if e.scope.Modules.Dir() == "" {
		return r, nil, errors.New("this session has no folder for modules")
	}
	return e.scope.Modules.Get(ctx, query, progress)
}

// importCell loads the third-party packages that a cell imports, and initialises them.
func (e *Engine) importCell(ctx context.Context, name, src string) *check.Failure {
	for _, i := range e.moduleImports(name, src) {
		if f := e.importPackage(ctx, importPath(i)); f != nil {
			if len(f.Frames) == 0 {
				f.Frames = []check.Frame{e.importFrame(i, name, src)}
			}
			return f
		}
	}
	return nil
}

// importFrame is the place of an import in a cell.
func (e *Engine) importFrame(i *ast.ImportSpec, name, src string) check.Frame {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	e.scope.Sources[name] = strings.Split(src, "\n")
	return e.scope.Frame(e.scope.Fset.Position(i.Pos()), "")
}

// moduleImports lists the imports of a cell that modules provide.
func (e *Engine) moduleImports(name, src string) (list []*ast.ImportSpec) {
	if e.scope.Modules.Dir() == "" || !strings.Contains(src, "import") {
		return nil
	}
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	c, ps := e.scope.Parse(name, src)
	if len(ps) > 0 {
		return nil // for check to tell
	}
	for _, g := range c.Imports {
		for _, s := range g.Specs {
			i := s.(*ast.ImportSpec)
			if path := importPath(i); path != "" && !e.scope.Library.Has(path) && (thirdParty(path) || e.scope.Modules.Requires(path)) {
				list = append(list, i)
			}
		}
	}
	return list
}

// importPath is the path of an import, "" for one that is not well formed.
func importPath(i *ast.ImportSpec) string {
	path, _ := strconv.Unquote(i.Path.Value) // "" beside an error
	return path
}

// thirdParty reports whether a path begins with a host, as those of modules do.
func thirdParty(path string) bool {
	host, _, _ := strings.Cut(path, "/")
	return strings.Contains(host, ".")
}

func (e *Engine) importPackage(ctx context.Context, path string) *check.Failure {
	pkgs, err := e.scope.Modules.Load(ctx, path)
	if err != nil {
		return importFailure(path, err)
	}
	for _, note := range modules.Notes(pkgs) {
		fmt.Fprintln(e.rt.Stderr, note)
	}
	e.adoptAll(pkgs)
	for len(e.pending) > 0 {
		if f := e.initialise(ctx, e.pending[0]); f != nil {
			return f // another import tries again
		}
		e.pending = e.pending[1:]
	}
	return nil
}

func importFailure(path string, err error) *check.Failure {
	var me *modules.Error
	switch {
	case errors.Is(err, context.Canceled):
		return &check.Failure{Name: "Interrupted", Message: "interrupted while " + path + " was loaded"}
	case errors.As(err, &me):
		return &check.Failure{Name: "ImportError", Message: me.Message, Notes: me.Notes, Trace: me.Output}
	}
	return &check.Failure{Name: "ImportError", Message: err.Error()}
}

// adoptAll makes checked packages ones that are still to be initialised.
func (e *Engine) adoptAll(pkgs []*modules.Checked) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	for _, p := range pkgs {
		e.srcs[p.Path] = e.adopt(p)
		for _, f := range p.Syntax {
			e.rt.PackageFiles.Store(e.scope.Fset.Position(f.Pos()).Filename, p.Path)
		}
		e.pending = append(e.pending, p)
	}
}

// adopt makes a checked package one whose functions are lowered on demand.
func (e *Engine) adopt(p *modules.Checked) *sourcePackage {
	r := &sourcePackage{pkg: p.Types, funcs: map[string]*check.Function{}}
	for _, f := range p.Syntax {
		r.add(f, p.Info, p.Name)
	}
	for _, n := range p.Types.Scope().Names() {
		if v, ok := p.Types.Scope().Lookup(n).(*types.Var); ok {
			e.slots[v] = e.newSlot(v.Type())
		}
	}
	return r
}

// initialise runs what initialises a package's variables, and its init functions.
func (e *Engine) initialise(ctx context.Context, p *modules.Checked) *check.Failure {
	lw, f := e.lowerInit(p)
	if f != nil {
		return f
	}
	if lw.first != "" {
		if f := e.rt.CallPlain(lw.first); f != nil {
			return f
		}
	}
	if lw.run == "" {
		return nil
	}
	if f := e.rt.Run(ctx, lw.run, lw.mark); f != nil {
		f.Notes = append(f.Notes, "while package "+p.Path+" was initialised")
		return f
	}
	return nil
}

func (e *Engine) lowerInit(p *modules.Checked) (*lowered, *check.Failure) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	for _, m := range p.Embeds {
		fs, err := m.FS()
		if err != nil {
			return nil, &check.Failure{Name: "ImportError", Message: p.Path + ": " + err.Error()}
		}
		*e.slots[m.Var].Ptr.Interface().(*embed.FS) = fs
	}
	ck := &check.Checked{Cell: &check.Cell{Name: p.Path}, Info: p.Info}
	l := e.newLowerer(ck)
	r := &lowered{}
	body := &ast.BlockStmt{}
	for _, init := range p.Info.InitOrder {
		if s := e.initStmt(p, init); s != nil {
			body.List = append(body.List, s)
		}
	}
	inits := e.srcs[p.Path].inits
	if len(body.List)+len(inits) == 0 {
		return r, nil
	}
	var names []string
	if len(body.List) > 0 {
		at := body.List[0].Pos()
		fd := &ast.FuncDecl{Name: check.Ident("init"), Type: &ast.FuncType{Func: at, Params: &ast.FieldList{Opening: at}}, Body: body}
		fn := types.NewFunc(at, p.Types, "init", types.NewSignatureType(nil, nil, nil, nil, nil, false))
		p.Info.Defs[fd.Name] = fn
		name := l.fresh("vars")
		l.printFunc(&check.Function{Decl: &check.Decl{Node: fd, Names: []string{p.Name + ".init"}}, Object: fn, Syntax: fd, Info: p.Info}, name, false, nil)
		names = append(names, name)
	}
	for _, f := range inits {
		name := l.fresh("init")
		l.printFunc(f, name, false, nil)
		names = append(names, name)
	}
	r.run = l.fresh("start")
	l.printf("func %s() {\n%s()\n}", r.run, strings.Join(names, "()\n"))
	l.drain()
	if len(l.start) > 0 {
		r.first = l.fresh("start")
		l.printf("func %s() {\n%s\n}", r.first, strings.Join(l.start, "\n"))
	}
	r.code = l.out.String()
	return r, e.load(l, r)
}

// initStmt is the assignment that an initialiser stands for, nil for one that does nothing.
func (e *Engine) initStmt(p *modules.Checked, init *types.Initializer) ast.Stmt {
	s := &ast.AssignStmt{Tok: token.ASSIGN, TokPos: init.Rhs.Pos(), Rhs: []ast.Expr{init.Rhs}}
	blank := true
	for _, v := range init.Lhs {
		id := &ast.Ident{NamePos: v.Pos(), Name: v.Name()}
		if v.Name() != "_" {
			blank = false
			p.Info.Uses[id] = v
		}
		s.Lhs = append(s.Lhs, id)
	}
	if blank && !hasCall(p.Info, init.Rhs) {
		return nil // only says that a type implements an interface
	}
	return s
}

// hasCall reports whether x calls a function.
func hasCall(info *types.Info, x ast.Expr) bool {
	r := false
	ast.Inspect(x, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && !info.Types[c.Fun].IsType() {
			r = true
		}
		return !r
	})
	return r
}
