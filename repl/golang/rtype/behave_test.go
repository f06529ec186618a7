package rtype_test

import (
	"container/heap"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/rtype"
)

// sample is a compiled value and the expression of its type.
type sample struct {
	expr string
	v    any
}

func ptr[T any](v T) *T { return &v }

func samples() []sample {
	list := &Node{Value: 1, Next: &Node{Value: 2}, kids: []*Node{nil}}
	return []sample{
		{"Bool", Bool(true)}, {"Int", Int(-5)}, {"Int8", Int8(-5)}, {"Int16", Int16(5)}, {"Int32", Int32(5)},
		{"Int64", Int64(1 << 40)},
		{"Uint", Uint(5)}, {"Uint8", Uint8(200)}, {"Uint16", Uint16(5)}, {"Uint32", Uint32(5)}, {"Uint64", Uint64(5)},
		{"Uintptr", Uintptr(5)},
		{"F32", F32(1.5)}, {"F64", F64(-2.25)}, {"C64", C64(1 + 2i)}, {"C128", C128(3 - 4i)}, {"Str", Str("héllo")},
		{"Ints", Ints{1, 2}}, {"Ints", Ints(nil)}, {"Bytes", Bytes("ab")}, {"Three", Three{1, 2, 3}}, {"None", None{}},
		{"Table", Table{"a": 1, "b": 2}},
		{"Empty", Empty{}}, {"Weekday", Weekday(3)}, {"*Weekday", ptr(Weekday(4))}, {"Weekday", Weekday(9)},
		{"[]Weekday", []Weekday{0, 1}},
		{"map[Weekday]Weekday", map[Weekday]Weekday{1: 2, 3: 4}},
		{"Problem", Problem{Code: 1, Text: "x"}}, {"*Problem", &Problem{Code: 1, Text: "x"}}, {"Trouble", Trouble{"y"}},
		{"*Trouble", &Trouble{"y"}},
		{"Point", Point{1, 2, "p"}}, {"[]Point", []Point{{1, 2, "p"}}}, {"Secret", Secret("psst")},
		{"[]Secret", []Secret{"psst"}},
		{"Celsius", Celsius(21.5)}, {"[2]Celsius", [2]Celsius{1, 2}}, {"ByLen", ByLen{"ccc", "a"}},
		{"Header", Header{"a": {"b"}}},
		{"Odd", Odd{h: Header{"a": {"b"}}}}, {"*Node", list}, {"Node", *list}, {"Chain", Chain{{}, {{}}}},
		{"Tree", Tree{"a": {"b": nil}}},
		{"Rows", Rows{{{}}, nil}}, {"Left", Left{{1: {}}}}, {"Base", Base{1, "n"}},
		{"Middle", Middle{&Base{2, "m"}, "mid"}}, {"Middle", Middle{}},
		// vet: never locked
		{"Top", Top{Middle{&Base{2, "m"}, "mid"}, 5, 6}}, {"*Top", &Top{Middle{&Base{2, "m"}, "mid"}, 5, 6}},
		{"Locked", Locked{n: 3}},
		{"Stamped", Stamped{"now", time.Unix(1e9, 5).UTC()}}, {"*Stamped", &Stamped{"now", time.Unix(1e9, 5).UTC()}},
		{"Reading", Reading{Stringer: Weekday(2)}}, {"Failing", Failing{"n", io.EOF}}, {"Failing", Failing{}},
		{"Visiting", Visiting{n: 1}},
		{"Shows", Shows{hidden{1, 2}, ptr(Secret("s")), 3}}, {"Shadow", Shadow{Base{1, "z"}, 2}},
		{"Deep", Deep{&Middle2{Top: Top{Weekday: 3}}}},
		{"Big", Big{A: 1, S: "s"}}, {"Mixed", Mixed{1, 2, "3", nil}}, {"Pair[string, int]", Pair[string, int]{"k", 7}},
		{"*Pair[string, int]", &Pair[string, int]{"k", 7}},
		{"Square", Square(2)}, {"*Circle", &Circle{2}}, {"Padded", Padded{1, 2, 3}}, {"Blank", Blank{A: 1, B: "b"}},
		{"BlankKey", BlankKey{A: 1, B: "b"}},
		{"Tail", Tail{A: 1}}, {"Wide", Wide{n07: 3, s01: "s", i15: 4}},
		{"struct { X, Y Int }", struct{ X, Y Int }{1, 2}}, {"struct { Shape }", struct{ Shape }{Square(3)}},
		{"Stamp", Stamp(time.Unix(1e9, 5).UTC())}, {"*Stamp", ptr(Stamp(time.Unix(1e9, 5).UTC()))},
		{"map[string]Problem", map[string]Problem{"a": {Code: 1}}}, {"[]any", []any{1, Weekday(2), nil}},
		{"[]error", []error{&Problem{}, nil}},
	}
}

// TestFormat prints compiled and built values.
func TestFormat(t *testing.T) {
	thorough.Slow(t)
	s := twinSession(t)
	for _, c := range samples() {
		built := rtype.RetypeAny(c.v, s.outer(c.expr))
		for _, verb := range []string{"%v", "%+v", "%T", "%s", "%d", "%x", "%q", "%#v"} {
			got, want := fmt.Sprintf(verb, built), fmt.Sprintf(verb, c.v)
			// addresses are the same, but maps of them come in any order
			if got != want && !strings.Contains(want, "(0x") {
				t.Errorf("%s of %s: %s, compiled %s", verb, c.expr, got, want)
			}
		}
		if got, want := fmt.Sprintf("%#v", built), fmt.Sprintf("%#v", c.v); got != want {
			t.Errorf("%%#v of %s: %s, compiled %s", c.expr, got, want)
		}
	}
}

// TestJSON marshals compiled and built values, and reads them back.
func TestJSON(t *testing.T) {
	s := twinSession(t)
	n := 0
	for _, c := range samples() {
		outer := s.outer(c.expr)
		got, gotErr := json.Marshal(rtype.RetypeAny(c.v, outer))
		want, err := json.Marshal(c.v)
		if string(got) != string(want) || fmt.Sprint(gotErr) != fmt.Sprint(err) {
			t.Errorf("%s: %s %v, compiled %s %v", c.expr, got, gotErr, want, err)
		}
		if err != nil {
			continue
		}
		n++
		a, b := reflect.New(outer), reflect.New(reflect.TypeOf(c.v))
		gotErr, err = read(want, a), read(want, b)
		if fmt.Sprint(gotErr) != fmt.Sprint(err) {
			t.Errorf("reading %s: %v, compiled %v", c.expr, gotErr, err)
		}
		if back := rtype.Retype(a.Elem(), b.Type().Elem()); !reflect.DeepEqual(back.Interface(), b.Elem().Interface()) {
			t.Errorf("reading %s: %+v, compiled %+v", c.expr, back, b.Elem())
		}
	}
	if n < 50 {
		t.Errorf("only %d samples can be marshalled", n)
	}
}

// read is json.Unmarshal; a nil embedded pointer makes it panic.
func read(text []byte, p reflect.Value) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = r.(error)
		}
	}()
	return json.Unmarshal(text, p.Interface())
}

func TestSortAndHeap(t *testing.T) {
	s := twinSession(t)
	words := ByLen{"ccc", "a", "bb", "dddd"}
	sort.Sort(rtype.RetypeAny(words, s.outer("ByLen")).(sort.Interface))
	if fmt.Sprint(words) != "[a bb ccc dddd]" {
		t.Error(words)
	}
	h := rtype.RetypeAny(&ByLen{"ccc", "a", "bb"}, s.outer("*ByLen")).(heap.Interface)
	heap.Init(h)
	heap.Push(h, Str("")) // Pop's own assertion is to the compiled Str, whose code it is
	for _, want := range []Str{"", "a", "bb", "ccc"} {
		if got := heap.Pop(h); got != want {
			t.Errorf("heap has %v, not %s", got, want)
		}
	}
}

func TestFlag(t *testing.T) {
	s := twinSession(t)
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	day := Weekday(0)
	set.Var(rtype.RetypeAny(&day, s.outer("*Weekday")).(flag.Value), "day", "the day")
	if err := set.Parse([]string{"-day", "W"}); err != nil || day != 3 {
		t.Error(day, err)
	}
	if err := set.Parse([]string{"-day", "X"}); err == nil || !strings.Contains(err.Error(), "problem 4") {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	s := twinSession(t)
	problem := rtype.RetypeAny(&Problem{Code: 3, why: os.ErrNotExist}, s.outer("*Problem")).(error)
	trouble := rtype.RetypeAny(Trouble{"t"}, s.outer("Trouble")).(error)
	all := fmt.Errorf("while: %w", errors.Join(problem, trouble))
	if !errors.Is(all, os.ErrNotExist) || !errors.Is(all, io.EOF) || errors.Is(all, os.ErrExist) ||
		!errors.Is(all, trouble) {
		t.Error("errors.Is is wrong")
	}
	p := reflect.New(s.outer("*Problem"))
	if !errors.As(all, p.Interface()) || p.Elem().Interface() != any(problem) {
		t.Error("errors.As does not find a pointer")
	}
	v := reflect.New(s.outer("Trouble"))
	if !errors.As(all, v.Interface()) || v.Elem().Field(0).String() != "t" {
		t.Error("errors.As does not find a value")
	}
	var compiled *Problem
	if errors.As(all, &compiled) {
		t.Error("errors.As takes a type for another")
	}
	if got, want := all.Error(), "while: problem 3: \ntrouble: t"; got != want {
		t.Errorf("got %q", got)
	}
}

func TestAssertions(t *testing.T) {
	s := twinSession(t)
	day := rtype.RetypeAny(Weekday(2), s.outer("Weekday"))
	str, ok := day.(fmt.Stringer)
	if !ok || str.String() != "T" {
		t.Fatal("not a Stringer")
	}
	if _, ok := day.(error); ok {
		t.Error("an error")
	}
	if back := any(str); back != day || reflect.TypeOf(back) != s.outer("Weekday") {
		t.Error("another value comes back")
	}
	switch x := day.(type) {
	case Weekday, int:
		t.Errorf("%T", x)
	case interface{ Set(string) error }:
		t.Errorf("%T has a method of its pointer", x)
	case fmt.Stringer:
	default:
		t.Errorf("%T", x)
	}
	switch x := rtype.RetypeAny(ptr(Weekday(2)), s.outer("*Weekday")).(type) {
	case interface{ Set(string) error }:
		if err := x.Set("F"); err != nil {
			t.Error(err)
		}
	default:
		t.Errorf("%T", x)
	}

	// An interface of the session with a method that is not exported, which the interpreter calls through reflect.
	visitor := s.outer("Visitor")
	seen := []int{}
	w := rtype.Retype(reflect.ValueOf(walk{seen: &seen}), s.outer("walk"))
	v := reflect.New(visitor).Elem()
	v.Set(w)
	if done := v.MethodByName("done").Call(nil)[0].Bool(); done {
		t.Error("done")
	}
	node := rtype.Retype(reflect.ValueOf(&Node{Value: 1}), visitor.Method(0).Type.In(0))
	if got := v.MethodByName("Visit").Call([]reflect.Value{node})[0]; got.Type() != visitor || len(seen) != 1 {
		t.Error(got, seen)
	}
	if w.Type().NumMethod() != 1 {
		t.Errorf("%v shows %d methods", w.Type(), w.Type().NumMethod())
	}
	if s.outer("Weekday").Implements(visitor) || s.outer("Visiting").Implements(s.outer("Shape")) {
		t.Error("a type implements what it has no methods for")
	}
	for _, expr := range []string{"walk", "*walk", "Visiting", "*Visiting", "struct { Visitor }"} {
		if !s.outer(expr).Implements(visitor) {
			t.Errorf("%s does not implement Visitor", expr)
		}
	}
}

// outcome is what a call returns or panics with.
func outcome(f reflect.Value, args []reflect.Value, slice bool) (out string) {
	defer func() {
		if r := recover(); r != nil {
			_, isRuntime := r.(runtime.Error)
			out = fmt.Sprintf("panic (runtime %v): %v", isRuntime, r)
		}
	}()
	var res []reflect.Value
	if slice {
		res = f.CallSlice(args)
	} else {
		res = f.Call(args)
	}
	for _, r := range res {
		if r.Kind() == reflect.Func {
			r = reflect.ValueOf(r.IsNil())
		}
		if r.Kind() == reflect.Interface {
			r = r.Elem()
		}
		r = reflect.Indirect(r) // addresses differ
		out += fmt.Sprintf("%+v;", r)
	}
	return out
}

// callSamples are samples to call methods of. Each call gets fresh ones.
func callSamples() []sample {
	return append(samples(),
		sample{"Calls", Calls{5}}, sample{"*Calls", &Calls{5}}, sample{"*Three", &Three{1, 2, 3}},
		sample{"Handler", Handler(strings.ToUpper)},
		sample{"*Handler", ptr(Handler(strings.ToUpper))}, sample{"Pipe", make(Pipe, 9)},
		sample{"Boxed", Boxed{ptr(4)}}, sample{"*Boxed", &Boxed{ptr(4)}},
		sample{"Boxes", Boxes{{ptr(4)}}}, sample{"*Boxes", &Boxes{{ptr(4)}}},
		sample{"*Odd", &Odd{h: Header{"a": {"b"}}}},
		sample{"*ByLen", &ByLen{"a", "b"}}, sample{"*Celsius", ptr(Celsius(3))}, sample{"*Locked", &Locked{}},
		sample{"*Base", &Base{}}, sample{"*Shadow", &Shadow{}}, sample{"*Middle", &Middle{}}, sample{"*Deep", &Deep{}},
		sample{"Deep", Deep{}},
		sample{"*Deep", (*Deep)(nil)}, sample{"*Top", (*Top)(nil)}, sample{"*Weekday", (*Weekday)(nil)},
		sample{"*Node", (*Node)(nil)},
		sample{"*Shows", (*Shows)(nil)}, sample{"*Stamped", (*Stamped)(nil)}, sample{"*Failing", &Failing{}},
		sample{"*Failing", (*Failing)(nil)},
		sample{"struct { Shape }", struct{ Shape }{}}, sample{"*Pair[string, int]", (*Pair[string, int])(nil)},
		sample{"Visiting", Visiting{Visitor: walk{seen: &[]int{1}}}},
		sample{"Reading", Reading{Reader: strings.NewReader("text")}},
	)
}

// ways are how a method can be reached: each returns a function and the receiver that it wants, if any.
var ways = map[string]func(v reflect.Value, i int) (f, receiver reflect.Value){
	"Value.Method": func(v reflect.Value, i int) (f, receiver reflect.Value) { return v.Method(i), receiver },
	"MethodByName": func(v reflect.Value, i int) (f, receiver reflect.Value) {
		return v.MethodByName(v.Type().Method(i).Name), receiver
	},
	"Type.Method": func(v reflect.Value, i int) (f, receiver reflect.Value) { return v.Type().Method(i).Func, v },
	"method value": func(v reflect.Value, i int) (f, receiver reflect.Value) {
		return reflect.ValueOf(v.Method(i).Interface()), receiver
	},
	"of a variable": func(v reflect.Value, i int) (f, receiver reflect.Value) {
		return variable(v).Method(i),
			receiver
	},
	"of a pointer": func(v reflect.Value, i int) (f, receiver reflect.Value) {
		if v.Kind() == reflect.Pointer {
			return v.Method(i), receiver
		}
		return variable(v).Addr().MethodByName(v.Type().Method(i).Name), receiver
	},
}

func variable(v reflect.Value) reflect.Value {
	p := reflect.New(v.Type()).Elem()
	p.Set(v)
	return p
}

// TestCalls calls every exported method of every sample in each way, and compares with the compiled one.
func TestCalls(t *testing.T) {
	s := twinSession(t)
	calls, panics := 0, 0
	for k, c := range callSamples() {
		compiled := reflect.TypeOf(c.v)
		for i := range compiled.NumMethod() {
			m := compiled.Method(i)
			if m.Name == "Unlock" { // ends the process if it is not locked
				continue
			}
			f := reflect.ValueOf(callSamples()[k].v).Method(i)
			var args []reflect.Value
			for in := range f.Type().Ins() {
				args = append(args, argument(in))
			}
			want := outcome(f, args, m.Type.IsVariadic())
			calls++
			if strings.HasPrefix(want, "panic") {
				panics++
			}
			for name, way := range ways {
				f, receiver := way(rtype.Retype(reflect.ValueOf(callSamples()[k].v), s.outer(c.expr)), i)
				var in []reflect.Value
				if receiver.IsValid() {
					in = append(in, receiver)
				}
				for _, a := range args {
					in = append(in, rtype.Retype(a, f.Type().In(len(in))))
				}
				if got := outcome(f, in, m.Type.IsVariadic()); got != want {
					t.Errorf("%s.%s, %s: %s, compiled %s", c.expr, m.Name, name, got, want)
				}
			}
		}
	}
	if calls < 150 || panics < 15 {
		t.Errorf("%d calls and %d panics are too few to mean anything", calls, panics)
	}
}

// argument returns a value to pass for a parameter of type t.
func argument(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(2)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(2)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Complex128:
		v.SetComplex(1i)
	case reflect.String:
		v.SetString("a")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, 1, 1))
		v.Index(0).Set(argument(t.Elem()))
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				v.Field(i).Set(argument(t.Field(i).Type))
			}
		}
	}
	return v
}
