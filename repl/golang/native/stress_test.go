package native

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"sort"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

const stressSource = `
func sum(xs []float64, passes int) float64 {
	s := 0.0
	for p := 0; p < passes; p++ { for _, x := range xs { s += x } }
	return s
}
func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
func rows(n, m int) [][]int {
	t := make([][]int, n)
	for i := range t {
		t[i] = make([]int, m)
		for j := range t[i] { t[i][j] = i * j }
	}
	return t
}
func total(t [][]int) int {
	s := 0
	for _, r := range t { for _, x := range r { s += x } }
	return s
}
func build(depth, n int) int {
	if depth == 0 { return 0 }
	own := make([]int, n)
	for i := range own { own[i] = depth }
	below := build(depth-1, n)
	for _, x := range own { if x != depth { return -1000000000 } }
	return below + own[n-1]
}
func quicksort(a []int) {
	if len(a) < 2 { return }
	p := a[len(a)/2]
	i, j := 0, len(a)-1
	for i <= j {
		for a[i] < p { i++ }
		for a[j] > p { j-- }
		if i <= j { a[i], a[j] = a[j], a[i]; i++; j-- }
	}
	quicksort(a[:j+1])
	quicksort(a[i:])
}
func swapRows(t [][]int, times int) int {
	s := 0
	for k := 0; k < times; k++ {
		i, j := k % len(t), (k * 7 + 3) % len(t)
		r := t[i]
		t[i] = nil
		t[i] = t[j]
		t[j] = r
		if i == j { t[i] = r }
		s += r[0]
	}
	return s
}
func deep(n int) int { if n == 0 { return 0 }; return deep(n-1) + 1 }
func grow(n int) int {
	var all [][]int
	names := []string{}
	for i := range n {
		all = append(all, []int{i})
		all[i] = append(all[i], i, i+1)
		names = append(names, "name"+"x"[:i&1])
	}
	s := 0
	for i, a := range all { s += a[0] - a[2] + len(names[i]) }
	return s
}
type node struct { next *node; n int; name string }
func chain(n int) int {
	var head *node
	for i := range n { head = &node{head, i, "abc" + "def"[:i%3]} }
	s := 0
	for p := head; p != nil; p = p.next { s += p.n + len(p.name) }
	return s
}
func lists(n int) []*node {
	t := make([]*node, n)
	for i := range n * 8 { t[i%n] = &node{next: t[i%n], n: i} }
	return t
}
func move(t []*node, times int) int {
	s := 0
	for k := range times {
		i, j := k % len(t), (k * 7 + 3) % len(t)
		p := t[i]
		if p == nil { continue }
		t[i], p.next = p.next, nil
		for q := range k & 31 { s += q }
		for q := &t[j]; ; q = &(*q).next { if *q == nil || k & 3 == 0 { p.next = *q; *q = p; break } }
	}
	n := 0
	for _, p := range t { for ; p != nil; p = p.next { n += p.n } }
	return n
}
type large struct { name string; tags []int; n [14]int; more *node }
func larges(list []large, n int) int {
	s := 0
	for i := range n {
		p := list[i % len(list)]
		q := list[(i * 7 + 3) % len(list)]
		p.tags = append(append([]int{}, q.tags...), i)
		p.name = q.name[:1] + "x"
		p.more = &node{n: i, name: p.name, next: q.more}
		p.more.next = nil
		list[(i * 5 + 1) % len(list)] = p
		s += len(p.tags) - len(q.tags) + p.n[i % 14]
		if len(p.tags) > 20 { list[i % len(list)] = large{name: "z"}; list[(i * 5 + 1) % len(list)].tags = nil }
	}
	for _, p := range list {
		if p.name[0] != 'z' { return -1 }
		if p.more != nil && p.more.name != "zx" { return -2 }
	}
	return s
}
func upTo(n int) func(func(int, *node) bool) {
	return func(yield func(int, *node) bool) {
		for i := range n { if !yield(i, &node{n: i, name: "abc"[:i%3]}) { return } }
	}
}
func iterate(n int) int {
	var all []*node
	s := 0
	for i, p := range upTo(n) {
		all = append(all, p)
		for j, q := range upTo(i % 7) { if j == 5 { break }; s += q.n }
	}
	for i, p := range all { s += p.n - i + len(p.name) - i % 3 }
	return s
}
func forever(n int) int { for { n++ } }
func sorter(names []string, made *int) func(i, j int) bool {
	return func(i, j int) bool { s := "x" + names[i]; t := "x" + names[j]; *made += len(s); return s < t }
}
func compose(n int) func([]int) []int {
	f := func(x []int) []int { return x }
	for i := range n { g := f; f = func(x []int) []int { y := g(x); return append([]int{i}, y...) } }
	return f
}
func counters(n int) int {
	list := []func() int{}
	for i := range n { k := i; list = append(list, func() int { k++; return k }) }
	s := 0
	for _, f := range list { f(); s += f() }
	return s
}
`

// stressChannels sends pointers through channels, from one goroutine to another.
const stressChannels = `
type letter struct { from *node; text string; more []int; back chan *node }
func cooks(n, many int) int {
	orders, dishes := make(chan *node), make(chan letter, 3)
	done := make(chan struct{})
	for range many {
		go func() {
			for p := range orders {
				dishes <- letter{&node{next: p, n: p.n + 1, name: "x" + p.name}, p.name + "y", []int{p.n}, nil}
			}
			done <- struct{}{}
		}()
	}
	go func() {
		for i := range n { orders <- &node{n: i, name: "abc"[:i%4]} }
		close(orders)
		for range many { <-done }
		close(dishes)
	}()
	s := 0
	for d := range dishes {
		s += d.from.n - d.from.next.n + len(d.from.name) - len(d.text) + d.more[0] - d.from.next.n
	}
	return s
}
func relay(n, depth int) int {
	first := make(chan func() *node)
	in := first
	for range depth {
		out := make(chan func() *node, 2)
		go func(in <-chan func() *node) { for f := range in { p := f(); out <- func() *node { return &node{next: p, n: p.n + 1} } }; close(out) }(in)
		in = out
	}
	go func() { for i := range n { p := &node{n: i}; first <- func() *node { return p } }; close(first) }()
	s := 0
	for f := range in { for p := f(); p != nil; p = p.next { s++ } }
	return s
}
type note struct { from *node; text string; back chan *node }
func answers(n int) int {
	a, b, quit := make(chan note), make(chan note, 2), make(chan bool)
	go func() {
		var last *node
		for {
			select {
			case l := <-a: last = &node{last, len(l.text), l.text}; l.back <- last; last.next = nil
			case l, ok := <-b: if ok { last = l.from; l.back <- &node{name: l.text, n: l.from.n} }
			case <-quit: close(quit); return
			}
		}
	}()
	s := 0
	for i := range n {
		l := note{&node{n: i}, "abcdefgh"[:i%9], make(chan *node, i%2)}
		select { case a <- l: case b <- l: }
		p := <-l.back
		s += len(p.name)
	}
	quit <- true
	<-quit
	return s
}
`

// stressLarge is the large of stressSource.
type stressLarge struct {
	name string
	_    []int
	_    [14]int
	_    *stressNode
}

// stress runs generated code in many goroutines beside a collector that never rests.
func stress(t *testing.T, d time.Duration) {
	r := compileAll(t, stressSource+stressChannels)
	cooks, relay := as[func(int, int) int](t, r, "cooks"), as[func(int, int) int](t, r, "relay")
	answers := as[func(int) int](t, r, "answers")
	sum := as[func([]float64, int) float64](t, r, "sum")
	fib := as[func(int) int](t, r, "fib")
	rows, total := as[func(int, int) [][]int](t, r, "rows"), as[func([][]int) int](t, r, "total")
	build := as[func(int, int) int](t, r, "build")
	lists, move := as[func(int) []*stressNode](t, r, "lists"), as[func([]*stressNode, int) int](t, r, "move")
	larges, iterate := as[func([]stressLarge, int) int](t, r, "larges"), as[func(int) int](t, r, "iterate")
	grow, chain := as[func(int) int](t, r, "grow"), as[func(int) int](t, r, "chain")
	sorter := as[func([]string, *int) func(i, j int) bool](t, r, "sorter")
	compose, counters := as[func(int) func([]int) []int](t, r, "compose"), as[func(int) int](t, r, "counters")
	quicksort, swap := as[func([]int)](t, r, "quicksort"), as[func([][]int, int) int](t, r, "swapRows")
	var stop atomic.Bool
	var wg sync.WaitGroup
	bad := make(chan string, 100)
	expect := func(what string, got, want any) {
		if got != want {
			stop.Store(true)
			select {
			case bad <- fmt.Sprint(what, ": ", got, ", not ", want):
			default:
			}
		}
	}
	for g := range 12 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			old := lists(40)
			for n := 1; !stop.Load(); n++ {
				expect("move", move(old, 3000), 320*319/2)
				many := make([]stressLarge, 11)
				for i := range many {
					many[i].name = "z"
				}
				expect("larges", larges(many, 300), 300)
				expect("iterate", iterate(70), 10*(0+0+1+3+6+10+10))
				xs := make([]float64, 2000+g)
				for i := range xs {
					xs[i] = 1
				}
				expect("sum", sum(xs, 2000), float64(len(xs)*2000))
				expect("fib", fib(18), 2584)
				expect("rows", total(rows(50, 40)), 49*50/2*39*40/2)
				expect("build", build(200, 30+g), 200*201/2)
				expect("grow", grow(300), -300+300*4+150)
				expect("chain", chain(300), 300*299/2+300*4)
				a := make([]int, 1000)
				for i := range a {
					a[i] = (i*7919 + n) % 1000
				}
				quicksort(a)
				for i := 1; i < len(a); i++ {
					if a[i-1] > a[i] {
						expect("sort", a[i-1], a[i])
					}
				}
				names, made := make([]string, 200), 0
				for i := range names {
					names[i] = fmt.Sprint((i*7919 + n) % 1000)
				}
				sort.Slice(names, sorter(names, &made))
				expect("sort.Slice", sort.StringsAreSorted(names) && made > 0, true)
				list := compose(60)([]int{-1})
				expect("compose", len(list)*1000+list[0]+list[59]+list[60], 61*1000+59+0-1)
				expect("cooks", cooks(100, 3), 100)
				expect("relay", relay(50, 8), 50*9)
				expect("answers", answers(90), 10*36)
				expect("counters", counters(100), 99*100/2+200)
				m := make([][]int, 37)
				for i := range m {
					m[i] = []int{1, i}
				}
				expect("swap", swap(m, 500), 500)
				for i := range m {
					expect("row", m[i][0], 1)
				}
			}
		}()
	}
	collections := 0
	for end := time.Now().Add(d); time.Now().Before(end) && !stop.Load(); {
		runtime.GC()
		collections++
	}
	stop.Store(true)
	wg.Wait()
	close(bad)
	for s := range bad {
		t.Error(s)
	}
	t.Log(collections, "collections")
}

// TestStress runs the stress in a process of its own, where the collector overwrites what it frees.
func TestStress(t *testing.T) {
	if os.Getenv("GOROCM_NATIVE_STRESS") != "" {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
		out, err := os.Create(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if err := pprof.StartCPUProfile(out); err != nil { // its signals arrive in generated code
			t.Fatal(err)
		}
		defer pprof.StopCPUProfile()
		d, err := time.ParseDuration(os.Getenv("GOROCM_NATIVE_STRESS"))
		if err != nil {
			t.Fatal(err)
		}
		stress(t, d)
		return
	}
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	lasts := "GOROCM_NATIVE_STRESS=500ms"
	if thorough.On() {
		lasts = "GOROCM_NATIVE_STRESS=3s"
	}
	for _, debug := range []string{"clobberfree=1", "clobberfree=1,gcstoptheworld=1", "clobberfree=1,gcshrinkstackoff=0,efence=0"} {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestStress$", "-test.v")
		cmd.Env = append(os.Environ(), lasts, "GOGC=1", "GODEBUG="+debug)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", debug, err, out[:min(len(out), 6000)])
		}
	}
}

// TestSmallAllocations: most small allocations do not list the pointers of all frames, since that would take time that
// grows with the depth of a recursion; but some do, so that the collector can run.
func TestSmallAllocations(t *testing.T) {
	r := compileAll(t, stressSource)
	h := testHost()
	checks, yields := 0, 0
	h.CheckMake = func(n, room, size int) { checks++ }
	h.Stopped = func() bool { yields++; return false } // the runtime wanted the goroutine, and the collector can run too
	if got := asWith[func(int, int) int](t, r, "build", h)(2000, 4); got != 2000*2001/2 {
		t.Error(got)
	}
	if checks > 20 {
		t.Errorf("%d of 2000 allocations were not made at once", checks)
	}
	checks, yields = 0, 0
	asWith[func(int, int) [][]int](t, r, "rows", h)(20000, 4)
	if bytes := 20000 * 48; checks+yields < bytes/enter.MaxSpent {
		t.Errorf("%d of 20000 allocations, and %d yields, let the collector run", checks, yields)
	}
	checks = 0
	asWith[func(int, int) [][]int](t, r, "rows", h)(50, 1000)
	if checks != 51 {
		t.Errorf("%d of 51 large allocations were checked", checks)
	}
}

func TestManyGoroutines(t *testing.T) {
	r := compileAll(t, stressSource)
	fib, build := as[func(int) int](t, r, "fib"), as[func(int, int) int](t, r, "build")
	var wg sync.WaitGroup
	for i := range 4000 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if got := fib(12); got != 144 {
				t.Error("fib", got)
			}
			if got := build(5+i%20, 3); got < 0 {
				t.Error("build", got)
			}
		}()
	}
	wg.Wait()
}

// TestDeepRecursion: the stack of generated code grows, and what is on it stays.
func TestDeepRecursion(t *testing.T) {
	r := compileAll(t, stressSource)
	h := testHost()
	h.StackLimit = func() uintptr { return 64 << 20 }
	if got := asWith[func(int) int](t, r, "deep", h)(1_000_000); got != 1_000_000 {
		t.Error(got)
	}
	h.StackLimit = func() uintptr { return 1 << 20 }
	defer func() {
		if v := recover(); v != "stack overflow" {
			t.Error(v)
		}
	}()
	asWith[func(int) int](t, r, "deep", h)(100_000_000)
}

// TestInterrupt: an endless loop ends when it is asked to, without waiting for the runtime.
func TestInterrupt(t *testing.T) {
	r := compileAll(t, stressSource)
	for _, name := range []string{"forever", "fib"} {
		h := testHost()
		var stop atomic.Bool
		h.Stopped = func() bool {
			if stop.Load() {
				panic("stopped")
			}
			return false
		}
		f := asWith[func(int) int](t, r, name, h)
		g, done := make(chan uintptr), make(chan any)
		go func() {
			defer func() { done <- recover() }()
			g <- thisGoroutine()
			f(90)
		}()
		id := <-g
		time.Sleep(20 * time.Millisecond)
		stop.Store(true)
		start := time.Now()
		Interrupt(id)
		if v := <-done; v != "stopped" {
			t.Error(v)
		}
		t.Log(name, "ended after", time.Since(start))
	}
}
