package native

import (
	"runtime"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

const requestSource = `
func texts(n int) string {
	s, last := "", new([4]int)
	for i := range n { x := new([4]int); x[i%4] = last[(i+3)%4] + 1; s += string(rune('a' + x[i%4]%26)); last = x }
	return s
}
func halves(xs []float64) (sum float64) {
	var keep []*float64
	for _, x := range xs { for k := range 3 { sum += x * float64(k) / 2; p := &xs[k]; keep = append(keep, p); sum += *p } }
	return sum + float64(len(keep))
}
`

// TestRequestsMoveStacks has Go code that generated code has left for make its stack larger, at all depths, where the
// frame of Enter's assembly is on it, while the collector makes stacks smaller.
func TestRequestsMoveStacks(t *testing.T) {
	thorough.Slow(t)
	r := compileAll(t, requestSource)
	texts, halves := as[func(int) string](t, r, "texts"), as[func([]float64) float64](t, r, "halves")
	xs := []float64{1, 2, 3, 4}
	want := texts(40)
	var wg sync.WaitGroup
	for depth := range 400 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			deeper(depth, func() {
				if got := texts(40); got != want {
					t.Errorf("depth %d: %q", depth, got)
				}
				if got := halves(xs); got != 51 {
					t.Errorf("depth %d: %v", depth, got)
				}
			})
		}()
		if depth%20 == 0 {
			runtime.GC()
		}
	}
	wg.Wait()
}

// deeper calls a function with so many frames on the stack.
//
//go:noinline
func deeper(depth int, do func()) (n int) {
	if depth == 0 {
		do()
		return 0
	}
	return deeper(depth-1, do) + 1
}
