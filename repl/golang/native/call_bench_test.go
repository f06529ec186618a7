package native

import (
	"testing"
	"unsafe"
)

// BenchmarkCall is a call of a function that does next to nothing.
func BenchmarkCall(b *testing.B) {
	r := compileAll(b, "func add(x, y int) int { return x + y }")
	h, x, y, z := testHost(), 1, 2, 0
	run := r["add"].Proc.Code().Run
	in, out := []unsafe.Pointer{unsafe.Pointer(&x), unsafe.Pointer(&y)}, []unsafe.Pointer{unsafe.Pointer(&z)}
	for b.Loop() {
		run(h, 0, in, out)
	}
}
