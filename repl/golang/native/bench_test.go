package native

import (
	"testing"
	"unsafe"
)

const benchSource = `
func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
func loops(a []int) int {
	s := 0
	for i := 0; i < 300; i++ {
		for j := 0; j < len(a); j++ { a[j] += i; s += a[j] }
	}
	return s
}
func sieve(composite []bool) int {
	n := 0
	for i := 2; i < len(composite); i++ {
		if composite[i] { continue }
		n++
		for j := 2 * i; j < len(composite); j += i { composite[j] = true }
	}
	return n
}
func matmul(a, b, c [][]float64) {
	n := len(a)
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			sum := 0.0
			for k := 0; k < n; k++ { sum += a[i][k] * b[k][j] }
			c[i][j] = sum
		}
	}
}
func mandelbrot(w, h, most int) int {
	total := 0
	for y := 0; y < h; y++ {
		for x := 0; x < w; x++ {
			cr, ci := float64(x)/float64(w)*3-2, float64(y)/float64(h)*2-1
			zr, zi := 0.0, 0.0
			n := 0
			for n < most && zr*zr+zi*zi < 4 {
				zr, zi = zr*zr-zi*zi+cr, 2*zr*zi+ci
				n++
			}
			total += n
		}
	}
	return total
}
`

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}
func loops(a []int) int {
	s := 0
	for i := 0; i < 300; i++ {
		for j := 0; j < len(a); j++ {
			a[j] += i
			s += a[j]
		}
	}
	return s
}
func sieve(composite []bool) int {
	n := 0
	for i := 2; i < len(composite); i++ {
		if composite[i] {
			continue
		}
		n++
		for j := 2 * i; j < len(composite); j += i {
			composite[j] = true
		}
	}
	return n
}
func matmul(a, b, c [][]float64) {
	n := len(a)
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			sum := 0.0
			for k := 0; k < n; k++ {
				sum += a[i][k] * b[k][j]
			}
			c[i][j] = sum
		}
	}
}
func mandelbrot(w, h, most int) int {
	total := 0
	for y := 0; y < h; y++ {
		for x := 0; x < w; x++ {
			cr, ci := float64(x)/float64(w)*3-2, float64(y)/float64(h)*2-1
			zr, zi := 0.0, 0.0
			n := 0
			for n < most && zr*zr+zi*zi < 4 {
				zr, zi = zr*zr-zi*zi+cr, 2*zr*zi+ci
				n++
			}
			total += n
		}
	}
	return total
}

// BenchmarkBesideGo times generated code and the same functions as compiled by Go.
func BenchmarkBesideGo(b *testing.B) {
	r := compileAll(b, benchSource)
	call := func(name string, out unsafe.Pointer, in ...unsafe.Pointer) func() {
		if r[name].Reason != nil {
			b.Fatal(name, r[name].Reason)
		}
		h := testHost()
		var outs []unsafe.Pointer
		if out != nil {
			outs = append(outs, out)
		}
		return func() { r[name].Proc.Code().Run(h, 0, in, outs) }
	}
	n, result := 25, 0
	list, flags := make([]int, 300), make([]bool, 50000)
	m := make([][]float64, 48)
	for i := range m {
		m[i] = make([]float64, 48)
	}
	w, h, most := 60, 40, 100
	for _, c := range []struct {
		name        string
		native, gos func()
	}{
		{"fib", call("fib", unsafe.Pointer(&result), unsafe.Pointer(&n)), func() { result = fib(n) }},
		{"loops", call("loops", unsafe.Pointer(&result), unsafe.Pointer(&list)), func() { result = loops(list) }},
		{"sieve", call("sieve", unsafe.Pointer(&result), unsafe.Pointer(&flags)), func() { result = sieve(flags) }},
		{"matmul", call("matmul", nil, unsafe.Pointer(&m), unsafe.Pointer(&m), unsafe.Pointer(&m)),
			func() { matmul(m, m, m) }},
		{"mandelbrot", call("mandelbrot", unsafe.Pointer(&result), unsafe.Pointer(&w), unsafe.Pointer(&h),
			unsafe.Pointer(&most)), func() { result = mandelbrot(w, h, most) }},
	} {
		b.Run(c.name+"/native", func(b *testing.B) {
			for b.Loop() {
				clear(flags)
				c.native()
			}
		})
		b.Run(c.name+"/go", func(b *testing.B) {
			for b.Loop() {
				clear(flags)
				c.gos()
			}
		})
	}
}
