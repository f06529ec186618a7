package rtype_test

import (
	"fmt"
	"go/types"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorocm/gorocm/repl/golang/rtype"
)

// twins are the compiled types of twin_test.go by the expression that go/types knows them by.
var twins = map[string]reflect.Type{}

func twin[T any](expr string) { twins[expr] = reflect.TypeFor[T]() }

func init() {
	twin[Bool]("Bool")
	twin[Int]("Int")
	twin[Int8]("Int8")
	twin[Int16]("Int16")
	twin[Int32]("Int32")
	twin[Int64]("Int64")
	twin[Uint]("Uint")
	twin[Uint8]("Uint8")
	twin[Uint16]("Uint16")
	twin[Uint32]("Uint32")
	twin[Uint64]("Uint64")
	twin[Uintptr]("Uintptr")
	twin[F32]("F32")
	twin[F64]("F64")
	twin[C64]("C64")
	twin[C128]("C128")
	twin[Str]("Str")
	twin[Ints]("Ints")
	twin[Bytes]("Bytes")
	twin[Three]("Three")
	twin[One]("One")
	twin[None]("None")
	twin[Table]("Table")
	twin[Sends]("Sends")
	twin[Both]("Both")
	twin[Op]("Op")
	twin[IntPtr]("IntPtr")
	twin[Any]("Any")
	twin[Empty]("Empty")
	twin[Weekday]("Weekday")
	twin[Problem]("Problem")
	twin[Trouble]("Trouble")
	twin[Point]("Point")
	twin[Secret]("Secret")
	twin[Celsius]("Celsius")
	twin[ByLen]("ByLen")
	twin[Handler]("Handler")
	twin[Header]("Header")
	twin[Pipe]("Pipe")
	twin[Boxed]("Boxed")
	twin[Boxes]("Boxes")
	twin[Odd]("Odd")
	twin[Node]("Node")
	twin[Key]("Key")
	twin[Chain]("Chain")
	twin[Tree]("Tree")
	twin[Step]("Step")
	twin[Self]("Self")
	twin[Wires]("Wires")
	twin[Rows]("Rows")
	twin[Left]("Left")
	twin[Right]("Right")
	twin[Visitor]("Visitor")
	twin[walk]("walk")
	twin[Base]("Base")
	twin[Middle]("Middle")
	twin[Top]("Top")
	twin[Locked]("Locked")
	twin[Stamped]("Stamped")
	twin[Reading]("Reading")
	twin[Failing]("Failing")
	twin[Visiting]("Visiting")
	twin[hidden]("hidden")
	twin[Shows]("Shows")
	twin[Shadow]("Shadow")
	twin[Deep]("Deep")
	twin[Middle2]("Middle2")
	twin[Big]("Big")
	twin[Mixed]("Mixed")
	twin[Calls]("Calls")
	twin[Pair[string, int]]("Pair[string, int]")
	twin[Pair[Key, *Node]]("Pair[Key, *Node]")
	twin[Pair[time.Duration, map[Str]time.Time]]("Pair[time.Duration, map[Str]time.Time]")
	twin[Pair[any, []interface {
		error
		hid(int)
	}]]("Pair[any, []interface { error; hid(int) }]")
	twin[Pair[struct {
		X int `a:"b"`
		y Str
	}, func(int, ...Str) chan<- int]]("Pair[struct { X int `a:\"b\"`; y Str }, func(int, ...Str) chan<- int]")
	twin[Pair[Pair[int, Int], error]]("Pair[Pair[int, Int], error]")
	twin[Shape]("Shape")
	twin[Square]("Square")
	twin[Circle]("Circle")
	twin[Stamp]("Stamp")
	twin[Guard]("Guard")
	twin[Text]("Text")
	twin[Count]("Count")
	twin[Padded]("Padded")
	twin[Blank]("Blank")
	twin[BlankKey]("BlankKey")
	twin[Tail]("Tail")
	twin[Wide]("Wide")
	twin[Huge]("Huge")
	twin[struct {
		Base
		x Int `t:"1"`
		*Shadow
	}]("struct { Base; x Int `t:\"1\"`; *Shadow }")
	twin[struct{ Shape }]("struct { Shape }")
	twin[struct{ X, Y Int }]("struct { X, Y Int }")
	twin[map[Key][]chan (<-chan Weekday)]("map[Key][]chan (<-chan Weekday)")
	twin[func(Weekday, ...*Node) (Shape, error)]("func(Weekday, ...*Node) (Shape, error)")

	know(reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[time.Month](),
		reflect.TypeFor[time.Weekday](),
		reflect.TypeFor[time.Location](), reflect.TypeFor[sync.Mutex](), reflect.TypeFor[io.Reader](),
		reflect.TypeFor[fmt.Stringer](),
		reflect.TypeFor[fmt.State](), reflect.TypeFor[strings.Builder](), reflect.TypeFor[atomic.Int64]())
}

// unexported are the methods that reflect does not call.
var unexported = map[string]reflect.Value{
	"add":    reflect.ValueOf((*Three).add),
	"done":   reflect.ValueOf(walk.done),
	"secret": reflect.ValueOf(Base.secret),
}

// twinSession checks twin_test.go. Its methods run those of the compiled types, on the same memory.
func twinSession(t testing.TB) *session {
	t.Helper()
	src, err := os.ReadFile("twin_test.go")
	if err != nil {
		t.Fatal(err)
	}
	path := reflect.TypeFor[Int]().PkgPath()
	s := startPackage(t, path, string(src), nil)
	s.World = rtype.New(rtype.Config{Compiled: s.compiled, Method: s.compiledMethod})
	return s
}

func (s *session) compiledMethod(m *types.Func) reflect.Value {
	sig := m.Signature()
	recv := sig.Recv().Type()
	ptr, isPtr := recv.(*types.Pointer)
	if isPtr {
		recv = ptr.Elem()
	}
	target := twins[types.TypeString(recv, func(p *types.Package) string {
		if p == s.pkg {
			return ""
		}
		return p.Name()
	})]
	if target == nil {
		panic("no twin of " + recv.String())
	}
	if isPtr {
		target = reflect.PointerTo(target)
	}
	return s.asInner(m, func(args []reflect.Value) []reflect.Value {
		self := rtype.Retype(args[0], target)
		f := unexported[m.Name()]
		if m.Exported() {
			f = self.MethodByName(m.Name())
			args = args[1:]
		} else {
			args[0] = self
		}
		for i := range args {
			args[i] = rtype.Retype(args[i], f.Type().In(i))
		}
		if sig.Variadic() {
			return f.CallSlice(args)
		}
		return f.Call(args)
	})
}

// asInner makes a function for method m out of body, whose results may have other types than the Inner ones.
func (s *session) asInner(m *types.Func, body body) reflect.Value {
	sig := m.Signature()
	in := []reflect.Type{s.Inner(sig.Recv().Type())}
	for v := range sig.Params().Variables() {
		in = append(in, s.Inner(v.Type()))
	}
	var out []reflect.Type
	for v := range sig.Results().Variables() {
		out = append(out, s.Inner(v.Type()))
	}
	return reflect.MakeFunc(reflect.FuncOf(in, out, sig.Variadic()), func(args []reflect.Value) []reflect.Value {
		res := body(args)
		for i := range res {
			res[i] = rtype.Retype(res[i], out[i])
		}
		return res
	})
}

// TestTwins compares what reflect says of every built type with what it says of the compiled one.
func TestTwins(t *testing.T) {
	s := twinSession(t)
	for expr, want := range twins {
		t.Run(expr, func(t *testing.T) {
			typ := s.typ(expr)
			got, in := s.Outer(typ), s.Inner(typ)
			c := &comparison{t: t, seen: map[[2]reflect.Type]bool{}}
			c.same(expr, got, want)
			c.laidOut(expr, in, want)
			if back := s.Static(got); (want.Name() != "" && want.PkgPath() != "") &&
				(back == nil || !types.Identical(back, typ)) {
				t.Errorf("Static(%v) = %v", got, back)
			}
			if got != s.Outer(typ) || in != s.Inner(typ) {
				t.Error("asked again, the types are others")
			}
			if got.Kind() == reflect.Interface && got != in {
				t.Errorf("Inner is %v", in)
			}
		})
	}
}

type comparison struct {
	t    *testing.T
	seen map[[2]reflect.Type]bool
}

func (c *comparison) check(at, what string, got, want any) {
	if got != want {
		c.t.Helper()
		c.t.Errorf("%s: %s is %v, the compiler's %v", at, what, got, want)
	}
}

// laidOut compares what the forms of a type have in common.
func (c *comparison) laidOut(at string, got, want reflect.Type) {
	c.t.Helper()
	c.check(at, "Kind", got.Kind(), want.Kind())
	c.check(at, "Size", got.Size(), want.Size())
	c.check(at, "Align", got.Align(), want.Align())
	c.check(at, "FieldAlign", got.FieldAlign(), want.FieldAlign())
	c.check(at, "Comparable", got.Comparable(), want.Comparable())
	if got.Kind() == reflect.Struct {
		for i := range got.NumField() {
			c.check(at, "Offset of "+want.Field(i).Name, got.Field(i).Offset, want.Field(i).Offset)
			c.check(at, "IsExported", got.Field(i).PkgPath != "", false)
		}
	}
}

func (c *comparison) same(at string, got, want reflect.Type) {
	c.t.Helper()
	if c.seen[[2]reflect.Type{got, want}] || c.t.Failed() {
		return
	}
	c.seen[[2]reflect.Type{got, want}] = true
	c.check(at, "String", got.String(), want.String())
	c.check(at, "Name", got.Name(), want.Name())
	c.check(at, "PkgPath", got.PkgPath(), want.PkgPath())
	c.check(at, "Kind", got.Kind(), want.Kind())
	c.check(at, "Size", got.Size(), want.Size())
	c.check(at, "Align", got.Align(), want.Align())
	c.check(at, "Comparable", got.Comparable(), want.Comparable())
	c.check(at, "NumMethod", got.NumMethod(), want.NumMethod())
	for i := range min(got.NumMethod(), want.NumMethod()) {
		g, w := got.Method(i), want.Method(i)
		c.check(at, "a method", g.Name, w.Name)
		if want.Kind() != reflect.Interface {
			c.check(at, "PkgPath of "+w.Name, g.PkgPath, w.PkgPath)
			c.check(at, "Func of "+w.Name, g.Func.Type(), g.Type)
		}
		c.same(at+"."+w.Name, g.Type, w.Type)
		if m, ok := got.MethodByName(w.Name); !ok || m.Index != i {
			c.t.Errorf("%s: MethodByName does not find %s", at, w.Name)
		}
	}
	switch want.Kind() {
	case reflect.Struct:
		for i := range want.NumField() {
			g, w := got.Field(i), want.Field(i)
			name := at + "." + w.Name
			c.check(name, "Name", g.Name, w.Name)
			c.check(name, "PkgPath", g.PkgPath, w.PkgPath)
			c.check(name, "Tag", g.Tag, w.Tag)
			c.check(name, "Offset", g.Offset, w.Offset)
			c.check(name, "Anonymous", g.Anonymous, w.Anonymous)
			c.same(name, g.Type, w.Type)
		}
	case reflect.Func:
		c.check(at, "IsVariadic", got.IsVariadic(), want.IsVariadic())
		for i := range want.NumIn() {
			c.same(fmt.Sprint(at, " in ", i), got.In(i), want.In(i))
		}
		for i := range want.NumOut() {
			c.same(fmt.Sprint(at, " out ", i), got.Out(i), want.Out(i))
		}
	case reflect.Map:
		c.same(at+" key", got.Key(), want.Key())
		c.same(at+" elem", got.Elem(), want.Elem())
	case reflect.Array:
		c.check(at, "Len", got.Len(), want.Len())
		c.same(at+" elem", got.Elem(), want.Elem())
	case reflect.Chan:
		c.check(at, "ChanDir", got.ChanDir(), want.ChanDir())
		c.same(at+" elem", got.Elem(), want.Elem())
	case reflect.Pointer, reflect.Slice:
		c.same(at+" elem", got.Elem(), want.Elem())
	}
	if want.Name() != "" && want.PkgPath() != "" {
		c.same("*"+at, reflect.PointerTo(got), reflect.PointerTo(want))
	}
}
