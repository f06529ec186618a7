package check

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/repl/golang/library"
	"github.com/gorocm/gorocm/repl/golang/rtype"
	"github.com/gorocm/gorocm/repl/modules"
)

// Scope is what the cells of a session have declared and imported, and what a further cell is checked against. Nothing
// of it runs.
type Scope struct {
	Mu sync.Mutex // guards all that changes; a cell holds it while it is checked and bound, but not while it runs

	Library     *library.Library
	Modules     *modules.Set // third-party ones
	Fset        *token.FileSet
	Compiled    map[string][]map[string]reflect.Value // compiled symbols by package
	AutoImports map[string]string                     // package name to import path
	Dots        map[string]types.Object               // names that need no qualifier
	Pkg         *types.Package                        // of every cell
	OutFunc     *types.Func
	MustFuncs   []*types.Func
	World       *rtype.World

	Bindings map[string]*Binding
	Decls    []*Decl
	Uses     map[*Decl]map[types.Object]bool
	Methods  map[string]*Method // T.M of types that cells declared
	Phantom  map[*types.Func]bool
	Sources  Sources // lines of cells
	Results  *Results
	files    files
	failed   failures // names that failed cells would have declared

	Debugging bool // the debugger is on

	interrupted func() error // not nil when checking and lowering are to end; nil itself when nobody can ask for that
	changing    func() error // the same, once, before the session changes
}

// Method is a method of a type that cells declared.
type Method struct {
	Object        *types.Func
	SignatureText string
	Decl          *Decl
	Turned        bool // the debugger has been turned on or off since it was lowered
}

// NewScope is an empty scope. Third-party packages are in the module of the folder modulesDir; input is the text of a
// cell, for In[3].
func NewScope(lib *library.Library, modulesDir string, input func(n int) (string, bool)) *Scope {
	s := &Scope{
		Library: lib, Fset: token.NewFileSet(), Dots: map[string]types.Object{},
		Compiled: map[string][]map[string]reflect.Value{},
		Bindings: map[string]*Binding{}, Uses: map[*Decl]map[types.Object]bool{}, Methods: map[string]*Method{},
		Phantom: map[*types.Func]bool{}, Pkg: types.NewPackage("main", "main"),
	}
	s.Modules = modules.NewSet(modulesDir, s.Fset, lib)
	s.Results = &Results{pkg: s.Pkg, input: input}
	return s
}

// Unavailable says why a cell cannot use an object of a compiled package.
func (sc *Scope) Unavailable(o types.Object) string {
	p := o.Pkg()
	if p == nil || p.Path() == "main" || p.Path() == "unsafe" || o.Parent() != p.Scope() ||
		sc.Modules.Package(p.Path()) != nil {
		return ""
	}
	for _, names := range sc.Compiled[p.Path()] {
		if _, ok := names[o.Name()]; ok {
			return ""
		}
	}
	missing := " is generic, and its package is compiled: it is not available in cells"
	if sc.Library.Included(p.Path()) {
		missing = " is generic, and its package is compiled into this session: with GOROCM_COMPILE=0 in the environment " +
			"of gorocm it is interpreted"
	}
	switch o := o.(type) {
	case *types.Const:
		return "" // spelled out
	case *types.Func:
		if o.Signature().TypeParams().Len() > 0 && (sc.Library.HasSource(p.Path()) || sc.instances(o)) {
			return ""
		}
		if o.Signature().TypeParams().Len() > 0 {
			return p.Name() + "." + o.Name() + missing
		}
	case *types.TypeName:
		if n, ok := o.Type().(*types.Named); ok && n.TypeParams().Len() > 0 || !o.Exported() {
			if sc.Library.HasSource(p.Path()) {
				return ""
			}
			return p.Name() + "." + o.Name() + missing
		}
		if it, ok := o.Type().Underlying().(*types.Interface); ok && !it.IsMethodSet() {
			return ""
		}
		if o.IsAlias() {
			return ""
		}
	}
	return p.Name() + "." + o.Name() + " is not available in cells: the interpreter's symbols of " + p.Path() +
		" lack it"
}

// instances reports whether a compiled package has its generic function f in instances, as F[int64].
func (sc *Scope) instances(f *types.Func) bool {
	for _, names := range sc.Compiled[f.Pkg().Path()] {
		for n := range names {
			if strings.HasPrefix(n, f.Name()+"[") {
				return true
			}
		}
	}
	return false
}

// DotImport makes the exported names of a package visible as they are.
func (sc *Scope) DotImport(path string) error {
	p, err := sc.Modules.Import(path)
	if err != nil {
		return fmt.Errorf("golang: %w", err)
	}
	for _, n := range p.Scope().Names() {
		if o := p.Scope().Lookup(n); o.Exported() {
			sc.Dots[n] = o
		}
	}
	return nil
}

// DeclareWrappers declares the functions that the session writes into cells before checking them.
func (sc *Scope) DeclareWrappers() error {
	src := "package main\nfunc out(...any)\n"
	for i := 1; i <= maxMust; i++ {
		var ts, ps []string
		for j := range i {
			ts = append(ts, "T"+strconv.Itoa(j))
			ps = append(ps, "_ "+ts[j])
		}
		src += fmt.Sprintf("func must%d[%s any](%s, _ error) (%s)\n", i, strings.Join(ts, ", "), strings.Join(ps, ", "),
			strings.Join(ts, ", "))
	}
	f, err := parser.ParseFile(sc.Fset, "session", src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	conf := types.Config{Error: func(error) {}} // the bodies are missing
	pkg, _ := conf.Check("main", sc.Fset, []*ast.File{f}, nil)
	for _, n := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(n).(*types.Func)
		name := OutName
		if n != "out" {
			name = MustName + n[len(n)-1:]
		}
		r := types.NewFunc(token.NoPos, pkg, name, o.Signature())
		if n == "out" {
			sc.OutFunc = r
		} else {
			sc.MustFuncs = append(sc.MustFuncs, r)
		}
	}
	return nil
}

// GoVersion is the language version of cells.
const GoVersion = "go1.26"

// Inner is the type of values in interpreted code, and outer of values in interfaces: see package rtype.
func (sc *Scope) Inner(t types.Type) reflect.Type { return sc.World.Inner(types.Default(t)) }

func (sc *Scope) Outer(t types.Type) reflect.Type { return sc.World.Outer(types.Default(t)) }

// Slot is a variable of the session: it lives in the engine's memory.
type Slot struct {
	Symbol string // of its address
	Ptr    reflect.Value
	Shared bool // functions, closures or pointers may have it, too, when its name stands for something else
}

// IsSession reports whether an object was declared in a cell.
func IsSession(o types.Object) bool { return o.Pkg() != nil && o.Pkg().Path() == "main" }

// Display prints a type as users write it.
func Display(t types.Type) string { return types.TypeString(t, Qualifier) }

func Qualifier(p *types.Package) string {
	if p.Path() == "main" {
		return ""
	}
	return p.Name()
}

func Deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func ReceiverType(m *types.Func) *types.Named {
	n, _ := types.Unalias(Deref(m.Signature().Recv().Type())).(*types.Named)
	return n
}

func IsGeneric(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.TypeParams().Len() > n.TypeArgs().Len()
}

func Ident(s string) *ast.Ident { return ast.NewIdent(s) }

// Binding is what a name of the session stands for.
type Binding struct {
	Name   string
	Object types.Object // nil for an import
	Path   string       // of an import
	Decl   *Decl        // of a func, type or const
	Cell   string
}

// Function is a checked function or method body. Generic ones are kept, to be emitted for each instance.
type Function struct {
	*Decl
	Object     *types.Func
	Syntax     *ast.FuncDecl // the checked form; a method's receiver is its first parameter
	Info       *types.Info
	TypeParams []*types.TypeParam // of fd
	// Late, unless it is nil, gives Syntax with its body and the Info of that. It is for one goroutine at a time.
	Late func() (*ast.FuncDecl, *types.Info, error)
}

// HasBody reports whether the function has a body, or will have one.
func (f *Function) HasBody() bool { return f.Syntax.Body != nil || f.Late != nil }

// Complete gives the function its body.
func (f *Function) Complete() error {
	if f.Late == nil {
		return nil
	}
	syntax, info, err := f.Late()
	if err != nil {
		return err
	}
	f.Syntax, f.Info, f.Late = syntax, info, nil
	return nil
}

// variable is a variable that a cell's statements define at their top level.
type variable struct {
	Name  string
	Local *types.Var // as the cell's statements see it
	Slot  *types.Var // as functions and later cells see it; an older cell's variable when the type is the same
	At    token.Pos
}

// FreshScope empties the scope of the session's package. Every cell is checked as the same package with the same scope:
// go/types lets only the package that declares a struct set its unexported fields, and tells a type of the package from
// one inside a function by that scope. But a scope cannot forget a name, and the session's names are bound anew.
func (sc *Scope) FreshScope() *types.Package {
	*sc.Pkg.Scope() = *types.NewScope(types.Universe, token.NoPos, token.NoPos, "package main")
	return sc.Pkg
}

// StackName is the function's name as Go prints it in a stack: f, Map[...], T.M, (*T).M.
func (f *Function) StackName() string {
	if f.Receiver == "" {
		if len(f.TypeParams) > 0 {
			return f.Names[0] + "[...]"
		}
		return f.Names[0]
	}
	recv := f.Receiver
	if len(f.TypeParams) > 0 {
		recv += "[...]"
	}
	if ps := f.Syntax.Type.Params.List; len(ps) > 0 {
		if _, isPtr := ps[0].Type.(*ast.StarExpr); isPtr {
			recv = "(*" + recv + ")"
		}
	}
	method := f.Names[0][strings.LastIndexByte(f.Names[0], '.'):]
	return strings.TrimSuffix(f.Names[0], f.Receiver+method) + recv + method // behind the name of a package
}

// KindOf is what an object is called in lists: variable, function, …
func KindOf(o types.Object) string {
	switch o := o.(type) {
	case *types.Var:
		if o.IsField() {
			return "field"
		}
		return "variable"
	case *types.Const:
		return "constant"
	case *types.TypeName:
		return "type"
	case *types.Func:
		if o.Signature().Recv() != nil {
			return "method"
		}
		return "function"
	case *types.PkgName:
		return "package"
	}
	return ""
}

// ReplaceDecls takes the declarations of a checked cell into the scope, for those of the same names. What the names
// stand for is not changed.
func (sc *Scope) ReplaceDecls(ck *Checked) {
	replaced := map[string]bool{}
	for _, d := range ck.Decls {
		sc.Uses[d] = ck.Uses[d]
		for _, n := range d.Names {
			replaced[n] = true
		}
		if d.Spec != nil { // a new type has none of the older one's methods but those checked again
			for n := range sc.Methods {
				if strings.HasPrefix(n, d.Names[0]+".") {
					delete(sc.Methods, n)
					replaced[n] = true
				}
			}
		}
	}
	keep := sc.Decls[:0:0]
	for _, d := range sc.Decls {
		if replaced[d.Names[0]] && !slices.Contains(ck.Decls, d) {
			delete(sc.Uses, d)
			continue
		}
		if !slices.Contains(ck.Decls, d) {
			keep = append(keep, d)
		}
	}
	sc.Decls = append(keep, ck.Decls...)
}

// Used reports whether a declaration uses one of the objects.
func (sc *Scope) Used(objects ...types.Object) bool {
	for _, u := range sc.Uses {
		for _, o := range objects {
			if u[o] {
				return true
			}
		}
	}
	return false
}

// ReplaceUses has every declaration that uses one object use another from now on.
func (sc *Scope) ReplaceUses(old, now types.Object) {
	for _, u := range sc.Uses {
		if u[old] {
			delete(u, old)
			u[now] = true
		}
	}
}
