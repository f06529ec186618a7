package golang

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go/types"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// Declarations returns the imports, types, functions and constants of the session as a cell that declares them anew.
func (e *Engine) Declarations() string {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	var imports []string
	for name, b := range e.scope.Bindings {
		if b.Object == nil && b.Path != "" {
			imports = append(imports, "import "+name+" "+strconv.Quote(b.Path)+"\n")
		}
	}
	for _, o := range e.scope.Dots {
		text := "import . " + strconv.Quote(o.Pkg().Path()) + "\n"
		if !slices.Contains(e.opt.Dots, o.Pkg().Path()) && !slices.Contains(imports, text) {
			imports = append(imports, text)
		}
	}
	slices.Sort(imports)
	var text strings.Builder
	text.WriteString(strings.Join(imports, ""))
	for _, d := range e.scope.Decls {
		text.WriteString(strings.TrimRight(e.scope.DeclSource(d), "\n") + "\n")
	}
	return text.String()
}

// SessionVar is a variable of the session.
type SessionVar struct {
	Name, Type string
	Cell       string        // that has defined it
	Memory     reflect.Value // a pointer to it
	// Unspellable says why its type cannot be written in a declaration, empty when it can be.
	Unspellable string
	Unkept      string // why its values have no meaning in a new session, empty when they may have one
}

// AsImport is what DeclaredIn has for the name of a package.
const AsImport = "import"

// DeclaredIn returns which cell has declared each name of the session last.
func DeclaredIn(e *Engine) map[string]string {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	cells := map[string]string{}
	for name, b := range e.scope.Bindings {
		switch {
		case b.Object == nil:
			cells[name] = AsImport
		case b.Decl != nil:
			cells[name] = b.Decl.Cell
		default:
			cells[name] = b.Cell
		}
	}
	return cells
}

// Qualifier names packages as the cells of a session can, in types that are written down.
type Qualifier struct {
	names map[string]string // by path
	auto  map[string]string // path by name, without an import
	more  map[string]bool   // paths that need an import which the session has not
}

// NewQualifier returns one for the session as it is now.
func NewQualifier(e *Engine) *Qualifier {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	q := &Qualifier{map[string]string{}, map[string]string{}, map[string]bool{}}
	for name, path := range e.scope.AutoImports {
		if e.scope.Bindings[name] == nil {
			q.auto[name] = path
		}
	}
	for name, b := range e.scope.Bindings {
		if b.Object == nil && b.Path != "" && name != "_" && name != "." {
			q.names[b.Path] = name
		}
	}
	return q
}

// Name is what a package is called, which calls itself name.
func (q *Qualifier) Name(path, name string) string {
	switch {
	case path == "main":
		return ""
	case q.names[path] != "":
		return q.names[path]
	case q.auto[name] == path:
		return name
	}
	q.names[path] = "checkpointPackage" + strconv.Itoa(len(q.more))
	q.more[path] = true
	return q.names[path]
}

// Imports are those that the names need and the session has not.
func (q *Qualifier) Imports() (text string) {
	for path := range q.more {
		text += "import " + q.names[path] + " " + strconv.Quote(path) + "\n"
	}
	return text
}

// Spelled is a type that the session has made, as a cell writes it; "" of another.
func (q *Qualifier) Spelled(e *Engine, t reflect.Type) string {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	if static := e.scope.World.Static(t); static != nil {
		return types.TypeString(static, q.qualify)
	}
	return ""
}

func (q *Qualifier) qualify(p *types.Package) string { return q.Name(p.Path(), p.Name()) }

// Vars returns the variables of the session by name, with their types as q names packages. Their memory may be read
// and written while no cell runs.
func (e *Engine) Vars(q *Qualifier) (list []SessionVar) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	for name, b := range e.scope.Bindings {
		v, ok := b.Object.(*types.Var)
		if !ok || name == "_" || e.state.Slots.Of(v) == nil {
			continue
		}
		s := SessionVar{Name: name, Type: types.TypeString(v.Type(), q.qualify), Cell: b.Cell,
			Memory: e.state.Slots.Of(v).Ptr}
		if hidden := check.UnexportedIn(v.Type()); hidden != "" {
			s.Unspellable = fmt.Sprintf("its type has %s in it, which only its package can name", hidden)
		} else if old := outdated(e, v.Type(), map[types.Type]bool{}); old != "" {
			s.Unspellable = "its type has an earlier or local type in it: " + old
		} else if hasHandle(v.Type(), map[types.Type]bool{}) {
			s.Unkept = "a unique.Handle is part of its type, and equals others in its own process alone: " +
				"keep what Value returns"
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b SessionVar) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// outdated says of a type of the session in t why no name stands for it in a new session, "" without one.
func outdated(e *Engine, t types.Type, seen map[types.Type]bool) string {
	if seen[t] {
		return ""
	}
	seen[t] = true
	parts := partsOf(t)
	if t, ok := types.Unalias(t).(*types.Named); ok {
		o := t.Origin().Obj()
		if check.IsSession(o) {
			switch b := e.scope.Bindings[o.Name()]; {
			case o.Parent() != o.Pkg().Scope():
				return o.Name() + " is declared inside a function or block"
			case b == nil:
				return o.Name() + " is declared no more"
			case b.Object != types.Object(o):
				return o.Name() + " was declared anew"
			}
			parts = append(parts, t.Underlying())
		}
		for a := range t.TypeArgs().Types() {
			parts = append(parts, a)
		}
	}
	for _, p := range parts {
		if old := outdated(e, p, seen); old != "" {
			return old
		}
	}
	return ""
}

// partsOf are the types that the elements, keys and fields of a type without a name have.
func partsOf(t types.Type) (parts []types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		parts = append(parts, t.Elem())
	case *types.Slice:
		parts = append(parts, t.Elem())
	case *types.Array:
		parts = append(parts, t.Elem())
	case *types.Chan:
		parts = append(parts, t.Elem())
	case *types.Map:
		parts = append(parts, t.Key(), t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			parts = append(parts, f.Type())
		}
	}
	return parts
}

// hasHandle reports whether a type has a unique.Handle in it. Types of variables at run time do not tell: the session
// makes instances of generic types anew.
func hasHandle(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if n, ok := types.Unalias(t).(*types.Named); ok {
		o := n.Origin().Obj()
		if o.Pkg() != nil && o.Pkg().Path() == "unique" && o.Name() == "Handle" {
			return true
		}
		// Types of the standard library write themselves, as netip.Addr does, or are refused when they are met.
		standard := false
		if o.Pkg() != nil && !check.IsSession(o) {
			host, _, _ := strings.Cut(o.Pkg().Path(), "/")
			standard = !strings.Contains(host, ".")
		}
		return (!standard || n.TypeArgs().Len() > 0) && hasHandle(n.Underlying(), seen)
	}
	return slices.ContainsFunc(partsOf(t), func(p types.Type) bool { return hasHandle(p, seen) })
}

// Runs is what a session can be asked of what runs in it: see run.Goroutines.
type Runs = run.Goroutines

// Goroutines are the session's.
func (e *Engine) Goroutines() Runs { return e.rt.Goroutines() }

// Outdated says of a type of the session, in that of a value in an interface, why no name stands for it in a new
// session, "" without one.
func Outdated(e *Engine, t reflect.Type) string {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	if static := e.scope.World.Static(t); static != nil {
		return outdated(e, static, map[types.Type]bool{})
	}
	return ""
}

// SplitDeclarations returns the imports and the other declarations of a cell without statements, each with the comments
// before it.
func SplitDeclarations(text string) (imports, others []string) {
	end := 0
	for _, it := range check.Split(text) {
		list := &others
		if it.Kind == check.ImportItem {
			list = &imports
		}
		*list = append(*list, strings.TrimLeft(text[end:it.End], "; \t\n"))
		end = it.End
	}
	return imports, others
}

// Failing returns the errors of declarations that do not compile as one cell, or use others that do not, by index. The
// cell would be one of the session, or the first one of a new session.
func Failing(e *Engine, declarations []string, first bool) (failing map[int]string, failure *check.Failure) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	defer func() {
		if r := recover(); r != nil { // a bug in checking must not take the session along
			failing, failure = nil, check.BugFailure(r)
		}
	}()
	scope := e.scope
	if first {
		var err error
		scope, err = scope.Anew(func(path string) bool { return slices.Contains(e.opt.Dots, path) })
		if err != nil {
			return nil, &check.Failure{Name: "InternalError", Message: err.Error()}
		}
	}
	return scope.WithoutFailing(declarations)
}
