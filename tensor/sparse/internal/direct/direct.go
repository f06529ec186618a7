// Package direct factors sparse matrices in the memory of the host: P·A·Q is L·U, with a unit lower triangular L.
//
//	order.go   the order Q of the columns: approximate minimum degree
//	direct.go  the factors, column by column
//	solve.go   solutions
package direct

import "math/cmplx"

// Number is an element of a matrix.
type Number interface{ float64 | complex128 }

// Columns is a square matrix by compressed columns.
type Columns[T Number] struct {
	Offsets []int64
	Rows    []uint32
	Values  []T
}

// Factors are the triangular factors of a matrix. Columns of lower do not hold the ones of its diagonal, and those of
// upper end with the pivot. Rows are positions in the order of the pivots.
type Factors[T Number] struct {
	n            int
	lower, upper factor[T]
	rowAt        []int32 // the position of each row
	order        []int32 // the column at each position
}

type factor[T Number] struct {
	offsets []int
	rows    []int32
	values  []T
}

// preferDiagonal is the fraction of the greatest element of a column from which on the element of the diagonal is the
// pivot: the order of the columns supposes it.
const preferDiagonal = 0.1

// Factor factors a matrix by Gilbert and Peierls' algorithm (1988): a column of the factors is the solution of a
// sparse triangular system, whose positions a search in the graph of L finds first. The time is proportional to that
// of the arithmetic. singular is -1, or the position of a column without a pivot other than 0.
func Factor[T Number](n int, a Columns[T]) (f *Factors[T], singular int) {
	w := &work[T]{Factors: &Factors[T]{n: n, order: Order(n, a.Offsets, a.Rows), rowAt: make([]int32, n)},
		x: make([]T, n), mark: make([]int32, n), stack: make([]int32, n), next: make([]int, n)}
	f = w.Factors
	f.lower.offsets, f.upper.offsets = make([]int, 1, n+1), make([]int, 1, n+1)
	for i := range f.rowAt {
		f.rowAt[i], w.mark[i] = -1, -1
	}
	for k, col := range f.order {
		if !w.column(a, k, col) {
			return nil, k
		}
	}
	for i, row := range f.lower.rows {
		f.lower.rows[i] = f.rowAt[row]
	}
	return f, -1
}

// work is what the columns are computed with. Until the end, rows of lower are those of the matrix.
type work[T Number] struct {
	*Factors[T]
	x     []T
	mark  []int32 // the last column in whose positions a row was
	found []int32 // positions, each before those that depend on it, from the end on
	stack []int32
	next  []int // of the column of each entry of the stack
}

// column computes a column of both factors, and reports whether there is a pivot.
func (w *work[T]) column(a Columns[T], k int, col int32) bool {
	w.found = w.found[:0]
	from, to := a.Offsets[col], a.Offsets[col+1]
	for _, row := range a.Rows[from:to] {
		if w.mark[row] != int32(k) {
			w.search(int32(row), int32(k))
		}
	}
	for i := from; i < to; i++ {
		w.x[a.Rows[i]] = a.Values[i]
	}
	pivot, most := int32(-1), 0.0
	for i := len(w.found) - 1; i >= 0; i-- {
		row := w.found[i]
		at := w.rowAt[row]
		if at < 0 {
			if size := abs(w.x[row]); size > most {
				pivot, most = row, size
			}
			continue
		}
		x := w.x[row]
		w.upper.rows, w.upper.values = append(w.upper.rows, at), append(w.upper.values, x)
		for p := w.lower.offsets[at]; p < w.lower.offsets[at+1]; p++ {
			w.x[w.lower.rows[p]] -= w.lower.values[p] * x
		}
	}
	if pivot < 0 || abs(w.x[pivot])*0 != 0 { // none, or not finite
		return false
	}
	if w.rowAt[col] < 0 && w.mark[col] == int32(k) && abs(w.x[col]) >= preferDiagonal*most {
		pivot = col
	}
	value := w.x[pivot]
	w.rowAt[pivot] = int32(k)
	w.upper.rows, w.upper.values = append(w.upper.rows, int32(k)), append(w.upper.values, value)
	for _, row := range w.found {
		if w.rowAt[row] < 0 {
			w.lower.rows, w.lower.values = append(w.lower.rows, row), append(w.lower.values, w.x[row]/value)
		}
		w.x[row] = 0
	}
	w.lower.offsets = append(w.lower.offsets, len(w.lower.rows))
	w.upper.offsets = append(w.upper.offsets, len(w.upper.rows))
	return true
}

// search adds a row, after all rows that its column of L changes, by a search in depth.
func (w *work[T]) search(row, k int32) {
	depth := 0
	w.stack[0] = row
	w.open(0, k)
	for depth >= 0 {
		row := w.stack[depth]
		at, deeper := w.rowAt[row], false
		if at >= 0 {
			for end := w.lower.offsets[at+1]; w.next[depth] < end; {
				below := w.lower.rows[w.next[depth]]
				w.next[depth]++
				if w.mark[below] != k {
					depth++
					w.stack[depth] = below
					w.open(depth, k)
					deeper = true
					break
				}
			}
		}
		if !deeper {
			w.found = append(w.found, row)
			depth--
		}
	}
}

func (w *work[T]) open(depth int, k int32) {
	row := w.stack[depth]
	w.mark[row] = k
	if at := w.rowAt[row]; at >= 0 {
		w.next[depth] = w.lower.offsets[at]
	}
}

// Count is the number of elements of both factors.
func (f *Factors[T]) Count() int { return len(f.lower.rows) + len(f.upper.rows) }

// abs is the absolute value, or NaN.
func abs[T Number](x T) float64 {
	switch x := any(x).(type) {
	case float64:
		if x < 0 {
			return -x
		}
		return x
	case complex128:
		return cmplx.Abs(x)
	}
	return 0
}
