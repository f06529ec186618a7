// Command language times small programs of the kinds that cells are made of. The same file is compiled, run as a script
// by gorocm and interpreted by yaegi; programs.py is the same in Python. bench/language.py compares them.
package main

import (
	"fmt"
	"sort"
	"strings"
	"time"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func calls() int { return fib(30) }

func loops() int {
	a := make([]int, 300)
	s := 0
	for i := 0; i < 300; i++ {
		for j := 0; j < len(a); j++ {
			a[j] += i
			s += a[j]
		}
	}
	return s
}

func matrix() int {
	n := 40
	a, b, c := make([][]float64, n), make([][]float64, n), make([][]float64, n)
	for i := 0; i < n; i++ {
		a[i], b[i], c[i] = make([]float64, n), make([]float64, n), make([]float64, n)
		for j := 0; j < n; j++ {
			a[i][j], b[i][j] = float64(i+j), float64(i-j)
		}
	}
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			sum := 0.0
			for k := 0; k < n; k++ {
				sum += a[i][k] * b[k][j]
			}
			c[i][j] = sum
		}
	}
	return int(c[3][5])
}

func counting() int {
	words := []string{"one", "two", "three", "four", "five", "six", "seven"}
	m := map[string]int{}
	for i := 0; i < 50000; i++ {
		m[words[i%len(words)]]++
	}
	return m["three"]
}

func text() int {
	n := 0
	for i := 0; i < 100; i++ {
		var b strings.Builder
		for j := 0; j < 100; j++ {
			b.WriteString("ab")
		}
		n += len(b.String())
	}
	return n
}

type account struct{ balance int }

func (a *account) deposit(n int) { a.balance += n }

func methods() int {
	a := &account{}
	for i := 0; i < 50000; i++ {
		a.deposit(i)
	}
	return a.balance
}

type shape interface{ area() int }

type square struct{ side int }

type box struct{ w, h int }

func (s square) area() int { return s.side * s.side }

func (b box) area() int { return b.w * b.h }

func interfaces() int {
	shapes := []shape{square{3}, box{2, 5}}
	n := 0
	for i := 0; i < 50000; i++ {
		n += shapes[i%2].area()
	}
	return n
}

func sieve() int {
	composite := make([]bool, 50000)
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

func mandelbrot() int {
	n := 0
	for y := 0; y < 30; y++ {
		for x := 0; x < 40; x++ {
			cr, ci := float64(x)/40*3-2, float64(y)/30*2-1
			zr, zi := 0.0, 0.0
			for i := 0; i < 100 && zr*zr+zi*zi < 4; i++ {
				zr, zi = zr*zr-zi*zi+cr, 2*zr*zi+ci
				n++
			}
		}
	}
	return n
}

func closures() int {
	n := 0
	add := func(x int) { n += x }
	for i := 0; i < 50000; i++ {
		add(i)
	}
	return n
}

func sorting() int {
	list := make([]int, 5000)
	x := 12345
	for i := 0; i < len(list); i++ {
		x = (x*1103515245 + 12345) % 2147483648
		list[i] = x
	}
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
	return list[2500]
}

type ascending []int

func (a ascending) Len() int           { return len(a) }
func (a ascending) Less(i, j int) bool { return a[i] < a[j] }
func (a ascending) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }

func ordering() int {
	list := make(ascending, 5000)
	x := 12345
	for i := 0; i < len(list); i++ {
		x = (x*1103515245 + 12345) % 2147483648
		list[i] = x
	}
	sort.Sort(list)
	return list[2500]
}

func functions() int {
	f := func(x int) int { return x }
	for i := 0; i < 10; i++ {
		g, k := f, i
		f = func(x int) int { return g(x) + k }
	}
	n := 0
	for i := 0; i < 5000; i++ {
		n += f(i)
	}
	return n
}

func mapped[T, U any](list []T, f func(T) U) []U {
	out := make([]U, 0, len(list))
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}

func reduced[T, A any](list []T, a A, f func(A, T) A) A {
	for _, x := range list {
		a = f(a, x)
	}
	return a
}

func generics() int {
	list := make([]int, 10000)
	for i := 0; i < len(list); i++ {
		list[i] = i
	}
	halves := mapped[int, float64](list, func(x int) float64 { return float64(x) / 2 })
	return int(reduced[float64, float64](halves, 0.0, func(a, x float64) float64 { return a + x }))
}

// measure prints the median time of some runs in nanoseconds, and the program's result.
func measure(name string, work func() int) {
	var times []int
	result := 0
	for spent := 0; len(times) < 3 || spent < 200000000 && len(times) < 1000; {
		start := time.Now()
		result = work()
		took := int(time.Since(start))
		times = append(times, took)
		spent += took
	}
	sort.Ints(times)
	fmt.Println(name, times[len(times)/2], result)
}

func main() {
	measure("calls", calls)
	measure("loops", loops)
	measure("matrix", matrix)
	measure("counting", counting)
	measure("text", text)
	measure("methods", methods)
	measure("interfaces", interfaces)
	measure("sieve", sieve)
	measure("mandelbrot", mandelbrot)
	measure("closures", closures)
	measure("sorting", sorting)
	measure("ordering", ordering)
	measure("functions", functions)
	measure("generics", generics)
}
