package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/repl/golang/library"
	"github.com/gorocm/gorocm/repl/golang/rtype"
	"github.com/gorocm/gorocm/repl/modules"
)

// Scope is what the cells of a session have declared and imported, and what a further cell is checked against. Nothing of it runs.
type Scope struct {
	mu sync.Mutex // guards all that changes; a cell holds it while it is checked and bound, but not while it runs

	lib      *library.Library
	packages *modules.Set // third-party ones
	fset     *token.FileSet
	known    map[string][]map[string]reflect.Value // compiled symbols by package
	auto     map[string]string                     // package name to import path
	dots     map[string]types.Object               // names that need no qualifier
	pkg      *types.Package                        // of every cell
	out      *types.Func
	must     []*types.Func
	world    *rtype.World

	bindings map[string]*binding
	decls    []*decl
	uses     map[*decl]map[types.Object]bool
	methods  map[string]*method // T.M of types that cells declared
	phantom  map[*types.Func]bool
	sources  map[string][]string // lines of every cell
	results  *results
}

// method is a method of a type that cells declared.
type method struct {
	obj           *types.Func
	signatureText string
	decl          *decl
}

// newScope is an empty scope. Third-party packages are in the module of the folder modulesDir; input is the text of a cell, for In[3].
func newScope(lib *library.Library, modulesDir string, input func(n int) (string, bool)) *Scope {
	s := &Scope{
		lib: lib, fset: token.NewFileSet(), dots: map[string]types.Object{}, known: map[string][]map[string]reflect.Value{},
		bindings: map[string]*binding{}, uses: map[*decl]map[types.Object]bool{}, methods: map[string]*method{},
		phantom: map[*types.Func]bool{}, sources: map[string][]string{}, pkg: types.NewPackage("main", "main"),
	}
	s.packages = modules.NewSet(modulesDir, s.fset, lib)
	s.results = &results{pkg: s.pkg, input: input}
	return s
}

// unavailable says why a cell cannot use an object of a compiled package.
func (e *Scope) unavailable(o types.Object) string {
	p := o.Pkg()
	if p == nil || p.Path() == "main" || p.Path() == "unsafe" || o.Parent() != p.Scope() || e.packages.Package(p.Path()) != nil {
		return ""
	}
	for _, names := range e.known[p.Path()] {
		if _, ok := names[o.Name()]; ok {
			return ""
		}
	}
	switch o := o.(type) {
	case *types.Const:
		return "" // spelled out
	case *types.Func:
		if o.Signature().TypeParams().Len() > 0 && e.lib.HasSource(p.Path()) {
			return ""
		}
		if o.Signature().TypeParams().Len() > 0 {
			return p.Name() + "." + o.Name() + " is generic, and its package is compiled: it is not available in cells"
		}
	case *types.TypeName:
		if n, ok := o.Type().(*types.Named); ok && n.TypeParams().Len() > 0 || !o.Exported() {
			if e.lib.HasSource(p.Path()) {
				return ""
			}
			return p.Name() + "." + o.Name() + " is generic, and its package is compiled: it is not available in cells"
		}
		if it, ok := o.Type().Underlying().(*types.Interface); ok && !it.IsMethodSet() {
			return ""
		}
		if o.IsAlias() {
			return ""
		}
	}
	return p.Name() + "." + o.Name() + " is not available in cells: the interpreter's symbols of " + p.Path() + " lack it"
}

// dotImport makes the exported names of a package visible as they are.
func (e *Scope) dotImport(path string) error {
	p, err := e.packages.Import(path)
	if err != nil {
		return fmt.Errorf("golang: %w", err)
	}
	for _, n := range p.Scope().Names() {
		if o := p.Scope().Lookup(n); o.Exported() {
			e.dots[n] = o
		}
	}
	return nil
}

// inserted declares the functions that the session writes into cells before checking them.
func (e *Scope) inserted() error {
	src := "package main\nfunc out(...any)\n"
	for i := 1; i <= maxMust; i++ {
		var ts, ps []string
		for j := range i {
			ts = append(ts, "T"+strconv.Itoa(j))
			ps = append(ps, "_ "+ts[j])
		}
		src += fmt.Sprintf("func must%d[%s any](%s, _ error) (%s)\n", i, strings.Join(ts, ", "), strings.Join(ps, ", "), strings.Join(ts, ", "))
	}
	f, err := parser.ParseFile(e.fset, "session", src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	conf := types.Config{Error: func(error) {}} // the bodies are missing
	pkg, _ := conf.Check("main", e.fset, []*ast.File{f}, nil)
	for _, n := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(n).(*types.Func)
		name := outName
		if n != "out" {
			name = mustName + n[len(n)-1:]
		}
		r := types.NewFunc(token.NoPos, pkg, name, o.Signature())
		if n == "out" {
			e.out = r
		} else {
			e.must = append(e.must, r)
		}
	}
	return nil
}

// goVersion is the language version of cells.
const goVersion = "go1.26"

// inner is the type of values in interpreted code, and outer of values in interfaces: see package rtype.
func (e *Scope) inner(t types.Type) reflect.Type { return e.world.Inner(types.Default(t)) }

func (e *Scope) outer(t types.Type) reflect.Type { return e.world.Outer(types.Default(t)) }

// slot is a variable of the session: it lives in the engine's memory.
type slot struct {
	symbol string // of its address
	ptr    reflect.Value
}

// isSession reports whether an object was declared in a cell.
func isSession(o types.Object) bool { return o.Pkg() != nil && o.Pkg().Path() == "main" }

// display prints a type as users write it.
func display(t types.Type) string { return types.TypeString(t, qualifier) }

func qualifier(p *types.Package) string {
	if p.Path() == "main" {
		return ""
	}
	return p.Name()
}

func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func receiverType(m *types.Func) *types.Named {
	n, _ := types.Unalias(deref(m.Signature().Recv().Type())).(*types.Named)
	return n
}

func isGeneric(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.TypeParams().Len() > n.TypeArgs().Len()
}

func ident(s string) *ast.Ident { return ast.NewIdent(s) }

// binding is what a name of the session stands for.
type binding struct {
	name string
	obj  types.Object // nil for an import
	path string       // of an import
	decl *decl        // of a func, type or const
	cell string
}

// function is a checked function or method body. Generic ones are kept, to be emitted for each instance.
type function struct {
	*decl
	obj     *types.Func
	fd      *ast.FuncDecl // the checked form; a method's receiver is its first parameter
	info    *types.Info
	tparams []*types.TypeParam // of fd
}

// variable is a variable that a cell's statements define at their top level.
type variable struct {
	name  string
	local *types.Var // as the cell's statements see it
	slot  *types.Var // as functions and later cells see it; an older cell's variable when the type is the same
	at    token.Pos
}

// freshScope empties the scope of the session's package. Every cell is checked as the same package with the same scope:
// go/types lets only the package that declares a struct set its unexported fields, and tells a type of the package from one
// inside a function by that scope. But a scope cannot forget a name, and the session's names are bound anew.
func (e *Scope) freshScope() *types.Package {
	*e.pkg.Scope() = *types.NewScope(types.Universe, token.NoPos, token.NoPos, "package main")
	return e.pkg
}
