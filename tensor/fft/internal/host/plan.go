package host

import (
	"sync"

	"github.com/gorocm/gorocm/tensor/fft/internal/plan"
)

const (
	// shortest is the smallest length of a row that is computed as a matrix, with transforms of its columns and of its
	// rows. Shorter rows are computed in groups.
	shortest = 256
	// longestRows is the largest length of rows that are computed in groups if there are enough of them.
	longestRows = 1024
	// longestGroup is the largest length of groups: they and their copy are 1 MiB.
	longestGroup = 4096
	// tabled is the largest length whose factors between columns and rows are kept.
	tabled = 1 << 16
)

// lengthPlan is what transforms of one length need.
type lengthPlan[T number] struct {
	n      int
	passes []pass[T] // of a group; nil for lengths that are not smooth

	// of a row as a matrix [n1 n2]
	n1, n2  int
	columns []pass[T]
	rows    []pass[T]
	between []split[T]  // the factors between them, for each group of columns, up to length `tabled`
	powers  plan.Powers // the roots that they are, beyond that

	chirp *chirpPlan[T] // for lengths that are not smooth
}

func newLengthPlan[T number](n int) *lengthPlan[T] {
	p := &lengthPlan[T]{n: n}
	if !plan.Smooth(n) {
		p.chirp = newChirpPlan[T](n)
		return p
	}
	if n <= longestGroup {
		p.passes = newPasses[T](n)
	}
	if n < shortest {
		return p
	}
	p.n1, p.n2 = plan.Split(n, n)
	p.columns, p.rows = newPasses[T](p.n1), newPasses[T](p.n2)
	if n > tabled {
		p.powers = plan.NewPowers(n)
		return p
	}
	v := width[T]()
	for first := 0; first < p.n2; first += v {
		first := max(0, min(first, p.n2-v)) // as groups have it
		f := split[T]{make([]T, p.n1*v), make([]T, p.n1*v)}
		for k := range p.n1 {
			for l := range v {
				root := plan.Root(k*(first+l)%n, n)
				f.re[k*v+l], f.im[k*v+l] = T(real(root)), T(imag(root))
			}
		}
		p.between = append(p.between, f)
	}
	return p
}

// mostPlans is how many plans are kept for each type. When there are more, all are dropped.
const mostPlans = 64

// planCache keeps plans by length.
type planCache[T number] struct {
	mu    sync.Mutex
	plans map[int]*lengthPlan[T]
}

var (
	plans32 planCache[float32]
	plans64 planCache[float64]
)

// planOf returns the plan for a length. Plans do not change.
func planOf[T number](n int) *lengthPlan[T] {
	c, ok := any(&plans32).(*planCache[T])
	if !ok {
		c = any(&plans64).(*planCache[T])
	}
	c.mu.Lock()
	p := c.plans[n]
	c.mu.Unlock()
	if p != nil {
		return p
	}
	p = newLengthPlan[T](n) // without the lock: it may need the plan of another length
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.plans == nil || len(c.plans) >= mostPlans {
		c.plans = map[int]*lengthPlan[T]{}
	}
	c.plans[n] = p
	return p
}

// transform does all passes on a group in a. It returns the one of the two where the results are.
func transform[T number](passes []pass[T], a, b split[T]) split[T] {
	s := width[T]()
	for i := range passes {
		passes[i].run(b, a, s)
		s *= passes[i].radix
		a, b = b, a
	}
	return a
}
