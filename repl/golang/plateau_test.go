package golang

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// mixed are cells of the kinds that sessions consist of. %d is the cell's number.
var mixed = []string{
	"x := %d",
	"x + 1",
	"x = x * 2 %% 1000",
	"s := []int{1, 2, %d}\ns = append(s, x)",
	"fmt.Sprintf(\"%%d %%v\", x, s)",
	"func double(n int) int { return 2 * n + %d }",
	"double(x)",
	"m := map[string]int{}\nfor i := range 10 { m[strconv.Itoa(i)] = i }\nlen(m)",
	"add := func(n int) int { x += n; return x }\nadd(%d)",
	"buf := bytes.NewBufferString(\"text\")\nbuf.WriteString(\"more\")\nbuf.Len()",
	"type point struct{ x, y int }\np := point{%d, 2}\np.x + p.y",
	"undefined%d",
	"panic(\"at %d\")",
	"c := make(chan int)\ngo func() { c <- %d }()\n<-c",
	"v := \"text %d\"",
	"v := %d",
	"if x > 3 { x = 3 } else { x++ }",
	"func() (r int) { defer func() { r = %d }(); return 1 }()",
	"errors.New(\"no %d\").Error()",
	"slices.Max(s)",
	"sort.Slice(s, func(i, j int) bool { return s[i] > s[j]+%d })", // machine code, and so are the next one and add
	"total := %d\nfor i := range 3000 { total += i %% 7 }\ntotal",
	"wait := sync.WaitGroup{}\nfor range 3 { wait.Go(func() { time.Sleep(%d) }) }\nwait.Wait()",
	"type gauge struct{ n int }\nfunc (g *gauge) Add(n int) int { g.n += n + %d; return g.n }\nnew(gauge).Add(1)",
	"func first[T any](list []T) T { return list[0] }\nfirst([]int{%d})",
}

// mixedCell is cell i of a session of any length.
func mixedCell(i int) string {
	c := mixed[i%len(mixed)]
	if bytes.Contains([]byte(c), []byte("%")) && bytes.Count([]byte(c), []byte("%d")) > bytes.Count([]byte(c),
		[]byte("%%d")) {
		return fmt.Sprintf(c, i)
	}
	return string(bytes.ReplaceAll([]byte(c), []byte("%%"), []byte("%")))
}

// live is the size of what is reachable. What finalizers have kept is collected when they have run, and may be what keeps
// others with finalizers: it is counted when nothing more goes.
func live() uint64 {
	for last := uint64(math.MaxUint64); ; {
		ran := make(chan bool)
		runtime.SetFinalizer(&struct{ ran chan bool }{ran}, func(any) { close(ran) })
		runtime.GC()
		<-ran
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if m.HeapAlloc+64<<10 > last {
			return m.HeapAlloc
		}
		last = m.HeapAlloc
	}
}

// liveOf is live once the session has let go of what collections have found: that is when it compiles.
func liveOf(t testing.TB, e *Engine) uint64 {
	live()
	runCell(t, e, 1<<20, "func empty() {}\nfor range 3 {}")
	return live()
}

// session runs cells of all kinds and returns the time that cells first..last took on average.
func session(t testing.TB, e *Engine, first, last int) time.Duration {
	t.Helper()
	start := time.Now()
	for i := first; i <= last; i++ {
		code := mixedCell(i)
		out := e.Eval(context.Background(), i, code)
		fails := bytes.HasPrefix([]byte(code), []byte("undefined")) || bytes.HasPrefix([]byte(code), []byte("panic"))
		if (out.Failure != nil) != fails {
			t.Fatalf("cell %d: %s\n%+v", i, code, out.Failure)
		}
	}
	return time.Since(start) / time.Duration(last-first+1)
}

// BenchmarkPlateau runs 10,000 cells in one session: how much memory the session takes and how long its cells take must
// not depend on how many there were.
func BenchmarkPlateau(b *testing.B) {
	for b.Loop() {
		e, err := New(Options{})
		if err != nil {
			b.Fatal(err)
		}
		session(b, e, 0, 2*len(mixed)-1) // what is loaded once
		for _, at := range []struct{ n, window int }{{100, 60}, {1000, 200}, {10000, 200}} {
			if at.n > 100 {
				session(b, e, at.n/10+1, at.n-at.window)
			}
			d := session(b, e, at.n-at.window+1, at.n)
			l := live()
			debug.FreeOSMemory()
			b.ReportMetric(float64(d.Microseconds()), fmt.Sprintf("µs/cell@%d", at.n))
			b.ReportMetric(float64(l)/(1<<20), fmt.Sprintf("MB@%d", at.n))
			b.ReportMetric(float64(run.NewMeter().Resident())/(1<<20), fmt.Sprintf("RSS-MB@%d", at.n))
		}
		runtime.KeepAlive(e)
	}
}

// perCell is what a session may keep of a cell, whatever it was. Over many cells it is some thirty bytes.
const perCell = 1 << 9

// TestPlateau: of cells that have run, a session keeps next to nothing.
func TestPlateau(t *testing.T) {
	thorough.Slow(t)
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	session(t, e, 0, 24*len(mixed)-1) // until lists of results, files and places are as long as they get
	n := 600
	if thorough.On() {
		n = 2000
	}
	grown, before := math.MaxInt, int(liveOf(t, e))
	for i := range 2 { // tables of the process, which other tests fill, may double once
		session(t, e, 1000+i*n, 1000+(i+1)*n-1)
		after := int(liveOf(t, e))
		grown, before = min(grown, (after-before)/n), after
	}
	if grown > perCell {
		t.Errorf("the session keeps %d bytes of a cell, want at most %d", grown, perCell)
	}
	runtime.KeepAlive(e)
}

// TestPlateauOfEachKind is TestPlateau for each kind of cell.
func TestPlateauOfEachKind(t *testing.T) {
	thorough.Slow(t)
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	session(t, e, 0, 2*len(mixed)-1)
	for k := range mixed {
		if k%34 != 0 && !thorough.On() {
			continue
		}
		t.Run(mixed[k], func(t *testing.T) {
			cells := func(first, n int) {
				for i := range n {
					c := (first+i)*len(mixed) + k
					session(t, e, c, c)
				}
			}
			cells(10, 200)
			before := liveOf(t, e)
			const n = 200
			cells(300, n)
			if grown := (int(liveOf(t, e)) - int(before)) / n; grown > perCell {
				t.Errorf("the session keeps %d bytes of a cell, want at most %d", grown, perCell)
			}
		})
	}
	runtime.KeepAlive(e)
}
