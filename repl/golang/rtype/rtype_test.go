package rtype_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/rtype"
)

// body is a method in a test: arguments (the receiver first) and results in Inner types.
type body func(args []reflect.Value) []reflect.Value

// session is a checked source, its run-time types and the bodies of its methods by "T.M".
type session struct {
	t   testing.TB
	pkg *types.Package
	pos token.Pos // in the file, so that its imports are in scope
	*rtype.World

	mu      sync.Mutex
	methods map[string]body
}

var (
	fset     = token.NewFileSet()
	compiled = importer.ForCompiler(fset, "source", nil)
)

// known are the compiled defined types that tests use.
var known = map[string]reflect.Type{}

func know(ts ...reflect.Type) {
	for _, t := range ts {
		known[t.PkgPath()+"."+t.Name()] = t
	}
}

func start(t testing.TB, src string, methods map[string]body) *session {
	t.Helper()
	return startPackage(t, "main", "package main\n"+src, methods)
}

func startPackage(t testing.TB, path, src string, methods map[string]body) *session {
	t.Helper()
	f, err := parser.ParseFile(fset, "cell.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: compiled}
	pkg, err := conf.Check(path, fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, pkg: pkg, pos: f.Name.Pos(), methods: methods}
	s.World = rtype.New(rtype.Config{Compiled: s.compiled, Method: s.method})
	return s
}

func (s *session) compiled(n *types.Named) reflect.Type {
	if n.Obj().Pkg() == s.pkg || n.TypeArgs().Len() > 0 {
		return nil
	}
	return known[n.Obj().Pkg().Path()+"."+n.Obj().Name()]
}

func (s *session) method(m *types.Func) reflect.Value {
	sig := m.Signature()
	in := []reflect.Type{s.Inner(sig.Recv().Type())}
	for v := range sig.Params().Variables() {
		in = append(in, s.Inner(v.Type()))
	}
	var out []reflect.Type
	for v := range sig.Results().Variables() {
		out = append(out, s.Inner(v.Type()))
	}
	recv := types.TypeString(sig.Recv().Type(), func(*types.Package) string { return "" })
	name := strings.TrimPrefix(recv, "*") + "." + m.Name()
	s.mu.Lock()
	b := s.methods[name]
	s.mu.Unlock()
	if b == nil {
		panic("no body for " + name)
	}
	return reflect.MakeFunc(reflect.FuncOf(in, out, sig.Variadic()), b)
}

// typ returns the type that expr stands for.
func (s *session) typ(expr string) types.Type {
	s.t.Helper()
	tv, err := types.Eval(fset, s.pkg, s.pos, expr)
	if err != nil {
		s.t.Fatal(err)
	}
	return tv.Type
}

// outer returns the Outer form of expr.
func (s *session) outer(expr string) reflect.Type {
	s.t.Helper()
	return s.Outer(s.typ(expr))
}

// zero returns a new variable of type expr in Inner form.
func (s *session) zero(expr string) reflect.Value {
	s.t.Helper()
	return reflect.New(s.Inner(s.typ(expr))).Elem()
}

// make returns a variable of struct type expr, in Inner form, with its fields set.
func (s *session) make(expr string, fields ...any) reflect.Value {
	s.t.Helper()
	v := s.zero(expr)
	for i, f := range fields {
		switch f := f.(type) {
		case nil:
		case reflect.Value:
			v.Field(i).Set(f)
		default:
			v.Field(i).Set(reflect.ValueOf(f).Convert(v.Field(i).Type()))
		}
	}
	return v
}

// any returns v, a value in the Inner form of expr, as an interface holds it.
func (s *session) any(expr string, v reflect.Value) any {
	s.t.Helper()
	return rtype.Retype(v, s.outer(expr)).Interface()
}

func values(vs ...any) []reflect.Value {
	out := make([]reflect.Value, len(vs))
	for i, v := range vs {
		out[i] = reflect.ValueOf(v)
	}
	return out
}
