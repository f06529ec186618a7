package rtype_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/repl/golang/rtype"
)

// TestCompiled checks that composites of compiled types are the compiler's own.
func TestCompiled(t *testing.T) {
	s := start(t, `
import ("time"; "io")
type P struct { X int; d time.Duration }
var _ io.Reader
`, nil)
	for expr, want := range map[string]reflect.Type{
		"int": reflect.TypeFor[int](), "byte": reflect.TypeFor[uint8](), "rune": reflect.TypeFor[int32](),
		"any":   reflect.TypeFor[any](),
		"error": reflect.TypeFor[error](), "interface{}": reflect.TypeFor[any](),
		"struct{}":                           reflect.TypeFor[struct{}](),
		"[]time.Duration":                    reflect.TypeFor[[]time.Duration](),
		"map[string][]*time.Time":            reflect.TypeFor[map[string][]*time.Time](),
		"func(int, ...string) (bool, error)": reflect.TypeFor[func(int, ...string) (bool, error)](),
		"chan<- [3]struct{ X, Y int }":       reflect.TypeFor[chan<- [3]struct{ X, Y int }](),
		"struct{ X int `json:\"x\"`; T time.Time }": reflect.TypeFor[struct {
			X int `json:"x"`
			T time.Time
		}](),
	} {
		if got := s.outer(expr); got != want {
			t.Errorf("Outer(%s) is %v", expr, got)
		}
		if got := s.Inner(s.typ(expr)); got != want {
			t.Errorf("Inner(%s) is %v", expr, got)
		}
		if got := s.Static(want); got != nil {
			t.Errorf("Static(%v) is %v", want, got)
		}
	}
}

// TestInner checks which names the Inner form drops.
func TestInner(t *testing.T) {
	s := start(t, `
import "time"
type W int
type A struct { x W; Y []W "t"; _ int; _0 W; time.Time }
type B struct { X W }
type N struct { next *N; w W }
type F func(F) W
type G[T any] struct { v T; next *G[T] }
type I interface { m(W) }
type E struct { B; *N }
type Alias = map[W]A
func f() { type N struct { n *N; s string } }
`, nil)
	for expr, want := range map[string]string{
		"W":                   "int",
		"[]W":                 "[]int",
		"func(W, ...W) [2]W":  "func(int, ...int) [2]int",
		"A":                   "struct { x int; Y []int \"t\"; _2 struct { _ int }; _0 int; Time time.Time }",
		"B":                   "struct { X int }",
		"N":                   "main.N",
		"[]*N":                "[]*main.N",
		"F":                   "main.F",
		"G[W]":                "main.G[main.W]",
		"I":                   "main.I",
		"E":                   "struct { B struct { X int }; N *main.N }",
		"struct { a I; b N }": "struct { a main.I; b main.N }",
		"interface { x() W }": "interface { main.x() main.W }",
	} {
		if got := s.Inner(s.typ(expr)); got.String() != want {
			t.Errorf("Inner(%s) is %v, want %s", expr, got, want)
		}
	}
	if a, b := s.Inner(s.typ("struct { x W; y []W }")), s.Inner(s.typ("struct { x int; y []int }")); a != b {
		t.Errorf("%v and %v differ", a, b)
	}
	if a, b := s.Inner(s.typ("struct { x interface { m(W) } }")),
		s.Inner(s.typ("struct { x interface { m(int) } }")); a == b {
		t.Errorf("%v and %v are one", a, b)
	}
	if a, b := s.Inner(s.typ("B")), reflect.TypeFor[struct{ X int }](); a != b {
		t.Errorf("%v is not the compiler's", a)
	}
	st := s.typ("A").Underlying().(*types.Struct)
	for i := range st.NumFields() {
		if got, want := s.Field(st, i), s.Inner(s.typ("A")).Field(i).Name; got != want {
			t.Errorf("Field(%d) is %s, the type has %s", i, got, want)
		}
	}
	// The local N is another type with the same name.
	fn := s.pkg.Scope().Lookup("f").(*types.Func).Scope().Lookup("N").Type()
	if got := s.Outer(fn); got.String() != "main.N" || got == s.outer("N") || got.NumField() != 2 {
		t.Errorf("the local type is %v", got)
	}
	if got := s.Inner(fn); got.String() != "main.N·2" {
		t.Errorf("the Inner local type is %v", got)
	}
	n := s.Inner(s.typ("N"))
	if n.Field(0).Type.Elem() != n || n.NumMethod() != 0 {
		t.Errorf("%v is not made of itself", n)
	}
	for _, f := range reflect.VisibleFields(s.Inner(s.typ("E"))) {
		if f.Anonymous || !f.IsExported() {
			t.Errorf("%+v", f)
		}
	}
}

// TestPackage checks a package of the session that is not main.
func TestPackage(t *testing.T) {
	s := startPackage(t, "example.org/shop/v2", `package shop
type Item struct { name string; Price float64 }
func (i Item) label() string { return "" }
type Labelled interface { label() string }
type List[T any] []T
`, map[string]body{"Item.label": func(a []reflect.Value) []reflect.Value { return []reflect.Value{a[0].Field(0)} }})
	item := s.outer("Item")
	if item.String() != "shop.Item" || item.PkgPath() != "example.org/shop/v2" ||
		item.Field(0).PkgPath != "example.org/shop/v2" {
		t.Errorf("%v %s", item, item.PkgPath())
	}
	if got := s.outer("List[*Item]"); got.String() != "shop.List[*example.org/shop/v2.Item]" {
		t.Error(got)
	}
	l := reflect.New(s.outer("Labelled")).Elem()
	l.Set(reflect.ValueOf(s.any("Item", s.make("Item", "tea", 2))))
	if got := l.Method(0).Call(nil)[0].String(); got != "tea" {
		t.Error(got)
	}
	// A method of that name of another package is another method.
	main := start(t, `type Labelled interface { label() string }`, nil).outer("Labelled")
	type labelled interface{ label() string }
	if _, ok := l.Interface().(labelled); ok || item.Implements(reflect.TypeFor[labelled]()) {
		t.Error("a type has the hidden method of another package")
	}
	if rtype.Implements(item, main) || !rtype.Implements(item, s.outer("Labelled")) ||
		rtype.Implements(reflect.TypeFor[hides](), main) {
		t.Error("Implements does not know whose the methods are")
	}
	if !rtype.Implements(reflect.TypeFor[time.Month](), reflect.TypeFor[fmt.Stringer]()) ||
		rtype.Implements(item, reflect.TypeFor[fmt.Stringer]()) {
		t.Error("Implements does not know exported methods")
	}
}

type hides struct{}

func (hides) label() string { return "" }

// TestChanged gives types methods after their first use.
func TestChanged(t *testing.T) {
	s := start(t, `
type P struct { X int }
type Q struct { P P; next *Q }
type R struct { P }
type S []S
type Less interface { Less(P) bool }
func (p P) Less(q P) bool { return false }
type All interface { Less; String() string }
`, map[string]body{
		"P.Less":   func(a []reflect.Value) []reflect.Value { return values(a[0].Field(0).Int() < a[1].Field(0).Int()) },
		"P.String": func(a []reflect.Value) []reflect.Value { return values(fmt.Sprintf("P%d", a[0].Field(0).Int())) },
	})
	exprs := []string{"P", "*P", "Q", "[]Q", "R", "map[P]int", "func(*P)", "struct { a P }", "S", "Less", "[]int",
		"[]Less"}
	change := map[string]bool{"P": true, "*P": true, "Q": true, "[]Q": true, "R": true, "map[P]int": true,
		"func(*P)": true, "struct { a P }": true}
	old, inner := map[string]reflect.Type{}, map[string]reflect.Type{}
	for _, e := range exprs {
		old[e], inner[e] = s.outer(e), s.Inner(s.typ(e))
	}
	p := s.make("P", 7)
	before := s.any("P", p)
	less := reflect.New(s.outer("Less")).Elem()
	less.Set(reflect.ValueOf(before))
	if got := fmt.Sprint(before); got != "{7}" {
		t.Fatal(got)
	}

	named := s.typ("P").(*types.Named)
	recv := types.NewVar(0, s.pkg, "p", named)
	res := types.NewTuple(types.NewVar(0, s.pkg, "", types.Typ[types.String]))
	named.AddMethod(types.NewFunc(0, s.pkg, "String", types.NewSignatureType(recv, nil, nil, nil, res, false)))
	s.Changed(named)

	for _, e := range exprs {
		if got := s.outer(e); (got != old[e]) != change[e] || got.String() != old[e].String() {
			t.Errorf("Outer(%s) is new: %v", e, got != old[e])
		}
		if got := s.Inner(s.typ(e)); got != inner[e] {
			t.Errorf("Inner(%s) is new", e)
		}
		if got := s.Static(old[e]); e != "[]int" && (got == nil || !types.Identical(got, s.typ(e))) {
			t.Errorf("Static of the old %s is %v", e, got)
		}
	}
	after := s.any("P", p)
	if got := fmt.Sprint(after, before, s.any("Q", s.make("Q", p)),
		s.any("R", s.make("R", p))); got != "P7 {7} {P7 <nil>} P7" {
		t.Error(got)
	}
	// Old and new values implement the interfaces that mention the type.
	for _, v := range []any{before, after, s.any("R", s.make("R", p))} {
		less.Set(reflect.ValueOf(v))
		q := rtype.Retype(s.make("P", 8), less.Type().Method(0).Type.In(0))
		if !less.Method(0).Call([]reflect.Value{q})[0].Bool() {
			t.Error("7 is not less than 8")
		}
	}
	if all := s.outer("All"); !s.outer("P").Implements(all) || reflect.TypeOf(before).Implements(all) {
		t.Error("the new method is not there, or there too early")
	}
}

// TestReplaced asks for a method at every call.
func TestReplaced(t *testing.T) {
	s := start(t, `type T int; func (T) String() string { return "" }`, map[string]body{
		"T.String": func(a []reflect.Value) []reflect.Value { return values("one") },
	})
	v := s.any("T", s.zero("T"))
	if got := fmt.Sprint(v); got != "one" {
		t.Error(got)
	}
	s.methods["T.String"] = func(a []reflect.Value) []reflect.Value { return values("two") }
	if got := fmt.Sprint(v); got != "two" {
		t.Error(got)
	}
}

// TestStatic finds the static types of types that only reflect has made.
func TestStatic(t *testing.T) {
	s := start(t, `type P struct { x int }; type I interface { M() }`, nil)
	p, i := s.outer("P"), s.outer("I")
	for _, c := range []struct {
		r    reflect.Type
		want string
	}{
		{reflect.PointerTo(p), "*P"},
		{reflect.SliceOf(reflect.PointerTo(p)), "[]*P"},
		{reflect.ArrayOf(3, p), "[3]P"},
		{reflect.ChanOf(reflect.RecvDir, p), "<-chan P"},
		{reflect.MapOf(reflect.TypeFor[string](), reflect.SliceOf(p)), "map[string][]P"},
		{reflect.MapOf(p, reflect.TypeFor[error]()), "map[P]error"},
		{reflect.SliceOf(i), "[]I"},
	} {
		if got := s.Static(c.r); got == nil || !types.Identical(got, s.typ(c.want)) {
			t.Errorf("Static(%v) is %v", c.r, got)
		}
	}
	for _, r := range []reflect.Type{nil, reflect.TypeFor[int](), reflect.TypeFor[[]string](),
		reflect.TypeFor[time.Time](), reflect.TypeFor[session]()} {
		if got := s.Static(r); got != nil {
			t.Errorf("Static(%v) is %v", r, got)
		}
	}
}

func TestRetype(t *testing.T) {
	day := 3
	v := rtype.Retype(reflect.ValueOf(&day).Elem(), reflect.TypeFor[Weekday]())
	if v.Set(reflect.ValueOf(Weekday(4))); day != 4 || !v.CanAddr() {
		t.Error("the value is another")
	}
	if n := testing.AllocsPerRun(100, func() { v = rtype.Retype(v, reflect.TypeFor[int]()) }); n != 0 {
		t.Errorf("Retype allocates %g times", n)
	}
	if v := rtype.Retype(reflect.Value{}, reflect.TypeFor[int]()); v.IsValid() {
		t.Error(v)
	}
	if v := rtype.RetypeAny(nil, reflect.TypeFor[int]()); v != nil {
		t.Error(v)
	}
	method := reflect.ValueOf(Weekday(1)).MethodByName("String")
	if f := rtype.Retype(method, reflect.TypeFor[func() Str]()).Interface().(func() Str); f() != "M" {
		t.Error("a method value is lost")
	}
	for _, f := range []func(){
		func() { rtype.Retype(reflect.ValueOf(1), reflect.TypeFor[string]()) },
		func() { rtype.Retype(reflect.ValueOf([2]int{}), reflect.TypeFor[[3]int]()) },
		func() { rtype.RetypeAny(1, reflect.TypeFor[int8]()) },
	} {
		func() {
			defer func() {
				if r := recover(); !strings.Contains(fmt.Sprint(r), "laid out differently") {
					t.Errorf("panics with %v", r)
				}
			}()
			f()
		}()
	}
}

// TestUnmarshalShared reads JSON into a variable of interpreted code, through its Outer form.
func TestUnmarshalShared(t *testing.T) {
	s := start(t, `
type Level int
type Conf struct {
	Name  string            `+"`json:\"name\"`"+`
	Level Level             `+"`json:\"level,omitempty\"`"+`
	Sub   map[string]*Conf  `+"`json:\"sub\"`"+`
	local int
}
`, nil)
	v := s.zero("Conf")
	p := rtype.Retype(v.Addr(), s.outer("*Conf")).Interface()
	if err := json.Unmarshal([]byte(`{"name":"a","level":3,"sub":{"x":{"name":"b"}}}`), p); err != nil {
		t.Fatal(err)
	}
	sub := v.Field(2).MapIndex(reflect.ValueOf("x")).Elem()
	if v.Field(0).String() != "a" || v.Field(1).Int() != 3 || sub.Field(0).String() != "b" || sub.Type() != v.Type() {
		t.Errorf("%+v", v)
	}
	out, err := json.Marshal(p)
	if want := `{"name":"a","level":3,"sub":{"x":{"name":"b","sub":null}}}`; err != nil || string(out) != want {
		t.Errorf("%s %v", out, err)
	}
}

// TestNoConstraints says what has no run-time type.
func TestNoConstraints(t *testing.T) {
	s := start(t, `type Number interface { ~int | ~float64 }`, nil)
	for _, typ := range []types.Type{s.typ("Number"), types.Universe.Lookup("comparable").Type(),
		types.Typ[types.UntypedInt], types.NewTuple()} {
		func() {
			defer func() {
				if r := recover(); !strings.Contains(fmt.Sprint(r), "has no run-time type") {
					t.Errorf("%v: panics with %v", typ, r)
				}
			}()
			t.Errorf("%v is %v", typ, s.Outer(typ))
		}()
	}
	if s.outer("int") == nil { // and the World goes on
		t.Error("no int")
	}
}

// TestStubsRunOut takes every stub, in a process of its own.
func TestStubsRunOut(t *testing.T) {
	if rtype.Stubs == 0 {
		t.Skip("types have no methods on this architecture")
	}
	const key = "RTYPE_TEST_STUBS"
	if os.Getenv(key) == "" {
		exe, err := os.Executable()
		if err != nil {
			t.Skip(err)
		}
		cmd := exec.Command(exe, "-test.run=^TestStubsRunOut$", "-test.v")
		cmd.Env = append(os.Environ(), key+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	var src strings.Builder
	const kinds = 20
	rtype.UseStubs(2000)
	for i := range kinds {
		fmt.Fprintf(&src, "type T%d struct{ n int; s string }\n", i)
		for j := range 100 {
			fmt.Fprintf(&src, "func (T%d) M%03d() int { return 0 }\n", i, j)
		}
	}
	s := start(t, src.String(), map[string]body{})
	built := []reflect.Type{}
	defer func() {
		want := fmt.Sprint("have taken all ", rtype.Stubs-1, " places")
		if r := recover(); !strings.Contains(fmt.Sprint(r), want) {
			t.Errorf("panics with %v", r)
		}
		for i, typ := range built { // what was built works
			for j := range 100 {
				s.methods[fmt.Sprintf("T%d.M%03d", i,
					j)] = func(a []reflect.Value) []reflect.Value {
					return values(int(a[0].Field(0).Int())*1000 +
						i*100 + j)
				}
			}
			v := reflect.New(s.Inner(s.typ(fmt.Sprint("T", i)))).Elem()
			v.Field(0).SetInt(7)
			v = rtype.Retype(v, typ)
			for j := range 100 {
				if got := v.Method(j).Call(nil)[0].Int(); got != int64(7000+i*100+j) {
					t.Fatalf("T%d.M%d gives %d", i, j, got)
				}
			}
		}
		if len(built) != 9 { // each takes 200, and the last stub is taken
			t.Errorf("only %d types were built", len(built))
		}
	}()
	for i := range kinds {
		built = append(built, s.outer(fmt.Sprint("T", i)))
	}
	t.Error("there is room for everything")
}

// TestCanonical gives one type the place of another.
func TestCanonical(t *testing.T) {
	s := start(t, `
type Box[T any] struct { v T; next *Box[T] }
func (b *Box[T]) Get() T { return b.v }
func (b *Box[T]) Old() T { return b.v }
type box struct { v int; next *box }
func (b *box) Get() int { return b.v }
type Has struct { n string; Box[int] }
`, map[string]body{"box.Get": func(a []reflect.Value) []reflect.Value { return []reflect.Value{a[0].Elem().Field(0)} }})
	from, to := s.typ("Box[int]"), s.typ("box").(*types.Named)
	s.World = rtype.New(rtype.Config{
		Compiled: s.compiled,
		Method:   s.method,
		Canonical: func(n *types.Named) *types.Named {
			if types.Identical(n, from) {
				return to
			}
			return n
		},
		Hidden: func(m *types.Func) bool { return m.Name() == "Old" },
	})
	if a, b := s.outer("Box[int]"), s.outer("box"); a != b {
		t.Errorf("%v is not %v", a, b)
	}
	if a, b := s.Inner(s.typ("map[string]Box[int]")), s.Inner(s.typ("map[string]box")); a != b {
		t.Errorf("%v is not %v", a, b)
	}
	has := s.zero("Has")
	has.Field(1).Field(0).SetInt(5)
	g, ok := s.any("*Has", has.Addr()).(interface{ Get() int })
	if !ok || g.Get() != 5 {
		t.Error("the method of the type in place is not found")
	}
	if _, ok := s.any("*Has", has.Addr()).(interface{ Old() int }); ok {
		t.Error("a hidden method is found")
	}
	if got := s.outer("Box[string]"); got.String() != "main.Box[string]" {
		t.Error(got)
	}
}

// TestMarks embeds compiled types that have methods to mark them, which are not exported.
func TestMarks(t *testing.T) {
	know(reflect.TypeFor[ast.Ident](), reflect.TypeFor[ast.Expr](), reflect.TypeFor[token.Pos]())
	s := start(t, `
import ("go/ast"; "go/token")
type A struct { n int; *ast.Ident }
type B struct { n string; ast.Expr }
type C struct { n int }
func (C) exprNode() {}
func (C) Pos() token.Pos { return 0 }
func (C) End() token.Pos { return 0 }
`, nil)
	a := s.make("A", 1, ast.NewIdent("x"))
	b := s.make("B", "b", ast.NewIdent("y"))
	for _, v := range []any{s.any("A", a), s.any("*A", a.Addr()), s.any("B", b), s.any("*B", b.Addr())} {
		if e, ok := v.(ast.Expr); !ok || e.Pos() != token.NoPos {
			t.Errorf("%T is not an expression", v)
		}
	}
	if _, ok := s.any("C", s.zero("C")).(ast.Expr); ok ||
		s.outer("C").Implements(reflect.TypeFor[interface{ ast.Expr }]()) {
		t.Error("a method of the session counts as one of go/ast")
	}
}
