package native

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// testImporter keeps the packages that it has read.
var testImporter = importer.ForCompiler(token.NewFileSet(), "source", nil)

// compileAll compiles the functions of a file.
func compileAll(t testing.TB, src string) map[string]Outcome {
	t.Helper()
	return compileWith(t, src, New(plainType))
}

func compileWith(t testing.TB, src string, p *Program) map[string]Outcome {
	t.Helper()
	return compileHosted(t, src, p, testHost())
}

// compileHosted compiles the functions of a file, whose function values run for h.
func compileHosted(t testing.TB, src string, p *Program, h *Host) map[string]Outcome {
	t.Helper()
	if why := enter.Unsupported(); why != "" {
		t.Skip(why)
	}
	p.SetHost(h)
	return compileSources(p, sourcesOf(t, src))
}

// compilePackaged compiles the functions of a file with what it needs of packages.
func compilePackaged(t testing.TB, src string, packages Packages) map[string]Outcome {
	t.Helper()
	if why := enter.Unsupported(); why != "" {
		t.Skip(why)
	}
	p := New(plainType)
	p.SetHost(testHost())
	list := sourcesOf(t, src)
	for i := range list {
		list[i].Packages = packages
	}
	return compileSources(p, list)
}

func compileSources(p *Program, list []Source) map[string]Outcome {
	var units []Unit
	for _, s := range list {
		units = append(units, Unit{Source: s, Name: s.Object.Name(), Called: s.Object})
	}
	r := map[string]Outcome{}
	for i, o := range p.Compile(units) {
		r[units[i].Name] = o
	}
	return r
}

// sourcesOf checks the functions of a file.
func sourcesOf(t testing.TB, src string) (list []Source) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "f.go", "package main\n"+src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
		Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{}}
	conf := types.Config{Importer: testImporter}
	if _, err := conf.Check("main", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			o := info.Defs[f.Name].(*types.Func)
			list = append(list, Source{Syntax: f, Info: info, Object: o, Fset: fset, Stack: o.Name(),
				Packages: randomPackages})
		}
	}
	return list
}

// plainType is the run-time type of a type without names.
func plainType(t types.Type) reflect.Type {
	if n, ok := t.(*types.Named); ok && n.Obj().Name() == "node" {
		return reflect.TypeFor[stressNode]()
	}
	if n, ok := t.(*types.Named); ok && n.Obj().Name() == "large" {
		return reflect.TypeFor[stressLarge]()
	}
	if n, ok := t.(*types.Named); ok && n.Obj().Name() == "cell" {
		return reflect.TypeFor[orderCell]()
	}
	if n, ok := t.(*types.Named); ok && n.Obj().Name() == "featLarge" {
		return reflect.TypeFor[featLarge]()
	}
	if n, ok := t.(*types.Named); ok && n.Obj().Name() == "featItem" {
		return reflect.TypeFor[featItem]()
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return map[types.BasicKind]reflect.Type{types.Int: reflect.TypeFor[int](), types.Float64: reflect.TypeFor[float64](),
			types.Bool: reflect.TypeFor[bool](), types.String: reflect.TypeFor[string](),
			types.Uint8: reflect.TypeFor[uint8](), types.Int8: reflect.TypeFor[int8](),
			types.Int16: reflect.TypeFor[int16](), types.Uint16: reflect.TypeFor[uint16](),
			types.Int32: reflect.TypeFor[int32](), types.Uint32: reflect.TypeFor[uint32](),
			types.Int64: reflect.TypeFor[int64](), types.Uint64: reflect.TypeFor[uint64](),
			types.Uint: reflect.TypeFor[uint](), types.Float32: reflect.TypeFor[float32](),
			types.Complex64: reflect.TypeFor[complex64](), types.Complex128: reflect.TypeFor[complex128]()}[u.Kind()]
	case *types.Slice:
		return reflect.SliceOf(plainType(u.Elem()))
	case *types.Array:
		return reflect.ArrayOf(int(u.Len()), plainType(u.Elem()))
	case *types.Pointer:
		return reflect.PointerTo(plainType(u.Elem()))
	case *types.Chan:
		dir := map[types.ChanDir]reflect.ChanDir{types.SendRecv: reflect.BothDir, types.SendOnly: reflect.SendDir,
			types.RecvOnly: reflect.RecvDir}[u.Dir()]
		return reflect.ChanOf(dir, plainType(u.Elem()))
	case *types.Map:
		return reflect.MapOf(plainType(u.Key()), plainType(u.Elem()))
	case *types.Signature:
		var in, out []reflect.Type
		for v := range u.Params().Variables() {
			in = append(in, plainType(v.Type()))
		}
		for v := range u.Results().Variables() {
			out = append(out, plainType(v.Type()))
		}
		return reflect.FuncOf(in, out, u.Variadic())
	case *types.Struct:
		var fields []reflect.StructField
		for f := range u.Fields() {
			fields = append(fields, reflect.StructField{Name: "X" + f.Name(), Type: plainType(f.Type())})
		}
		return reflect.StructOf(fields)
	}
	return nil
}

// testHost is a session without stops.
func testHost() *Host {
	return &Host{Stopped: func() bool { return false }, Stops: new(atomic.Int32), StackLimit: func() uintptr { return 1 << 20 },
		TooDeep: func() bool { panic("stack overflow") }, CheckMake: func(n, room, size int) { _ = make([]struct{}, n, room) },
		Panicking: func(any, []Frame, uintptr) {}, Deferred: testDeferred}
}

// testDeferred is Host.Deferred.
func testDeferred(calls []func(int), v any) {
	defer func() {
		if v != nil {
			panic(v)
		}
	}()
	for _, f := range calls {
		defer f(0)
	}
}

// as makes a compiled function a Go function of type F.
func as[F any](t testing.TB, r map[string]Outcome, name string) F {
	t.Helper()
	return asWith[F](t, r, name, testHost())
}

func asWith[F any](t testing.TB, r map[string]Outcome, name string, h *Host) F {
	t.Helper()
	o := r[name]
	if o.Reason != nil {
		t.Fatalf("%s is not compiled: %v", name, o.Reason)
	}
	typ := reflect.TypeFor[F]()
	return reflect.MakeFunc(typ, func(in []reflect.Value) []reflect.Value {
		var params, results []unsafe.Pointer
		for _, v := range in {
			p := reflect.New(v.Type())
			p.Elem().Set(v)
			params = append(params, p.UnsafePointer())
		}
		var out []reflect.Value
		for i := range typ.NumOut() {
			p := reflect.New(typ.Out(i))
			results = append(results, p.UnsafePointer())
			out = append(out, p.Elem())
		}
		o.Proc.Code().Run(h, 0, params, results)
		return out
	}).Interface().(F)
}

func TestFirst(t *testing.T) {
	r := compileAll(t, `
func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
func sum(xs []float64) float64 { s := 0.0; for _, x := range xs { s += x }; return s }
func add(a, b int) int { return a + b }
func at(xs []int, i int) int { return xs[i] }
`)
	if got := as[func(int, int) int](t, r, "add")(3, 4); got != 7 {
		t.Error(got)
	}
	if got := as[func([]float64) float64](t, r, "sum")([]float64{1, 2, 3.5}); got != 6.5 {
		t.Error(got)
	}
	if got := as[func(int) int](t, r, "fib")(20); got != 6765 {
		t.Error(got)
	}
	func() {
		defer func() { fmt.Println(recover()) }()
		as[func([]int, int) int](t, r, "at")([]int{1, 2}, 5)
	}()
}

// call runs a compiled function of one parameter and one result, which are given by pointers.
func call(o Outcome, in, out reflect.Value) {
	o.Proc.Code().Run(testHost(), 0, []unsafe.Pointer{in.UnsafePointer()}, []unsafe.Pointer{out.UnsafePointer()})
}

// stressNode is the node of stressSource.
type stressNode struct {
	Next *stressNode
	N    int
	Name string
}

// reflectCaller calls function values by package reflect.
func reflectCaller(t reflect.Type, params, results []uintptr) func(unsafe.Pointer) {
	return func(m unsafe.Pointer) {
		var in []reflect.Value
		for i := range t.NumIn() {
			in = append(in, reflect.NewAt(t.In(i), unsafe.Add(m, params[i+1])).Elem())
		}
		for i, v := range reflect.NewAt(t, unsafe.Add(m, params[0])).Elem().Call(in) {
			reflect.NewAt(t.Out(i), unsafe.Add(m, results[i])).Elem().Set(v)
		}
	}
}

// pointers are the addresses that Run takes.
func pointers(list ...reflect.Value) (at []unsafe.Pointer) {
	for _, v := range list {
		at = append(at, v.UnsafePointer())
	}
	return at
}
