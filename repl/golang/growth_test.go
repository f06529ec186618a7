package golang

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestRedefinitionsGrow defines the same things anew in cell after cell. What each cell leaves behind has a limit, above
// what was measured: a type with two methods 12 KB, because a value of the older type may be anywhere and has its
// methods, most of it yaegi's syntax trees; a generic function, an ordinary one and a variable 0 to 0.3 KB. Each is long
// enough that what goes at times has gone. Of three rounds the best counts: what a session does once, beside its cells,
// is no growth.
func TestRedefinitionsGrow(t *testing.T) {
	thorough.Slow(t)
	const warm, counted = 250, 250
	for _, c := range thorough.Sample([]struct {
		name  string
		limit int // bytes a cell
		code  string
	}{
		{"methods", 16 << 10, `type point struct { x, y int }
func (p point) Sum() int { return p.x + p.y + %[1]d }
func (p *point) Move(d int) { p.x += d; p.y += d }
fmt.Sprint(point{%[1]d, 2}.Sum())`},
		{"generic", 1 << 10, `func mapped[T, U any](xs []T, f func(T) U) []U {
	var ys []U
	for _, x := range xs {
		ys = append(ys, f(x))
	}
	return ys
}
mapped([]int{%[1]d}, func(x int) string { return fmt.Sprint(x) })`},
		{"function", 1 << 10, "func twice(x int) int { return x*2 + %[1]d }\ntwice(%[1]d)"},
		{"variable", 1 << 10, "y := %[1]d\ny + 1"},
	}, 2, 0) {
		t.Run(c.name, func(t *testing.T) {
			e, err := New(Options{})
			if err != nil {
				t.Fatal(err)
			}
			cells := func(from, to int) {
				for n := from; n < to; n++ {
					runCell(t, e, n, fmt.Sprintf(c.code, n))
				}
			}
			cells(0, warm)
			least := math.MaxInt
			for n := warm; n < warm+3*counted && least > c.limit; n += counted {
				before := heapInUse()
				cells(n, n+counted)
				least = min(least, (heapInUse()-before)/counted)
			}
			if least > c.limit {
				t.Errorf("a cell leaves %d bytes behind, of at most %d", least, c.limit)
			}
			runtime.KeepAlive(e)
		})
	}
}

// heapInUse is the size of all objects that collections leave.
func heapInUse() int {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
