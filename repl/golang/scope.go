package golang

import (
	"go/token"
	"go/types"
	"reflect"
	"sync"

	"github.com/gorocm/gorocm/repl/golang/rtype"
	"github.com/gorocm/gorocm/repl/modules"
)

// Scope is what the cells of a session have declared and imported, and what a further cell is checked against. Nothing of it runs.
type Scope struct {
	mu sync.Mutex // guards all that changes; a cell holds it while it is checked and bound, but not while it runs

	lib      *Library
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

func newScope(lib *Library, opt Options) *Scope {
	s := &Scope{
		lib: lib, fset: token.NewFileSet(), dots: map[string]types.Object{}, known: map[string][]map[string]reflect.Value{},
		bindings: map[string]*binding{}, uses: map[*decl]map[types.Object]bool{}, methods: map[string]*method{},
		phantom: map[*types.Func]bool{}, sources: map[string][]string{}, pkg: types.NewPackage("main", "main"),
	}
	s.packages = modules.NewSet(opt.Modules, s.fset, lib)
	s.results = &results{pkg: s.pkg, input: opt.Input, free: map[string][]*slot{}}
	return s
}
