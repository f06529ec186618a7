package rtype_test

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/rtype"
)

// fillIn puts a fresh allocation into every pointer below v, to a depth. n tells them apart.
func fillIn(v reflect.Value, n *int, depth int) {
	if depth == 0 {
		return
	}
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type().Elem().Size() <= 64 && v.Type().Elem().Kind() != reflect.Struct {
			v.Set(reflect.New(v.Type().Elem()))
			fillIn(v.Elem(), n, depth-1)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n % 128))
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *n))
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(fmt.Append(nil, "bytes ", *n))
		}
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillIn(k, n, depth-1)
		m.SetMapIndex(k, e)
		v.Set(m)
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(fmt.Sprint("any ", *n)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Type.Kind() != reflect.Func && v.Type().Field(i).Name[0] != '_' {
				fillIn(v.Field(i), n, depth-1)
			}
		}
	case reflect.Array:
		for i := range min(v.Len(), 50) {
			fillIn(v.Index(i), n, depth-1)
			if v.Len() > 50 {
				fillIn(v.Index(v.Len()-1-i), n, depth-1)
			}
		}
	}
}

// TestCollector keeps many values alive by built types alone while the collector runs and memory is used again.
func TestCollector(t *testing.T) {
	thorough.Slow(t)
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	s := twinSession(t)
	for _, expr := range []string{"Wide", "Key", "Top", "Mixed", "Big", "Odd", "One", "Boxes", "Table", "Blank", "Huge",
		"[3]Wide", "[200]Mixed",
		"struct { a *Int; Mixed; b *Int }", "struct { n int; Huge }", "Pair[Key, *Node]"} {
		in, out := s.Inner(s.typ(expr)), s.outer(expr)
		rounds := 120
		if in.Size() > 4096 {
			rounds = 5
		}
		var held []any
		var want []string
		for i := range rounds {
			typ := in
			if i%2 == 0 {
				typ = out
			}
			v := reflect.New(typ)
			n := i * 1000
			fillIn(rtype.Retype(v, reflect.PointerTo(in)).Elem(), &n, 5)
			if i%3 == 0 { // held in an interface, as a value
				v = reflect.ValueOf(&[]any{v.Elem().Interface()}[0])
			}
			held = append(held, v.Interface())
			want = append(want, text(v))
			_ = make([]byte, 1<<10)
			if i%60 == 30 {
				runtime.GC()
			}
		}
		runtime.GC()
		for i, h := range held {
			if got := text(reflect.ValueOf(h)); got != want[i] {
				t.Fatalf("%s: after collection %.200s, before %.200s", expr, got, want[i])
			}
		}
	}
}

// text prints what is below v by kind alone, following pointers.
func text(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return "&" + text(v.Elem())
	case reflect.Struct:
		out := "{"
		for i := range v.NumField() {
			out += text(v.Field(i)) + " "
		}
		return out + "}"
	case reflect.Array:
		out := "["
		for i := range v.Len() {
			if i < 50 || i > v.Len()-50 {
				out += text(v.Index(i)) + " "
			}
		}
		return out + "]"
	case reflect.Map:
		out := "map["
		for _, k := range v.MapKeys() {
			out += text(k) + ":" + text(v.MapIndex(k)) + " "
		}
		return out + "]"
	}
	return fmt.Sprint(v)
}

// TestContainers passes built types through what reflect and the runtime make of them.
func TestContainers(t *testing.T) {
	thorough.Slow(t)
	s := twinSession(t)
	mixed := s.outer("Mixed")
	ch := reflect.MakeChan(reflect.ChanOf(reflect.BothDir, mixed), 100)
	list := reflect.MakeSlice(reflect.SliceOf(mixed), 0, 0)
	for i := range 100 {
		v := rtype.Retype(reflect.ValueOf(Mixed{S: fmt.Sprint(i), P: ptr(i)}), mixed)
		ch.Send(v)
		list = reflect.Append(list, v)
		if i%10 == 0 {
			runtime.GC()
		}
	}
	for i := range 100 {
		v, _ := ch.Recv()
		for _, v := range []reflect.Value{v, list.Index(i)} {
			m := rtype.Retype(v, reflect.TypeFor[Mixed]()).Interface().(Mixed)
			if m.S != fmt.Sprint(i) || *m.P != i {
				t.Fatalf("element %d is %+v", i, m)
			}
		}
	}
}

// garbage returns a key with something in its blank fields, as a conversion can leave it there.
func garbage(a, x int32, y, b string) BlankKey {
	v := struct {
		A, X int32
		Y, B string
	}{a, x, y, b}
	return rtype.RetypeAny(v, reflect.TypeFor[BlankKey]()).(BlankKey)
}

// TestMaps makes maps with one form and uses them with the other.
func TestMaps(t *testing.T) {
	s := twinSession(t)
	node := &Node{Value: 3}
	for _, c := range []struct {
		key  string
		keys []any
	}{
		{"Str", []any{Str("a"), Str("b"), Str("")}},
		{"Weekday", []any{Weekday(1), Weekday(2)}},
		{"F64", []any{F64(0), F64(1.5), F64(-2)}},
		{"C64", []any{C64(0), C64(1i)}},
		{"Three", []any{Three{1, 2, 3}, Three{}, Three{3, 2, 1}}},
		{"[2]Str", []any{[2]Str{"a", "b"}, [2]Str{"ab", ""}}},
		{"Trouble", []any{Trouble{"a"}, Trouble{"b"}}},
		{"Padded", []any{Padded{1, 2, 3}, Padded{3, 2, 1}}},
		{"BlankKey", []any{BlankKey{A: 1, B: "b"}, BlankKey{A: 2}}},
		{"BlankKey", []any{garbage(1, 2, "x", "b"), garbage(1, 3, "y", "c"), garbage(4, 0, "", "b")}},
		{"[2]BlankKey", []any{[2]BlankKey{{A: 1}, {B: "x"}}, [2]BlankKey{}}},
		{"Key", []any{Key{n: node, s: "k", any: 5}, Key{any: "x"}, Key{any: Str("x")}}},
		{"*Node", []any{node, (*Node)(nil)}},
		{"Empty", []any{Empty{}}},
		{"Tail", []any{Tail{A: 1}, Tail{A: 2}}},
		{"Big", []any{Big{A: 1, S: "x"}, Big{H: 1}}}, // the map holds pointers to keys of more than 128 bytes
		{"[3]Big", []any{[3]Big{{A: 1}, {S: "x"}}, [3]Big{}}},
		{"Boxed", []any{Boxed{nil}, Boxed{ptr(1)}}},
		{"One", []any{One{nil}, One{ptr(Int(1))}}},
		{"struct { a Str; Weekday }", []any{struct {
			a Str
			Weekday
		}{"a", 1}, struct {
			a Str
			Weekday
		}{"b", 2}}},
	} {
		in, out := s.Inner(s.typ(c.key)), s.outer(c.key)
		typ := s.typ("map[" + c.key + "]Str")
		m := reflect.MakeMap(s.Inner(typ))
		other := rtype.Retype(m, s.Outer(typ))
		a, b := rtype.Retype(reflect.ValueOf("a"), m.Type().Elem()),
			rtype.Retype(reflect.ValueOf("b"), other.Type().Elem())
		for i, k := range c.keys {
			kIn, kOut := rtype.Retype(reflect.ValueOf(k), in), rtype.Retype(reflect.ValueOf(k), out)
			m.SetMapIndex(kIn, a)
			if got := other.MapIndex(kOut); !got.IsValid() || got.String() != "a" {
				t.Errorf("%s: the Outer map lacks %v", c.key, k)
			}
			other.SetMapIndex(kOut, b)
			if got := m.MapIndex(kIn); !got.IsValid() || got.String() != "b" || m.Len() != i+1 {
				t.Errorf("%s: the Inner map has not got %v from the other: %v of %d", c.key, k, got, m.Len())
			}
			if b, ok := k.(BlankKey); ok {
				same := garbage(b.A, 8, "z", b.B)
				sIn, sOut := rtype.Retype(reflect.ValueOf(same), in), rtype.Retype(reflect.ValueOf(same), out)
				if !m.MapIndex(sIn).IsValid() || !other.MapIndex(sOut).IsValid() ||
					sOut.Interface() != kOut.Interface() {
					t.Errorf("%s: blank fields tell %v and %v apart", c.key, k, same)
				}
			}
			// As keys of map[any]any, where the runtime asks the type.
			anys := map[any]int{kOut.Interface(): 1}
			anys[kOut.Interface()]++
			if len(anys) != 1 || anys[k] != 0 {
				t.Errorf("%s: as a key of any, %v gives %v", c.key, k, anys)
			}
			for j, l := range c.keys {
				lOut := rtype.RetypeAny(l, out)
				if (kOut.Interface() == lOut) != (k == l) {
					t.Errorf("%s: %v == %v is %v", c.key, k, l, !(k == l))
				}
				if lIn := rtype.Retype(reflect.ValueOf(l), in); kIn.Equal(lIn) != (i == j) {
					t.Errorf("%s: Inner %v == %v is %v", c.key, k, l, i != j)
				}
			}
		}
		// Enough keys to grow the table, when there are so many.
		if in.Kind() == reflect.String {
			for i := range 1000 {
				m.SetMapIndex(reflect.ValueOf(fmt.Sprint("key", i)).Convert(in), a)
			}
			for i := range 1000 {
				if !other.MapIndex(reflect.ValueOf(fmt.Sprint("key", i)).Convert(out)).IsValid() {
					t.Fatalf("key %d is lost", i)
				}
			}
		}
	}
	func() {
		defer func() {
			if r := recover(); fmt.Sprint(r) != "runtime error: comparing uncomparable type "+s.outer("Ints").String() {
				t.Errorf("comparing slices: %v", r)
			}
		}()
		a, b := rtype.RetypeAny(Ints{1}, s.outer("Ints")), rtype.RetypeAny(Ints{1}, s.outer("Ints"))
		t.Error(a == b)
	}()
}

// TestAtOnce builds types and calls methods in many goroutines while the collector runs.
func TestAtOnce(t *testing.T) {
	thorough.Slow(t)
	s := twinSession(t)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 60 {
				calls := rtype.Retype(reflect.ValueOf(Calls{g}), s.outer("Calls"))
				f := calls.MethodByName("Many")
				var args []reflect.Value
				for in := range f.Type().Ins() {
					args = append(args, argument(in))
				}
				m := rtype.Retype(reflect.ValueOf(Mixed{F: 1, S: fmt.Sprint(g, i), P: ptr(i)}), f.Type().In(3))
				args[3] = m
				res := f.Call(args)
				if got := rtype.Retype(res[2], reflect.TypeFor[Mixed]()).Interface().(Mixed); got.S != fmt.Sprint(g,
					i) || *got.P != i || got.F != 1.5 {
					t.Errorf("%+v", got)
				}
				if day := rtype.RetypeAny(Weekday(i%7), s.outer("Weekday")); fmt.Sprint(day) != "SMTWTFS"[i%7:i%7+1] {
					t.Errorf("%v", day)
				}
				if i%20 == 0 {
					runtime.GC()
				}
			}
		})
	}
	wg.Wait()
}

// TestDeepStack calls methods from a small stack that must grow under them, again and again.
func TestDeepStack(t *testing.T) {
	s := start(t, `
type Node struct { Value int; Next *Node }
func (n *Node) Sum() int { return 0 }
`, nil)
	s.methods = map[string]body{"Node.Sum": func(a []reflect.Value) []reflect.Value {
		if a[0].IsNil() {
			runtime.GC() // with all the others on the stack
			if trace := string(debug.Stack()); !strings.Contains(trace, "created by") {
				t.Errorf("the stack ends early:\n%.2000s", trace)
			}
			return values(0)
		}
		next := a[0].Elem().Field(1)
		rest := s.any("*Node", next).(interface{ Sum() int })
		return values(int(a[0].Elem().Field(0).Int()) + rest.Sum())
	}}
	list := s.zero("*Node")
	for i := range 300 {
		n := reflect.New(list.Type().Elem())
		n.Elem().Field(0).SetInt(int64(i))
		n.Elem().Field(1).Set(list)
		list.Set(n)
	}
	done := make(chan int)
	go func() { done <- s.any("*Node", list).(interface{ Sum() int }).Sum() }()
	if sum := <-done; sum != 300*299/2 {
		t.Error(sum)
	}
}

// TestFinalizer gives a value of a built type a finalizer of a built function type.
func TestFinalizer(t *testing.T) {
	s := twinSession(t)
	node := s.outer("*Node")
	got := make(chan int, 1)
	func() {
		n := rtype.Retype(reflect.ValueOf(&Node{Value: 42}), node)
		runtime.SetFinalizer(n.Interface(),
			reflect.MakeFunc(s.outer("func(*Node)"), func(a []reflect.Value) []reflect.Value {
				got <- int(a[0].Elem().Field(0).Int())
				return nil
			}).Interface())
	}()
	for range 3000 {
		runtime.GC()
		select {
		case n := <-got:
			if n != 42 {
				t.Error(n)
			}
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Error("the finalizer did not run")
}
