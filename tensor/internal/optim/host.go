package optim

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// piece is how many elements a core takes at a time: with state, they stay in its nearest cache.
const piece = 1024

// update runs a rule over all rows, split among cores.
func (b *batch) update(rule Rule, c *control) {
	const work = 16            // additions that take as long as an element
	c.numbers = rule.numbers() // once: NAdam's take longer than a piece
	for i := range b.rows {
		r := &b.rows[i]
		host.Parallel((r.n+piece-1)/piece, piece*work, func(lo, hi int) {
			switch {
			case b.dtype == tensor.F64:
				updateParts(r, c, lo, hi, func(e *elements[float64]) { rule.update64(c, e) })
			case b.dtype == tensor.F32:
				updateParts(r, c, lo, hi, func(e *elements[float32]) { rule.update32(c, e) })
			default:
				updateSmall(r, b.dtype, c, lo, hi, func(e *elements[float32]) { rule.update32(c, e) })
			}
		})
	}
}

// updateParts updates the pieces lo to hi of a row whose variable has the type of the arithmetic.
func updateParts[R float32 | float64](r *row, c *control, lo, hi int, update func(e *elements[R])) {
	scratch := make([]R, piece)
	for at := lo * piece; at < min(hi*piece, r.n); at += piece {
		end := min(at+piece, r.n)
		e := elements[R]{w: part[R](r.at[columnW], at, end), g: scratch[:end-at]}
		copy(e.g, part[R](r.at[columnG], at, end))
		prepare(c, e.g)
		e.take(r, at, end)
		update(&e)
	}
}

// updateSmall is updateParts for small floats, which are widened and rounded again.
func updateSmall(r *row, dt tensor.DType, c *control, lo, hi int, update func(e *elements[float32])) {
	w, g, rounded := make([]float32, piece), make([]float32, piece), make([]float32, piece)
	raw := make([]byte, piece*dt.Size())
	for at := lo * piece; at < min(hi*piece, r.n); at += piece {
		end := min(at+piece, r.n)
		n := end - at
		variable := bytesOf(r.at[columnW], dt, at, end)
		host.Widen(w[:n], variable, dt)
		host.Widen(g[:n], bytesOf(r.at[columnG], dt, at, end), dt)
		prepare(c, g[:n])
		e := elements[float32]{w: w[:n], g: g[:n]}
		e.take(r, at, end)
		master := part[float32](r.at[columnMaster], at, end)
		if master != nil { // it holds but where the variable was set meanwhile
			host.Narrow(raw, master, dt)
			host.Widen(rounded[:n], raw, dt)
			for i, x := range rounded[:n] {
				if x == w[i] {
					w[i] = master[i]
				}
			}
		}
		update(&e)
		host.Narrow(variable, w[:n], dt)
		copy(master, w[:n])
	}
}

// take sets the state of elements.
func (e *elements[R]) take(r *row, at, end int) {
	for i := range e.state {
		e.state[i] = part[R](r.at[columnState+i], at, end)
	}
}

// prepare multiplies gradients by the factor and clamps them.
func prepare[R float32 | float64](c *control, g []R) {
	factor, limit := R(c.factor), R(c.limit)
	for i, x := range g {
		x *= factor
		if x > limit {
			x = limit
		} else if x < -limit {
			x = -limit
		}
		g[i] = x
	}
}

// bytesOf is the memory of the elements at to end of a dense operand.
func bytesOf(o backend.Operand, dt kernels.DType, at, end int) []byte {
	start := o.Layout.Offset * o.DType.Size()
	return o.Store.(*host.Storage).Data[start+at*dt.Size() : start+end*dt.Size()]
}

// part are the elements at to end of a dense operand, nil if it has no store.
func part[R float32 | float64](o backend.Operand, at, end int) []R {
	if o.Store == nil {
		return nil
	}
	return host.View[R](o.Store.(*host.Storage).Data[o.Layout.Offset*o.DType.Size():])[at:end]
}

// hostSums returns the sums of squares and of faults of each chunk of the gradients: F64 [chunks 2].
func (b *batch) hostSums() *tensor.Tensor {
	out := b.dev.Zeros(tensor.F64, table(b.rows).blocks(), 2)
	sums, first := out.Data().([]float64), 0
	for i := range b.rows {
		r, to := &b.rows[i], sums[2*first:]
		host.Parallel(chunks(r.n), kernels.OptimChunk, func(lo, hi int) {
			wide := make([]float32, 0)
			if b.dtype.IsSmallFloat() {
				wide = make([]float32, kernels.OptimChunk)
			}
			for k := lo; k < hi; k++ {
				at, end := k*kernels.OptimChunk, min((k+1)*kernels.OptimChunk, r.n)
				switch b.dtype {
				case tensor.F64:
					to[2*k], to[2*k+1] = squares(part[float64](r.at[columnG], at, end))
				case tensor.F32:
					to[2*k], to[2*k+1] = squares(part[float32](r.at[columnG], at, end))
				default:
					host.Widen(wide[:end-at], bytesOf(r.at[columnG], b.dtype, at, end), b.dtype)
					to[2*k], to[2*k+1] = squares(wide[:end-at])
				}
			}
		})
		first += chunks(r.n)
	}
	return out
}

// squares returns the sum of squares of x, and how many elements are not finite.
func squares[R float32 | float64](x []R) (sum, faults float64) {
	for _, v := range x {
		sum += float64(v) * float64(v)
		if v-v != 0 {
			faults++
		}
	}
	return sum, faults
}
