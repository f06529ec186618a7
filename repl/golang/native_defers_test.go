package golang

import "testing"

// TestNativeDefers: deferred calls and recover do in machine code what they do in interpreted code.
func TestNativeDefers(t *testing.T) {
	sameBothWays(t, "account.add args caught copied d2 d3 embedded fails inGeneric[int] inGeneric[string] inLoop inRange late literal named nested "+
		"nilFunc nilMethod receivers repanic results safe twice val.show val.showLater values",
		"var last any",
		`type account struct { sync.Mutex; n int; log []string }
func (a *account) add(n int) (total int, err error) {
	a.Lock(); defer a.Unlock()
	defer func() { a.log = append(a.log, fmt.Sprint(n, err)) }()
	if n < 0 { return a.n, errors.New("negative") }
	a.n += n
	return a.n, nil
}
func safe(xs []int, i int) (v int, err error) {
	defer func() { if r := recover(); r != nil { err = fmt.Errorf("%v, %d", r, v) } }()
	v = 7
	return xs[i], nil
}
func inLoop(n int) (s string) { for i := range n { defer func() { s += fmt.Sprint(i) }() }; return "x" }
func args(n int) (s string) { for i := 0; i < n; i++ { defer func(a int, b string) { s += fmt.Sprint(a, b, i) }(i*i, s+"y") }; return }
func named(x int) (r int) { defer func() { r *= 2 }(); if x > 3 { return x }; r = 5; return }
func results() (int, string) { n := 1; defer func() { n = 100 }(); return n, "a" }
func repanic(x any) { defer func() { if r := recover(); r != nil { panic(fmt.Sprint("again ", r)) } }(); panic(x) }
func nested() (s string) {
	defer func() { s += fmt.Sprint(recover()) }()
	defer func() { panic("second") }()
	panic("first")
}
func caught(f func()) (r any) { defer func() { r = recover() }(); f(); return "none" }
func inner() (s string) { defer func() { func() { s += fmt.Sprint(recover()) }(); s += fmt.Sprint(recover()) }(); panic(1) }
func handler() { if r := recover(); r != nil { last = r } }
func notDirect() { defer func() { handler() }(); panic("not direct") }
func badCall() (err error) { defer handler(); err = errors.New("e"); panic("direct") }
func nilFunc() { var f func(); defer f(); last = "nilFunc" }
func nilMethod() { var e error; defer e.Error(); last = "nilMethod" }
type val struct{ n int }
func (v val) show() { last = v.n }
func (v *val) showLater() { last = v.n }
func copied() { v := val{1}; defer v.show(); v.n = 2 }
func late() { v := val{1}; defer v.showLater(); v.n = 2 }
type outer struct { name string; val }
func embedded(o *outer) { defer o.showLater(); o.n++ }
func receivers() (s string) { var sb strings.Builder; defer func() { s = sb.String() }(); defer sb.WriteString("b"); defer fmt.Fprint(&sb, "a", 1); sb.WriteString("0"); return }
func inGeneric[T any](x T, f func(T)) (r any) { defer func() { r = recover() }(); f(x); return nil }
func inRange(n int) (r int) {
	defer func() { r++ }()
	for x := range func(yield func(int) bool) { for i := range n { if !yield(i) { return } } } { if x == 3 { return x * 10 } }
	return -1
}
func literal(n int) int { f := func(k int) (r int) { defer func() { if recover() != nil { r = -k } }(); return n / k }; return f(0) + f(2) }
func twice() (s string) { defer func() { s += fmt.Sprint(recover()); s += fmt.Sprint(recover()) }(); panic("once") }
func values(n int) (a int, _ string, c float64) { defer func() { a, c = a+1, c/2 }(); if n == 0 { return 1, "b", 3 }; return n, "", 8 }`,
		`a := &account{}
fmt.Sprint(a.add(3))`, "fmt.Sprint(a.add(-1))", "fmt.Sprint(a.n, a.log, a.TryLock())",
		"fmt.Sprint(safe([]int{4}, 0))", "fmt.Sprint(safe(nil, 2))", "inLoop(4)", "args(3)", "fmt.Sprint(named(9), named(1))", "fmt.Sprint(results())",
		"repanic(5)", "nested()", "fmt.Sprint(caught(func() {}), caught(func() { panic(a) }) == a)", "caught(func() { var m map[int]int; m[1] = 2 })",
		"inner()", "notDirect()", "last", "badCall()", "last", "nilFunc()", "last", "nilMethod()", "last", "copied()\nlast", "late()\nlast",
		"o := &outer{}\nembedded(o)\nlast", "embedded(nil)", "receivers()",
		"fmt.Sprint(inGeneric(3, func(x int) { panic(x + 1) }), inGeneric(\"a\", func(string) {}))", "fmt.Sprint(inRange(9), inRange(2))", "literal(10)", "twice()",
		"fmt.Sprint(values(0))", "fmt.Sprint(values(4))",
		"func fails(k int) {\n\t_ = []int{1}[k]\n}\nfunc d2() {\n\tdefer fails(7)\n\tlast = 1\n}\nd2()",
		"func d3() {\n\tvar sb *strings.Builder\n\tdefer sb.WriteString(\"a\")\n\tlast = 1\n}\nd3()",
		"func pieces(c chan int) (s string) { _ =  []struct{}{}; for i := range 3 { defer func() { s += fmt.Sprint(i, len(c)) }() }; for range 2 { c <- 1 }; return }\npieces(make(chan int, 9))",
		"func handler() { last = recover() }\nbadCall()", "last",
		"caught(func() { repanic(6) })")
}
