package gpu

import (
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/fft/internal/plan"
)

// chirp transforms count dense rows of n numbers, n not smooth, from x to y, which may be the same memory. It is
// Bluestein's algorithm: with c[k] = exp(-πi·k²/n), y[k] = c[k] · Σ_j (x[j]·c[j]) · conj(c[k-j]), a convolution by
// transforms of a padded length m.
func (r *runner) chirp(x, y memory, n, count int, inverse bool, scale float64) error {
	m := plan.Padded(2*n - 1)
	chirp, err := r.table("chirp", n, func() []complex128 { return plan.Chirp(n) })
	if err != nil {
		return err
	}
	filter, err := r.filter(n, m)
	if err != nil {
		return err
	}
	padded, release, err := r.temporary(m * count)
	if err != nil {
		return err
	}
	defer release()
	first, last := uint64(0), uint64(0)
	if inverse { // the transform of the conjugates, conjugated
		first, last = 1, 2
	}
	rows := job{n: m, from: 1, to: 1, dims: []dim{{count, m, m}}, scale: 1}
	if err := r.weigh(x, padded, chirp, count, n, m, 1, first); err != nil {
		return err
	}
	if err := r.run(padded, padded, rows); err != nil {
		return err
	}
	if err := r.weigh(padded, padded, filter, count, m, m, 1/float64(m), 0); err != nil {
		return err
	}
	rows.inverse = true
	if err := r.run(padded, padded, rows); err != nil {
		return err
	}
	return r.weigh(padded, y, chirp, count, m, n, scale, last)
}

// weigh multiplies rows of `from` numbers by weights, and cuts or pads them to `to` numbers.
func (r *runner) weigh(x, y memory, weights *rocm.Buffer, rows, from, to int, scale float64, conjugate uint64) error {
	args := r.add(rocm.NewArgs(), x).Buffer(weights, 0)
	return r.launch("fft_weigh", blocks(rows*to),
		r.add(args, y).U64(uint64(rows)).U64(uint64(from)).U64(uint64(to)).F64(scale).U64(conjugate))
}

// filter returns the transform, of length m, of the conjugate chirp.
func (r *runner) filter(n, m int) (*rocm.Buffer, error) {
	fresh := false
	filter, err := r.table("filter", n, func() []complex128 {
		fresh = true
		wide := make([]complex128, m)
		for k, c := range plan.Chirp(n) {
			c = complex(real(c), -imag(c))
			wide[k], wide[(m-k)%m] = c, c
		}
		return wide
	})
	if err == nil && fresh {
		at := memory{filter, 0}
		err = r.run(at, at, job{n: m, from: 1, to: 1, scale: 1})
	}
	return filter, err
}
