package tensor

// merged is the walk of one or more operands of the same shape, with as few dims as possible: dims of size 1 are dropped
// and neighbours that are one run for every operand become one dim. There is always at least one dim.
type merged struct {
	dims    []int
	strides [][]int // per operand, per dim, in elements
}

// merge joins the dims of operands with these strides.
func merge(shape []int, strides ...[]int) merged {
	n := len(shape) + 1
	var space []int
	var m merged
	if len(strides) <= 3 && n <= 5 { // as nearly always: all in one piece of memory
		s := new(struct {
			strides [3][]int
			numbers [4 * 5]int
		})
		space, m.strides = s.numbers[:], s.strides[:len(strides)]
	} else {
		space, m.strides = make([]int, (len(strides)+1)*n), make([][]int, len(strides))
	}
	m.dims = space[:0:n]
	for k := range strides {
		m.strides[k] = space[(k+1)*n : (k+1)*n : (k+2)*n]
	}
	for i, size := range shape {
		if size == 1 {
			continue
		}
		last := len(m.dims) - 1
		if last >= 0 && m.continues(last, size, i, strides) {
			m.dims[last] *= size
			for k := range strides {
				m.strides[k][last] = strides[k][i]
			}
			continue
		}
		m.dims = append(m.dims, size)
		for k := range strides {
			m.strides[k] = append(m.strides[k], strides[k][i])
		}
	}
	if len(m.dims) == 0 {
		m.dims = append(m.dims, 1)
		for k := range strides {
			m.strides[k] = append(m.strides[k], 1)
		}
	}
	return m
}

// oneStride returns the stride of the one dim that merge makes of a shape, and false where it makes several.
func oneStride(shape, strides []int) (int, bool) {
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

func (m merged) continues(last, size, i int, strides [][]int) bool {
	for k := range strides {
		if m.strides[k][last] != strides[k][i]*size {
			return false
		}
	}
	return true
}

// contiguous reports whether every operand is one dense run.
func (m merged) contiguous() bool {
	if len(m.dims) != 1 {
		return false
	}
	for _, s := range m.strides {
		if s[0] != 1 && m.dims[0] != 1 {
			return false
		}
	}
	return true
}

func (m merged) count() int { return product(m.dims) }

// run is a stretch of the innermost dim: n elements from flat index at, with each operand's offset there.
type run struct {
	at, n int
	off   [3]int
}

// each calls f for the runs that make up the flat indices lo to hi, in order. There are at most three operands.
func (m merged) each(lo, hi int, f func(run)) {
	if lo >= hi {
		return
	}
	inner := len(m.dims) - 1
	index := make([]int, inner+1)
	var r run
	for d, rest := inner, lo; d >= 0; d-- {
		index[d] = rest % m.dims[d]
		rest /= m.dims[d]
		for k := range m.strides {
			r.off[k] += index[d] * m.strides[k][d]
		}
	}
	for r.at = lo; r.at < hi; {
		r.n = min(m.dims[inner]-index[inner], hi-r.at)
		f(r)
		r.at += r.n
		for k := range m.strides { // back to the start of this row
			r.off[k] -= index[inner] * m.strides[k][inner]
		}
		index[inner] = 0
		for d := inner - 1; d >= 0; d-- {
			index[d]++
			for k := range m.strides {
				r.off[k] += m.strides[k][d]
			}
			if index[d] < m.dims[d] {
				break
			}
			for k := range m.strides {
				r.off[k] -= m.dims[d] * m.strides[k][d]
			}
			index[d] = 0
		}
	}
}
