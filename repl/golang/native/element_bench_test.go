package native

import (
	"reflect"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/tensor"
)

const elementBenchSource = `
func element(x, y float32, k int16) float32 {
	a, b := x, y
	n := float32(0)
	for i := 0; i < 16; i++ {
		if a*a+b*b > 4 {
			break
		}
		a, b = a*a-b*b+x, 2*a*b+y
		n++
	}
	return n
}`

func benchElement(x, y float32) float32 {
	a, b := x, y
	n := float32(0)
	for i := 0; i < 16; i++ {
		if a*a+b*b > 4 {
			break
		}
		a, b = a*a-b*b+x, 2*a*b+y
		n++
	}
	return n
}

// BenchmarkElements times a function over a million elements: by machine code, by a call of the compiled function for
// each element, and by a compiled loop on one core.
func BenchmarkElements(b *testing.B) {
	if why := enter.Unsupported(); why != "" {
		b.Skip(why)
	}
	f := elementFunction(b, elementBenchSource, reflect.TypeFor[func(x, y float32) float32](), 0)
	cpu := tensor.CPU()
	x := cpu.Linspace(tensor.F32, -2, 1, 1024)
	y := cpu.Linspace(tensor.F32, -1, 1, 1024).Reshape(1024, 1)
	run := func(f any) func(b *testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				tensor.Map(f, x, y)
			}
		}
	}
	b.Run("machine", run(f))
	b.Run("compiled", run(benchElement))
	b.Run("loop", func(b *testing.B) {
		xs, ys, out := x.Data().([]float32), y.Reshape(1024).Data().([]float32), make([]float32, 1<<20)
		for b.Loop() {
			for i := range out {
				out[i] = benchElement(xs[i%1024], ys[i/1024])
			}
		}
	})
}
