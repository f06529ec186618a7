package rocm

import "runtime"

// float8Step is what rows of f8 matrices and the addresses of their first elements are a multiple of, in bytes.
const float8Step = 16

// Float8 reports whether a library can multiply f8e4m3 matrices with k columns on the left and n on the right, where they are as Gemm wants them.
// It loads the library, unless a capture is under way.
func (d *Device) Float8(k, n int) bool {
	if d.Emulated() || k%float8Step != 0 || n%float8Step != 0 || d.recording() != nil && !d.blasLt.ready() {
		return false
	}
	return d.blasLt.open(d) != nil
}

// Float8Rows reports whether a library takes the rows of an f8e4m3 matrix, or of a batch of them, as they lie: dense, and on round addresses.
func (m Matrix) Float8Rows(rows, cols, batch int) bool {
	f, ok := m.form(rows, cols)
	return ok && !f.transposed && (f.lead|m.Offset)%float8Step == 0 && (batch == 1 || m.Batch%float8Step == 0)
}

// float8 is a Gemm of f8e4m3.
func (d *Device) float8(g *Gemm) (bool, error) {
	columns := g.B.transposed()
	if !g.A.Float8Rows(g.M, g.K, g.Batch) || !columns.Float8Rows(g.N, g.K, g.Batch) || !g.C.Float8Rows(g.M, g.N, g.Batch) || !d.Float8(g.K, g.N) {
		return false, nil
	}
	if err := g.check(d, gemmSizes[g.Elem]); err != nil {
		return false, err
	}
	done, err := d.blasLt.product(d, g, columns)
	runtime.KeepAlive(g)
	return done, err
}
