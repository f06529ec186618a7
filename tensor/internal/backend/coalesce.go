package backend

// Coalesced is the walk over one or more operands of the same shape with as few dims as possible. Dims of size 1 are
// dropped, and neighbouring dims that have one stride in every operand become one. There is always at least one dim.
type Coalesced struct {
	Dims    []int
	Strides [][]int // per operand, per dim, in elements
}

// Coalesce merges dims of operands with these strides where all of them allow it.
func Coalesce(shape []int, strides ...[]int) Coalesced {
	n := len(shape) + 1
	var space []int
	var m Coalesced
	if len(strides) <= 3 && n <= 5 { // the usual case: one allocation
		s := new(struct {
			strides [3][]int
			numbers [4 * 5]int
		})
		space, m.Strides = s.numbers[:], s.strides[:len(strides)]
	} else {
		space, m.Strides = make([]int, (len(strides)+1)*n), make([][]int, len(strides))
	}
	m.Dims = space[:0:n]
	for k := range strides {
		m.Strides[k] = space[(k+1)*n : (k+1)*n : (k+2)*n]
	}
	for i, size := range shape {
		if size == 1 {
			continue
		}
		last := len(m.Dims) - 1
		if last >= 0 && m.continues(last, size, i, strides) {
			m.Dims[last] *= size
			for k := range strides {
				m.Strides[k][last] = strides[k][i]
			}
			continue
		}
		m.Dims = append(m.Dims, size)
		for k := range strides {
			m.Strides[k] = append(m.Strides[k], strides[k][i])
		}
	}
	if len(m.Dims) == 0 {
		m.Dims = append(m.Dims, 1)
		for k := range strides {
			m.Strides[k] = append(m.Strides[k], 1)
		}
	}
	return m
}

// CoalescedStride returns the stride of the one dim that Coalesce leaves of a shape, and false where it leaves
// several.
func CoalescedStride(shape, strides []int) (int, bool) {
	stride, last := 1, -1
	for i, size := range shape {
		if size == 1 {
			continue
		}
		if last >= 0 && strides[last] != strides[i]*size {
			return 0, false
		}
		stride, last = strides[i], i
	}
	return stride, true
}

func (m Coalesced) continues(last, size, i int, strides [][]int) bool {
	for k := range strides {
		if m.Strides[k][last] != strides[k][i]*size {
			return false
		}
	}
	return true
}

// IsContiguous reports whether every operand is one dense run.
func (m Coalesced) IsContiguous() bool {
	if len(m.Dims) != 1 {
		return false
	}
	for _, s := range m.Strides {
		if s[0] != 1 && m.Dims[0] != 1 {
			return false
		}
	}
	return true
}

func (m Coalesced) ElemCount() int { return Product(m.Dims) }

// Run is a part of the innermost dim: Len elements from flat index Index on, and the offset of the first one in each
// operand.
type Run struct {
	Index, Len int
	Offsets    [3]int
}

// EachRun calls f for the runs that make up the flat indices lo to hi, in order. There are at most three operands.
func (m Coalesced) EachRun(lo, hi int, f func(Run)) {
	if lo >= hi {
		return
	}
	inner := len(m.Dims) - 1
	index := make([]int, inner+1)
	var r Run
	for d, rest := inner, lo; d >= 0; d-- {
		index[d] = rest % m.Dims[d]
		rest /= m.Dims[d]
		for k := range m.Strides {
			r.Offsets[k] += index[d] * m.Strides[k][d]
		}
	}
	for r.Index = lo; r.Index < hi; {
		r.Len = min(m.Dims[inner]-index[inner], hi-r.Index)
		f(r)
		r.Index += r.Len
		for k := range m.Strides { // back to the start of this row
			r.Offsets[k] -= index[inner] * m.Strides[k][inner]
		}
		index[inner] = 0
		for d := inner - 1; d >= 0; d-- {
			index[d]++
			for k := range m.Strides {
				r.Offsets[k] += m.Strides[k][d]
			}
			if index[d] < m.Dims[d] {
				break
			}
			for k := range m.Strides {
				r.Offsets[k] -= m.Dims[d] * m.Strides[k][d]
			}
			index[d] = 0
		}
	}
}
