package optimize

import (
	"math"
	"sync/atomic"

	"github.com/gorocm/gorocm/internal/interrupt"
)

// tableau is that of the simplex method: rows of the constraints, the last element of each the right side, and the
// reduced costs. Column basis[i] is a unit vector, with 1 in row i.
type tableau struct {
	rows  [][]float64
	costs []float64
	basis []int
	free  int // columns from here on are artificial, and do not enter the basis
	steps int
	most  int
	ended atomic.Bool // the cell is interrupted
}

// solve returns the columns' values at which the cost is least.
func (s standardForm) solve(limit int) (y []float64, steps int, err error) {
	s, factors := s.scaled()
	t, artificial := s.tableau(limit)
	defer interrupt.Watch(func() { t.ended.Store(true) })()
	if artificial > 0 {
		largest := 0.0
		for _, b := range s.right {
			largest = max(largest, math.Abs(b))
		}
		// the sum of the artificial columns is least, and zero if there is a point
		for c := t.free; c < t.free+artificial; c++ {
			t.costs[c] = 1
		}
		t.reduce()
		all := t.free
		t.free += artificial
		if _, err := t.run(); err != nil {
			return nil, t.steps, err
		}
		t.free = all
		if left := -t.costs[len(t.costs)-1]; left > 1e-9+1e-14*largest {
			return nil, t.steps, failed(ErrInfeasible, "no point meets all constraints: they are missed by %.3g in sum, "+
				"of rows whose largest coefficient is near 1", left*factors[len(factors)-1])
		}
		t.leave()
	}
	clear(t.costs)
	for k, c := range s.columns {
		t.costs[k] = c.cost
	}
	t.reduce()
	bounded, err := t.run()
	if err != nil {
		return nil, t.steps, err
	}
	if !bounded {
		return nil, t.steps, failed(ErrUnbounded, "c·x decreases without end within the constraints: give Bounds")
	}
	y = make([]float64, len(s.columns))
	for i, c := range t.basis {
		if c < len(y) {
			y[c] = t.rows[i][len(t.rows[i])-1] * factors[c]
		}
	}
	return y, t.steps, nil
}

// tableau begins with slacks as the basis, where they are not negative, and artificial columns elsewhere.
func (s standardForm) tableau(limit int) (t *tableau, artificial int) {
	n, m := len(s.columns), len(s.rows)
	slacks := 0
	for _, is := range s.slack {
		if is {
			slacks++
		}
	}
	for i, is := range s.slack {
		if !is || s.right[i] < 0 {
			artificial++
		}
	}
	t = &tableau{free: n + slacks, most: limit, basis: make([]int, m), costs: make([]float64, n+slacks+artificial+1)}
	slack, extra := n, n+slacks
	for i, row := range s.rows {
		out := make([]float64, len(t.costs))
		copy(out, row)
		out[len(out)-1] = s.right[i]
		if s.slack[i] {
			out[slack] = 1
			t.basis[i] = slack
			slack++
		}
		if s.right[i] < 0 {
			for c := range out {
				out[c] = -out[c]
			}
		}
		if !s.slack[i] || s.right[i] < 0 {
			out[extra] = 1
			t.basis[i] = extra
			extra++
		}
		t.rows = append(t.rows, out)
	}
	return t, artificial
}

// reduce makes the costs of the basis zero.
func (t *tableau) reduce() {
	for i, c := range t.basis {
		if f := t.costs[c]; f != 0 {
			t.costs = plus(t.costs, -f, t.rows[i])
			t.costs[c] = 0
		}
	}
}

// run takes steps until no column decreases the cost. Where the cost stays, the first column in order enters and the
// first leaves (Bland), so that no basis comes again.
func (t *tableau) run() (bounded bool, err error) {
	const small = 1e-10
	stays := 0
	for {
		enter := -1
		for c := range t.free {
			if t.costs[c] < -small && (enter < 0 || stays < 10 && t.costs[c] < t.costs[enter]) {
				enter = c
			}
		}
		if enter < 0 {
			return true, nil
		}
		leave, least := -1, math.Inf(1)
		for i, row := range t.rows {
			if row[enter] <= small {
				continue
			}
			ratio := max(0, row[len(row)-1]) / row[enter]
			if leave < 0 || ratio < least-1e-12*max(1, least) {
				leave, least = i, ratio
			} else if ratio <= least+1e-12*max(1, least) && t.better(i, leave, enter, stays) {
				leave, least = i, min(least, ratio)
			}
		}
		if leave < 0 {
			return false, nil
		}
		if stays++; least > 1e-12 {
			stays = 0
		}
		t.pivot(leave, enter)
		if t.ended.Load() {
			return false, failed(ErrNotConverged, "interrupted")
		}
		if t.steps++; t.steps > t.most {
			return false, failed(ErrNotConverged, "not converged after %d steps: set MaxIter", t.most)
		}
	}
}

// better chooses among rows of the same ratio: the larger pivot, or the first column where the cost stays.
func (t *tableau) better(i, than, enter, stays int) bool {
	if stays >= 10 {
		return t.basis[i] < t.basis[than]
	}
	return t.rows[i][enter] > t.rows[than][enter]
}

// pivot brings a column into the basis in the place of that of a row.
func (t *tableau) pivot(leave, enter int) {
	row := t.rows[leave]
	p := row[enter]
	for c := range row {
		row[c] /= p
	}
	row[enter] = 1
	for i, other := range t.rows {
		if f := other[enter]; i != leave && f != 0 {
			for c, v := range row {
				other[c] -= f * v
			}
			other[enter] = 0
		}
	}
	if f := t.costs[enter]; f != 0 {
		for c, v := range row {
			t.costs[c] -= f * v
		}
		t.costs[enter] = 0
	}
	t.basis[leave] = enter
}

// leave takes artificial columns, which are zero, out of the basis. Rows in which only they are left say nothing.
func (t *tableau) leave() {
	var rows [][]float64
	var basis []int
	for i := 0; i < len(t.rows); i++ {
		if t.basis[i] >= t.free {
			enter, largest := -1, 1e-9
			for c := range t.free {
				if v := math.Abs(t.rows[i][c]); v > largest {
					enter, largest = c, v
				}
			}
			if enter >= 0 {
				t.pivot(i, enter)
			}
		}
	}
	for i, c := range t.basis {
		if c < t.free {
			rows, basis = append(rows, t.rows[i]), append(basis, c)
		}
	}
	t.rows, t.basis = rows, basis
}
