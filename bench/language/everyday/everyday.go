// Command everyday times small programs of the kinds that people write in notebooks: word counts, closures, generic
// functions, linked structures. The same file is compiled and run as a script by gorocm: bench/language.py.
package main

import (
	"cmp"
	"container/heap"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"
)

func wordCount(s string) map[string]int {
	m := make(map[string]int)
	for _, w := range strings.Fields(s) {
		m[strings.ToLower(w)]++
	}
	return m
}

type kv struct {
	k string
	v int
}

func top(m map[string]int, n int) []kv {
	var l []kv
	for k, v := range m {
		l = append(l, kv{k, v})
	}
	sort.Slice(l, func(i, j int) bool {
		if l[i].v != l[j].v {
			return l[i].v > l[j].v
		}
		return l[i].k < l[j].k
	})
	if len(l) > n {
		l = l[:n]
	}
	return l
}

func sortedKeys2(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

func Map[T, U any](xs []T, f func(T) U) []U {
	out := make([]U, len(xs))
	for i, x := range xs {
		out[i] = f(x)
	}
	return out
}

func Filter[T any](xs []T, f func(T) bool) []T {
	var out []T
	for _, x := range xs {
		if f(x) {
			out = append(out, x)
		}
	}
	return out
}

func Reduce[T, A any](xs []T, a A, f func(A, T) A) A {
	for _, x := range xs {
		a = f(a, x)
	}
	return a
}

func useHigher(n int) int {
	xs := make([]int, n)
	for i := range xs {
		xs[i] = i
	}
	sq := Map(xs, func(x int) int { return x * x })
	ev := Filter(sq, func(x int) bool { return x%2 == 0 })
	return Reduce(ev, 0, func(a, x int) int { return a + x })
}

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(x T) { s.items = append(s.items, x) }

func (s *Stack[T]) Pop() (T, bool) {
	var zero T
	if len(s.items) == 0 {
		return zero, false
	}
	x := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return x, true
}

func useStack(n int) int {
	s := &Stack[int]{}
	for i := 0; i < n; i++ {
		s.Push(i)
	}
	t := 0
	for {
		x, ok := s.Pop()
		if !ok {
			break
		}
		t += x
	}
	return t
}

func Count(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func useIter(n int) int {
	t := 0
	for x := range Count(n) {
		t += x
	}
	return t
}

func memoFib(n int) int {
	memo := map[int]int{}
	var fib func(int) int
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		if v, ok := memo[n]; ok {
			return v
		}
		r := fib(n-1) + fib(n-2)
		memo[n] = r
		return r
	}
	return fib(n)
}

type Node struct {
	Val         int
	Left, Right *Node
}

func (n *Node) Insert(v int) *Node {
	if n == nil {
		return &Node{Val: v}
	}
	if v < n.Val {
		n.Left = n.Left.Insert(v)
	} else {
		n.Right = n.Right.Insert(v)
	}
	return n
}

func (n *Node) Walk(f func(int)) {
	if n == nil {
		return
	}
	n.Left.Walk(f)
	f(n.Val)
	n.Right.Walk(f)
}

func (n *Node) Depth() int {
	if n == nil {
		return 0
	}
	return 1 + max(n.Left.Depth(), n.Right.Depth())
}

func useTree() int {
	var root *Node
	for i := 0; i < 1000; i++ {
		root = root.Insert((i * 7919) % 1009)
	}
	s := 0
	root.Walk(func(v int) { s += v })
	return s + root.Depth()
}

type item struct{ node, dist int }

type pq []item

func (p pq) Len() int { return len(p) }

func (p pq) Less(i, j int) bool { return p[i].dist < p[j].dist }

func (p pq) Swap(i, j int) { p[i], p[j] = p[j], p[i] }

func (p *pq) Push(x any) { *p = append(*p, x.(item)) }

func (p *pq) Pop() any { o := *p; n := len(o); x := o[n-1]; *p = o[:n-1]; return x }

type edge struct{ to, w int }

func dijkstra(g [][]edge, s int) []int {
	dist := make([]int, len(g))
	for i := range dist {
		dist[i] = math.MaxInt
	}
	dist[s] = 0
	q := &pq{{s, 0}}
	for q.Len() > 0 {
		it := heap.Pop(q).(item)
		if it.dist > dist[it.node] {
			continue
		}
		for _, e := range g[it.node] {
			if d := it.dist + e.w; d < dist[e.to] {
				dist[e.to] = d
				heap.Push(q, item{e.to, d})
			}
		}
	}
	return dist
}

func isPal(s string) bool {
	var b []rune
	for _, r := range s {
		if unicode.IsLetter(r) {
			b = append(b, unicode.ToLower(r))
		}
	}
	for i := 0; i < len(b)/2; i++ {
		if b[i] != b[len(b)-1-i] {
			return false
		}
	}
	return true
}

func join2(xs []int) string {
	var sb strings.Builder
	for i, x := range xs {
		if i > 0 {
			sb.WriteByte(',')
		}
		sb.WriteString(strconv.Itoa(x))
	}
	return sb.String()
}

func parseCSV(s string) ([][]float64, error) {
	var out [][]float64
	for n, line := range strings.Split(strings.TrimSpace(s), "\n") {
		var row []float64
		for _, f := range strings.Split(line, ",") {
			v, err := strconv.ParseFloat(strings.TrimSpace(f), 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			row = append(row, v)
		}
		out = append(out, row)
	}
	return out, nil
}

type Shape interface {
	Area() float64
	Perimeter() float64
}

type Circle struct{ R float64 }

type Rect struct{ W, H float64 }

func (c Circle) Area() float64 { return math.Pi * c.R * c.R }

func (c Circle) Perimeter() float64 { return 2 * math.Pi * c.R }

func (r Rect) Area() float64 { return r.W * r.H }

func (r Rect) Perimeter() float64 { return 2 * (r.W + r.H) }

func total(ss []Shape) (a, p float64) {
	for _, s := range ss {
		a += s.Area()
		p += s.Perimeter()
	}
	return
}

func mandel(c complex128) int {
	z := complex(0, 0)
	for i := 0; i < 100; i++ {
		z = z*z + c
		if real(z)*real(z)+imag(z)*imag(z) > 4 {
			return i
		}
	}
	return 100
}

func fft(a []complex128) []complex128 {
	n := len(a)
	if n == 1 {
		return a
	}
	e, o := make([]complex128, n/2), make([]complex128, n/2)
	for i := 0; i < n/2; i++ {
		e[i], o[i] = a[2*i], a[2*i+1]
	}
	e, o = fft(e), fft(o)
	r := make([]complex128, n)
	for k := 0; k < n/2; k++ {
		s, c := math.Sincos(-2 * math.Pi * float64(k) / float64(n))
		t := complex(c, s) * o[k]
		r[k], r[k+n/2] = e[k]+t, e[k]-t
	}
	return r
}

type Vec3 struct{ X, Y, Z float64 }

func (a Vec3) Add(b Vec3) Vec3 { return Vec3{a.X + b.X, a.Y + b.Y, a.Z + b.Z} }

func (a Vec3) Scale(k float64) Vec3 { return Vec3{a.X * k, a.Y * k, a.Z * k} }

func (a Vec3) Sub(b Vec3) Vec3 { return a.Add(b.Scale(-1)) }

func (a Vec3) Len() float64 { return math.Sqrt(a.X*a.X + a.Y*a.Y + a.Z*a.Z) }

type Body struct {
	Pos, Vel Vec3
	Mass     float64
}

func step(bs []Body, dt float64) {
	for i := range bs {
		var acc Vec3
		for j := range bs {
			if i == j {
				continue
			}
			d := bs[j].Pos.Sub(bs[i].Pos)
			r := d.Len() + 1e-9
			acc = acc.Add(d.Scale(bs[j].Mass / (r * r * r)))
		}
		bs[i].Vel = bs[i].Vel.Add(acc.Scale(dt))
	}
	for i := range bs {
		bs[i].Pos = bs[i].Pos.Add(bs[i].Vel.Scale(dt))
	}
}

func mergeSort[T cmp.Ordered](xs []T) []T {
	if len(xs) < 2 {
		return xs
	}
	m := len(xs) / 2
	a, b := mergeSort(xs[:m]), mergeSort(xs[m:])
	out := make([]T, 0, len(xs))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			out = append(out, a[0])
			a = a[1:]
		} else {
			out = append(out, b[0])
			b = b[1:]
		}
	}
	return append(append(out, a...), b...)
}

type state int

const (
	idle state = iota
	running
	done
)

func (s state) String() string { return [...]string{"idle", "running", "done"}[s] }

func states() string {
	s := ""
	for i := idle; i <= done; i++ {
		s += i.String() + " "
	}
	return s
}

// measure prints the shortest time of some runs in nanoseconds, and the program's result.
func measure(name string, work func() int) {
	least, result := time.Hour, 0
	for spent, n := time.Duration(0), 0; n < 3 || spent < 60*time.Millisecond && n < 300; n++ {
		start := time.Now()
		result = work()
		took := time.Since(start)
		least, spent = min(least, took), spent+took
	}
	fmt.Println(name, int(least), result)
}

var text = strings.Repeat("the quick brown fox jumps over the lazy dog and runs away from the big bad wolf ", 100)

func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = (i * 7919) % 1009
	}
	return list
}

func main() {
	counts := wordCount(text)
	measure("word_counts", func() int { return wordCount(text)["the"] })
	measure("sort.Slice", func() int { return top(counts, 3)[0].v })
	measure("sorted_keys", func() int { return len(sortedKeys2(counts)) })
	measure("map_filter_reduce", func() int { return useHigher(10000) })
	measure("generic_stack", func() int { return useStack(10000) })
	measure("iterator", func() int { return useIter(10000) })
	measure("memo_in_a_map", func() int { return memoFib(80) })
	measure("binary_tree", useTree)
	measure("container/heap", func() int {
		g := make([][]edge, 200)
		for i := range g {
			g[i] = []edge{{(i*7 + 1) % 200, i%5 + 1}, {(i + 1) % 200, 3}}
		}
		return dijkstra(g, 0)[77]
	})
	measure("palindrome", func() int {
		if isPal(text) {
			return 1
		}
		return 0
	})
	measure("join_numbers", func() int { return len(join2(numbers(1000))) })
	measure("parse_csv", func() int {
		rows, _ := parseCSV(strings.Repeat("1.5,2,3\n", 300))
		return len(rows)
	})
	measure("shapes", func() int {
		list := []Shape{}
		for i := range 1000 {
			if i%2 == 0 {
				list = append(list, Circle{float64(i)})
			} else {
				list = append(list, Rect{float64(i), 2})
			}
		}
		a, p := total(list)
		return int(a + p)
	})
	measure("complex_mandelbrot", func() int {
		n := 0
		for i := range 30 {
			for j := range 30 {
				n += mandel(complex(float64(i)/15-1.5, float64(j)/15-1))
			}
		}
		return n
	})
	measure("fft", func() int {
		a := make([]complex128, 256)
		for i := range a {
			a[i] = complex(float64(i%7), 0)
		}
		return len(fft(a))
	})
	measure("n_bodies", func() int {
		bodies := make([]Body, 10)
		for i := range bodies {
			bodies[i] = Body{Pos: Vec3{float64(i), float64(i * i), 1}, Mass: 1}
		}
		for range 10 {
			step(bodies, 0.01)
		}
		return int(bodies[3].Pos.X * 1e6)
	})
	measure("generic_merge_sort", func() int { return mergeSort(numbers(1000))[500] })
	measure("names_of_states", func() int { return len(states()) })
}
