package backend

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// indexMap is a naive view: for every element in row-major order, its place in the storage.
type indexMap struct {
	shape []int
	at    []int
}

func (m indexMap) index(multi []int) int {
	flat := 0
	for d, i := range multi {
		flat = flat*m.shape[d] + i
	}
	return m.at[flat]
}

// remap builds a view of shape whose element at a multi-index comes from another multi-index.
func (m indexMap) remap(shape []int, from func(multi []int) []int) indexMap {
	out := indexMap{shape: shape}
	for flat := range Product(shape) {
		multi := make([]int, len(shape))
		for d, rest := len(shape)-1, flat; d >= 0; d-- {
			multi[d] = rest % shape[d]
			rest /= shape[d]
		}
		out.at = append(out.at, m.index(from(multi)))
	}
	return out
}

// places lists where a layout's elements are, as kernels and host loops walk them.
func places(l Layout) []int {
	out := make([]int, 0, l.ElemCount())
	m := Coalesce(l.Shape, l.Strides)
	step := m.Strides[0][len(m.Dims)-1]
	m.EachRun(0, l.ElemCount(), func(r Run) {
		if r.Index != len(out) {
			panic("runs are not in order")
		}
		for i := range r.Len {
			out = append(out, l.Offset+r.Offsets[0]+i*step)
		}
	})
	return out
}

// TestViews applies random chains of views to a Layout and to the naive map, and compares after every step.
func TestViews(t *testing.T) {
	thorough.Slow(t)
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 2000 {
		shape := make([]int, r.IntN(5))
		for i := range shape {
			shape[i] = 1 + r.IntN(4)
			if r.IntN(40) == 0 {
				shape[i] = 0
			}
		}
		l := Dense(shape)
		m := indexMap{shape: shape}
		for i := range Product(shape) {
			m.at = append(m.at, i)
		}
		for step := range 6 {
			var name string
			l, m, name = randomView(r, l, m)
			if !slices.Equal(l.Shape, m.shape) || !slices.Equal(places(l), m.at) {
				t.Fatalf("trial %d step %d, %s: %v walks %v, want shape %v %v", trial, step, name, l, places(l),
					m.shape, m.at)
			}
			dense := true
			for i, p := range m.at {
				dense = dense && p == m.at[0]+i
			}
			if dense != l.IsContiguous() {
				t.Fatalf("trial %d, %s: IsContiguous of %v is %v", trial, name, l, l.IsContiguous())
			}
		}
	}
}

func randomView(r *rand.Rand, l Layout, m indexMap) (Layout, indexMap, string) {
	rank := len(l.Shape)
	switch op := r.IntN(7); {
	case op == 0 && rank > 0:
		order := r.Perm(rank)
		v := l.Permute(order)
		return v, m.remap(v.Shape, func(multi []int) []int {
			from := make([]int, rank)
			for i, d := range order {
				from[d] = multi[i]
			}
			return from
		}), "permute"
	case op == 1 && rank > 0:
		d := r.IntN(rank)
		start := r.IntN(l.Shape[d] + 1)
		n := r.IntN(l.Shape[d] - start + 1)
		v := l.Narrow(d, start, n)
		return v, m.remap(v.Shape, func(multi []int) []int {
			from := slices.Clone(multi)
			from[d] += start
			return from
		}), "narrow"
	case op == 2:
		d := r.IntN(rank + 1)
		v := l.InsertDim(d)
		return v, m.remap(v.Shape, func(multi []int) []int { return slices.Delete(slices.Clone(multi), d, d+1) }),
			"insert"
	case op == 3 && slices.Contains(l.Shape, 1):
		d := slices.Index(l.Shape, 1)
		v := l.DropDim(d)
		return v, m.remap(v.Shape, func(multi []int) []int { return slices.Insert(slices.Clone(multi), d, 0) }), "drop"
	case op == 4:
		shape := append([]int{1 + r.IntN(3)}, l.Shape...)
		for i := range shape {
			if shape[i] == 1 {
				shape[i] = 1 + r.IntN(3)
			}
		}
		v, ok := l.Broadcast(shape)
		if !ok || Product(shape) > 2000 {
			return l, m, "too large"
		}
		return v, m.remap(shape, func(multi []int) []int {
			from := slices.Clone(multi[1:])
			for i := range from {
				if l.Shape[i] == 1 {
					from[i] = 0
				}
			}
			return from
		}), "broadcast"
	case op == 5 && rank > 1:
		v := l.Transpose(0, rank-1)
		return v, m.remap(v.Shape, func(multi []int) []int {
			from := slices.Clone(multi)
			from[0], from[rank-1] = from[rank-1], from[0]
			return from
		}), "transpose"
	default: // merge or split a dim
		shape := slices.Clone(l.Shape)
		if rank > 1 && r.IntN(2) == 0 {
			d := r.IntN(rank - 1)
			shape = slices.Replace(shape, d, d+2, shape[d]*shape[d+1])
		} else if d := slices.Index(shape, 4); d >= 0 {
			shape = slices.Replace(shape, d, d+1, 2, 2)
		}
		v, ok := l.Reshape(shape)
		if !ok {
			return l, m, "needs a copy"
		}
		return v, indexMap{shape, m.at}, "reshape"
	}
}

// TestReshapeFindsViews checks that a reshape copies only when no strides can say it.
func TestReshapeFindsViews(t *testing.T) {
	base := Dense([]int{4, 6, 5})
	for _, c := range []struct {
		name  string
		l     Layout
		shape []int
		view  bool
	}{
		{"dense", base, []int{24, 5}, true},
		{"rows apart, split inside", base.Narrow(2, 0, 4), []int{24, 2, 2}, true},
		{"rows apart, merged across", base.Narrow(2, 0, 4), []int{4, 24}, false},
		{"transposed, split", base.Transpose(0, 2), []int{5, 3, 2, 4}, true},
		{"transposed, flat", base.Transpose(0, 2), []int{120}, false},
		{"broadcast, flat", base.Narrow(0, 1, 1).DropDim(0), []int{30}, true},
		{"one more dim", base.Transpose(0, 1), []int{6, 1, 4, 5, 1}, true},
	} {
		v, ok := c.l.Reshape(c.shape)
		if ok != c.view {
			t.Errorf("%s: view %v, want %v", c.name, ok, c.view)
		}
		if ok && !slices.Equal(places(v), places(c.l)) {
			t.Errorf("%s: other elements", c.name)
		}
	}
}

func TestMergeJoinsDims(t *testing.T) {
	dense := Dense([]int{2, 3, 4})
	if m := Coalesce(dense.Shape, dense.Strides); len(m.Dims) != 1 || !m.IsContiguous() {
		t.Errorf("dense: %v", m)
	}
	row, _ := Dense([]int{4}).Broadcast([]int{2, 3, 4})
	if m := Coalesce(dense.Shape, dense.Strides, row.Strides); !slices.Equal(m.Dims, []int{6, 4}) || m.IsContiguous() {
		t.Errorf("with a broadcast row: %v", m)
	}
	if m := Coalesce(nil, nil); !slices.Equal(m.Dims, []int{1}) || !m.IsContiguous() {
		t.Errorf("scalar: %v", m)
	}
}

// FuzzEach checks that any division of the flat range gives the same walk.
func FuzzEach(f *testing.F) {
	f.Add(uint8(2), uint8(3), uint8(4), uint8(5), uint8(17))
	f.Fuzz(func(t *testing.T, a, b, c, lo, hi uint8) {
		shape := []int{int(a%5) + 1, int(b%5) + 1, int(c%5) + 1}
		l := Dense(shape).Transpose(0, 2)
		n := l.ElemCount()
		from, to := int(lo)%(n+1), int(hi)%(n+1)
		if from > to {
			from, to = to, from
		}
		m := Coalesce(l.Shape, l.Strides)
		step := m.Strides[0][len(m.Dims)-1]
		var got []int
		m.EachRun(from, to, func(r Run) {
			for i := range r.Len {
				got = append(got, r.Offsets[0]+i*step)
			}
		})
		if want := places(l)[from:to]; !slices.Equal(got, want) {
			t.Errorf("%v from %d to %d: got %v, want %v", l, from, to, got, want)
		}
	})
}
