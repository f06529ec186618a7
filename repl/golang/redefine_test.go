package golang

import (
	"context"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// A variable that follows its type to a new slot leaves nothing in the older one.
func TestRedefinedTypeKeepsNoValue(t *testing.T) {
	thorough.Slow(t)
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var last Outcome
	for i, src := range []string{
		"type Node struct { V int; Next *Node }\nfunc (n *Node) Sum() int { return n.V }",
		"gone := make(chan bool, 1)\nn := &Node{V: 7}\nruntime.AddCleanup(n, func(c chan bool) { c <- true }, gone)",
		"func (n *Node) Sum() string { return fmt.Sprint(n.V) }",
		"s := n.Sum()",
		"n = nil",
		"func() bool { for range 3000 { runtime.GC(); select { case <-gone: return true; case <-time.After(20 * time.Millisecond): } }; return false }()",
	} {
		if last = e.Eval(context.Background(), i+1, src); last.Failure != nil {
			t.Fatalf("%s: %s", src, last.Failure.Message)
		}
	}
	if len(last.Values) != 1 || last.Values[0].V != true {
		t.Errorf("the value of a variable that followed its type is not collected: %v", last.Values)
	}
}

// A type that is declared again with type parameters takes no variable of the older one along.
func TestGenericInPlaceOfType(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, src := range []string{
		"type V []int\nvar f func(V) V\nvar v V",
		"type V[T any] []T\nfunc (v V[T]) Len() int { return len(v) }",
		"V[string]{\"a\"}.Len()",
	} {
		if out := e.Eval(context.Background(), i+1, src); out.Failure != nil {
			t.Fatalf("%s: %s: %s", src, out.Failure.Name, out.Failure.Message)
		}
	}
}

// TestReceiverIsNoType: a method of what is not a type is an error of the cell.
func TestReceiverIsNoType(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, src := range []string{"v := 1\nfunc f() {}\nconst c = 2", "func (x v) M() {}", "func (x *f) M() {}",
		"func (c) M() {}", "func (fmt) M() {}"} {
		out := e.Eval(context.Background(), i+1, src)
		if (out.Failure == nil) != (i == 0) ||
			i > 0 && (out.Failure.Name != "TypeError" || !strings.Contains(out.Failure.Message, "is not a type") ||
				len(out.Failure.Notes) > 0) {
			t.Errorf("%s: %+v", src, out.Failure)
		}
	}
}

// A cell that fails leaves no half of a type that it declared again for a method.
func TestFailedRedefinition(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	eval := func(n int, src string) Outcome { return e.Eval(context.Background(), n, src) }
	eval(1, "type T struct { A int }\nfunc (t T) M() int { return t.A }\nvar t = T{3}")
	if f := eval(2, "func (t T) M() string { return missing }").Failure; f == nil ||
		!strings.Contains(f.Message, "undefined: missing") {
		t.Fatalf("failure %v", f)
	}
	out := eval(3, "t.M() + T{4}.M()")
	if out.Failure != nil || len(out.Values) != 1 || out.Values[0].V != 7 {
		t.Errorf("after the failed cell: %+v", out)
	}
	if f := eval(4, "func (t T) M() string { return \"m\" }\npanic(t.M())").Failure; f == nil || f.Message != "m" {
		t.Fatalf("failure %v", f)
	}
	out = eval(5, "t.M() + T{4}.M()")
	if out.Failure != nil || len(out.Values) != 1 || out.Values[0].V != "mm" {
		t.Errorf("after a cell that panicked: %+v", out)
	}
}

// TestGenericMethodAgain: a cell with an unchanged method of a generic type, run again, leaves the type what it is, and
// what it changes beside that reaches the method.
func TestGenericMethodAgain(t *testing.T) {
	push := "func (s *Stack[T]) Push(x T) { s.xs = append(s.xs, x); count += step }"
	stack := "type Stack[T any] struct { xs []T }\n" + push + "\nfunc (s *Stack[T]) Len() int { return len(s.xs) }"
	eachWay(t, []step{
		{"count := 0\nconst step = 1", "", ""},
		{stack, "", ""},
		{"l := list.New()\nl.PushBack(&Stack[int]{})\nvar a any = &Stack[string]{}\na.(*Stack[string]).Push(\"a\")", "", ""},
		{push, "", ""},
		{"l.Front().Value.(*Stack[int]).Push(1)\nl.Front().Value.(*Stack[int]).Len()", "1", ""},
		{stack, "", ""},
		{"a.(interface{ Len() int }).Len() + a.(*Stack[string]).Len()", "2", ""},
		{push + "\nconst step = 10\ncount = 0", "", ""},
		{"var s Stack[int]\ns.Push(1)\ncount", "10", ""},
		{push + "\ncount := 0.5", "", ""},
		{"var r Stack[int]\nr.Push(1)\ncount", "10.5", ""},
		{"func (s *Stack[T]) Push(x T) { s.xs = append(s.xs, x, x) }\nvar q Stack[int]\nq.Push(1)\nq.Len()", "2", ""},
		{"func (s *Stack[T]) Push(x T) { s.xs = append(s.xs, x, x) }\n" + stack[:strings.Index(stack, "\n")] +
			"\nvar p Stack[int]\np.Push(1)\np.Len()", "2", ""},
	}, func(*Engine) string { return "" })
}
