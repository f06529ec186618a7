package golang

import (
	"context"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/native"
)

// TestNativeChannels: operations on channels, select and go statements do in machine code what they do in interpreted
// code.
func TestNativeChannels(t *testing.T) {
	thorough.Slow(t)
	sameBothWays(t, "afterwards both canceled closeIt closed closedSend counts directed each[any] each[int] each[string] elements fair first forever getAll goAll goArgs goClose goMethods goPanics indexed laterClose lens "+
		"makeIt names nested nilCases order orderSend pingPong point.add point.say primes produce receive results room say send single stream strs timed timeout timerPanics twoPanics until waitGo waitPanics zeros",
		`type point struct { x, y int8; name string; p *int }
type big struct { a [3]int; s []string; e error }
func produce(n int) <-chan int { c := make(chan int); go func() { defer close(c); for i := range n { c <- i * i } }(); return c }
func getAll(n int) (all []int) { for x := range produce(n) { all = append(all, x) }; return all }
func closed() string { c := make(chan string, 2); c <- "a"; close(c); x, ok := <-c; y, ok2 := <-c; return fmt.Sprint(x, ok, y, ok2, <-c == "", len(c), cap(c)) }
func closedSend(c chan int) {
	close(c)
	c <- 1
}
func closeIt(c chan<- int) {
	close(c)
}
func receive(c <-chan int) (int, bool) { x, ok := <-c; return x, ok }
func send(c chan<- int, x int) { c <- x }
func makeIt(n int) int { return cap(make(chan string, n)) }
func room(n uint8) int { c := make(chan struct{}, n); for range n { c <- struct{}{} }; return len(c) }
func lens(c chan int) string { return fmt.Sprint(len(c), cap(c), c == nil) }
func elements() string {
	n := 7
	a, b, d := make(chan point, 1), make(chan big, 1), make(chan map[string]int, 1)
	e, f, g := make(chan any, 2), make(chan func(int) int, 1), make(chan [3]uint16, 1)
	a <- point{1, -2, "p", &n}
	b <- big{[3]int{1, 2, 3}, []string{"x", "y"}, errEnd}
	d <- map[string]int{"k": 1}
	e <- 1; e <- point{x: 3}
	f <- func(x int) int { return x + n }
	g <- [3]uint16{1, 2, 65535}
	p, q := <-a, <-b
	*p.p = 8
	return fmt.Sprint(p.x, p.y, p.name, n, q.a, q.s, q.e, <-d, <-e, (<-e).(point).x, (<-f)(1), <-g)
}
func zeros() string { c := make(chan struct{}, 3); c <- struct{}{}; close(c); _, a := <-c; _, b := <-c; return fmt.Sprint(a, b, <-c) }
func both(a, b chan int) string {
	select {
	case x, ok := <-a: return fmt.Sprint("a", x, ok)
	case b <- 5: return "b"
	}
}
func single(c chan int) string {
	s := ""
	for range 3 { select { case x := <-c: s += fmt.Sprint(x); default: s += "-" } }
	for range 3 { select { case c <- 3: s += "+"; default: s += "." } }
	return s
}
func nilCases(c chan string) string { var n chan int; select { case <-n: return "n"; case n <- 1: return "n1"; case s := <-c: return s } }
func fair() bool {
	a, b, c := make(chan int, 1), make(chan int, 1), make(chan int, 1)
	var n [3]int
	for range 3000 { a <- 1; b <- 1; select { case <-a: n[0]++; <-b; case <-b: n[1]++; <-a; case c <- 1: n[2]++; <-a; <-b; <-c } }
	return n[0] > 800 && n[1] > 800 && n[2] > 800
}
func first(cs ...chan int) (r int) { done := make(chan int); for i, c := range cs { go func() { done <- i*100 + <-c }() }; r = <-done; for i, c := range cs { if i != r/100 { close(c); <-done } }; return r }
func nested() int { cc := make(chan chan int); go func() { for c := range cc { c <- 42 } }(); defer close(cc); c := make(chan int); cc <- c; return <-c }
func directed(in <-chan int, out chan<- int) { for x := range in { out <- x + 1 }; close(out) }
func stream(n int) (s int) { a, b := make(chan int, 3), make(chan int); go directed(a, b); go func() { for i := range n { a <- i }; close(a) }(); for x := range b { s += x }; return }
func pingPong(n int) int { a, b := make(chan int), make(chan int); go func() { for x := range a { b <- x + 1 }; close(b) }(); x := 0; for range n { a <- x; x = <-b }; close(a); <-b; return x }
func primes(n int) (list []int) {
	c := make(chan int)
	go func() { for i := 2; ; i++ { c <- i } }()
	for range n {
		p := <-c; list = append(list, p); next := make(chan int); from := c
		go func() { for { if x := <-from; x%p != 0 { next <- x } } }()
		c = next
	}
	return
}
func (p *point) add(n int8, wg *sync.WaitGroup) { p.x += n; wg.Done() }
func (p point) say(c chan string, s string) { c <- p.name + s }
func say(c chan string, list ...string) { c <- strings.Join(list, "-") }
func goAll(n int) int { var wg sync.WaitGroup; var mu sync.Mutex; s := 0; for i := range n { wg.Add(1); go func() { defer wg.Done(); mu.Lock(); s += i; mu.Unlock() }() }; wg.Wait(); return s }
func goArgs() string { c := make(chan string, 9); x := "a"; go say(c, x, "b"); x = "z"; go say(c, []string{"one"}...); go say(c); go func(a, b string) { c <- a + b }(x, x); l := []string{<-c, <-c, <-c, <-c}; sort.Strings(l); return fmt.Sprint(l) }
func goMethods() string { c := make(chan string, 1); var wg sync.WaitGroup; p := &point{name: "p"}; wg.Add(2); go p.add(3, &wg); go (*point).add(p, 4, &wg); wg.Wait(); go p.say(c, "!"); s := <-c; q := *p; go q.say(c, "?"); q.name = "changed"; f := q.say; go f(c, ";"); l := []string{<-c, <-c}; sort.Strings(l); return fmt.Sprint(p.x, s, l) }
func goPanics(x []int) { c := make(chan int)
	go func() {
		defer close(c)
		_ = x[3]
	}()
	<-c
	time.Sleep(time.Second)
}
func twoPanics(f func()) { go f() ; time.Sleep(time.Second) }
func goClose(c chan int) { go close(c); time.Sleep(time.Second) }
func waitGo(n int) (s int) { var wg sync.WaitGroup; var mu sync.Mutex; for i := range n { wg.Go(func() { mu.Lock(); defer mu.Unlock(); s += i }) }; wg.Wait(); return s }
func waitPanics() { var wg sync.WaitGroup; wg.Go(func() { panic("in a group") }); wg.Wait(); time.Sleep(time.Second) }
func timerPanics() { time.AfterFunc(time.Millisecond, func() { panic("in a timer") }); time.Sleep(time.Second) }
func until(ctx context.Context, c <-chan int) (s int, err error) { for { select { case x, ok := <-c: if !ok { return s, nil }; s += x; case <-ctx.Done(): return s, ctx.Err() } } }
func canceled() string { ctx, cancel := context.WithCancelCause(context.Background()); c := make(chan int); go func() { c <- 1; c <- 2; cancel(errEnd) }(); s, err := until(ctx, c); return fmt.Sprint(s, err, context.Cause(ctx)) }
func timed() string { ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), "k", 5), time.Millisecond); defer cancel(); s, err := until(ctx, nil); return fmt.Sprint(s, err, ctx.Value("k")) }
func afterwards() { ctx, cancel := context.WithCancel(context.Background()); context.AfterFunc(ctx, func() { panic("afterwards") }); cancel(); time.Sleep(time.Second) }
func forever() { select {} }
func names(c chan int) { c <- 1; close(c); for x := range c { if x == 1 { panic("one") } } }
func indexed(cs []chan int, i int) int { cs[i] <- i; return <-cs[i] }
func counts(cs map[string]chan int, k string) int { cs[k] <- 1; return len(cs[k]) }
func order(c chan int) (s string) { f := func(n int) int { s += fmt.Sprint(n); return n }; g := func(x string) chan int { s += x; return c }; g("a") <- f(1) + f(2); s += fmt.Sprint(<-g("b") + f(3)); select { case g("c") <- f(4): case g("d") <- f(5): }; return s }
func orderSend(xs []chan int, ys []int) { xs[9] <- ys[9] }
func laterClose(c chan int) int { defer close(c); defer delete(map[int]int{}, 1); defer copy([]int{}, []int{1}); c <- 1; return len(c) }
func timeout(c chan int) string { select { case <-c: return "c"; case <-time.After(time.Millisecond): return "timeout" } }
func each[T any](list ...T) []T { c := make(chan T, 1); go func() { for _, x := range list { c <- x }; close(c) }(); var r []T; for x := range c { r = append(r, x) }; return r }
func strs() string { return fmt.Sprint(each("a", "b"), each(1, 2), each[any](1, nil)) }
var errEnd = errors.New("end")
func results(c chan error) (err error) { select { case err = <-c: case c <- errEnd: }; return }`,
		"fmt.Sprint(getAll(5))", "closed()", "closedSend(make(chan int, 1))", "closeIt(nil)", "c := make(chan int, 1)\ncloseIt(c)\nfmt.Sprint(receive(c))", "closeIt(c)", "send(c, 1)",
		"makeIt(-1)", "makeIt(3)", "makeIt(1<<62)", "room(7)", "lens(nil)", "lens(make(chan int, 4))", "elements()", "zeros()", "both(c, nil)", "both(nil, make(chan int, 1))", "both(nil, c)",
		"single(make(chan int, 2))", "single(nil)", "d := make(chan string, 1)\nd <- \"x\"\nnilCases(d)", "fair()", "a, b := make(chan int, 1), make(chan int)\na <- 3\nfirst(a, b)", "nested()",
		"stream(100)", "pingPong(1000)", "fmt.Sprint(primes(20))", "goAll(100)", "goArgs()", "goMethods()", "goPanics(nil)", "twoPanics(nil)", "goClose(nil)", "canceled()", "timed()", "afterwards()", "waitGo(40)", "waitPanics()", "timerPanics()", "twoPanics(func() { panic(errors.New(\"e\")) })",
		"twoPanics(func() { runtime.Goexit() })", "names(make(chan int, 2))", "indexed(nil, 1)", "indexed([]chan int{make(chan int, 1)}, 0)", "counts(map[string]chan int{\"a\": make(chan int, 1)}, \"a\")",
		"order(make(chan int, 9))", "e := make(chan int, 1)\nlaterClose(e)", "fmt.Sprint(receive(e))", "timeout(nil)", "strs()", "results(make(chan error, 1))",
		"f := make(chan error, 1)\nf <- io.ErrUnexpectedEOF\nresults(f).Error()")
}

// TestNativeChannelInterrupt: what waits in machine code ends when its cell is interrupted, and so does what never
// waits; deferred calls run, and may wait a little.
func TestNativeChannelInterrupt(t *testing.T) {
	thorough.Slow(t)
	t.Setenv("GOROCM_NATIVE", "1")
	for _, body := range []string{"<-c", "c <- 1", "for range c { n++ }", "select { case <-c: n++; case c <- 1: n-- }", "select {}",
		"for { select { case <-c: default: n++ } }", "for { one <- n; n = <-one }", "for { select { case one <- 1: case n = <-one: } }",
		"<-none", "none <- 1", "time.Sleep(time.Hour)", "for { done := make(chan bool); go func() { done <- true }(); <-done }",
		"go func() { for { one <- 1 } }(); for { select { case n = <-one: case <-time.After(time.Hour): } }"} {
		e, started := interruptible(t)
		e.Eval(context.Background(), 1, "var none chan int\nleft := 0\none, two := make(chan int, 1), make(chan int)\nvar end = make(chan int)\n"+
			"func wait(c chan int) (n int) { defer func() { go func() { time.Sleep(10 * time.Millisecond); two <- 7 }(); left = <-two }(); "+body+"; return n }")
		out, took := interruptAfter(t, e, started, 2, "list.New()\nwait(make(chan int))", "")
		if out.Failure == nil || out.Failure.Name != "Interrupted" {
			t.Errorf("%s: %s", body, shown(out))
		}
		t.Logf("%s: ended after %v", body, took)
		if list := e.Natives(); native.Disabled() == "" && (len(list) != 1 || list[0].Why != "") {
			t.Errorf("%+v", list)
		}
		if got := shown(e.Eval(context.Background(), 3, "left")); got != "7" {
			t.Errorf("%s: a deferred call has received %s", body, got)
		}
	}
}
