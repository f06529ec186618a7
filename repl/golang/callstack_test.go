package golang

import (
	"runtime"
	"testing"
)

// TestCallersAfterDeepCalls: what earlier, deeper calls have left on the stack is not taken for callers.
func TestCallersAfterDeepCalls(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the frames of a stack are not known on this processor")
	}
	e, _ := newEngine(t)
	got := value(t, e, `
func down(n int, way int) int {
	if n == 0 {
		return callers()
	}
	switch way % 3 {
	case 0:
		return down(n-1, way/3)
	case 1:
		defer func() { _ = n }()
		return down(n-1, way/3)
	}
	r := 0
	slices.SortFunc([]int{1, 2}, func(a, b int) int { r = down(n-1, way/3); return 0 })
	return r
}
func callers() (n int) {
	var pcs [200]uintptr
	fs := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for more := true; more; {
		var f runtime.Frame
		if f, more = fs.Next(); strings.HasSuffix(f.Function, "main.down") {
			n++
		}
	}
	return n
}
wrong := 0
for i := range 600 {
	if n := i * 7919 % 17; down(n, i*i) != n + 1 {
		wrong++
	}
}
wrong`)
	if got != "0 int" {
		t.Errorf("%s counts of callers are wrong", got)
	}
}
