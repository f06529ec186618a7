package gofuzz

// patternsPrelude are the declarations that patterns use.
const patternsPrelude = `
// What some has stands for is not known when a program is compiled.
var some = struct {
	int     int
	int8    int8
	int16   int16
	int32   int32
	int64   int64
	uint    uint
	uint8   uint8
	uint16  uint16
	uint32  uint32
	uint64  uint64
	uintptr uintptr
	float32 float32
	float64 float64
	string  string
	bool    bool
}{-7, -128, 32767, -1 << 31, 1<<63 - 1, 5, 200, 65535, 1 << 31, 1<<64 - 1, 77, 0.1, -2.5e9, "né", true}

func showAll(list []any) {
	if lines--; lines >= 0 {
		fmt.Println(list...)
	}
}

type hvec struct {
	X, Y float64
	N    int32
	Tag  string
}

func (v hvec) size() float64 { return v.X*v.X + v.Y*v.Y }

func (v *hvec) move(x, y float64) *hvec {
	v.X += x
	v.Y += y
	v.N++
	return v
}

func (v hvec) with(tag string) hvec {
	v.Tag = tag + v.Tag[:min(4, len(v.Tag))]
	v.N--
	return v
}

type hshape interface {
	area() float64
	name() string
}

type hsquare struct{ side float64 }

func (s hsquare) area() float64 { return s.side * s.side }
func (s hsquare) name() string  { return "square" }

type hcircle struct {
	r    float64
	hits int
}

func (c *hcircle) area() float64 { c.hits++; return 3 * c.r * c.r }
func (c *hcircle) name() string  { c.hits += 10; return "circle" }

type hnamed string

func (n hnamed) area() float64 { return float64(len(n)) }
func (n hnamed) name() string  { return string(n) + "!" }

type hderived struct {
	hvec
	hshape
	n int
}

type hbyLen []string

func (l hbyLen) Len() int           { return len(l) }
func (l hbyLen) Less(i, j int) bool { return len(l[i]) < len(l[j]) || len(l[i]) == len(l[j]) && l[i] < l[j] }
func (l hbyLen) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }

func hcounter(n int) (func(int) int, func(int), func() int) {
	return func(k int) int { n += k; return n }, func(k int) { n = k }, func() int { n++; return n }
}

func hcompose(f, g func(int) int) func(int) int {
	calls := 0
	return func(n int) int { calls++; m := g(n); return f(m) }
}

func hmap[T, U any](list []T, f func(T) U) []U {
	var r []U
	for _, x := range list {
		r = append(r, f(x))
	}
	return r
}

func hfilter[T any](list []T, f func(T) bool) []T {
	r := make([]T, 0, len(list))
	for i := range list {
		if f(list[i]) {
			r = append(r, list[i])
		}
	}
	return r
}

func hreduce[T, A any](list []T, a A, f func(A, T) A) A {
	for _, x := range list {
		a = f(a, x)
	}
	return a
}

func hsum[T integer | float64](list []T) (s T) {
	for _, x := range list {
		s += x
	}
	return s
}

func hlargest[T integer](a, b, c T) T {
	if a < b {
		a = b
	}
	return max(a, c)
}

type hpair[A, B any] struct {
	a A
	b B
}

func hpairOf[A, B any](a A, b B) hpair[A, B] { return hpair[A, B]{a, b} }

func (p hpair[A, B]) swapped() hpair[B, A] { return hpair[B, A]{p.b, p.a} }

type hnode[T any] struct {
	left, right *hnode[T]
	v           T
}

func (n *hnode[T]) insert(v T, less func(a, b T) bool) *hnode[T] {
	if n == nil {
		return &hnode[T]{v: v}
	}
	if less(v, n.v) {
		n.left = n.left.insert(v, less)
	} else {
		n.right = n.right.insert(v, less)
	}
	return n
}

func (n *hnode[T]) walk(yield func(T) bool) bool {
	return n == nil || n.left.walk(yield) && yield(n.v) && n.right.walk(yield)
}

func (n *hnode[T]) all() func(func(T) bool) {
	return func(yield func(T) bool) { n.walk(yield) }
}

func (n *hnode[T]) depth() int {
	if n == nil {
		return 0
	}
	l := n.left.depth()
	r := n.right.depth()
	return 1 + max(l, r)
}

type hstack[T any] struct{ list []T }

func (s *hstack[T]) push(v T)  { s.list = append(s.list, v) }
func (s *hstack[T]) size() int { return len(s.list) }

func (s *hstack[T]) pop() (v T, ok bool) {
	if len(s.list) == 0 {
		return v, false
	}
	v = s.list[len(s.list)-1]
	s.list = s.list[:len(s.list)-1]
	return v, true
}

func hupTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func hpairs(n int) func(func(int, int) bool) {
	return func(yield func(int, int) bool) {
		defer func() { lines-- }()
		for i := 0; i < n && yield(i, i*2); i++ {
		}
	}
}

func hparse(s string) (n int, err error) {
	if n, err = strconv.Atoi(s); err != nil {
		return -1, fmt.Errorf("parse %q: %w", s, err)
	}
	return n, nil
}
`
