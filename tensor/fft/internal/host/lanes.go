package host

import "sync"

// A group of transforms is computed side by side: number k of transform l is at k·width + l of a split. Interleaved
// complex numbers are slices of parts: number i is at 2i and 2i+1.

// width is the number of transforms of a group: 64 bytes of parts.
func width[T number]() int {
	var t T
	if _, ok := any(t).(float32); ok {
		return 16
	}
	return 8
}

// grid says where the transforms of a group lie among interleaved complex numbers: number k of transform l is at
// k·step + l·lane. One of the two is 1.
type grid struct{ step, lane int }

// load copies n numbers of `lanes` transforms from x to a group.
func load[T number](to split[T], x []T, g grid, n, lanes int) {
	v := width[T]()
	if g.lane == 1 && lanes == v && fast[T]().loadColumns != nil {
		fast[T]().loadColumns(to.re, to.im, x, n, 2*g.step)
		return
	}
	if g.lane != 1 && lanes == v && fast[T]().loadRows != nil {
		whole := n / rowsTogether * rowsTogether
		fast[T]().loadRows(to.re, to.im, x, whole, 2*g.lane)
		loadSlowly(split[T]{to.re[whole*v:], to.im[whole*v:]}, x[2*whole*g.step:], g, n-whole, lanes)
		return
	}
	loadSlowly(to, x, g, n, lanes)
}

func loadSlowly[T number](to split[T], x []T, g grid, n, lanes int) {
	v := width[T]()
	if g.lane == 1 {
		for k := range n {
			r, i, from := to.re[k*v:][:lanes], to.im[k*v:][:lanes], x[2*k*g.step:][:2*lanes]
			for l := range r {
				r[l], i[l] = from[2*l], from[2*l+1]
			}
		}
		return
	}
	for l := range lanes {
		for k := range n {
			from := 2 * (k*g.step + l*g.lane)
			to.re[k*v+l], to.im[k*v+l] = x[from], x[from+1]
		}
	}
}

// store copies n numbers of `lanes` transforms from a group to y, times scale.
func store[T number](y []T, from split[T], g grid, n, lanes int, scale T) {
	v := width[T]()
	if scale != 1 {
		for i := range from.re[:n*v] {
			from.re[i] *= scale
			from.im[i] *= scale
		}
	}
	if g.lane == 1 && lanes == v && fast[T]().storeColumns != nil {
		fast[T]().storeColumns(y, from.re, from.im, n, 2*g.step)
		return
	}
	if g.lane != 1 && lanes == v && fast[T]().storeRows != nil {
		whole := n / rowsTogether * rowsTogether
		fast[T]().storeRows(y, from.re, from.im, whole, 2*g.lane)
		storeSlowly(y[2*whole*g.step:], split[T]{from.re[whole*v:], from.im[whole*v:]}, g, n-whole, lanes)
		return
	}
	storeSlowly(y, from, g, n, lanes)
}

func storeSlowly[T number](y []T, from split[T], g grid, n, lanes int) {
	v := width[T]()
	if g.lane == 1 {
		for k := range n {
			r, i, to := from.re[k*v:][:lanes], from.im[k*v:][:lanes], y[2*k*g.step:][:2*lanes]
			for l := range r {
				to[2*l], to[2*l+1] = r[l], i[l]
			}
		}
		return
	}
	for l := range lanes {
		for k := range n {
			to := 2 * (k*g.step + l*g.lane)
			y[to], y[to+1] = from.re[k*v+l], from.im[k*v+l]
		}
	}
}

// scratch is memory for work on one goroutine: two groups, and rows of complex numbers.
type scratch[T number] struct {
	groups [4][]T
	rows   [2][]T
}

var (
	scratch32 = sync.Pool{New: func() any { return new(scratch[float32]) }}
	scratch64 = sync.Pool{New: func() any { return new(scratch[float64]) }}
)

func pool[T number]() *sync.Pool {
	if width[T]() == 16 {
		return &scratch32
	}
	return &scratch64
}

func getScratch[T number]() *scratch[T] { return pool[T]().Get().(*scratch[T]) }

func (s *scratch[T]) free() { pool[T]().Put(s) }

// group returns two groups of n numbers of each transform, of arbitrary contents.
func (s *scratch[T]) group(n int) (a, b split[T]) {
	n *= width[T]()
	for i, g := range s.groups {
		if len(g) < n {
			s.groups[i] = make([]T, n)
		}
	}
	return split[T]{s.groups[0][:n], s.groups[1][:n]}, split[T]{s.groups[2][:n], s.groups[3][:n]}
}

// row returns row i, of n complex numbers with arbitrary contents.
func (s *scratch[T]) row(i, n int) []T {
	if len(s.rows[i]) < 2*n {
		s.rows[i] = make([]T, 2*n)
	}
	return s.rows[i][:2*n]
}
